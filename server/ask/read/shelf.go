package read

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// What people ask of a list of goods on a shelf, besides what there is and what to reorder.

// shelfColumn returns the column of where goods are kept, or nil.
func (x *lexicon) shelfColumn() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Text && hasWord(c.Heading, "bin", "shelf", "aisle", "location", "loc", "rack", "bay", "box", "storage", "stored", "kept", "position", "drawer", "cabinet", "fridge", "room")
	})
	if i < 0 || x.source.Kind != schema.Stocklist {
		return nil
	}
	return &x.source.Columns[i]
}

// paysForPieces reports whether what the shop pays for some goods of a list is asked for: how much do we
// pay for plugs.
func (b *builder) paysForPieces() bool {
	_, known := b.heading(schema.UnitCost)
	ofGoods := func(f cond) bool { return slices.Contains([]schema.Role{schema.Product, schema.SKU}, f.role) }
	return known && b.x.source.Kind == schema.Stocklist && b.shopPays() && (b.s.has("howmuch") || b.wordAt(0, "what")) && slices.ContainsFunc(b.s.where, ofGoods) && len(b.s.periods) == 0
}

// namesPeople reports whether a list of goods says who did something, or who supplies the goods that are
// asked for. Who bought some, only a column of buyers tells.
func (b *builder) namesPeople() bool {
	bySomebody := func(c schema.Column) bool {
		return c.Type == schema.Text && (slices.Contains([]schema.Role{schema.Staff, schema.Customer}, c.Role) || hasWord(c.Heading, "by", "who", "person", "name", "staff", "buyer", "owner", "maker", "artist", "author", "consignor", "contact"))
	}
	isSource := func(c schema.Column) bool {
		return c.Role == schema.Supplier || c.Role == schema.Brand || hasWord(c.Heading, "supplier", "vendor", "manufacturer", "publisher", "wholesaler", "brand", "artist", "author", "maker")
	}
	if m := b.s.find("buy"); m != nil && !b.weDo("buy", "bought", "order", "ordered") && !b.asksSource() {
		return slices.ContainsFunc(b.x.source.Columns, func(c schema.Column) bool {
			return c.Role == schema.Customer || hasWord(c.Heading, "buyer", "customer", "client")
		})
	}
	return slices.ContainsFunc(b.x.source.Columns, bySomebody) || b.asksSource() && slices.ContainsFunc(b.x.source.Columns, isSource)
}

// asksSource reports whether "who" is who supplies or makes the goods.
func (b *builder) asksSource() bool {
	return b.hasWord("supply", "supplies", "supplied", "make", "makes", "made", "from", "provide", "provides", "wrote", "publishes", "supplier", "vendor")
}

// dropPriceOfStock drops the price, and the pieces, of what the stock would sell for: fetch at selling
// price.
func (b *builder) dropPriceOfStock() {
	isValue := func(f figure) bool { return f.metric == plan.RetailValue && f.plain() }
	if b.x.source.Kind != schema.Stocklist || !slices.ContainsFunc(b.s.figures, isValue) || b.s.has("and", "versus") && !b.wordAt(0, "and") {
		return
	}
	price, _ := b.x.source.ByRole(schema.Price)
	b.s.figures = slices.DeleteFunc(slices.Clone(b.s.figures), func(f figure) bool {
		isPrice := f.metric == plan.AveragePrice || f.column != nil && f.column.Heading == price.Heading && f.fold == ""
		return f.plain() && f.metric == plan.StockUnits || isPrice && b.wordAt(f.from-1, "at", "on", "for")
	})
}

