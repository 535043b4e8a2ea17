package read

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/english"
	"svc/server/schema"
)

func (b *builder) refuse(reason Reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Sentence: fmt.Sprintf(format, args...), Source: b.x.source}
}

// refuseWords returns the refusal of words that are not known.
func (b *builder) refuseWords(words []string, format string, args ...any) error {
	return &Refusal{Reason: Unknown, Sentence: fmt.Sprintf(format, args...), Source: b.x.source, Words: words}
}

// missingRole returns the refusal that there is no column for a role.
func (b *builder) missingRole(role schema.Role) error {
	return b.refuse(Missing, "There is no column of %s in %s, so this cannot be answered.", rolePlural[role], b.x.source.Name)
}

var rolePlural = map[schema.Role]string{
	schema.Product: "products", schema.SKU: "product codes", schema.Category: "categories", schema.Brand: "brands",
	schema.Supplier: "suppliers", schema.Customer: "customers", schema.Segment: "customer segments", schema.Region: "regions",
	schema.State: "states", schema.City: "cities", schema.Country: "countries", schema.Store: "stores", schema.Channel: "sales channels",
	schema.Payment: "payment methods", schema.Staff: "staff", schema.Status: "order status", schema.Day: "dates", schema.DayTime: "times of day",
	schema.Order: "order numbers", schema.Stock: "stock on hand", schema.Reorder: "reorder points", schema.Price: "prices",
	schema.Rating: "ratings", schema.UnitCost: "unit costs", schema.LeadTime: "lead times", schema.Gross: "gross sales",
}

// unfit returns the refusal of a plan that cannot be computed.
func (b *builder) unfit(err error) error {
	var missing *plan.Missing
	if errors.As(err, &missing) {
		return b.refuse(Missing, "%s", b.lacking(missing))
	}
	b.cost += costUnfit
	return &Refusal{
		Reason: Unknown, Source: b.x.source, unfit: costUnfit,
		Sentence: fmt.Sprintf("What this asks for cannot be put together from %s, so it cannot be answered.", b.x.source.Name),
	}
}

// lacking says that a figure needs what the source does not have.
func (b *builder) lacking(m *plan.Missing) string {
	return fmt.Sprintf("%s cannot be computed: %s %s not have %s.", plan.Capitalized(m.What), b.x.source.Name, b.agreeing("does", "do"), m.Needs)
}

// subject begins a sentence with the name of the source and the verb for it.
func (b *builder) subject(singular, plural string) string {
	name := b.x.source.Name
	if own, ok := strings.CutPrefix(name, "your "); ok {
		name = "Your " + own
	}
	return name + " " + b.agreeing(singular, plural)
}

// agreeing returns the verb for the name of the source: your stock does, and your sales do.
func (b *builder) agreeing(singular, plural string) string {
	if name := b.x.source.Name; strings.HasPrefix(name, "your ") && strings.HasSuffix(name, "s") {
		return plural
	}
	return singular
}

