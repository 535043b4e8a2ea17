package schema

import (
	"slices"
	"strings"

	"svc/server/header"
)

// offers are in the headings of columns of prices for some goods and for a time, or of the words of an offer.
var offers = header.Set("sale offer offers promo promotion promotional special clearance was now reduced")

// NamesOffer reports whether a heading is that of an offer for some goods: Sale Price, Promo, Was beside Now.
func NamesOffer(heading string) bool {
	return slices.ContainsFunc(strings.Fields(header.Fold(heading)), func(w string) bool { return offers[w] })
}