// listsGoods reports whether some goods of a list are asked for by a word for a list, or by whether there
// are any.
func (b *builder) listsGoods() bool {
	marked := b.hasWord("marked", "tagged", "flagged", "labelled", "labeled", "down")
	whichMarked := marked && (b.wordAt(0, "which") || b.wordAt(0, "what") && b.wordAt(1, "is", "have"))
	last := len(b.s.where) - 1
	isLed := last >= 0 && len(b.s.bounds) > 0 && b.s.where[0].from == 0 && b.plural(b.s.where[last].to) && b.s.bounds[0].from == b.s.where[last].to // reds under a tenner
	asked := isLed || b.asksWhatThereIs() || b.s.has("list") || whichMarked || b.wordAt(0, "any", "anything") || b.wordAt(0, "is", "are", "do", "have") && b.hasWord("any", "anything")
	return asked && b.x.source.Kind == schema.Stocklist && b.s.rank == nil && len(b.s.where)+len(b.s.bounds)+len(b.p.Where) > 0 && len(b.s.groups)+len(b.s.periods) == 0 && b.s.fold == "" && !b.s.has("howmany", "howmuch", "share")
}

// asksWhatThereIs reports whether the goods of some kind, or in some place, are asked for by name: what Penguin
// have we got, what is in bay 4.
func (b *builder) asksWhatThereIs() bool {
	if !b.wordAt(0, "what", "which") || len(b.s.figures)+len(b.s.counts) > 1 {
		return false
	}
	inPlace := b.wordAt(1, "is") && b.wordAt(2, "in", "on", "at") && len(b.s.where) > 0 && b.s.where[0].from <= 4 && b.s.where[0].to == len(b.tokens)
	isCondition := func(f cond) bool { return f.Op != plan.In || f.flag != nil }
	ofThese := b.phraseOf("which ones", "which of them", "which of these")
	isState := len(b.s.counts)+len(b.s.names) == 0 && !slices.ContainsFunc(b.s.figures, func(f figure) bool { return !b.isBound(f) }) &&
		(ofThese || b.hasWord("are", "is", "have", "has") && (b.wordAt(0, "which") && len(b.s.where) > 1 || slices.ContainsFunc(b.s.where, isCondition)))
	return inPlace || isState || b.phraseOf("have we got", "have i got", "do we have", "do we stock", "do we carry", "do we keep", "have we") && !b.s.has("soldout", "lowstock")
}

// asksPriceOf reports whether the price of some goods of a list is asked for: how much is the jug, what do
// we sell it for.
func (b *builder) asksPriceOf() bool {
	_, priced := b.heading(schema.Price)
	asksPrice := func(f cond) bool {
		isGoods := f.role == schema.Product || f.role == schema.SKU
		asked := b.wordAt(0, "how") && b.wordAt(1, "much") && b.wordAt(2, "is", "are") && (f.from == 3 || f.from == 4 && b.wordAt(3, "the", "a", "an"))
		return isGoods && (asked || (b.weDo("sell", "charge") && b.wordAt(f.to, "for", "at") || b.weDo("charge") && b.wordAt(f.from-1, "for")) && (b.wordAt(0, "what") || b.s.has("howmuch")))
	}
	return priced && b.x.source.Kind == schema.Stocklist && b.s.rank == nil && len(b.s.figures)+len(b.s.counts)+len(b.s.bounds)+len(b.s.periods) == 0 && slices.ContainsFunc(b.s.where, asksPrice)
}

// packs are nouns for what goods are sold or bought in.
var packs = []string{"pack", "packet", "case", "box", "bottle", "bag", "can", "tin", "jar", "tub", "roll", "metre", "meter", "ball", "unit", "crate", "carton", "tray", "sack", "cask", "keg", "barrel", "bunch", "loaf"}

// dropPacks drops the word for what goods are in where their price is asked for, which has no groups by it:
// the dearest pack we buy, a pack of tea.
func (b *builder) dropPacks() {
	if b.x.source.Kind == schema.Stocklist && b.s.has("howmany", "howmuch") {
		b.s.groups, _ = cut(b.s.groups, func(g group) bool { return !b.wordAt(g.from-1, "all") }) // across all batches
	}
	if b.x.source.Kind != schema.Stocklist || !(b.s.rank != nil && b.s.has("price") || b.asksPriceOf() || b.paysForPieces()) {
		return
	}
	isPack := func(n name) bool {
		return n.to == n.from+1 && slices.Contains(packs, b.tokens[n.from].Lemma) && !b.wordAt(n.from-1, "by", "which")
	}
	b.s.names = slices.DeleteFunc(slices.Clone(b.s.names), isPack)
	b.s.groups = slices.DeleteFunc(slices.Clone(b.s.groups), func(g group) bool { return isPack(g.name) && g.word != "by" })
}

