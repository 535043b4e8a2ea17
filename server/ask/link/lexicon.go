package link

import (
	"slices"
	"strings"
	"sync"

	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// Lexicon has the words of one source: its headings and its values. It is safe for
// concurrent use.
type Lexicon struct {
	source     schema.Source
	roles      map[schema.Role]*schema.Column
	headings   *headings
	values     *values
	kin        kin                       // words of headings, and of values of columns with few
	taught     map[string]Mention        // by key
	rows       map[string]bool           // words for what a row is
	rowHead    string                    // the last word of the source's name, if its rows are called so
	keyNoun    string                    // what the heading of the number of each row calls the rows
	likeRole   map[schema.Role][]Mention // columns in place of a role that none has
	attributes map[string]*schema.Column // measure of an adjective → its column
	goods      func() []goods            // found at the first question that needs them
	sold       string                    // what the shop of these sales is for, by its name: toy of toyshop
	things     map[string]bool           // nouns for the thing that each row is of
	counted    string                    // what columns count by its kind: ticket of Adult Tix and Child Tix
}

// New returns the lexicon of a source.
func New(s schema.Source) *Lexicon {
	s.Columns = slices.DeleteFunc(slices.Clone(s.Columns), isOperand)
	x := &Lexicon{source: s, roles: map[schema.Role]*schema.Column{}, rows: map[string]bool{}}
	for i := range x.source.Columns {
		if c := &x.source.Columns[i]; c.Role != schema.None {
			x.roles[c.Role] = c
		}
	}
	x.headings = newHeadings(&x.source)
	x.values = newValues(&x.source)
	x.kin = newKin(x.headings, x.values)
	x.taught = x.learn()
	x.goods = sync.OnceValue(x.findGoods)
	x.findLikeRoles()
	x.findRowWords()
	x.counted = x.countedByKind()
	x.keyNoun = x.nounOfKey()
	isNumber := x.keyNoun != "" && x.roles[schema.Order] == nil && x.source.Kind != schema.Customers // of no order and no person
	if x.rowHead = x.headOfName(); x.rowHead == "" && isNumber {
		x.rowHead = x.keyNoun
		x.addRowWord(x.rowHead)
	}
	x.findThings()
	x.attributes = map[string]*schema.Column{}
	for name := range shared().attributes {
		x.attributes[name] = x.attribute(name)
	}
	if x.attributes["duration"] == nil {
		x.attributes["duration"] = x.Measure("minute")
	}
	return x
}

// isOperand reports whether a column is only there to compute a figure with, and means nothing by itself.
func isOperand(c schema.Column) bool { return c.Role == schema.StockDays }

// opposites are measures that run the other way: the fastest took the least time, and the
// oldest is of the earliest year.
var opposites = map[string]string{"speed": "duration", "age": "year"}

// measured returns a superlative with the column of its measure, or of the opposite one.
func (x *Lexicon) measured(m Mention) Mention {
	if m.Column = x.attributes[m.Arg]; m.Column != nil || m.Kind != Rank || opposites[m.Arg] == "" {
		return m
	}
	c := x.attribute(opposites[m.Arg])
	if c == nil && opposites[m.Arg] == "duration" {
		c = x.attributes["duration"]
	}
	if c == nil || c.Type != schema.Number {
		return m
	}
	m.Column = c
	if m.Sense == "top" {
		m.Sense = "bottom"
	} else {
		m.Sense = "top"
	}
	return m
}

// findRowWords finds the words for what a row of the source is: cars of cars.csv, members of
// membership.csv, and words that mean the same. A row that has an age or a gender, and is no
// sale, is a person.
func (x *Lexicon) findRowWords() {
	if x.isOfPeople() {
		for _, w := range []string{"person", "people", "member", "client", "customer"} {
			x.rows[w] = true
		}
	}
	name, _, _ := strings.Cut(x.source.Name, ".")
	for _, w := range lemmas(Spaced(name)) {
		w = strings.TrimSuffix(w, "ship")
		thing := withoutPlace(w)
		if thing != w && x.source.Kind == schema.Sales && x.roles[schema.Product] != nil && !isShopTalk(thing) {
			x.sold = thing
		}
		w = thing
		isThing := english.SensesOf(w).Noun != english.None || !english.Known(w) && x.headings.by[w] != nil
		isProduct := func(h string) bool { return x.headings.list[x.headings.by[h][0]].column.Role == schema.Product }
		isHired := slices.ContainsFunc(x.headings.kindsNamed(w), isProduct) // a van is a Vehicle, and no van hire
		if isShopTalk(w) || !isThing || general[w] || isHired {
			continue
		}
		x.addRowWord(w)
	}
}

// addRowWord adds a word for what a row is, and those that mean the same.
func (x *Lexicon) addRowWord(w string) {
	x.rows[w] = true
	for _, set := range shared().sets[w] {
		for _, words := range set.phrases {
			x.rows[strings.Join(words, " ")] = true
		}
	}
}

// withoutPlace returns the thing that a shop or a list is of by its name: book of bookshop.
func withoutPlace(w string) string {
	for _, place := range []string{"shop", "store", "list", "stock", "log"} {
		if thing, ok := strings.CutSuffix(w, place); ok && len(thing) > 2 && english.IsNoun(thing) {
			return thing
		}
	}
	return w
}

// countedByKind returns the last word of the headings of columns that count one thing by its kind;
// "" if there are none.
func (x *Lexicon) countedByKind() string {
	kinds := x.source.Kinds()
	for _, h := range x.headings.list {
		if len(kinds) > 0 && len(h.words) > 1 && h.column.Heading == kinds[0].Heading {
			return h.words[len(h.words)-1]
		}
	}
	return ""
}

// isCounted reports whether a word is what columns count by its kind, or means the same.
func (x *Lexicon) isCounted(f form) bool {
	if len(f.words) != 1 || f.how != Exact || x.counted == "" {
		return false
	}
	means := func(set *synonymSet) bool {
		return slices.ContainsFunc(set.phrases, func(words []string) bool { return len(words) == 1 && words[0] == x.counted })
	}
	return f.words[0] == x.counted || slices.ContainsFunc(shared().sets[f.words[0]], means)
}

// nounOfKey returns what the heading of the number of each row calls the rows: lesson of
// Lesson #; "" if it says nothing.
func (x *Lexicon) nounOfKey() string {
	for _, h := range x.headings.list {
		last := len(h.words) - 1
		isNumbered := strings.HasSuffix(h.column.Heading, "#") || last > 0 && identities[h.words[last]]
		if !isNumbered || !x.isKey(h.column) {
			continue
		}
		for ; last >= 0; last-- {
			w := h.words[last]
			isFigure := slices.ContainsFunc(shared().senses[w], func(s sense) bool { return s.mention.Kind == Metric })
			if !identities[w] && english.SensesOf(w).Noun != english.None && !isFigure {
				return w
			}
		}
	}
	return ""
}

// IsRow reports whether shop talk has a noun for a row of a kind: a delivery, a party of people who come together, or an
// event such as a lesson.
func IsRow(noun, kind string) bool {
	return slices.ContainsFunc(shared().senses[noun], func(s sense) bool { return s.mention.Sense == rowSense && s.mention.Arg == kind })
}

// Is reports whether shop talk has a word for a sense.
func (t Token) Is(is Sense) bool {
	return slices.ContainsFunc(sensesIn(t.Lemma, t), func(s sense) bool { return s.mention.Sense == is })
}

// assumesRow reports whether a noun that names nothing of the source may be what people call
// its rows: a consignment where each has a Shipment Ref, a shift of a log with few rows a day and no
// numbers, a title of a list without days, a copy too if none has a stock of copies, a book where headings have Author and Published.
func (x *Lexicon) assumesRow(noun, arg string) bool {
	if x.keyNoun != "" && english.IsA(noun, x.keyNoun) {
		return true
	}
	day := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return c.Type == schema.Date || c.Type == schema.Moment })
	switch arg {
	case "event":
		const mostADay = 5
		isNamed := x.roles[schema.Order] != nil || x.rowHead != ""
		return day >= 0 && !isNamed && x.roles[schema.Product] == nil && x.source.Rows <= mostADay*x.source.Columns[day].Distinct
	case "delivery":
		isOfPurchases := x.source.Kind == schema.Purchases || x.source.Kind == schema.Stocklist && day >= 0
		return isOfPurchases && len(x.headings.by[noun]) == 0
	case "party":
		return x.Measure("person") != nil
	case "thing":
		return day < 0 && (x.roles[schema.Stock] == nil || !names(noun, plan.Units))
	}
	ofGoods := x.source.Kind == schema.Sales && (x.roles[schema.Product] != nil || x.roles[schema.Quantity] != nil)
	isAgent := strings.HasSuffix(noun, "er") || strings.HasSuffix(noun, "or")
	return !ofGoods && !isAgent && slices.ContainsFunc(x.headings.words, func(w string) bool {
		return english.Known(w) && !general[w] && english.Similarity(noun, w) >= leastAlikeRow
	})
}

