package read

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/english"
	"svc/server/schema"
)

// valueOfName joins a value and its column's name: the West region. A plural after it is
// another thing: Iron Maiden tracks.
func valueOfName(_ *chart, parts []*item) (sketch, bool) {
	v, n := parts[0].s, parts[1].s.names[0]
	return v, sameColumn(v, n) && (!n.plural || n.partial)
}

// nameValue reads the customer Ann Lee. What follows "by" makes groups, of which a value chooses
// some or leaves some out: by customer for Ann Lee.
func nameValue(c *chart, parts []*item) (sketch, bool) {
	n, v := parts[0].s.names[0], parts[1].s
	ofValue := slices.ContainsFunc(c.tokens[parts[0].to:parts[1].from], func(t link.Token) bool { return t.Text == "for" })
	grouped := n.from > 0 && slices.Contains([]string{"by", "and", "per", "each"}, c.tokens[n.from-1].Text)
	return v, sameColumn(v, n) && v.where[0].Op != plan.More && v.where[0].Op != plan.Less && v.where[0].Op != plan.AtLeast && v.where[0].Op != plan.AtMost && !(grouped && (ofValue || v.where[0].Op == plan.NotIn))
}

// nameNumber reads employee 4.
func nameNumber(c *chart, parts []*item) (sketch, bool) {
	s, ok := nameValue(c, parts)
	if ok {
		s.where = slices.Clone(s.where)
		s.where[0].from = parts[0].from // the number alone says nothing
	}
	return s, ok && c.tokens[parts[1].from].Unit != "" && c.adjacent(parts[0], parts[1])
}

func sameColumn(v sketch, n name) bool {
	return len(v.where) == 1 && n.column != nil && v.where[0].Column == n.column.Heading && (v.where[0].Part == plan.Whole || v.where[0].Part == plan.Hour && n.column.Type == schema.Time) && v.where[0].Op != plan.Blank
}

// values joins values of one column.
func values(c *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s, parts[len(parts)-1].s
	if len(parts) == 3 && c.tokens[parts[1].from].Text == "but" {
		return sketch{}, false
	}
	if len(a.where) != 1 || len(b.where) != 1 {
		return sketch{}, false
	}
	v, w := a.where[0], b.where[0]
	isLimit := v.Op == plan.In && v.to == v.from+1 && isAdverb(c.tokens[v.from].Lemma) // partially filled is partial alone
	isOne := isLimit || c.isTopic(parts[0].from, parts[len(parts)-1].to)               // a loyalty card, beside a card
	if len(parts) == 2 && !c.comma(parts[0], parts[1]) && (isOne || !areKinds(v, w)) {
		a.where = []cond{v}
		a.where[0].to = w.to
		return a, v.Column == w.Column && isOne
	}
	if v.Part == plan.Hour || v.Part == plan.Month {
		return sketch{}, false // parts of the day are set side by side
	}
	if v.Column != w.Column || v.Part != w.Part || v.Op != plan.In && v.Op != plan.NotIn || w.Op != plan.In {
		return sketch{}, false
	}
	if opposed := len(parts) == 3 && (parts[1].cat == "versus" || parts[1].cat == "or" && len(v.Values) > 1 && len(w.Values) > 1); opposed && areWeekdaysApart(v, w) {
		return sketch{}, false
	}
	joined := v
	joined.to, joined.listed, joined.guessed = w.to, true, v.guessed || w.guessed
	joined.text = c.text(v.from, w.to)
	joined.Values = slices.Clone(v.Values)
	for _, one := range w.Values {
		if !slices.Contains(joined.Values, one) {
			joined.Values = append(joined.Values, one)
		}
	}
	if len(joined.Values) == len(v.Values) {
		return sketch{}, false
	}
	s := sketch{where: []cond{joined}, marks: join(a.marks, b.marks)}
	if len(parts) == 3 {
		s.marks = join(join(a.marks, parts[1].s.marks), b.marks)
	}
	return s, true
}

// areKinds reports whether two values beside each other are two kinds of one column, which need no comma between them:
// cash card and account. The words of goods and people may be of one name.
func areKinds(v, w cond) bool {
	named := []schema.Role{schema.Product, schema.SKU, schema.Customer, schema.Order}
	return v.Op == plan.In && w.Op == plan.In && !v.guessed && !w.guessed && v.flag == nil && v.Part == plan.Whole && !slices.Contains(named, v.role)
}