// refuseMissing refuses what names a thing that the source does not have.
func (b *builder) refuseMissing() error {
	if b.s.has("forecast") && !b.saysExpiry() && !b.expectsKnown() || b.s.has("runout") && !b.x.can(plan.Cover) {
		return b.refuse(Forecast, "This asks about days that have not come. The data do not hold them, and no forecast is made from them.")
	}
	if !b.hasSubject() {
		if err := b.refuseUnused(); err != nil {
			return err
		}
		return b.refuse(Foreign, "This does not name a figure or a thing that is in %s, so it cannot be answered.", b.x.source.Name)
	}
	if b.x.source.Kind == schema.Stocklist && b.hasWord("sell", "sold") && b.hasWord("much", "many") && !b.hasWord("stock", "left") && slices.ContainsFunc(b.s.where, func(f cond) bool { return hasWord(f.Column, "sold") }) {
		return b.refuse(Missing, "What was sold cannot be computed: %s %s not have rows of sales.", b.x.source.Name, b.agreeing("does", "do")) // and not the stock of what was
	}
	if b.x.source.Kind == schema.Stocklist && b.shopPays() && !b.s.has("lowstock") && !b.paysForStock() && !b.paysForPieces() && !b.asksDearest() && !(b.s.rank != nil && b.s.has("price", "expensive", "cheap")) && !b.buysFrom() && !b.namesExpense() {
		return b.refuse(Missing, "There is nothing in %s about what was bought, so this cannot be answered.", b.x.source.Name)
	}
	isWage := func(c schema.Column) bool {
		return strings.EqualFold(c.Heading, "pay") || hasWord(c.Heading, "wage", "wages", "salary", "payroll", "labour", "labor")
	}
	ofWages := b.hasWord("wage", "wages", "salary", "salaries", "payroll") && !slices.ContainsFunc(b.x.source.Columns, isWage)
	if ofWages || b.shopPays() && slices.ContainsFunc(b.s.where, func(f cond) bool { return f.role == schema.Staff && b.wordAt(f.from-1, "pay", "paid") }) {
		return b.refuse(Missing, "There is nothing in %s about wages, so this cannot be answered.", b.x.source.Name)
	}
	if who := b.s.find("who"); who != nil && b.x.source.Kind == schema.Stocklist && !b.namesPeople() {
		return b.refuse(Missing, "There is nothing in %s about people, so this cannot be answered.", b.x.source.Name)
	}
	if b.isCharged() {
		return b.refuse(Missing, "There is nothing in %s about what others charge, so this cannot be answered.", b.x.source.Name)
	}
	if c := b.undated(); c != nil {
		return b.refuse(Missing, "%s in %s does not say on which day, so this cannot be answered.", c.Heading, b.x.source.Name)
	}
	if f := b.packedPart(); f != nil {
		return b.refuse(Missing, "There is nothing in %s about %s by the pack, so this cannot be answered.", b.x.source.Name, f.text)
	}
	if f := b.leader(); f != nil {
		return b.refuse(Missing, "%s in %s tells only which one led, and not what was sold of each, so this cannot be answered.", f.Column, b.x.source.Name)
	}
	for _, m := range b.s.missing {
		switch {
		case b.isOnlyPeople(m):
			continue
		case m.role == schema.Day && m.what == string(plan.Hour):
			if _, ok := b.x.source.ByRole(schema.Day); ok {
				return b.refuse(Missing, "The days in %s have no time of the day, so this cannot be answered by hour.", b.x.source.Name)
			}
			return b.missingRole(schema.Day)
		case m.role != schema.None:
			return b.missingRole(m.role)
		}
		return b.refuse(Missing, "There is nothing in %s about %s, so this cannot be answered.", b.x.source.Name, m.what)
	}
	return nil
}

// expectsKnown reports whether what is expected on some days is known, since rows are of these, or a column tells when
// each is due. The amounts of such days are not: more may come. The words then have no other use.
func (b *builder) expectsKnown() bool {
	m, due := b.s.find("forecast"), b.x.dayOf(dueWords, nil)
	isMoney := func(f figure) bool { return f.column == nil && !f.metric.Countable() }
	isHeld := len(b.s.periods) == 1 && (b.holdsAhead(b.s.periods[0]) || b.s.periods[0].Ahead && due != nil && due.Role != schema.Day)
	if !isHeld || !slices.Contains([]string{"expect", "will"}, b.tokens[m.from].Lemma) || b.s.has("money", "howmuch", "sell") || slices.ContainsFunc(b.s.figures, isMoney) {
		return false
	}
	b.s.marks, _ = cut(b.s.marks, func(o mark) bool { return o.sense != "forecast" })
	return true
}

// isCharged reports whether what others charge the shop is asked for, and no column has it: what the market charged us.
func (b *builder) isCharged() bool {
	charges := b.phraseOf("charge us", "charges us", "charged us", "charging us", "charge me", "charges me", "charged me", "charging me", "billed us", "billed me", "invoiced us", "invoiced me")
	return charges && b.x.source.Kind != schema.Purchases && b.x.source.Kind != schema.Stocklist && !b.namesExpense() && !slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.column != nil })
}

// undated returns the column of yes and no that alone tells of something of which the day is asked
// for: when was it paid, of Paid? Y and N. It returns nil if there is none.
func (b *builder) undated() *schema.Column {
	asks := b.wordAt(0, "when") || b.phraseOf("what date", "which date", "what day", "which day", "what dates", "which days")
	i := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool {
		word := flagWord(c)
		return asks && isFlag(c) && slices.ContainsFunc(b.tokens, func(t link.Token) bool {
			isDated := func(c schema.Column) bool { return isDay(&c) && b.x.happens(&c, t) }
			isSaid := t.Text != "" && (word == t.Text || english.Lemma(word) == t.Lemma && english.SensesOf(t.Lemma).Verb > 0)
			return isSaid && !slices.ContainsFunc(b.x.source.Columns, isDated)
		})
	})
	if i < 0 {
		return nil
	}
	return &b.x.source.Columns[i]
}

