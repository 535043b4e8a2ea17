package link

import (
	"context"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// Mentions returns all meanings of all spans of the tokens, ordered by From, To and falling
// Quality. It returns the error of ctx when that is done.
func (x *Lexicon) Mentions(ctx context.Context, tokens []Token) ([]Mention, error) {
	q := question{x: x, tokens: tokens, forms: make([][]form, len(tokens))}
	for i := range tokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.forms[i] = x.alternatives(tokens[i])
	}
	for from := range tokens {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for to := from + 1; to <= min(len(tokens), from+maxSpan); to++ {
			if to > from+1 && endsSentence(tokens[to-1].Mark) {
				break
			}
			q.span(from, to)
		}
	}
	for i := range tokens {
		q.sharedNoun(i)
	}
	for _, m := range numbers(tokens) {
		q.add(m.From, m.To, m)
	}
	q.leftOver()
	slices.SortStableFunc(q.out, func(a, b Mention) int {
		if a.From != b.From {
			return a.From - b.From
		}
		if a.To != b.To {
			return a.To - b.To
		}
		return byQuality(a, b)
	})
	return q.out, nil
}

func byQuality(a, b Mention) int {
	switch {
	case a.Quality > b.Quality:
		return -1
	case a.Quality < b.Quality:
		return 1
	}
	return 0
}

// question is the state of finding the meanings of one question.
type question struct {
	x      *Lexicon
	tokens []Token
	forms  [][]form // of each token: other words that it may be
	out    []Mention
}

// form is words that a span may be read as.
type form struct {
	words   []string // lemmas without articles
	tokens  []Token  // of each word
	how     How
	quality float64
}

// alternatives returns the words that a token may be instead of what it is: in full, if it
// is an abbreviation; without a typing error, if nobody knows it; a word of the same family
// that a heading or a value has.
func (x *Lexicon) alternatives(t Token) []form {
	var out forms
	if full := shared().short[t.Lemma]; full != "" && !strings.Contains(full, " ") && (isUncommon(t.Text) || x.values.has(full)) && !x.values.has(t.Lemma) {
		out.add(t, Abbreviated, 0.95, full)
	}
	if own := lemma(fold(t.Raw)); t.Raw != "" && slices.Contains(questionWords, t.Text) && own != t.Lemma && (x.values.has(own) || x.headings.by[own] != nil) {
		out.add(t, Exact, 1, own) // no typing error of which
	}
	if t.Unit != "" || !isWord(t.Text) || len(t.Text) < 3 {
		return out
	}
	for _, short := range shared().shortsOf[t.Lemma] {
		if !x.values.has(t.Lemma) && len(x.values.exactly([]string{short})) > 0 {
			out.add(t, Abbreviated, 0.9, short) // account, of the value ACCT
		}
	}
	isKnown := x.headings.by[t.Lemma] != nil || x.values.has(t.Lemma) || len(x.headings.whole[t.Lemma]) > 0
	if one, ok := strings.CutSuffix(t.Lemma, "s"); ok && !isKnown && !(english.Known(t.Lemma) && english.Known(one)) && (x.values.has(one) || x.headings.by[one] != nil) {
		out.add(t, Abbreviated, 0.95, one) // shih tzus, a plural that english does not know
	}
	if !isKnown && !isFunction(t.Lemma) && !isTimeUnit(t.Lemma) {
		for _, w := range x.kin.of(t.Lemma) {
			out.add(t, Near, kinQuality(t.Lemma, w), w)
		}
	}
	if !isKnown && len(out) == 0 && !isFunction(t.Lemma) {
		out.add(t, Abbreviated, 0.95, x.headings.unitsNamed(t.Lemma)...)
	}
	isNamed := english.IsNoun(t.Lemma) || !english.Known(t.Lemma) && t.Fixes == nil
	if !isKnown && len(out) == 0 && (isNamed || english.Known(t.Lemma) && !isFunction(t.Lemma)) {
		out.add(t, Abbreviated, 0.9, x.headings.abbreviated(t)...)
	}
	if !isKnown && len(out) == 0 && isNamed {
		for _, family := range x.kin {
			out.add(t, Abbreviated, 0.9, abbreviated(t, family)...) // Vchr
		}
	}
	if !isKnown && len(out) == 0 && !isFunction(t.Lemma) {
		out.add(t, Near, 0.9, x.headings.cutFlags(t.Lemma)...)
	}
	if !isKnown && len(out) == 0 && english.IsNoun(t.Lemma) && !shared().words[t.Lemma] {
		out.add(t, Near, 0.85, x.headings.kindsNamed(t.Lemma)...)
	}
	if isKnown || len(out) > 0 || english.Known(t.Text) || english.Known(t.Lemma) || shared().words[t.Lemma] {
		return out
	}
	return x.corrections(t)
}