// listsDated reports whether goods of a list are asked for by what happened to them: what was delivered
// in May.
func (b *builder) listsDated() bool {
	isDated := func(f cond) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && isDay(&c)
	}
	return b.x.source.Kind == schema.Stocklist && b.wordAt(0, "what") && len(b.s.figures)+len(b.s.counts) == 0 && b.s.fold == "" && !b.s.has("howmany", "howmuch", "money", "share") && slices.ContainsFunc(b.s.where, isDated)
}

// overstocked adds the condition that there is more in stock than the most that is to be kept.
func (c *chart) overstocked(m link.Mention, cost float64) {
	at := span{m.From, m.To}
	stock, ok := c.x.source.ByRole(schema.Stock)
	i := slices.IndexFunc(c.x.source.Columns, func(o schema.Column) bool {
		return o.Type == schema.Number && o.Unit != schema.Money && hasWord(o.Heading, "max", "maximum", "desired", "target")
	})
	if !ok || i < 0 {
		c.add(m.From, m.To, thingCat, costPhrase, sketch{missing: []missing{{span: at, what: "the most that should be in stock"}}})
		return
	}
	f := plan.Filter{Column: stock.Heading, Op: plan.More, Other: c.x.source.Columns[i].Heading}
	c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: at, Filter: f, role: schema.Stock, text: c.text(m.From, m.To)}}})
}

// findProceeds adds what the stock would sell for, where the words name no stock: what would it all fetch.
func (c *chart) findProceeds() {
	named := slices.ContainsFunc(c.mentions, func(m link.Mention) bool { return m.Kind == link.Metric && m.Metric == plan.StockUnits })
	if c.x.source.Kind != schema.Stocklist || !c.x.can(plan.RetailValue) || !c.hasWord("would", "could", "might") {
		return
	}
	for i, t := range c.tokens {
		to := i + 1
		if t.Lemma == "sell" || t.Lemma == "go" {
			for to = i + 1; to < len(c.tokens) && c.tokens[to].Text != "for"; to++ {
			}
			to++
		}
		isWhole := t.Lemma == "fetch" || !named && to <= i+3 && to <= len(c.tokens) && slices.Contains([]string{"sell", "go"}, t.Lemma)
		if isWhole && i > 0 {
			at := span{i, to}
			c.add(i, to, figureCat, 0, sketch{figures: []figure{{span: at, metric: plan.RetailValue, text: c.text(i, to)}}})
		}
	}
}

// markdown adds the full price of goods less that at which they are offered, and reports whether a list has
// both: RRP and Sale price, Price and Compare at price.
func (c *chart) markdown(m link.Mention, text string, cost float64) bool {
	var full, offer *schema.Column
	for i := range c.x.source.Columns {
		switch col := &c.x.source.Columns[i]; {
		case col.Type != schema.Number || col.Unit != schema.Money:
		case hasWord(col.Heading, "rrp", "msrp", "compare", "was", "full", "original", "list"):
			full = col
		case schema.NamesOffer(col.Heading), offer == nil && col.Role == schema.Price:
			offer = col
		}
	}
	if full == nil || offer == nil {
		return false
	}
	at := span{m.From, m.To}
	c.add(m.From, m.To, figureCat, cost, sketch{pair: plan.Difference, figures: []figure{{span: at, column: full, fold: "mean", text: text}, {span: span{m.From, m.From + 1}, column: offer, fold: "mean", text: text}}})
	return true
}

// findMarked adds the condition that a note says what goods of a list are marked as: recall.
func (c *chart) findMarked() {
	for i := 1; i < len(c.tokens); i++ {
		at := i - 1
		if c.tokens[at].Text == "as" && at > 0 {
			at--
		}
		col := c.x.words.NoteWith(c.tokens[i].Lemma)
		if col == nil || c.x.source.Kind != schema.Stocklist || !slices.Contains([]string{"marked", "flagged", "noted", "labelled", "tagged", "down"}, c.tokens[at].Text) {
			continue
		}
		f := cond{span: span{i, i + 1}, Filter: plan.Filter{Column: col.Heading, Op: plan.Has, Values: []string{c.tokens[i].Text}}, role: col.Role, text: c.tokens[i].Raw}
		c.add(i, i+1, valueCat, 0, sketch{where: []cond{f}})
	}
}