// buysFrom reports whether a stock list with suppliers is asked from whom or from where goods are
// bought, and not how much was.
func (b *builder) buysFrom() bool {
	_, known := b.heading(schema.Supplier)
	known = known || len(b.s.counts) == 1 && b.s.counts[0].name != nil && b.s.counts[0].name.column.Type == schema.Text // how many breweries
	return known && b.s.has("buy") && b.hasWord("from") && !b.s.has("howmuch", "money", "more", "less") && len(b.s.periods)+len(b.s.figures) == 0
}

// namesExpense reports whether a figure, or one side of a comparison, is what a piece cost, or is an
// expense: Ad Spend.
func (b *builder) namesExpense() bool {
	isCost := func(f *figure) bool {
		return f != nil && f.column != nil && (f.column.Role == schema.UnitCost || f.column.Role == schema.None && hasWord(f.column.Heading, expenseWords...))
	}
	return slices.ContainsFunc(b.s.bounds, func(o bound) bool { return isCost(o.of) || isCost(o.other) }) || slices.ContainsFunc(b.s.figures, func(f figure) bool { return isCost(&f) })
}

// packedPart returns the condition of a value of which the question has only the first word, after what it is in: bags
// of clay are no Clay Club. It returns nil if there is none.
func (b *builder) packedPart() *cond {
	i := slices.IndexFunc(b.s.where, func(f cond) bool {
		if isMaker := !english.Known(b.tokens[f.from].Lemma); isMaker || !f.guessed || f.Op != plan.In || f.to != f.from+1 || !b.wordAt(f.from-1, "of") || f.from < 2 || !slices.Contains(packs, b.tokens[f.from-2].Lemma) || !hasWord(strings.Join(f.Values, " "), b.tokens[f.from].Lemma) {
			return false
		}
		return !slices.ContainsFunc(f.Values, func(v string) bool {
			words := strings.Fields(strings.ToLower(v))
			return len(words) > 0 && english.Lemma(words[len(words)-1]) == b.tokens[f.from].Lemma
		})
	})
	if i < 0 || b.x.source.Kind != schema.Sales {
		return nil
	}
	return &b.s.where[i]
}

// leader returns the condition of a value that a column has where it led, if what was sold of it
// is asked for: wraps, of a column Best Seller. It returns nil if there is none.
func (b *builder) leader() *cond {
	leads := []string{"best", "top", "most", "biggest", "favourite", "favorite", "main", "worst"}
	if !b.s.has("sell", "buy") || b.hasWord(leads...) {
		return nil
	}
	if i := slices.IndexFunc(b.s.where, func(f cond) bool { return f.role == schema.None && hasWord(f.Column, leads...) }); i >= 0 {
		return &b.s.where[i]
	}
	return nil
}

// refuseClauses refuses two questions in one, each with groups of its own: which products
// sell best and which customers spend most.
func (b *builder) refuseClauses() error {
	for i := 1; i+1 < len(b.tokens); i++ {
		if !b.wordAt(i, "and") || !b.wordAt(i+1, "which", "who", "what", "where", "when") {
			continue
		}
		asks := func(in func(int) bool) bool {
			return slices.ContainsFunc(b.s.groups, func(g group) bool { return (g.word == "which" || g.word == "rank") && in(g.from) }) ||
				slices.ContainsFunc(b.s.marks, func(m mark) bool {
					return slices.Contains([]link.Sense{"who", "where", "when", "soldout", "lowstock"}, m.sense) && in(m.from)
				})
		}
		before := asks(func(at int) bool { return at < i }) || slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.from < i })
		if before && asks(func(at int) bool { return at > i }) {
			return b.refuse(Unknown, "These are two questions, and they can be answered one by one only.")
		}
	}
	return nil
}