// leastAlikeRow is the similarity to a word of a heading from which a noun may be that of the
// rows: book to author .79, game to play .83. What no row is has less: driver to driving .74,
// stock to price .74, door to room .75.
const leastAlikeRow = 0.78

// headOfName returns what the name of the source calls its rows: rental of bike_rentals, bike of
// bike_stock; "" if it says no more than that they are sales.
func (x *Lexicon) headOfName() string {
	name, _, _ := strings.Cut(x.source.Name, ".")
	words := strings.Fields(strings.ToLower(Spaced(name)))
	if last := len(words) - 1; last > 0 && x.source.Kind == schema.Stocklist && names(lemma(words[last]), plan.StockUnits) {
		if head := withoutPlace(lemma(words[last-1])); x.rows[head] {
			return head
		}
		return ""
	}
	for _, w := range slices.Backward(words) {
		head := lemma(w)
		if thing := withoutPlace(head); thing != head && x.source.Kind != schema.Sales {
			return thing // books of a bookshop, which sells other things, too
		}
		switch {
		case english.SensesOf(head).Noun == english.None || general[head] || shared().times[head] || isTimeUnit(head):
			continue
		case isShopTalk(head) || head == w || !x.rows[head]:
			return ""
		}
		return head
	}
	return ""
}

// names reports whether shop talk has a word for a figure.
func names(word string, m plan.Metric) bool {
	return slices.ContainsFunc(shared().senses[word], func(s sense) bool { return s.mention.Metric == m })
}