// joiners are between words that share the noun after the second one.
var joiners = set("and or v vs versus n")

// sharedNoun finds the values that a word means with the noun that another one has after it: white of white and seeded loaves.
func (q *question) sharedNoun(i int) {
	if i+3 >= len(q.tokens) || !joiners[q.tokens[i+1].Text] || q.tokens[i].Unit != "" || isFunction(q.tokens[i].Lemma) {
		return
	}
	v, noun := q.x.values, q.tokens[i+3].Lemma
	for _, found := range v.byColumn(v.withAll([]string{q.tokens[i].Lemma, noun})) {
		c := v.columns[v.column[found[0]]]
		if len(found) <= mostNamed && v.anyIn(c, []string{q.tokens[i+2].Lemma, noun}) {
			q.add(i, i+1, v.mention(found, []string{q.tokens[i].Lemma, noun}, Mention{How: Partial, Quality: kindQuality, Text: q.tokens[i].Text}))
		}
	}
}

// corrections returns the words that an unknown one may be a typing error of, or may begin.
func (x *Lexicon) corrections(t Token) []form {
	var out forms
	most := maxTypos(len(t.Text))
	out.add(t, Corrected, 0.85, x.headings.typos.near(t.Lemma, max(1, most))...)
	if len(t.Text) < 5 && len(out) > 0 && !isSwap(t.Text, out[0].words[0]) && len(t.Fixes) > 0 {
		out = nil
	}
	if most > 0 {
		out.add(t, Corrected, 0.75, x.values.typos.near(t.Lemma, most)...)
	}
	out.add(t, Corrected, 0.8, t.Fixes...)
	if len(out) == 0 {
		out.add(t, Abbreviated, 0.7, x.kin.completion(t.Lemma)...)
	}
	return out
}

// forms are other words that a token may be.
type forms []form

// add adds words in the place of t, unless they are there.
func (fs *forms) add(t Token, how How, quality float64, words ...string) {
	for _, w := range words {
		if w = lemma(w); w == t.Lemma || slices.ContainsFunc(*fs, func(f form) bool { return f.words[0] == w }) {
			continue
		}
		f := form{words: []string{w}, how: how, quality: quality}
		if how == Corrected && len(w) == len(t.Lemma) && !isSwap(w, t.Lemma) {
			f.quality -= 0.1 // another letter is rarer than one left out or two swapped
		}
		*fs = append(*fs, f)
	}
}

// isTimeUnit reports whether a word is a unit of time, which "Weekly" does not mean.
func isTimeUnit(lemma string) bool {
	return slices.ContainsFunc(shared().senses[lemma], func(s sense) bool { return s.mention.Sense == "unit" })
}

// isSwap reports whether two words have the same letters.
func isSwap(a, b string) bool {
	x, y := []byte(a), []byte(b)
	slices.Sort(x)
	slices.Sort(y)
	return slices.Equal(x, y)
}

// span finds the meanings of one span.
func (q *question) span(from, to int) {
	f, ok := formOf(q.tokens[from:to])
	if !ok {
		return
	}
	q.lookUp(from, to, f)
	for i := range f.words {
		at := from + i
		if len(f.words) != to-from {
			at = indexOf(q.tokens, from, f.tokens[i])
		}
		for _, other := range q.forms[at] {
			g := f
			g.words = slices.Clone(f.words)
			g.words[i] = other.words[0]
			g.how, g.quality = other.how, other.quality
			q.lookUp(from, to, g)
		}
	}
	if m, ok := q.x.taught[strings.Join(f.words, " ")]; ok {
		q.teach(from, to, m)
	}
}

// teach adds the meaning that the merchant has taught, with which the others of the span
// count half.
func (q *question) teach(from, to int, m Mention) {
	for i := len(q.out) - 1; i >= 0 && q.out[i].From == from; i-- {
		if q.out[i].To == to {
			q.out[i].Quality /= 2
		}
	}
	f := form{quality: 1, how: Exact}
	text := textOf(q.tokens[from:to])
	q.take(from, to, f, text, m)
	if metric, ok := metricOf(m); ok {
		q.take(from, to, f, text, metric)
	}
}

func indexOf(tokens []Token, from int, t Token) int {
	for tokens[from].Start != t.Start || tokens[from].Text != t.Text {
		from++
	}
	return from
}