// isOnlyPeople reports whether a word for people only says who pays, where the source does
// not know customers: how much did people spend.
func (b *builder) isOnlyPeople(m missing) bool {
	asks := b.s.has("who") || b.s.has("which") && !b.wordAt(m.from-1, "do", "did", "does")
	if m.role == schema.Customer && !asks && b.wordAt(m.to, "with", "who", "that", "using") && b.wordAt(m.from-1, "by", "from", "for", "of", "to") && len(b.s.where) > 0 {
		return true // what was spent by people with a card
	}
	isOf := func(f cond) bool { return f.to == m.from && b.wordAt(f.from-1, "by", "from", "for", "of", "to") }
	if m.role == schema.Customer && !asks && slices.ContainsFunc(b.s.where, isOf) {
		return true // orders from German customers
	}
	if m.role == schema.Customer && len(b.s.counts) > 0 && b.s.counts[0].name != nil && b.wordAt(m.from-1, "our", "had", "do", "did", "the") && !asks {
		return true // how many countries our customers are from
	}
	if m.role != schema.Customer || asks || len(b.s.counts) > 0 || b.wordAt(m.from-1, "a", "an", "one", "typical", "average", "our", "usual") && !b.plural(m.to) {
		return false
	}
	for _, x := range b.s.marks {
		if x.sense == "howmany" && x.to == m.from || x.sense == "by" {
			return false
		}
	}
	named := len(b.s.names) > 0 && b.wordAt(m.from-1, "do", "did", "does", "most") // how did people find us
	return !b.wordAt(m.from-1, "by", "per", "each", "every", "many") && (b.s.has("howmuch", "sell", "buy") || len(b.s.figures) > 0 || named)
}

// hasSubject reports whether the question names something of a shop.
func (b *builder) hasSubject() bool {
	s := b.s
	s.where, _ = cut(s.where, func(f cond) bool { return b.tokens[f.from].Unit == "" || f.to > f.from+1 }) // 1kg is a name
	if len(s.where) < len(b.s.where) && len(s.figures)+len(s.names)+len(s.groups)+len(s.counts) == 0 {
		s.bounds = nil // 2 + 2
	}
	return s.has("who") && (s.has("never", "quiet") || b.agent != nil) || len(s.figures)+len(s.names)+len(s.groups)+len(s.where)+len(s.counts)+len(s.missing)+len(s.bounds)+len(s.earlier)+len(s.contrast)+len(s.per) > 0 ||
		s.has("sell", "buy", "money", "howmuch", "row", "soldout", "lowstock", "runout", "unsold", "refund", "cancelled", "loss", "forecast", "price", "expensive", "cheap") ||
		(s.rank != nil || s.has("trend", "grown", "shrunk", "change", "share", "versus", "why", "steps")) && (len(s.periods) > 0 || s.has("who", "where", "when", "trend")) ||
		s.fold == "sum" && s.has("taxed", "untaxed") || // the total including VAT
		len(s.periods) > 1 || len(s.periods) > 0 && (s.fold != "" || s.has("never") || s.has("howmany") && b.day != nil && b.x.tellsOf(b.day, b.tokens)) // how many came in in May
}

// refuseUnused refuses a question with a word that must be used: a thing, a number, a
// negation.
func (b *builder) refuseUnused() error {
	if len(b.s.numbers) > 0 {
		b.cost += costNumberUnused
	}
	if b.asksToKeep() {
		return b.refuse(Unknown, "What to stop or to keep is not computed, only what it earns and what its stock is worth, so this cannot be answered.")
	}
	isAhead := func(i int) bool { return !b.taken[i] && b.wordAt(i, "when", "next") }
	if slices.ContainsFunc(b.s.unused, isAhead) {
		return b.refuse(Missing, "Nothing in %s says when this is, so it cannot be answered.", b.x.source.Name)
	}
	var things []string
	for i, t := range b.tokens {
		isThing := slices.Contains(b.s.unused, i) && b.unknown[i].cost >= costNounUnused && !b.isMark(i) && t.Unit == "" && !slices.Contains(negations, t.Text)
		if !b.taken[i] && (isThing || b.isGroupName(i)) {
			things = append(things, t.Raw)
		}
	}
	if len(things) > 2 && 2*len(things) > len(b.tokens) && len(b.s.figures) == 0 {
		return b.refuseWords(things, "Only questions in English are understood, and “%s” are no words that are known here, so this cannot be answered.", strings.Join(things, "”, “"))
	}
	if len(things) > 0 {
		return b.refuseWords(things, "Nothing in %s is called “%s”, and it is not a word that is known here, so this cannot be answered.",
			b.x.source.Name, strings.Join(things, "”, “"))
	}
	for _, i := range b.s.unused {
		if err := b.refuseWord(i); err != nil {
			return err
		}
	}
	if n := b.s.numbers; len(n) > 0 && n[0].Unit == link.Ordinal {
		return b.refuse(Unknown, "It is not clear which place “%s” means in this question, so it cannot be answered.", b.text(n[0].From, n[0].To))
	} else if len(n) > 0 {
		return b.refuse(Unknown, "It is not clear what %s stands for in this question, so it cannot be answered.", b.text(n[0].From, n[0].To))
	}
	return nil
}