// isOfPeople reports whether each row is a person: it has an age, a gender or a day of birth,
// and neither an order nor a customer.
func (x *Lexicon) isOfPeople() bool {
	for _, r := range []schema.Role{schema.Order, schema.Customer, schema.Product, schema.Revenue, schema.Stock} {
		if x.roles[r] != nil {
			return false
		}
	}
	return slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
		return slices.ContainsFunc(lemmas(Spaced(c.Heading)), func(w string) bool {
			return slices.Contains([]string{"age", "gender", "sex", "birth", "birthday", "dob"}, w)
		})
	})
}

// Source returns the source that the lexicon was made from. The columns of mentions point
// into it.
func (x *Lexicon) Source() *schema.Source { return &x.source }

// attribute returns the column of a measure that an adjective names, such as weight; nil if
// the source has none, or two as likely.
func (x *Lexicon) attribute(name string) *schema.Column {
	if c := x.roles[schema.Role(name)]; c != nil {
		return c
	}
	f := form{words: []string{name}, how: Exact, quality: 1}
	found := slices.DeleteFunc(slices.Concat(x.wholeHeadings(f), x.headings.part(f.words), x.synonyms(f)), func(m Mention) bool { return m.Kind != Column })
	slices.SortStableFunc(found, byQuality)
	if len(found) == 0 {
		return x.measuredIn(name)
	}
	if len(found) > 1 && found[1].Column != found[0].Column && found[1].Quality == found[0].Quality {
		return nil
	}
	return found[0].Column
}

