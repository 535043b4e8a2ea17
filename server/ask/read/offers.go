package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Goods of a list that sell for less now: a column has the price or the words of the offer, and is blank for others.

// offerColumn returns the column of offers of a list of goods, or nil. What the price was is no offer.
func (x *lexicon) offerColumn() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		isFilled := c.Type == schema.Number || c.Type == schema.Text
		return isFilled && c.Role == schema.None && 2*c.Blank > x.source.Rows && c.Distinct > 0 && !isFlag(c) && schema.NamesOffer(c.Heading) && !hasWord(c.Heading, "was")
	})
	if i < 0 || x.source.Kind != schema.Stocklist {
		return nil
	}
	return &x.source.Columns[i]
}

// offerPhrases are said of goods that are sold for less.
var offerPhrases = []string{"on sale", "in the sale", "on offer", "on special", "on promotion", "on promo", "marked down", "reduced", "discounted"}

// findOffers adds the condition that goods are on offer: how many have we reduced, the sale shoes.
func (c *chart) findOffers() {
	offer := c.x.offerColumn()
	if offer == nil {
		return
	}
	add := func(from, to int) {
		for k := from; k < to; k++ {
			c.starts[k] = nil
		}
		f := plan.Filter{Column: offer.Heading, Op: plan.Filled}
		c.add(from, to, valueCat, 0, sketch{where: []cond{{span: span{from, to}, Filter: f, role: offer.Role, text: c.text(from, to)}}})
	}
	for i, t := range c.tokens {
		for _, phrase := range offerPhrases {
			if to := i + strings.Count(phrase, " ") + 1; to <= len(c.tokens) && strings.EqualFold(c.text(i, to), phrase) {
				add(i, to)
			}
		}
		isGoods := func(m link.Mention) bool {
			return m.From == i+1 && (m.Sense == "row" || m.Kind == link.Dim && m.Role == schema.Product || m.Metric == plan.Rows)
		}
		if t.Text == "sale" && i+1 < len(c.tokens) && slices.ContainsFunc(c.mentions, isGoods) {
			add(i, i+1)
		}
	}
}