// eachValue reads how many are won and how many lost.
func eachValue(c *chart, parts []*item) (sketch, bool) {
	return values(c, []*item{parts[0], parts[1], parts[3]})
}

// isTopic reports whether some words together are shop talk for one thing.
func (c *chart) isTopic(from, to int) bool {
	return slices.ContainsFunc(c.mentions, func(m link.Mention) bool { return m.Kind == link.Topic && m.From == from && m.To == to })
}

// isAdverb reports whether a word is an adverb, which limits what follows.
func isAdverb(word string) bool {
	s := english.SensesOf(word)
	return s.Adverb > max(s.Noun, s.Verb, s.Adjective)
}

// byValue reads paid by card, sold by Ann: by whom or what something is done.
func byValue(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	doers := []schema.Role{schema.Payment, schema.Customer, schema.Staff, schema.Channel, schema.Store, schema.Supplier}
	return s, c.tokens[parts[0].from].Text == "by" && len(s.where) == 1 && slices.Contains(doers, s.where[0].role)
}

// byValues reads split by cash and card: a group for each value of one column. What is done by
// several is one sum: sold by Ann and Bob.
func byValues(c *chart, parts []*item) (sketch, bool) {
	by, s := parts[0], parts[len(parts)-1].s
	isDone := by.from > 0 && isVerb(c.tokens[by.from-1].Text)
	isBetween := len(parts) == 2 || c.tokens[parts[1].from].Text == "between" && parts[1].from == by.to
	if len(s.where) != 1 || !s.where[0].listed || s.where[0].Op != plan.In || s.where[0].Part != plan.Whole || isDone || !isBetween || c.tokens[by.from].Text == "per" {
		return sketch{}, false
	}
	f := s.where[0]
	col, ok := plan.Column(c.x.source, f.Column)
	s.groups = join(s.groups, []group{{name: name{span: f.span, column: &col, role: col.Role, text: f.text}, word: "by"}})
	return s, ok
}

// bySpending reads customers by spend: by revenue.
func bySpending(c *chart, parts []*item) (sketch, bool) {
	spends := slices.Contains([]string{"spend", "spent", "spending", "earn", "earned", "earning", "earnings", "taking", "takings"}, c.tokens[parts[1].from].Text)
	return sketch{figures: []figure{{span: parts[1].span, metric: plan.Revenue, text: c.text(parts[1].from, parts[1].to)}}}, spends && c.x.can(plan.Revenue)
}

// byWhatIsSpent reads by what they have spent.
func byWhatIsSpent(c *chart, parts []*item) (sketch, bool) {
	return bySpending(c, []*item{parts[0], parts[2]})
}

// byNumber reads by 10 %.
func byNumber(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	return s, c.tokens[parts[0].from].Text == "by" && c.adjacent(parts[0], parts[1]) && (s.numbers[0].Unit == link.Percent || s.numbers[0].Unit == link.Money)
}

// contrast reads "more online than in store", and members more than others.
func contrast(c *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s, parts[len(parts)-1].s
	if len(a.where) != 1 || len(b.where) != 1 || len(a.contrast)+len(b.contrast) > 0 {
		return sketch{}, false
	}
	v, w := a.where[0], b.where[0]
	if len(parts) > 3 && (v.Op == plan.NotIn || w.Op == plan.NotIn) {
		return oppositeValues(c, []*item{parts[0], parts[1], parts[len(parts)-1]})
	}
	if v.Op != plan.In || w.Op != plan.In || slices.Equal(v.Values, w.Values) || !areSides(v, w) {
		return sketch{}, false
	}
	return sketch{contrast: []cond{v, w}}, true
}

// sideRoles are the columns of wider and narrower things, each of which may be set against
// another: croissants against coffee.
var sideRoles = [][]schema.Role{
	{schema.Product, schema.SKU, schema.Category, schema.Brand},
	{schema.Store, schema.City, schema.State, schema.Region, schema.Country},
}

// areSides reports whether two values can be set against each other.
func areSides(v, w cond) bool {
	return v.Column == w.Column && v.Part == w.Part || areSidesApart(v, w)
}

// areSidesApart reports whether two values of different columns can.
func areSidesApart(v, w cond) bool {
	return v.Column != w.Column && slices.ContainsFunc(sideRoles, func(roles []schema.Role) bool {
		return slices.Contains(roles, v.role) && slices.Contains(roles, w.role)
	})
}

// sidesApart reads "compare croissants and coffee".
func sidesApart(c *chart, parts []*item) (sketch, bool) {
	s, ok := contrast(c, parts[1:])
	s.marks = parts[0].s.marks
	return s, ok && areSidesApart(s.contrast[0], s.contrast[1])
}