// findNotOrdered adds the condition that none of goods are on order: not on order, none on order.
func (c *chart) findNotOrdered() {
	incoming, ok := c.x.source.ByRole(schema.Incoming)
	for i := 0; ok && i+2 < len(c.tokens); i++ {
		isNone := slices.Contains([]string{"not", "none", "nothing", "no", "without"}, c.tokens[i].Text)
		on := i + 1
		for on < len(c.tokens) && on < i+3 && slices.Contains([]string{"any", "more", "yet", "stock"}, c.tokens[on].Text) {
			on++
		}
		if !isNone || on+1 >= len(c.tokens) || c.tokens[on].Text != "on" || c.tokens[on+1].Text != "order" {
			continue
		}
		f := cond{span: span{i, on + 2}, Filter: plan.Filter{Column: incoming.Heading, Op: plan.AtMost, Values: []string{"0"}}, role: schema.Incoming, text: c.text(i, on+2)}
		if incoming.Blank > 0 {
			f.Op, f.Values = plan.Blank, nil
		}
		for k := i; k < on+2; k++ {
			c.starts[k] = nil
		}
		c.add(i, on+2, valueCat, 0, sketch{where: []cond{f}})
	}
}

// findLastOne adds the condition that one is left of something, or a few: down to the last copy, down to their
// last 3 classes. Without it the last day would be meant.
func (c *chart) findLastOne() {
	left := c.x.leftColumn()
	for i := 0; left != nil && i+2 < len(c.tokens); i++ {
		at := i + 2
		for at < len(c.tokens) && c.tokens[at].Text != "one" && (slices.Contains(determiners, c.tokens[at].Text) || c.tokens[at].Text == "just") {
			at++
		}
		if c.tokens[i].Text != "down" || c.tokens[i+1].Text != "to" || at >= len(c.tokens) || !slices.Contains([]string{"last", "one", "1"}, c.tokens[at].Text) {
			continue
		}
		to := at + 1
		f := plan.Filter{Column: left.Heading, Op: plan.In, Values: []string{"1"}}
		if to < len(c.tokens) && isNumeral(c.tokens[to].Text) {
			f.Op, f.Values = plan.AtMost, []string{c.tokens[to].Text}
			to++
		}
		if to < len(c.tokens) && english.IsNoun(c.tokens[to].Lemma) {
			if c.tokens[at].Text != "last" {
				continue // down to one supplier
			}
			to++
		}
		for k := i; k < to; k++ {
			c.starts[k] = nil
		}
		c.add(i, to, valueCat, 0, sketch{where: []cond{{span: span{i, to}, Filter: f, role: left.Role, text: c.text(i, to)}}})
	}
}

// leftColumn returns the column of how many are left of each thing, or for each person; nil if there is none.
func (x *lexicon) leftColumn() *schema.Column {
	stock, ok := x.source.ByRole(schema.Stock)
	if ok && x.source.Kind == schema.Stocklist {
		return &stock
	}
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit != schema.Money && hasWord(c.Heading, "left", "remaining")
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// profitOnShelf adds what the stock would sell for less what it cost.
func (c *chart) profitOnShelf(m link.Mention, cost float64) {
	if !c.x.can(plan.RetailValue) || !c.x.can(plan.StockValue) || plan.StockValuedAt(c.x.source) != "at cost" {
		return
	}
	at := span{m.From, m.To}
	text := c.text(m.From, m.To)
	c.add(m.From, m.To, clauseCat, cost, sketch{pair: plan.Difference, figures: []figure{{span: at, metric: plan.RetailValue, text: text}, {span: span{m.From, m.From + 1}, metric: plan.StockValue, text: text}}})
}

// countsLow reports whether goods that are low or out of stock are counted by something else than the
// goods themselves: out of stock by supplier.
func (b *builder) countsLow() bool {
	if b.x.source.Kind != schema.Stocklist || !b.s.has("soldout", "lowstock") || len(b.p.By) == 0 || b.s.has("howmuch", "money") {
		return false
	}
	return !slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool {
		c, ok := plan.Column(b.x.source, d.Column)
		return ok && (c.Role == schema.Product || c.Role == schema.SKU || c.Role == schema.Supplier && b.s.rank == nil && b.s.has("lowstock"))
	})
}