// asksToKeep reports whether a judgement on goods is asked for: is tea worth it, should I drop the assam.
func (b *builder) asksToKeep() bool {
	return b.hasWord("should", "worth") && b.hasWord("stop", "drop", "dropping", "discontinue", "keep", "keeping", "stocking") || b.phraseOf("worth it", "worth doing")
}

// refuseWord refuses a question in which a word without a use changes what is asked for.
func (b *builder) refuseWord(i int) error {
	t := b.tokens[i]
	switch {
	case b.taken[i]:
	case b.ranks(i):
		return b.refuse(Unknown, "It is not clear what “%s” ranks in this question, so it cannot be answered.", t.Raw)
	case t.Unit != "":
		return b.refuse(Unknown, "It is not clear what %s stands for in this question, so it cannot be answered.", t.Raw)
	case b.negates(i):
		return b.refuse(Unknown, "It is not clear what “%s” rules out in this question, so it cannot be answered.", cmp.Or(t.Raw, t.Text))
	case slices.Contains([]string{"second", "third", "fourth", "fifth"}, t.Text):
		return b.refuse(Unknown, "It is not clear which place “%s” means in this question, so it cannot be answered.", t.Raw)
	case b.isOp(i):
		return b.refuse(Unknown, "It is not clear what “%s” compares in this question, so it cannot be answered.", t.Raw)
	case t.Lemma == "own" && b.x.source.Kind == schema.Sales:
		return b.refuse(Missing, "There is nothing in %s about what is owned, so this cannot be answered.", b.x.source.Name)
	case b.asksHow(i):
		return b.refuseWords([]string{t.Raw}, "It is not clear what “%s” means in this question, so it cannot be answered.", t.Raw)
	case b.isDone(i):
		return b.refuseWords([]string{t.Raw}, "Nothing in %s says what “%s” means in this question, so it cannot be answered.", b.x.source.Name, t.Raw)
	case b.isCountedWord(i), b.isParticiple(i), t.Text == "by" && slices.ContainsFunc(b.times, func(m when.Mention) bool { return m.From == i+1 }):
		return b.refuseWords([]string{t.Raw}, "It is not clear what “%s” limits in this question, so it cannot be answered.", t.Raw)
	case b.completesValue(i):
		return b.refuseWords([]string{t.Raw}, "Nothing in %s is called “%s”, so this cannot be answered.", b.x.source.Name, b.text(i-1, i+1))
	case t.Text == "minus":
		return b.refuse(Unknown, "It is not clear what “%s” takes off in this question, so it cannot be answered.", t.Raw)
	case t.Text == "than", t.Text == "less" && b.hasWord("which", "who", "what"):
		return b.refuse(Unknown, "It is not clear what is compared in this question, so it cannot be answered.")
	case b.limits(i):
		return b.refuse(Unknown, "It is not clear what “%s” limits in this question, so it cannot be answered.", t.Raw)
	case b.qualifies(i), b.isKindOf(i), b.describes(i), slices.Contains(stateWords, t.Text) && !(t.Lemma == "open" && b.isOfShop(i)):
		return b.refuseWords([]string{t.Raw}, "It is not clear what “%s” means in this question, so it cannot be answered.", t.Raw)
	}
	return nil
}

// ranks reports whether a token is a superlative, without which the question would ask for something else.
func (b *builder) ranks(i int) bool {
	isOne := strings.HasSuffix(b.tokens[i].Text, "st") || b.wordAt(i, "top", "bottom")
	return isOne && slices.ContainsFunc(b.starts[i], func(it *item) bool { return it.cat == rankCat && len(it.of) == 0 })
}

// negates reports whether a word of negation begins at a token.
func (b *builder) negates(i int) bool {
	isMark := func(it *item) bool { return len(it.of) == 0 && (it.cat == "not" || it.cat == "without") }
	return slices.Contains(negations, b.tokens[i].Text) || slices.ContainsFunc(b.starts[i], isMark)
}