// partsOfTime reads mornings versus evenings, and several values versus others: men's versus
// women's.
func partsOfTime(c *chart, parts []*item) (sketch, bool) {
	s, ok := contrast(c, parts)
	return s, ok && (s.contrast[0].Part == plan.Hour || s.contrast[0].Part == plan.Month || s.severalEach() || areWeekdaysApart(s.contrast[0], s.contrast[1]) || areSidesApart(s.contrast[0], s.contrast[1]))
}

// areWeekdaysApart reports whether days of the week are set against others, other than the
// weekend against the rest, which are groups of their own.
func areWeekdaysApart(a, b cond) bool {
	isDays := a.Part == plan.Weekday && b.Part == plan.Weekday && len(a.Values)+len(b.Values) > 2
	isWeekend := func(f cond) bool { return slices.Equal(f.Values, plan.Weekdays[5:]) }
	areTypes := len(a.Values)+len(b.Values) == len(plan.Weekdays) && (isWeekend(a) || isWeekend(b))
	return isDays && !areTypes && !slices.ContainsFunc(a.Values, func(v string) bool { return slices.Contains(b.Values, v) })
}

// againstRest reads Etsy vs the rest: a value, and all others of its column.
func againstRest(c *chart, parts []*item) (sketch, bool) {
	if len(parts[0].s.where) != 1 {
		return sketch{}, false
	}
	v := parts[0].s.where[0]
	if s, ok := c.yesOrNoOf(v); ok {
		return s, true
	}
	rest := v
	rest.span, rest.Op = parts[2].span, plan.NotIn
	return sketch{contrast: []cond{v, rest}}, v.Op == plan.In && v.Part == plan.Whole
}

// severalEach reports whether the values that are set against each other are several.
func (s *sketch) severalEach() bool {
	several := func(f cond) bool { return f.Part == plan.Whole && len(f.Values) > 1 }
	return len(s.contrast) == 2 && slices.ContainsFunc(s.contrast, several)
}

// contrastFigure reads "Canada more profitable than Mexico".
func contrastFigure(c *chart, parts []*item) (sketch, bool) {
	s, ok := contrast(c, parts)
	s.figures = parts[len(parts)-3].s.figures
	return s, ok
}

// contrastOrders reads Ann takes more per job than Ben: the money of an order of each.
func contrastOrders(c *chart, parts []*item) (sketch, bool) {
	if parts[3].s.per[0].metric != plan.Orders || !c.x.can(plan.Revenue) {
		return sketch{}, false
	}
	s, ok := contrast(c, parts)
	s.figures = []figure{{span: span{parts[1].from, parts[3].to}, metric: plan.Revenue, per: plan.PerOrder, text: c.text(parts[1].from, parts[3].to)}}
	return s, ok
}

// ofYears reads before 1950 in a list without days that has a column of years.
func ofYears(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.numbers[0]
	i := slices.IndexFunc(c.x.source.Columns, isOfYears)
	if i < 0 || c.x.source.Last != "" || n.Unit != link.Plain || n.Arg != "" || n.Number != math.Trunc(n.Number) || n.Number < 1000 || n.Number > 2200 || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	op := map[string]plan.Op{"before": plan.Less, "after": plan.More, "until": plan.AtMost, "in": plan.In}[parts[0].cat]
	at := span{parts[0].from, parts[1].to}
	value := plan.Filter{Column: c.x.source.Columns[i].Heading, Op: op, Values: []string{strconv.FormatFloat(n.Number, 'f', -1, 64)}}
	return sketch{where: []cond{{span: at, Filter: value, text: c.text(at.from, at.to)}}}, true
}

// isOfYears reports whether a column has years as numbers.
func isOfYears(c schema.Column) bool {
	return c.Type == schema.Number && c.Scale == 0 && hasWord(c.Heading, "year", "yr")
}

// moreOrMore reads more crime or more travel.
func moreOrMore(c *chart, parts []*item) (sketch, bool) {
	if parts[0].cat != parts[3].cat {
		return sketch{}, false
	}
	return contrast(c, []*item{parts[1], parts[4]})
}

func notValue(_ *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	opposite := map[plan.Op]plan.Op{plan.In: plan.NotIn, plan.Blank: plan.Filled}
	if len(s.where) != 1 || opposite[s.where[0].Op] == "" || s.where[0].Other != "" || parts[0].rule != "" {
		return sketch{}, false
	}
	f := s.where[0]
	f.Op, f.from, f.listed = opposite[f.Op], min(f.from, parts[0].from), false
	s.where = []cond{f}
	return s, true
}

