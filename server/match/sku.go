package match

import (
	"strings"
	"unicode"
)

// skuKey returns an SKU without case and punctuation: ab-12 equals AB12. Only between
// two digits punctuation becomes a hyphen: 1-10 is not 11-0.
func skuKey(s string) string {
	var b strings.Builder
	afterDigit, separated := false, false
	for _, r := range fold(s) {
		digit := unicode.IsDigit(r)
		if !digit && !unicode.IsLetter(r) {
			separated = true
			continue
		}
		if digit && afterDigit && separated {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		afterDigit, separated = digit, false
	}
	return b.String()
}

// withSKU returns the items with an SKU of this key. If there are several, it prefers
// those whose SKU has the same punctuation, too.
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
