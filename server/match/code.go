package match

import (
	"strings"
	"unicode"
)

// skuKey is an SKU without case and signs: ab-12 is AB12.
func skuKey(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, fold(s))
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