// valueLeftOut reads voids excluded, as notValue does "without voids". Call outs are a noun.
func valueLeftOut(c *chart, parts []*item) (sketch, bool) {
	isNoun := c.tokens[parts[1].from].Text == "outs" || parts[1].from > 0 && slices.Contains([]string{"call", "paid", "pay"}, c.tokens[parts[1].from-1].Text)
	wentOut := c.tokens[parts[1].from].Text == "out" && parts[1].to < len(c.tokens) && slices.Contains([]string{"in", "on", "to", "since", "last", "this"}, c.tokens[parts[1].to].Text)
	return must(notValue(c, []*item{parts[1], parts[0]}))(!isNoun && !wentOut && len(parts[0].s.where) == 1 && parts[0].s.where[0].Op == plan.In)
}

// rowsOnly reads attended lessons only: the rows with a value, and no figure of them.
func rowsOnly(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures
	isRows := len(f) == 0 || f[0].metric == plan.Rows || f[0].metric == plan.Orders
	return parts[0].s, isRows && c.adjacent(parts[0], parts[1])
}

// numberOfFigure reads cars with 3 cylinders: the rows in which a column is a number.
func numberOfFigure(c *chart, parts []*item) (sketch, bool) {
	n, f := parts[0].s.numbers[0], parts[1].s.figures[0]
	before := parts[0].from > 0 && (slices.Contains([]string{"of", "with", "for", "or", "have", "has", "having", "had", "are", "is", "got", "a", "the"}, c.tokens[parts[0].from-1].Text) || c.isPast(parts[0].from-1))
	if n.Number == 0 && n.Unit == link.Plain && (f.metric == plan.StockUnits || f.metric == plan.OnOrder) {
		s, ok := amountOf(c, []*item{{span: parts[0].span, cat: "nothing"}, parts[1]})
		if ok && s.where[0].Op == plan.Blank {
			s.where[0].Op, s.where[0].Values = plan.In, []string{"0"}
		}
		return s, ok // zero in stock
	}
	if n.Unit == link.Percent && c.adjacent(parts[0], parts[1]) {
		return c.rateOf(n, f, span{parts[0].from, parts[1].to})
	}
	if n.Unit != link.Plain || n.To != n.From+1 || !before || !c.adjacent(parts[0], parts[1]) || f.column == nil || f.fold != "" || f.since != nil || f.column.Role != schema.None || f.column.Unit != schema.Plain {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[1].to}
	value := plan.Filter{Column: f.column.Heading, Op: plan.In, Values: []string{strconv.FormatFloat(n.Number, 'f', -1, 64)}}
	return sketch{where: []cond{{span: at, Filter: value, text: c.text(at.from, at.to)}}}, true
}

// rateOf reads on 50% commission and at 5% VAT: the rows in which a column of shares is that number.
func (c *chart) rateOf(n link.Mention, f figure, at span) (sketch, bool) {
	first := at.from
	for first > 0 && slices.Contains([]string{"the", "a"}, c.tokens[first-1].Text) {
		first--
	}
	before := first > 0 && slices.Contains([]string{"on", "at", "with", "charge", "charged", "pay", "paying"}, c.tokens[first-1].Text)
	if at.to < len(c.tokens) && c.tokens[at.to].Text == "rate" {
		at.to++ // at the 5% VAT rate
	}
	col := f.column
	if role := map[plan.Metric]schema.Role{plan.Margin: schema.Margin, plan.Taxes: schema.Tax}[f.metric]; role != "" {
		if of, ok := c.x.source.ByRole(role); ok && of.Unit == schema.Percent {
			col = &of
		}
	}
	if col == nil {
		col = c.x.rateNamed(f.text)
	}
	if !before || col == nil || col.Unit != schema.Percent {
		return sketch{}, false
	}
	value := plan.Filter{Column: col.Heading, Op: plan.In, Values: []string{strconv.FormatFloat(n.Number, 'f', -1, 64)}}
	return sketch{where: []cond{{span: at, Filter: value, role: col.Role, text: c.text(at.from, at.to)}}}, true
}