// shopTalk returns the meanings that the vocabulary gives to the words.
func (x *Lexicon) shopTalk(f form) []Mention {
	var out []Mention
	for _, s := range shared().senses[strings.Join(f.words, " ")] {
		m := s.mention
		if m.Kind == Number && len(f.words) == 1 || f.how == Corrected && len(f.words) == 1 && len(f.words[0]) < 3 || !s.written(f.tokens) {
			continue // numbers finds it, with what follows
		}
		if t := f.tokens[0]; len(f.words) == 1 && (m.Kind == Dim || m.Kind == Metric) && t.Text != t.Lemma && strings.HasSuffix(t.Text, "ed") {
			if m.Kind == Dim {
				continue // "placed" is no place
			}
			m.Quality = 0.4 // "ordered" is rather what was done than an order
		}
		switch {
		case m.Kind == Dim && m.Role == schema.Order && x.isOtherEvent(f.words[0]):
			continue
		case m.Kind == Dim:
			out = append(out, x.dims(m)...)
			continue
		case m.Arg != "" && shared().attributes[m.Arg]:
			m = x.measured(m)
		}
		out = append(out, m)
	}
	return out
}

// occasions are events that are over within the day.
var occasions = set("lesson consultation ride session class game")

// isOtherEvent reports whether a noun is for an occasion where each row lasts from one day to another,
// unless their number is called by it: a lesson is no Enrolment ID.
func (x *Lexicon) isOtherEvent(noun string) bool {
	order := x.roles[schema.Order]
	if order == nil || !occasions[noun] || x.headings.has(order, noun) {
		return false
	}
	days := 0
	for _, c := range x.source.Columns {
		if (c.Type == schema.Date || c.Type == schema.Moment) && c.Blank == 0 {
			days++
		}
	}
	return days > 1
}

// learn returns the meanings of the words that the merchant has taught, of those whose
// target is still there.
func (x *Lexicon) learn() map[string]Mention {
	out := map[string]Mention{}
	for _, w := range x.source.Words {
		m := Mention{How: Taught, Quality: 1}
		heading := w.Heading
		switch w.Kind {
		case schema.AMetric:
			m.Kind, m.Metric = Metric, plan.Metric(w.Target)
		case schema.AHeading:
			m.Kind, heading = Column, w.Target
		case schema.AValue:
			m.Kind, m.Values = Value, []string{w.Target}
		}
		if i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return c.Heading == heading }); i >= 0 {
			m.Column = &x.source.Columns[i]
		}
		isGone := m.Kind == Metric && m.Metric.Title() == "" || m.Kind != Metric && m.Column == nil || m.Kind == Value && !slices.Contains(m.Column.Values, w.Target)
		if !isGone {
			out[strings.Join(lemmas(w.Text), " ")] = m
		}
	}
	return out
}

// dims returns a word for a role with the column that has the role; without one, with the
// columns whose headings end on a word for the role, or whose values are of the role.
func (x *Lexicon) dims(m Mention) []Mention {
	if m.Column = x.roles[m.Role]; m.Column != nil {
		return []Mention{m}
	}
	if other := x.likeRole[m.Role]; len(other) > 0 {
		return other
	}
	return []Mention{m}
}

// Like returns the column that stands in for a role without a column of its own; nil if none or several do.
func (x *Lexicon) Like(r schema.Role) *schema.Column {
	if found := x.likeRole[r]; len(found) == 1 {
		return found[0].Column
	}
	return nil
}

// findLikeRoles finds the columns that take the place of a role that no column has.
func (x *Lexicon) findLikeRoles() {
	x.likeRole = map[schema.Role][]Mention{}
	for _, set := range shared().dims {
		if x.roles[set.role] != nil {
			continue
		}
		var found []Mention
		for _, words := range set.phrases {
			found = append(found, x.called(words, set)...)
		}
		for i := range x.source.Columns {
			if c := &x.source.Columns[i]; x.hasValuesOf(c, set.role) || set.role == schema.Store && x.source.Kind == schema.Sales && arePlaces(c) || set.role == schema.Channel && saysThrough(c) {
				found = append(found, Mention{Column: c, Quality: synonymQuality})
			}
		}
		for _, m := range found {
			m.Kind, m.Role, m.How = Dim, set.role, Near
			if !slices.ContainsFunc(x.likeRole[set.role], func(o Mention) bool { return o.Column == m.Column }) {
				x.likeRole[set.role] = append(x.likeRole[set.role], m)
			}
		}
	}
}