// asksHow reports whether a verb without a use says in which way something is asked for, of which
// only a number is left: how did new clients hear about us.
func (b *builder) asksHow(i int) bool {
	customer, _ := b.heading(schema.Customer)
	counts := len(b.p.Measures) > 0 && b.p.Measures[0].Metric.Countable() && len(b.p.By) == 0
	return (counts || len(b.p.By) == 1 && b.groupsBy(customer)) && b.wordAt(0, "how") && b.wordAt(1, "did", "do", "does") && english.SensesOf(b.tokens[i].Lemma).Verb > 0
}

// ordinary are verbs of what a shop does with all that it has or sells, and restricting ones of what it does with a
// part.
var (
	ordinary    = strings.Fields("charge credit bill stay visit invoice carry hold stock keep claim treat send shift see get turn run offer cover give help serve work think know need want like mean go")
	restricting = strings.Fields("lose keep win waste refuse reject retain forfeit bin")
)

// isDone reports whether a token without a use is a verb of what the shop or its people do, which says of what the
// figure is: what we lose in drying, the deposits that we kept. Without a figure that is named it may be any but an
// ordinary one.
func (b *builder) isDone(i int) bool {
	t := b.tokens[i]
	if b.p.WhatIf != nil || b.isMark(i) || english.SensesOf(t.Lemma).Verb <= 0 || !b.wordAt(i-1, "we", "i", "they", "you", "who") {
		return false
	}
	if b.wordAt(i-1, "who") && b.s.rank != nil && b.hasWord("most", "least") && !slices.Contains(restricting, t.Lemma) {
		return false // who trains the most
	}
	return slices.Contains(restricting, t.Lemma) && b.x.source.Kind != schema.Stocklist || len(b.s.figures)+len(b.s.counts) == 0 && !slices.Contains(ordinary, t.Lemma)
}

// isCountedWord reports whether a token without a use is what is counted or measured: how many squeezed in, how much got
// stolen, how much venison have we bought.
func (b *builder) isCountedWord(i int) bool {
	from := i
	for b.wordAt(from-1, "got", "get", "gets", "was", "were", "is", "are", "been", "have", "has", "had", "people", "of", "us") {
		from--
	}
	return b.wordAt(from-1, "much", "many") && b.wordAt(from-2, "how") && !b.isMark(i)
}

// isParticiple reports whether a token without a use is what was done with some of what is asked for, such as signed
// copies or cakes picked up.
func (b *builder) isParticiple(i int) bool {
	t := b.tokens[i]
	isOther := slices.Contains(ordinary, t.Lemma) || slices.Contains(charting, t.Lemma)
	return strings.HasSuffix(t.Text, "ed") && t.Lemma != t.Text && b.isVerbToken(i) && !b.isMark(i) && !isOther && !b.s.has("who") && !b.wordAt(i-1, "have", "has", "had")
}

// charting are verbs of what is done with figures to show them, which limits none.
var charting = strings.Fields("associate relate filter sort group order rank arrange plot chart display show list split divide break separate categorise categorize compare describe")

// completesValue reports whether a token without a use is a participle after a word that was taken for a part of a
// value, which it makes another thing of: gift aided is no Gift wrap.
func (b *builder) completesValue(i int) bool {
	return !b.isMark(i) && strings.HasSuffix(b.tokens[i].Text, "ed") && slices.ContainsFunc(b.s.where, func(f cond) bool {
		return f.to == i && f.guessed && f.Op == plan.In && f.Part == plan.Whole && f.role != schema.Customer && f.role != schema.Staff
	})
}

// stateWords say in which state an order is. One without a use would count those of all states.
var stateWords = strings.Fields("open opened closed draft drafts drafted pending outstanding received delivered arrived shipped dispatched fulfilled complete completed processed approved confirmed unpaid settled invoiced awaiting")

