package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Goods of a list that are kept in packs, or weighed: boxes of tiles, of which a column has the m2/box, and kilos of
// cheese at a price per kilo.

// columnOrGoods adds what the words of a heading mean: the column, or else the pieces, the packs or the share that
// people mean by such words.
func (c *chart) columnOrGoods(m link.Mention, text string, cost float64) {
	metric := plan.Metric("")
	switch share := c.shareRather(m); {
	case c.countsKinds(m):
		metric = plan.Units
	case c.countsPacks(m):
		metric = plan.StockUnits
	case c.isOtherWeight(m), c.isContents(m):
		return
	case share != nil:
		m.Column, m.How = share, link.Abbreviated
	}
	if metric != "" {
		at := span{m.From, m.To}
		c.add(m.From, m.To, figureCat, 0, sketch{figures: []figure{{span: at, metric: metric, text: text}}})
		return
	}
	c.column(m, text, cost)
}

// countsPacks reports whether a word is for the packs in which the stock of a list is counted, and a heading has only
// what is in one: boxes, of m2/box.
func (c *chart) countsPacks(m link.Mention) bool {
	if c.x.source.Kind != schema.Stocklist || m.To != m.From+1 || m.Column.Role != schema.None || m.Column.Type != schema.Number {
		return false
	}
	_, pack, ok := schema.PerPack(m.Column.Heading)
	return ok && c.plural(m.To) && strings.EqualFold(c.tokens[m.From].Lemma, pack) && c.x.can(plan.StockUnits)
}

// isContents reports whether a unit of measure names what is in one pack, where another column has all that there is.
func (c *chart) isContents(m link.Mention) bool {
	of, pack, ok := schema.PerPack(m.Column.Heading)
	if slices.ContainsFunc(c.tokens[m.From:m.To], func(t link.Token) bool { return strings.EqualFold(pack, t.Lemma) }) {
		return false
	}
	isAll := func(col schema.Column) bool { return col.Heading == schema.TotalHeading(of) }
	return ok && !c.hasWord("per", "each") && slices.ContainsFunc(c.x.source.Columns, isAll)
}

// shareRather returns the column of the share by which an amount of money was made, if words for the amount mean it:
// commission rate, 50 % commission; else nil.
func (c *chart) shareRather(m link.Mention) *schema.Column {
	if m.Column.Type != schema.Number || m.Column.Unit != schema.Money || m.Column.Role != schema.None {
		return nil
	}
	says := slices.ContainsFunc(c.tokens[m.From:min(m.To+1, len(c.tokens))], func(t link.Token) bool {
		return slices.Contains([]string{"rate", "rates", "percentage", "percent"}, t.Text)
	})
	beside := slices.ContainsFunc(c.mentions, func(o link.Mention) bool {
		return o.Kind == link.Number && o.Unit == link.Percent && o.To == m.From
	})
	word := strings.ToLower(m.Column.Heading)
	i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
		first, _, _ := strings.Cut(strings.ToLower(col.Heading), " ")
		return col.Unit == schema.Percent && (first == word || link.Abbreviates(first, word))
	})
	if i < 0 || !says && !beside {
		return nil
	}
	return &c.x.source.Columns[i]
}

// isOtherWeight reports whether a unit of measure names the stock of a list, which is in this unit, and not what
// another column has of it: how many kilos there are is not how many were sold, nor what one costs.
func (c *chart) isOtherWeight(m link.Mention) bool {
	stock, ok := c.x.source.ByRole(schema.Stock)
	if !ok || c.x.source.Kind != schema.Stocklist || m.To != m.From+1 || m.Column.Role == schema.Stock {
		return false
	}
	unit := plan.Unit(c.tokens[m.From].Lemma)
	if !plan.Measures(unit) || !namesUnit(stock.Heading, unit) || !namesUnit(m.Column.Heading, unit) {
		return false
	}
	return c.hasWord("sold", "sell", "sells", "sales", "sale") != hasWord(m.Column.Heading, "sold", "sales")
}

// namesUnit reports whether a heading has a unit of measure.
func namesUnit(heading, unit string) bool {
	words := strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return strings.ContainsRune(" /()[].,£$€", r) })
	return slices.ContainsFunc(words, func(w string) bool { return plan.Unit(w) == unit })
}

// isPricedPer reports whether the price that is asked for is that of the unit it should be divided by: the price a
// kilo, of Sell/kg.
func (b *builder) isPricedPer(d, of figure) bool {
	role := of.priced()
	if of.metric == plan.AveragePrice && of.plain() {
		role = schema.Price
	}
	price, ok := b.x.source.ByRole(role)
	return ok && len(b.s.figures) == 1 && namesUnit(price.Heading, plan.Unit(b.tokens[d.to-1].Lemma))
}