// rateNamed returns the column of shares whose heading has a word, or nil: VAT % for vat.
func (x *lexicon) rateNamed(word string) *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit == schema.Percent && hasWord(c.Heading, strings.Fields(word)...)
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// findHolding adds the verbs that say no more than that rows had what follows: jobs that used a part.
func (c *chart) findHolding() {
	for i := 1; i+1 < len(c.tokens); i++ {
		isWithout := slices.Contains([]string{"lose", "miss", "lack", "refuse", "cancel", "return"}, c.tokens[i].Lemma)
		takesSome := slices.Contains([]string{"a", "an", "any", "some"}, c.tokens[i+1].Text)
		if c.isPast(i) && takesSome && !isWithout && len(c.starts[i]) == 0 {
			c.add(i, i+1, "holding", costFunction, sketch{})
		}
	}
}

// isPast reports whether a token says what rows did: stayed, lasted, ran.
func (c *chart) isPast(at int) bool {
	t := c.tokens[at]
	return t.Text != t.Lemma && english.SensesOf(t.Lemma).Verb > 0 && (strings.HasSuffix(t.Text, "ed") || !strings.HasSuffix(t.Text, "s") && !strings.HasSuffix(t.Text, "ing"))
}

// numberOrValue reads 1 or 2 stars: two numbers of a column, of which the second says which one.
func numberOrValue(c *chart, parts []*item) (sketch, bool) {
	n, s := parts[0].s.numbers[0], parts[2].s
	if len(s.where) != 1 || n.Unit != link.Plain || n.Arg != "" || !c.adjacent(parts[1], parts[2]) || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	f := s.where[0]
	col, ok := plan.Column(c.x.source, f.Column)
	if !ok || col.Type != schema.Number || f.Op != plan.In {
		return sketch{}, false
	}
	f.from, f.listed = parts[0].from, true
	f.Values = append([]string{strconv.FormatFloat(n.Number, 'f', -1, 64)}, f.Values...)
	s.where = []cond{f}
	return s, true
}

// percentOff reads 20 % off, and a 20 % discount: rows with this discount, where it is in per cent.
func percentOff(c *chart, parts []*item) (sketch, bool) {
	n, at := parts[0].s.numbers[0], span{parts[0].from, parts[1].to}
	col, ok := c.x.source.ByRole(schema.Discount)
	isOff := parts[1].cat == "off" || parts[1].s.figures[0].metric == plan.Discounts && parts[1].s.figures[0].fold == ""
	f := plan.Filter{Column: col.Heading, Op: plan.In, Values: []string{strconv.FormatFloat(n.Number, 'f', -1, 64)}}
	return sketch{where: []cond{{span: at, Filter: f, role: col.Role, text: c.text(at.from, at.to)}}},
		ok && isOff && col.Unit == schema.Percent && n.Unit == link.Percent && c.adjacent(parts[0], parts[1])
}

// blank reads "without a customer": rows whose cell is blank.
func blank(c *chart, parts []*item) (sketch, bool) {
	n := parts[len(parts)-1].s.names[0]
	if n.column == nil || n.column.Type == schema.Number || isFlag(*n.column) || isDay(n.column) && (n.role == schema.Day || n.column.Blank == 0) {
		return sketch{}, false
	}
	isKind := slices.Contains(kindRoles, n.role)
	if n.plural && isKind || n.role == schema.Order && n.column.Blank == 0 || (n.plural || parts[0].rule != "") && n.column.Blank == 0 {
		return sketch{}, false
	}
	f := cond{span: span{parts[0].from, n.to}, Filter: plan.Filter{Column: n.column.Heading, Op: plan.Blank}, role: n.role, text: n.text}
	return sketch{where: []cond{f}}, true
}

// kindRoles are those of columns of whose values there are several things: no products is no blank.
var kindRoles = []schema.Role{schema.Order, schema.Product, schema.Category, schema.Customer}

// notTold reads not recorded, and do not know, as words of lacking.
func notTold(c *chart, parts []*item) (sketch, bool) {
	return sketch{marks: []mark{{span: span{parts[0].from, parts[1].to}, sense: "without", arg: "after"}}}, true
}

// nothingTold reads no driver put down.
func nothingTold(_ *chart, parts []*item) (sketch, bool) {
	s := parts[0].s
	return s, len(s.where) == 1 && s.where[0].Op == plan.Blank
}

// blanksLeftOut reads leave out blanks, which groups and averages do.
func blanksLeftOut(c *chart, parts []*item) (sketch, bool) {
	return sketch{}, parts[1].rule == "" && c.plural(parts[1].to) && c.adjacent(parts[0], parts[1])
}