// qualifies reports whether a token without a use is an adjective before something that
// the question names, such as small orders: it would restrict the rows.
func (b *builder) qualifies(i int) bool {
	s := english.SensesOf(b.tokens[i].Lemma)
	isSaid := b.s.has("why") || b.wordAt(i-1, "we", "i", "they", "you", "have", "has", "had") // why are sales so low, and what have we received
	if !b.isMark(i) && !isSaid && s.Adjective > 2*max(s.Noun, s.Verb, s.Adverb) && !slices.Contains(idleAdjectives, b.tokens[i].Text) {
		return true
	}
	if b.isMark(i) || 2*s.Adjective <= max(s.Noun, s.Verb, s.Adverb) || i+1 >= len(b.tokens) || slices.Contains(prepositions, b.tokens[i+1].Text) {
		return false
	}
	return slices.ContainsFunc(b.starts[i+1], func(it *item) bool {
		return len(it.of) == 0 && slices.Contains([]string{figureCat, nameCat, valueCat}, it.cat)
	})
}

// idleAdjectives restrict nothing.
var idleAdjectives = strings.Fields("different extra whole actual own following possible simple basic quick brief rough categorized categorised")

// isKindOf reports whether a token without a use may be a noun that says of which kind the thing after it is:
// the spin class.
func (b *builder) isKindOf(i int) bool {
	s := english.SensesOf(b.tokens[i].Lemma)
	begins := b.wordAt(i-1, determiners...) || b.wordAt(i-1, prepositions...)
	isNoun := begins && english.IsNoun(b.tokens[i].Lemma) || b.wordAt(i-1, "many") && s.Adverb <= 0
	return isNoun && !b.isMark(i) && i+1 < len(b.tokens) && slices.ContainsFunc(b.starts[i+1], func(it *item) bool {
		return len(it.of) == 0 && slices.Contains([]string{figureCat, nameCat, valueCat, "row"}, it.cat)
	})
}

// limits reports whether a token without a use is one that would restrict what is asked:
// since, only, twice.
func (b *builder) limits(i int) bool {
	switch b.tokens[i].Text {
	case "since":
		return !b.hasWord("started", "opened", "began") // as all data are
	case "ago", "last", "because":
		return true
	case "between":
		return b.wordAt(i-1, "days", "weeks", "months", "time")
	}
	return slices.ContainsFunc(b.starts[i], func(it *item) bool {
		if len(it.of) > 0 || b.tokens[i].Text == "just" {
			return false
		}
		isRatio := it.cat == "share" && it.s.marks[0].arg != "rate" || b.tokens[i].Text == "per"
		return isRatio || slices.Contains([]string{"vague", "nothing", "negative", "enough", "before", "after", "until", "only", "ratio", "same", "versus"}, it.cat) || it.cat == numberCat && len(b.skips[i]) == 0
	})
}

// describes reports whether a token without a use is an adjective that is said of what the
// question names: which orders are late, pitches that have electric.
func (b *builder) describes(i int) bool {
	s := english.SensesOf(b.tokens[i].Lemma)
	last := i+1 == len(b.tokens) || slices.Contains(prepositions, b.tokens[i+1].Text) || b.wordAt(i+1, "by", "per")
	if last && !b.isMark(i) && b.wordAt(i-1, "we", "they", "you") && b.wordAt(i-2, "are", "were") {
		return true // on which days were we shut
	}
	return last && !b.isMark(i) && b.wordAt(i-1, "is", "are", "was", "were", "be", "been", "have", "has", "had", "with", "without") && max(s.Adjective, s.Adverb) > max(s.Noun, s.Verb)
}

// isMark reports whether a token is a word of function. One that productions alone give a use is
// none.
func (b *builder) isMark(i int) bool {
	return slices.ContainsFunc(b.starts[i], func(it *item) bool { return len(it.of) == 0 && it.s.marks != nil && it.cat != "bare net" })
}

// isGroupName reports whether a token follows a "by" without a use and means nothing in the
// source: the name of groups that it does not have.
func (b *builder) isGroupName(i int) bool {
	byBefore := slices.Contains(b.s.unused, i-1) && slices.ContainsFunc(b.starts[i-1], func(it *item) bool { return it.cat == "by" && it.to == i })
	return byBefore && !slices.Contains(silent, b.tokens[i].Text) && !slices.ContainsFunc(b.starts[i], func(it *item) bool {
		return len(it.of) == 0 && !slices.Contains([]string{"sell", "buy", "perform"}, it.cat)
	})
}

// isOp reports whether a comparison begins at a token.
func (b *builder) isOp(i int) bool {
	return slices.ContainsFunc(b.starts[i], func(it *item) bool { return it.cat == opCat && len(it.of) == 0 && it.s.bounds[0].op != "between" })
}