// formOf returns the words of a span without articles and possessive endings; false if the
// span begins or ends with one of those.
func formOf(span []Token) (form, bool) {
	f := form{how: Exact, quality: 1, words: make([]string, 0, len(span)), tokens: make([]Token, 0, len(span))}
	for i, t := range span {
		if isLeftOut(t.Text, i, len(span)) {
			if i == 0 || i == len(span)-1 {
				return f, false
			}
			continue
		}
		f.words = append(f.words, t.Lemma)
		f.tokens = append(f.tokens, t)
	}
	return f, len(f.words) > 0
}

// lookUp finds the meanings of the words of one form of a span.
func (q *question) lookUp(from, to int, f form) {
	x := q.x
	if x.isCounted(f) {
		q.take(from, to, f, textOf(q.tokens[from:to]), Mention{Kind: Metric, Metric: plan.Units, How: Exact, Quality: 1})
		return
	}
	found := q.goodsOrRows(from, to, f)
	if f.how != Near {
		found = slices.Concat(x.shopTalk(f), found)
	}
	found = append(found, x.inUnit(f)...)
	named := x.wholeHeadings(f)
	if len(f.words) == 1 && slices.Contains(questionWords, f.words[0]) {
		named = nil // the heading How is no "how"
	}
	found = append(withoutOthers(found, named, f), named...)
	found = append(found, x.headings.shortened(f)...)
	found = append(found, x.synonyms(f)...)
	if len(f.words) <= maxPart {
		found = append(found, x.headings.part(f.words)...)
	}
	text := strings.Join(f.words, " ")
	if f.how == Exact || f.how == Near {
		text = textOf(q.tokens[from:to])
	}
	for _, m := range x.valuesOf(f, text) {
		q.take(from, to, f, text, m)
	}
	for _, m := range found {
		q.takeWord(from, to, f, text, m)
	}
}

// goodsOrRows returns the meanings of words for what is sold, for what the rows are, and for what orders are called
// that something is divided by.
func (q *question) goodsOrRows(from, to int, f form) (found []Mention) {
	x, text := q.x, strings.Join(f.words, " ")
	isHeadingNext := to < len(q.tokens) && english.SensesOf(q.tokens[to].Lemma).Noun > 0 && len(x.headings.by[q.tokens[to].Lemma]) > 0
	switch {
	case text != "" && text == x.sold:
		found = append(found, Mention{Kind: Dim, Role: schema.Product, Column: x.roles[schema.Product], How: Near, Quality: rowQuality}) // it may sell other things, too
	case x.things[text] && !isHeadingNext: // dog breeds
		found = append(found, Mention{Kind: Word, Sense: rowSense, How: Exact, Quality: 1, Arg: HeadArg})
	case x.isChild(f):
		found = append(found, Mention{Kind: Dim, Role: schema.Customer, Column: x.roles[schema.Customer], How: Near, Quality: rowQuality})
	case len(f.words) == 1 && x.rows[f.words[0]]:
		m := Mention{Kind: Word, Sense: rowSense, How: Exact, Quality: 1}
		if f.words[0] == x.rowHead {
			m.Arg = HeadArg
		}
		found = append(found, m)
	}
	if x.countsReceipts(text) && from > 0 && slices.Contains(perWords, q.tokens[from-1].Text) {
		found = append(found, Mention{Kind: Dim, Role: schema.Order, Column: x.roles[schema.Order], How: Near, Quality: kindQuality, Arg: KindArg})
	}
	return found
}

// withoutOthers leaves out other columns of goods where a heading has the very words: the heading Model is no other
// one.
func withoutOthers(found, named []Mention, f form) []Mention {
	for _, c := range named {
		found = slices.DeleteFunc(found, func(m Mention) bool {
			return m.Kind == Dim && m.Role != schema.Day && m.Column != nil && m.Column != c.Column && c.How == Exact && f.how == Exact
		})
	}
	return found
}

