package match

import (
	"strings"
	"unicode"
)

// skuKey is an SKU without case and signs: ab-12 is AB12. Only a sign between two
// digits stays, as a hyphen: 1-10 is not 11-0.
func skuKey(s string) string {
	var b strings.Builder
	afterDigit, parted := false, false
	for _, r := range fold(s) {
		digit := unicode.IsDigit(r)
		if !digit && !unicode.IsLetter(r) {
			parted = true
			continue
		}
		if digit && afterDigit && parted {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		afterDigit, parted = digit, false
	}
	return b.String()
}

// withSKU returns those that have the SKU; if several have it but for its signs,
// those that have it with them.
func (x *Index) withSKU(sku string) []*stored {
	found := x.skus[skuKey(sku)]
	if len(found) < 2 {
		return found
	}
	var exact []*stored
	for _, s := range found {
		if strings.EqualFold(strings.TrimSpace(s.SKU), strings.TrimSpace(sku)) {
			exact = append(exact, s)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return found
}