// saysThrough reports whether the heading of a column of few values says through what something
// came: Heard of us via, Sold Through.
func saysThrough(c *schema.Column) bool {
	words := strings.Fields(fold(Spaced(c.Heading)))
	return c.Type == schema.Text && len(c.Values) > 0 && len(c.Values) <= namedValues && len(words) > 1 && slices.Contains([]string{"via", "through"}, words[len(words)-1])
}

// hasValuesOf reports whether most values of a column are known values of a role, such as
// states of the USA.
func (x *Lexicon) hasValuesOf(c *schema.Column, r schema.Role) bool {
	if len(c.Values) < 2 || len(c.Values) > fewValues {
		return false
	}
	n := 0
	for _, v := range c.Values {
		if slices.ContainsFunc(shared().sets[strings.Join(lemmas(v), " ")], func(s *synonymSet) bool { return s.values == r }) {
			n++
		}
	}
	return 10*n >= 6*len(c.Values)
}

// written reports whether the tokens are written as the phrase demands.
func (s sense) written(tokens []Token) bool {
	for i, w := range s.words {
		if w != "" && tokens[i].Text != w {
			return false
		}
	}
	return true
}

// wholeHeadings returns the headings that the words are, and with more than two words, the
// headings that their initials are.
func (x *Lexicon) wholeHeadings(f form) []Mention {
	var out []Mention
	for _, k := range x.headings.whole[compact(f.words)] {
		m := Mention{Kind: Column, Column: k.column, How: k.how, Quality: k.quality}
		if len(f.words) == 1 && isFiller(f.words[0]) && !(f.words[0] == "trade" && k.column.Type == schema.Number) { // a price called Trade
			m.Quality *= 0.6
		}
		out = append(out, m)
	}
	if len(f.words) < 2 || f.how != Exact || isFunction(f.words[0]) || isFiller(f.words[0]) {
		return out
	}
	for _, k := range x.headings.whole[initials(f.words)] {
		isMark := k.column.Type == schema.Truth && isInCapitals(k.column.Heading) && x.hasOwnWord(f)
		if written := strings.Fields(fold(Spaced(k.column.Heading))); k.how == Exact && written[0] == initials(f.words) && (len(f.words) > 2 || isMark) {
			out = append(out, Mention{Kind: Column, Column: k.column, How: Abbreviated, Quality: 0.85})
		}
	}
	return out
}

// isInCapitals reports whether all letters of a text are capitals: GA, S/O.
func isInCapitals(text string) bool {
	return strings.ToUpper(text) == text && strings.ToLower(text) != text
}

// hasOwnWord reports whether a form has a word that is nothing else in this source, nor shop talk.
func (x *Lexicon) hasOwnWord(f form) bool {
	return slices.ContainsFunc(f.words, func(w string) bool {
		return x.headings.by[w] == nil && !x.values.has(w) && !isShopTalk(w) && !isLinking(w)
	})
}

// initialed returns the values that are written in capitals as the initials of the words: DD of direct debit.
func (x *Lexicon) initialed(f form, text string) (out []Mention) {
	const most = 4
	if len(f.words) < 2 || len(f.words) > most || f.how != Exact || isFunction(f.words[0]) || isFiller(f.words[0]) || !x.hasOwnWord(f) {
		return nil
	}
	isOther := func(w string) bool { return shared().times[w] || x.values.has(w) && !(w[0] >= '0' && w[0] <= '9') }
	if len(f.words) == 2 && slices.ContainsFunc(f.words, isOther) {
		return nil // two words may be so by chance
	}
	words := []string{initials(f.words)}
	for _, found := range x.values.byColumn(x.values.exactly(words)) {
		found = slices.DeleteFunc(found, func(v int32) bool {
			return !isInCapitals(x.values.columns[x.values.column[v]].Values[x.values.number[v]])
		})
		if len(found) == 0 {
			continue
		}
		column := x.values.columns[x.values.column[found[0]]]
		isPlace := column.Role == schema.State || column.Role == schema.Country || column.Role == schema.Region // whose codes are not made of any words
		if column.Distinct <= fewValues && !isPlace {
			out = append(out, x.values.mention(found, words, Mention{How: Near, Quality: synonymQuality, Text: text}))
		}
	}
	return out
}