// missingName reads with the driver missing, missingFigure with the weight blank.
func missingName(c *chart, parts []*item) (sketch, bool) {
	return must(blank(c, []*item{parts[1], parts[0]}))(c.saysBlank(parts[1]))
}

func missingFigure(c *chart, parts []*item) (sketch, bool) {
	return must(blankFigure(c, []*item{parts[1], parts[0]}))(c.saysBlank(parts[1]))
}

// saysBlank reports whether words of lacking say so of what is before them.
func (c *chart) saysBlank(without *item) bool {
	return without.s.marks[0].arg == "after" && (without.to == len(c.tokens) || slices.Contains(prepositions, c.tokens[without.to].Text))
}

// underFlag reads under warranty, where a column says so with yes or no: no number is compared.
func underFlag(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	return s, c.tokens[parts[0].from].Text == "under" && c.adjacent(parts[0], parts[1]) && len(s.where) == 1 && s.where[0].flag != nil
}

// blankFigure reads "without a rating": rows whose number is blank.
func blankFigure(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	if some, ok := withFigure(c, parts); ok {
		if col, _ := plan.Column(c.x.source, some.where[0].Column); col.Blank == 0 || isPieces(&col) && 2*col.Blank < c.x.source.Rows {
			some.where[0].Op = plan.AtMost // none of it
			return some, true
		}
	}
	if f.column == nil && f.per == "" && !c.plural(f.to) {
		f.column = c.x.columnOf(f.metric)
	}
	if c.tokens[f.to-1].Lemma == "price" {
		f.fold = "" // as kindOfPrice sets it
	}
	if f.column == nil || f.fold != "" || f.since != nil || f.column.Blank == 0 && c.x.source.Kind != schema.Stocklist {
		return sketch{}, false
	}
	v := cond{span: span{parts[0].from, f.to}, Filter: plan.Filter{Column: f.column.Heading, Op: plan.Blank}, role: f.column.Role, text: f.text}
	return sketch{where: []cond{v}}, true
}

// columnOf returns the column of which a metric is, or nil.
func (x *lexicon) columnOf(m plan.Metric) *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		of, ok := plan.MetricOf(c.Role)
		return ok && of == m
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// figureOfNumber reads a rating of 5: rows in which a column is a number.
func figureOfNumber(c *chart, parts []*item) (sketch, bool) {
	n, f := parts[1].s.numbers[0], parts[0].s.figures[0]
	between := c.tokens[parts[0].to:parts[1].from]
	if n.Unit != link.Plain && n.Unit != link.Money || len(between) != 1 || between[0].Text != "of" || f.column == nil || f.fold != "" || f.since != nil {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[1].to}
	value := plan.Filter{Column: f.column.Heading, Op: plan.In, Values: []string{strconv.FormatFloat(n.Number, 'f', -1, 64)}}
	return sketch{where: []cond{{span: at, Filter: value, text: c.text(at.from, at.to)}}}, true
}

// valuesCompared reads compare Ann with Bob.
func valuesCompared(c *chart, parts []*item) (sketch, bool) {
	s, ok := values(c, parts[1:])
	s.marks = join(parts[0].s.marks, slices.DeleteFunc(slices.Clone(s.marks), func(m mark) bool { return m.from == parts[2].from }))
	return s, ok
}

// yesOrNo reads "who used promo codes versus those who did not": a group for each.
func yesOrNo(c *chart, parts []*item) (sketch, bool) {
	if len(parts[0].s.where) != 1 {
		return sketch{}, false
	}
	return c.yesOrNoOf(parts[0].s.where[0])
}

// withOrWithout reads with a code against without: the rows, or the orders, in which a column has something, and the
// others.
func withOrWithout(c *chart, parts []*item) (sketch, bool) {
	v := parts[0].s.where
	if len(v) != 1 || v[0].Op != plan.Filled || parts[len(parts)-1].rule != "" {
		return sketch{}, false
	}
	col, ok := plan.Column(c.x.source, v[0].Column)
	others := v[0]
	others.span, others.Op = parts[len(parts)-1].span, plan.Blank
	return sketch{contrast: []cond{v[0], others}}, ok && (col.Alike || c.x.ordersAreRows())
}

// yesOrNoOf returns the groups of the column of yes or no that a condition is on.
func (c *chart) yesOrNoOf(f cond) (sketch, bool) {
	col, ok := plan.Column(c.x.source, f.Column)
	if !ok || !isFlag(col) {
		return sketch{}, false
	}
	return sketch{groups: []group{{name: name{span: f.span, column: &col, role: col.Role}, word: "by"}}}, true
}