// countsBatches reports whether rows of a list of goods are counted by something: batches by category.
func (b *builder) countsBatches() bool {
	row := b.s.find("row")
	return b.x.source.Kind == schema.Stocklist && row != nil && row.from <= 1 && b.plural(row.to) && len(b.p.By) > 0 && b.s.rank == nil && len(b.s.figures)+len(b.s.bounds) == 0 && !b.s.has("soldout", "lowstock", "sell", "buy", "money", "howmuch")
}

// readWhen reads when something happens to some rows as the last of its days: when is Ann's fitting, when is bill 12 due.
func (b *builder) readWhen() error {
	at := slices.IndexFunc(b.s.names, func(n name) bool {
		return n.column != nil && isDay(n.column) && !n.plural && (b.isHappening(n) || n.part == plan.Day && n.role != schema.Day)
	})
	isOf := func(f cond) bool { return f.Op == plan.In && f.Part == plan.Whole }
	if at < 0 || !b.wordAt(0, "when") || b.wordAt(1, "do") || b.s.rank != nil || len(b.s.figures)+len(b.s.groups)+len(b.s.counts)+len(b.s.periods) > 0 || !slices.ContainsFunc(b.s.where, isOf) {
		return nil
	}
	b.guessed = true
	began := b.hasWord("start", "started", "begin", "began", "join", "joined", "first")
	b.addMeasure(plan.Measure{Metric: map[bool]plan.Metric{true: plan.FirstDay, false: plan.LastDay}[began]})
	if n := b.s.names[at]; n.role != schema.Day {
		b.p.On = n.column.Heading
		b.note("The days are those of " + b.p.On + ".")
	}
	b.s.names = slices.Delete(slices.Clone(b.s.names), at, at+1)
	return nil
}

// readLastDays takes the last day that is asked for from the column of days of what the words say happened.
func (b *builder) readLastDays() error {
	ofDay := func(m plan.Measure) bool { return m.Metric == plan.LastDay || m.Metric == plan.FirstDay }
	if b.p.On != "" || !slices.ContainsFunc(b.p.Measures, ofDay) {
		return nil
	}
	isEvent := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && isDay(&c) && c.Role != schema.Day && f.Op == plan.Filled
	}
	if in := b.x.dayOf([]string{"receiv", "deliver", "arriv"}, dueWords); in != nil && b.x.source.Kind == schema.Purchases && in.Role == schema.None && b.hasWord("delivery", "deliveries", "delivered", "deliver", "delivers", "shipment", "received", "arrived", "arrive", "load", "consignment") {
		b.p.On = in.Heading
		b.note("The days are those of " + b.p.On + ".")
		return nil
	}
	if i := slices.IndexFunc(b.p.Where, isEvent); i >= 0 && b.s.has("when") {
		b.p.On = b.p.Where[i].Column // when did they last pay, of Date Paid
		b.p.Where = slices.Delete(slices.Clone(b.p.Where), i, i+1)
		b.note("The days are those of " + b.p.On + ".")
		return nil
	}
	isLast := func(c schema.Column) bool { return isLastDay(&c) && c.Role != schema.Day }
	if len(b.p.By) == 1 && b.p.By[0].Part.Series() && len(b.p.Measures) == 1 && ofDay(b.p.Measures[0]) {
		c, ok := plan.Column(b.x.source, b.p.By[0].Column)
		if ok && isLast(c) {
			b.p.Measures[0] = plan.Measure{Metric: b.x.counted()} // dogs by the month in which they were last in
			return nil
		}
	}
	if last := slices.IndexFunc(b.x.source.Columns, isLast); last >= 0 && b.x.source.Kind == schema.Customers && b.hasWord("last", "latest", "recent") {
		b.p.On = b.x.source.Columns[last].Heading // the day of the row is that on which somebody joined
		return nil
	}
	isGot := func() bool { // when did we last get it in, of Last Del
		gets := b.hasWord("get", "got", "have", "had", "come", "came") && b.hasWord("in") && !b.s.has("sell")
		goes := b.phraseOf("go out", "went out", "gone out", "leave us") && hasWord(b.day.Heading, "sold")
		return b.hasWord("when") && (gets && hasWord(b.day.Heading, cameIn...) || goes)
	}
	if b.day != nil && !b.x.can(plan.LastDay) && (b.x.tellsOf(b.day, b.tokens) || isGot()) {
		b.p.On = b.day.Heading
		b.note("The days are those of " + b.day.Heading + ".")
	}
	return nil
}