// valuesOf returns the values that the words are, or are a part of.
func (x *Lexicon) valuesOf(f form, text string) []Mention {
	single := len(f.words) == 1
	if f.how == Near && single && x.headings.by[f.words[0]] != nil && !x.values.has(f.words[0]) {
		return nil
	}
	var out []Mention
	for _, found := range x.values.byColumn(x.values.exactly(f.words)) {
		found = x.values.orListed(found, f.words)
		m := x.values.mention(found, f.words, Mention{How: Exact, Quality: 1, Text: text})
		switch {
		case len(m.Values) == 0:
		case single && isTruth(m.Values[0]):
			m.Quality = 0.2
		default:
			m.Quality = wholeQuality(f.tokens, m.Column, m.Values[0])
		}
		out = append(out, m)
	}
	if out == nil {
		out = x.linkedValues(f, text)
	}
	out = append(out, x.initialed(f, text)...)
	return append(out, x.valuesByPart(f, text, out)...)
}

// linkedValues returns the values that match the words without their prepositions: "waiting on parts" is Waiting parts.
func (x *Lexicon) linkedValues(f form, text string) (out []Mention) {
	last := len(f.words) - 1
	if f.how != Exact || last < 2 || isLinking(f.words[0]) || isLinking(f.words[last]) || !slices.ContainsFunc(f.words, isLinking) {
		return nil
	}
	words := slices.DeleteFunc(slices.Clone(f.words), isLinking)
	for _, found := range x.values.byColumn(x.values.exactly(words)) {
		out = append(out, x.values.mention(found, words, Mention{How: Exact, Quality: 0.95, Text: text}))
	}
	return out
}

// valuesByPart returns the values that the words are a part of, in columns without a whole
// value.
func (x *Lexicon) valuesByPart(f form, text string, whole []Mention) []Mention {
	single := len(f.words) == 1
	if len(f.words) > maxPart || f.how == Near || single && (f.tokens[0].Unit != "" || len(f.words[0]) < 3 || areFunction(sensesIn(f.words[0], f.tokens[0])) && !isChange(sensesIn(f.words[0], f.tokens[0]))) {
		return nil
	}
	var out []Mention
	for _, found := range x.values.byColumn(x.values.withAll(f.words)) {
		c := x.values.columns[x.values.column[found[0]]]
		if slices.ContainsFunc(whole, func(m Mention) bool { return m.Column == c }) {
			continue
		}
		if single && x.headings.has(c, f.words[0]) {
			continue // "bikes" is no E-bike of a column Bike Type
		}
		if single && f.how == Exact {
			if goods, ok := x.areFor(f.words[0], found); ok {
				out = append(out, Mention{Kind: Value, Column: c, Values: goods, How: Near, Quality: kindQuality, Text: text})
				continue
			}
		}
		share := x.values.share(f.words, found)
		quality := x.values.partQuality(f, found, share, f.tokens[0].Quote > 0)
		if f.how == Corrected && (share < 0.5 || single && len(f.words[0]) < 6) || quality == 0 {
			continue
		}
		if single && (f.words[0] == x.rowHead || f.words[0] == x.sold || x.things[f.words[0]]) {
			continue // books of a list of books are no Tern Books, and toys of a toyshop are no Soft Toys
		}
		if single && (len(x.headings.whole[f.words[0]]) > 0 || x.rows[f.words[0]]) {
			quality = min(quality, Hint) // the word has a meaning here
		}
		out = append(out, x.values.mention(found, f.words, Mention{How: Partial, Quality: quality, Text: text}))
	}
	return out
}

// isTruth reports whether a value is one of a column of yes and no.
func isTruth(v string) bool {
	switch strings.ToLower(v) {
	case "yes", "no", "true", "false", "y", "n", "0", "1", "t", "f":
		return true
	}
	return false
}

// textOf returns the words of a span as typed, in lower case.
func textOf(span []Token) string {
	words := make([]string, len(span))
	for i, t := range span {
		words[i] = t.Text
	}
	return strings.ReplaceAll(strings.Join(words, " "), " "+possessive, possessive)
}