// whether reads by whether it is organic: a group for each.
func whether(c *chart, parts []*item) (sketch, bool) { return yesOrNo(c, parts[2:]) }

// oppositeValues reads organic vs non organic: a group for each.
func oppositeValues(c *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s.where, parts[2].s.where
	if len(a) != 1 || len(b) != 1 || !areOpposite(a[0].Filter, b[0].Filter) {
		return sketch{}, false
	}
	return yesOrNo(c, parts[:1])
}

// areOpposite reports whether one filter leaves out what the other selects.
func areOpposite(f, g plan.Filter) bool {
	return f.Column == g.Column && slices.Equal(f.Values, g.Values) && (f.Op == plan.In && g.Op == plan.NotIn || f.Op == plan.NotIn && g.Op == plan.In)
}

// withFigure reads "had a discount": rows with any of it.
func withFigure(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	role := map[plan.Metric]schema.Role{plan.Discounts: schema.Discount, plan.ShippingPaid: schema.Shipping, plan.Taxes: schema.Tax, plan.AmountOwed: schema.Owed}[f.metric]
	if c.x.source.Kind == schema.Stocklist && f.metric == plan.StockUnits && strings.EqualFold(f.text, "stock") && c.adjacent(parts[0], parts[1]) {
		role = schema.Stock // products that still have stock
	}
	col, ok := c.x.source.ByRole(role)
	if f.column != nil && f.since == nil && (f.column.Role == schema.Discount || hasWord(f.column.Heading, "fee", "charge", "tip", "discount", "refund", "deposit", "tax")) {
		col, ok, role = *f.column, true, f.column.Role
	}
	isSome := f.from > 0 && slices.Contains([]string{"a", "an", "any", "some"}, c.tokens[f.from-1].Text) || c.plural(f.to) && c.adjacent(parts[0], parts[1])
	if of := f.column; isSome && of != nil && f.since == nil && (of.Scale == 0 && countsThings(of) || of.Role == schema.None && of.Unit == schema.Money && of.Blank > 0) {
		col, ok = *of, true // classes that had a waitlist, or with latecomers; sales with a voucher
	}
	asks := slices.ContainsFunc(c.tokens[parts[0].to:max(parts[0].to, f.from)], func(t link.Token) bool {
		return slices.Contains([]string{"i", "we", "you", "they", "he", "she", "in"}, t.Text)
	})
	isHow := parts[0].from > 0 && c.tokens[parts[0].from-1].Text == "how" // how have returns gone
	if !ok || f.fold != "" || asks || isHow {                             // how much have we given in discounts, had in discounts
		return sketch{}, false
	}
	v := cond{span: span{parts[0].from, f.to}, Filter: plan.Filter{Column: col.Heading, Op: plan.More, Values: []string{"0"}}, role: role, text: f.text}
	return sketch{where: []cond{v}}, true
}

// filled reads with a promo code: rows whose cell is not blank.
func filled(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	isKind := slices.Contains(kindRoles, n.role) && !(n.role == schema.Customer && hasWord(n.text, "card"))
	if n.column == nil || n.column.Type != schema.Text || n.column.Blank == 0 || n.plural || isKind || isFlag(*n.column) || len(parts[1].s.where) > 0 {
		return sketch{}, false
	}
	f := cond{span: span{parts[0].from, n.to}, Filter: plan.Filter{Column: n.column.Heading, Op: plan.Filled}, role: n.role, text: n.text}
	return sketch{where: []cond{f}}, true
}

// figuresOfValues reads Ann's takings versus Ben's takings, or versus Ben's: a figure of two
// values of one column.
func figuresOfValues(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	if len(parts[1].s.where) > 0 || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	if len(parts) > 4 {
		g := parts[4].s.figures[0]
		same := f.metric == g.metric && f.column == g.column && f.fold == g.fold && f.per == g.per && f.since == g.since
		if !same || len(parts[4].s.where) > 0 || !c.adjacent(parts[3], parts[4]) {
			return sketch{}, false
		}
	}
	s, ok := values(c, []*item{parts[0], parts[2], parts[3]})
	s.figures = []figure{f}
	return s, ok
}

// versusFigures reads compare Ann's takings with Bob's.
func versusFigures(c *chart, parts []*item) (sketch, bool) {
	return figuresOfValues(c, []*item{parts[1], parts[2], parts[0], parts[4]})
}

// rateOf reads the rate of no-shows: their share.
func rateOf(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	s.marks = parts[0].s.marks
	return s, len(s.where) == 1
}