// leadsCount reports whether a name is of the goods of a list that are counted by something else.
func (b *builder) leadsCount(n name) bool {
	return b.x.source.Kind == schema.Stocklist && n.plural && n.from <= 1 && slices.Contains([]schema.Role{schema.Product, schema.SKU}, n.role) && len(b.s.groups) > 0 && b.s.rank == nil &&
		len(b.s.figures)+len(b.s.bounds) == 0 && !b.s.has("which", "list", "soldout", "lowstock", "sell", "buy", "money", "howmuch")
}

// countsGoods reports whether the goods of a list are counted by something else than themselves: products
// by status.
func (b *builder) countsGoods() bool {
	isGoods := func(n name) bool {
		return (n.role == schema.Product || n.role == schema.SKU) && n.plural && n.from <= 1
	}
	isOther := func(d plan.Dimension) bool {
		c, ok := plan.Column(b.x.source, d.Column)
		return ok && c.Role != schema.Product && c.Role != schema.SKU && (c.Type == schema.Text || isDay(&c))
	}
	return b.x.source.Kind == schema.Stocklist && len(b.s.names) == 1 && isGoods(b.s.names[0]) && b.s.rank == nil && len(b.s.figures)+len(b.s.bounds) == 0 && !b.s.has("soldout", "lowstock", "sell", "buy", "money", "howmuch") &&
		len(b.p.By) > 0 && !slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return !isOther(d) })
}

// soldColumn returns the column of a list of goods that has how many of each were sold, or nil.
func (x *lexicon) soldColumn() *schema.Column {
	isSold := func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit == schema.Plain && c.Role != schema.Stock && !isRate(c.Heading) && hasWord(c.Heading, "sold", "sales", "dispensed")
	}
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return isSold(c) && !slices.Contains([]string{"this week", "last week"}, c.SoldSpan()) // of as many days as there are
	})
	if i < 0 {
		i = slices.IndexFunc(x.source.Columns, isSold)
	}
	if i < 0 || x.source.Kind != schema.Stocklist || x.can(plan.Units) {
		return nil
	}
	return &x.source.Columns[i]
}

// itsDays matches the days that a column is of, in its heading: 30d of Visits 30d, 12 months of Orders 12 months.
var itsDays = regexp.MustCompile(`(?i)\b(\d+) ?(d|w|m|y)(ays?|ks?|eeks?|ths?|onths?|rs?|ears?)?\b`)

// otherDays matches words for days that only begin or end with those that a column is of.
var otherDays = regexp.MustCompile(`\b(before|after|until|till|since|first|ago)\b`)

// isOfDays reports whether words for days name those that a column is of.
func isOfDays(c *schema.Column, words string) bool {
	if isOther := otherDays.MatchString(words); c == nil || c.Type != schema.Number || isOther {
		return false
	}
	if span := c.SoldSpan(); span != "" && strings.Contains(words, span) {
		return true
	}
	found, said := itsDays.FindStringSubmatch(c.Heading), strings.Fields(words)
	return found != nil && slices.Contains(said, found[1]) && slices.ContainsFunc(said, func(w string) bool { return strings.HasPrefix(w, strings.ToLower(found[2])) })
}