// takeWord adds a meaning that is no value, and the figures that it has, too.
func (q *question) takeWord(from, to int, f form, text string, m Mention) {
	x := q.x
	if isAssumed := m.Sense == rowSense && m.Arg != "" && m.Arg != HeadArg; isAssumed && !x.assumesRow(f.words[0], m.Arg) {
		return
	}
	if m.Sense == rowSense && m.Arg == "delivery" && x.roles[schema.Order] != nil {
		m = Mention{Kind: Dim, Role: schema.Order, Column: x.roles[schema.Order], How: Exact, Quality: 1} // each has several lines
	}
	if m.Sense == rowSense && m.Arg != "" && m.Arg != HeadArg {
		m.Arg, m.How, m.Quality = HeadArg, Near, rowQuality
	}
	q.take(from, to, f, text, m)
	if metric, ok := metricOf(m); ok {
		q.take(from, to, f, text, metric)
	}
	if m.Sense == rowSense || m.Kind == Column && x.isKey(m.Column) && m.Quality > 0.6 {
		q.take(from, to, f, text, Mention{Kind: Metric, Metric: plan.Rows, How: m.How, Quality: m.Quality, Arg: m.Arg})
	}
}

// rowSense is the sense of a word for what a row is.
const rowSense = "row"

// HeadArg is the Arg of the word that the rows are called by: Exact, if the source's name or
// the heading of its number says so, else Near.
const HeadArg = "head"

// rowQuality is how good a link of a noun to the rows is that is assumed.
const rowQuality = 0.7

// isKey reports whether a column of text tells nearly each row from all others, so that to
// count its values is to count rows.
func (x *Lexicon) isKey(c *schema.Column) bool {
	const fewRows = 10
	return c.Type == schema.Text && x.source.Rows > fewRows && 10*c.Distinct >= 9*x.source.Rows
}

// maxPart bounds the words that are looked up as a part of a heading or a value.
const maxPart = 5

// metricOf returns the figure that a heading with a figure's role asks for.
func metricOf(m Mention) (Mention, bool) {
	if m.Kind != Column {
		return m, false
	}
	metric, ok := plan.MetricOf(m.Column.Role)
	m.Kind, m.Metric = Metric, metric
	return m, ok
}

// take adds a meaning that a form of a span has.
func (q *question) take(from, to int, f form, text string, m Mention) {
	if f.how != Exact {
		m.Quality *= f.quality
		if m.How == Exact || m.How == Partial || f.how == Corrected {
			m.How = f.how
		}
	}
	m.Text = text
	q.add(from, to, m)
}

// add adds a mention, unless a better one of the same meaning is there.
func (q *question) add(from, to int, m Mention) {
	m.From, m.To = from, to
	m.Plural = isPlural(q.tokens[to-1])
	for i := len(q.out) - 1; i >= 0 && q.out[i].From == from; i-- {
		if have := &q.out[i]; have.To == to && have.Kind == m.Kind && have.sameMeaning(m) {
			if m.Quality > have.Quality {
				*have = m
			}
			return
		}
	}
	q.out = append(q.out, m)
}

// sameMeaning reports whether two mentions of one kind mean the same. Of the values of one
// column in one span only the best are kept.
func (m Mention) sameMeaning(o Mention) bool {
	return m.Column == o.Column && m.Metric == o.Metric && m.Per == o.Per && m.Role == o.Role && m.Op == o.Op &&
		m.Sense == o.Sense && m.Arg == o.Arg && m.Number == o.Number && m.Unit == o.Unit
}

// leftOver adds a meaning to the tokens that have none.
func (q *question) leftOver() {
	covered, sure := make([]bool, len(q.tokens)), make([]bool, len(q.tokens))
	for _, m := range q.out {
		for i := m.From; i < m.To; i++ {
			covered[i] = true
			sure[i] = sure[i] || m.Quality > Hint && (m.Kind != Value || m.How == Exact)
		}
	}
	for i, t := range q.tokens {
		if t.Text == possessive {
			q.add(i, i+1, Mention{Kind: Filler, How: Exact, Quality: 1, Text: t.Text})
			continue
		}
		if !sure[i] {
			for _, m := range q.x.ofKind(t) {
				q.add(i, i+1, m)
			}
		}
		if covered[i] {
			continue
		}
		word := t.Text
		if !english.Known(word) && len(t.Fixes) > 0 {
			word = t.Fixes[0]
		}
		q.add(i, i+1, Mention{Kind: Unknown, How: Exact, Text: t.Text, Senses: english.SensesOf(word)})
		for _, m := range q.x.alike(t) {
			q.add(i, i+1, m)
		}
		if english.IsNoun(t.Lemma) && !strings.HasSuffix(t.Lemma, "ing") && q.x.assumesRow(t.Lemma, "") {
			row := Mention{Kind: Word, Sense: rowSense, How: Near, Quality: rowQuality, Arg: HeadArg, Text: t.Text}
			q.add(i, i+1, row)
			row.Kind, row.Sense, row.Metric = Metric, "", plan.Rows
			q.add(i, i+1, row)
		}
	}
}