// boughtWith reads what people buy with coffee, which the data do not tell, but of orders that have coffee.
func boughtWith(c *chart, parts []*item) (sketch, bool) {
	v := parts[2].s.where
	if has := c.tokens[parts[1].from].Lemma; c.plural(parts[0].to) && slices.Contains([]string{"have", "contain", "include"}, has) && len(v) == 1 && len(v[0].Values) == 1 && !c.namesOtherGoods(parts[2].span) {
		return sketch{}, false
	}
	isWith := parts[1].cat == "with" || slices.Contains([]string{"with", "alongside"}, c.tokens[parts[1].to-1].Text) // together with
	if len(v) != 1 || !isWith || v[0].role != schema.Product && v[0].role != schema.Category {
		return sketch{}, false
	}
	return sketch{missing: []missing{{span: span{parts[0].from, parts[2].to}, what: "what is bought together"}}}, true
}

// namesOtherGoods reports whether other words than some are exactly those of goods.
func (c *chart) namesOtherGoods(at span) bool {
	return slices.ContainsFunc(slices.Concat(c.starts...), func(it *item) bool {
		isOther := it.cat == valueCat && len(it.s.where) == 1 && (it.to <= at.from || it.from >= at.to)
		return isOther && (it.s.where[0].role == schema.Product || it.s.where[0].role == schema.Category)
	})
}

// modified reads discontinued products: a name whose rows are restricted.
func modified(c *chart, parts []*item) (sketch, bool) {
	v, n := parts[0].s, parts[1].s.names[0]
	if len(v.where) != 1 || n.column == nil || sameColumn(v, n) || n.part != plan.Whole {
		return sketch{}, false
	}
	return merged(c, parts)
}

// noOrders reads cities with no orders.
func noOrders(c *chart, parts []*item) (sketch, bool) {
	s := sketch{marks: []mark{{span: span{parts[0].from, parts[1].to}, sense: "never"}}}
	if parts[1].cat == nameCat { // no order since May
		n := parts[1].s.names[0]
		isTimed := slices.ContainsFunc(c.times, func(m when.Mention) bool { return m.Kind == when.Period })
		return s, n.role == schema.Order && n.column != nil && n.column.Blank == 0 && parts[0].rule == "" && len(parts[1].s.where) == 0 && isTimed
	}
	f := parts[1].s.figures[0]
	counted := f.metric == plan.Orders || f.metric == plan.Revenue && c.tokens[f.from].Text == "sales"
	return s, counted && f.plain() && c.plural(f.to) && parts[0].rule == ""
}

// doneTimes reads drops per driver and cuts per stylist, which are no change, and times a code was used: how often.
func doneTimes(c *chart, parts []*item) (sketch, bool) {
	s, at := parts[1].s, parts[0].span
	s.figures = []figure{{span: at, metric: c.x.counted(), text: c.text(at.from, at.to)}}
	if parts[1].cat == groupCat {
		return s, at.from == 0 && c.plural(at.to) && c.tokens[parts[1].from].Text == "per"
	}
	isFirst := at.from == 0 || c.tokens[at.from-1].Unit == "" && c.hasWord("number", "many")
	return s, isFirst && c.tokens[at.from].Text == "times" && len(s.where) == 1
}

// notPaid reads unpaid invoices: rows without a way in which they were paid, else those of which some is owed.
func notPaid(c *chart, parts []*item) (sketch, bool) {
	col, ok := c.x.source.ByRole(schema.Payment)
	f := plan.Filter{Column: col.Heading, Op: plan.Blank}
	if !ok || col.Blank == 0 {
		_, told := c.x.unpaid()
		if col, ok = c.x.source.ByRole(schema.Owed); !ok || told {
			return sketch{}, false
		}
		f = plan.Filter{Column: col.Heading, Op: plan.More, Values: []string{"0"}}
	}
	if c.tokens[parts[1].from].Text != "paid" {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[1].to}
	return sketch{where: []cond{{span: at, Filter: f, role: col.Role, text: c.text(at.from, at.to)}}}, true
}

// never reads "have not ordered anything". What is not paid is no sale that never was.
func never(c *chart, parts []*item) (sketch, bool) {
	if c.tokens[parts[0].from].Lemma == "pay" || c.tokens[parts[1].to-1].Lemma == "pay" {
		return sketch{}, false
	}
	return sketch{marks: []mark{{span: span{parts[0].from, parts[1].to}, sense: "never"}}}, true
}