// readSoldSpan drops the days that a column that is asked for is of, and no others: over the last 12
// months of Sales 12m.
func (b *builder) readSoldSpan() error {
	isOf := func(c *schema.Column) bool { return isOfDays(c, strings.ToLower(b.s.periods[0].Words)) }
	asksSold := b.x.sold != nil && b.asksSold()
	if len(b.s.periods) == 1 && (asksSold && isOf(b.x.sold) || slices.ContainsFunc(b.s.figures, func(f figure) bool { return isOf(f.column) }) ||
		slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.of != nil && isOf(o.of.column) })) {
		b.s.periods = nil
	}
	if !asksSold {
		return nil
	}
	heading := strings.ToLower(b.x.sold.Heading)
	ofSpan := func(n name) bool { // 12 months
		return n.part.Series() && n.from > 0 && isNumeral(b.tokens[n.from-1].Text) && strings.Contains(heading, b.tokens[n.from-1].Text)
	}
	b.s.names = slices.DeleteFunc(slices.Clone(b.s.names), ofSpan)
	if r, g := b.s.rank, b.s.groups; r != nil && r.vague && len(g) > 0 && g[len(g)-1].part.Series() && strings.Contains(heading, fmt.Sprint(r.limit)) {
		b.s.rank, b.s.groups = nil, g[:len(g)-1] // in 12 months
	}
	return nil
}

// isNumeral reports whether a word is a number in figures.
func isNumeral(word string) bool { return word != "" && word[0] >= '1' && word[0] <= '9' }

// asksSold reports whether a question is for how much was sold.
func (b *builder) asksSold() bool {
	if b.s.has("who") && !b.namesPeople() {
		return false // of whom a list of goods says nothing
	}
	judged := b.s.rank != nil && b.s.rank.judges && len(b.s.figures)+len(b.s.bounds) == 0 && !b.hasWord("stock", "margin", "value", "price", "priced")
	return (judged || b.s.has("sell") || b.hasWord("shift", "shifts", "shifted", "shifting", "sold", "sellers", "seller", "selling", "sales")) && !b.s.has("money", "unsold", "never") && !slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.column != nil && f.column != b.x.sold && isDay(f.column) })
}

// readSold takes what was sold from the column of a list of goods that has it.
func (b *builder) readSold() error {
	if b.x.sold == nil || !b.asksSold() || b.p.List != nil {
		return nil
	}
	sold := plan.Measure{Metric: plan.Sum, Column: b.x.sold.Heading}
	isLong := func(f plan.Filter) bool { return f.Op == plan.Before }
	ofStock := slices.ContainsFunc(b.p.Where, isLong) || b.hasWord("stock", "hand", "left", "have", "got", "shelf", "order")
	isSold := func(m plan.Measure) bool {
		isOther := m.Metric == plan.Revenue && b.x.can(plan.Revenue) || m.Metric == plan.StockUnits && ofStock
		return m.Plain() && slices.Contains([]plan.Metric{plan.Units, plan.Orders, plan.Revenue, plan.StockUnits, plan.Rows}, m.Metric) && !isOther
	}
	for i, m := range b.p.Measures {
		if isSold(m) {
			b.p.Measures[i] = sold
		}
	}
	onDays := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && isDay(&c) && f.Part != plan.Whole
	}
	inTime := len(b.s.periods) > 0 || slices.ContainsFunc(b.p.Where, onDays) || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Part != plan.Whole })
	if inTime && slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Column == b.x.sold.Heading }) {
		return b.refuse(Missing, "%s in %s does not say on which day, so this cannot be answered.", b.x.sold.Heading, b.x.source.Name)
	}
	return nil
}

// besides are words for more than the stock of one place.
var besides = []string{"and", "or", "vs", "versus", "v", "but", "both", "each", "every", "per", "than", "only", "not", "total", "plus", "minus", "all", "across", "share", "percentage", "percent", "proportion", "split", "compare", "difference", "between"}

// What people call the only place of a shop in which customers see the goods, and the only one in which they do not.
var (
	shopFloor = append([]string{"shop floor"}, shownPhrases...)
	storeroom = []string{"back room", "stock room", "storeroom", "stockroom", "out back", "out the back", "in the back"}
)

// nameShelves sets what else each of the places of a list is called, if customers see the goods of just one, or do not
// see those of just one.
func (x *lexicon) nameShelves() {
	hidden, seen := cut(x.shelves, func(shelf *lexicon) bool { return schema.IsStoreroom(shelf.placeOf()) })
	if len(seen) == 1 {
		seen[0].called = shopFloor
	}
	if len(hidden) == 1 {
		hidden[0].called = storeroom
	}
}

// placeOf returns the place whose stock this is of.
func (x *lexicon) placeOf() string {
	stock, _ := x.source.ByRole(schema.Stock)
	return stock.Shelf()
}

// placeIn returns where a question names the place whose stock this is of; zeros if it does not.
func (x *lexicon) placeIn(tokens []link.Token) (from, to int) {
	is := func(w string, t link.Token) bool { return w == t.Text || w == t.Lemma }
	for _, place := range append(slices.Clone(x.called), x.placeOf()) {
		words := strings.Fields(place)
		for i := range tokens {
			if i+len(words) <= len(tokens) && slices.EqualFunc(words, tokens[i:i+len(words)], is) {
				return i, i + len(words)
			}
		}
	}
	return 0, 0
}

// shelfNamed returns what a question means over the stock of the one place that it names, if it asks for nothing
// besides; nil if it does not: what is the stock in the stockroom worth.
func (x *lexicon) shelfNamed(tokens []link.Token) (found *lexicon) {
	for _, shelf := range x.shelves {
		from, to := shelf.placeIn(tokens)
		if to == 0 {
			continue
		}
		if found != nil || from > 0 && tokens[from-1].Text == "by" {
			return nil
		}
		found = shelf
	}
	if slices.ContainsFunc(tokens, func(t link.Token) bool { return slices.Contains(besides, t.Text) || t.Text == "%" }) {
		return nil
	}
	return found
}

// cameIn are the words of headings of days on which goods came in, comingIn those of questions.
var (
	cameIn   = []string{"in", "received", "rcvd", "recd", "delivered", "delivery", "deliv", "del", "arrived", "added", "bought", "purchased"}
	comingIn = []string{"come in", "came in", "get in", "got in", "arrive", "arrived", "delivered", "be delivered", "come", "get it", "get them", "buy", "bought"}
)

// readCameIn reads when some goods of a list came in: when did the hamster bedding last come in.
func (b *builder) readCameIn() error {
	ofGoods := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && (c.Role == schema.Product || c.Role == schema.SKU) && f.Op == plan.In
	}
	day := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool { return isDay(&c) && hasWord(c.Heading, cameIn...) })
	if b.x.source.Kind != schema.Stocklist || day < 0 || !b.s.has("when") || !b.phraseOf(comingIn...) || !slices.ContainsFunc(b.p.Where, ofGoods) {
		return nil
	}
	b.p.Measures, b.p.By, b.p.List, b.p.Order, b.p.Limit = []plan.Measure{{Metric: plan.LastDay}}, nil, nil, "", 0
	b.p.On = b.x.source.Columns[day].Heading
	b.note("The days are those of " + b.p.On + ".")
	for i, t := range b.tokens {
		if t.Text == "when" || t.Text == "last" {
			b.taken[i] = true
		}
	}
	return nil
}

// refuseThen refuses what a list was worth on other days: it holds what there is now.
func (b *builder) refuseThen() error {
	isThen := b.phraseOf("this time last year", "this time last month", "a year ago", "a month ago", "last year", "last month", "last week", "same time last year") && b.hasWord("was", "were", "did", "had")
	ofStock := len(b.p.Measures) > 0 && slices.Contains([]plan.Metric{plan.StockUnits, plan.StockValue, plan.RetailValue}, b.p.Measures[0].Metric)
	inTime := func(f plan.Filter) bool { c, ok := plan.Column(b.x.source, f.Column); return ok && isDay(&c) }
	if b.x.source.Kind == schema.Stocklist && isThen && ofStock && !slices.ContainsFunc(b.p.Where, inTime) && b.p.On == "" {
		return b.refuse(Missing, "%s holds what there is now, and not what there was on other days, so this cannot be answered.", b.x.source.Name)
	}
	return nil
}
