package link

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// headings finds the columns of a source by their headings.
type headings struct {
	list  []heading
	whole map[string][]headingKey // by compact key
	words []string                // of all headings, content only
	by    map[string][]int        // word → list
	short map[string][]int        // first letters of words → list
	typos *typos
}

// heading is the heading of a column in words.
type heading struct {
	column *schema.Column
	words  []string // lemmas
}

// headingKey is a form of a whole heading.
type headingKey struct {
	column  *schema.Column
	how     How
	quality float64
	cut     bool // without the unit at its end
}

// newHeadings returns the index of a source's headings.
func newHeadings(s *schema.Source) *headings {
	h := &headings{whole: map[string][]headingKey{}, by: map[string][]int{}, short: map[string][]int{}}
	for i := range s.Columns {
		h.add(&s.Columns[i])
	}
	var list []string
	for w := range h.by {
		h.words = append(h.words, w)
		if isWord(w) && len(w) > 2 {
			list = append(list, w)
		}
	}
	for key, of := range h.whole { // labour is the column Labour, not Labour Hrs
		if slices.ContainsFunc(of, func(k headingKey) bool { return !k.cut }) {
			h.whole[key] = slices.DeleteFunc(of, func(k headingKey) bool { return k.cut })
		}
	}
	slices.Sort(h.words)
	slices.Sort(list)
	h.typos = newTypos(list)
	return h
}

// add adds the forms of a column's heading: whole, without the unit in parentheses, with
// its run-together words apart, with its abbreviations written out, and its initials.
func (h *headings) add(c *schema.Column) {
	exact := headingKey{column: c, how: Exact, quality: 1}
	spaced := Spaced(c.Heading)
	if sign, unit, ok := perUnit(c); ok {
		words := []string{"price", "rate", "charge", "fee"}
		if c.Role == schema.UnitCost {
			words = []string{"cost"}
		}
		if slices.Contains(words, sign) { // what the heading says comes first
			words = append([]string{sign}, words...)
		}
		spaced = words[0] + " per " + unit
		if unit == "month" || unit == "week" {
			words = append(words, "rent")
			h.addWhole([]string{"rent"}, headingKey{column: c, how: Exact, quality: 0.95})
		}
		for _, word := range words {
			h.addWhole(lemmas(strings.Replace(unit+"ly ", "dayly", "daily", 1)+word), exact)
		}
	} else {
		h.addWhole(lemmas(c.Heading), exact)
	}
	h.addWhole(lemmas(spaced), exact)
	before, _, _ := strings.Cut(spaced, "(")
	words := lemmas(yesOrNo.ReplaceAllString(before, ""))
	if len(words) == 0 {
		return
	}
	h.addWhole(words, exact)
	h.addWhole([]string{runTogether(before)}, exact)
	words = segmented(words)
	if cut := withoutUnit(words); len(cut) < len(words) {
		h.addWhole(writtenOut(words), headingKey{column: c, how: Abbreviated, quality: 0.95})
		unit := writtenOut(words)[len(writtenOut(cut))]
		exact.cut, words = true, cut
		if len(unit) > 3 {
			h.by[unit] = append(h.by[unit], len(h.list)) // hours of Labour Hrs
		}
	}
	h.addWhole(words, exact)
	full := writtenOut(words)
	h.addWhole(full, headingKey{column: c, how: Abbreviated, quality: 0.95, cut: exact.cut})
	if c.Named != "" { // a flag called Disc. of what is discontinued
		h.addWhole(lemmas(c.Named), headingKey{column: c, how: Abbreviated, quality: 0.95})
	}
	if len(full) > 2 {
		h.addWhole([]string{initials(full)}, headingKey{column: c, how: Abbreviated, quality: 0.85})
	}
	for _, w := range slices.Concat(full, words) {
		if !isLinking(w) && !slices.Contains(h.by[w], len(h.list)) {
			h.by[w] = append(h.by[w], len(h.list))
		}
	}
	if said := orderNumber(c, full); said != nil {
		h.addWhole(said, headingKey{column: c, how: Exact, quality: 0.95})
	}
	for _, asked := range questionsOf(full) {
		h.addWhole(lemmas(asked), headingKey{column: c, how: Exact, quality: 0.95})
	}
	if key := firstLetters(full); key != "" {
		h.short[key] = append(h.short[key], len(h.list))
	}
	h.list = append(h.list, heading{c, full})
}

// perUnit returns what the money of a column is for by its heading, as night of £/Night, Rate/Night
// and Per Night, and the word or sign before it; false if the heading says something else.
func perUnit(c *schema.Column) (sign, unit string, ok bool) {
	words := strings.Fields(fold(c.Heading))
	sign, unit, ok = strings.Cut(fold(c.Heading), "/")
	if len(words) == 2 && words[0] == "per" {
		sign, unit, ok = "", words[1], true
	}
	sign = strings.TrimSpace(sign)
	unit = strings.TrimSpace(unit)
	if full := plan.Unit(unit); len(full) > len(unit) {
		unit = full
	}
	isPrice := !isWord(sign) || sign == "price" || sign == "rate" || sign == "cost" || sign == "fee" || currencies[sign]
	return sign, unit, ok && isPrice && c.Unit == schema.Money && isWord(strings.TrimRight(unit, "23"))
}

// orderNumber returns what people call the number of an order, of which the heading is Job No or
// Receipt; nil for other columns.
func orderNumber(c *schema.Column, words []string) []string {
	if c.Role != schema.Order {
		return nil
	}
	last := len(words) - 1
	if last > 0 && slices.Contains([]string{"no", "num", "nr", "id", "ref", "reference", "code"}, words[last]) {
		words = words[:last]
	}
	return append(slices.Clone(words), "number")
}

// yesOrNo is what a heading says of its values: Signed Y/N.
var yesOrNo = regexp.MustCompile(`(?i)\s+\(?(y n|yes no|t f|true false)\)?\s*$`)

// questionsOf returns what asks for the values of a heading that says what was done: "where it
// went" of Went To, "who took it" of Taken By, "how it came" of How It Came.
func questionsOf(words []string) []string {
	n := len(words)
	if n < 2 || n > 3 {
		return nil
	}
	verb := words[n-2]
	switch last := words[n-1]; {
	case words[0] == "how" && english.SensesOf(last).Verb > 0:
		return []string{"how it " + last, "how they " + last}
	case n != 2 || english.SensesOf(verb).Verb <= 0:
		return nil
	case last == "to" || last == "from" || last == "in":
		return []string{"where it " + verb, "where they " + verb, "where it " + verb + " " + last, "where they " + verb + " " + last}
	case last == "by":
		return []string{"who " + verb, "who " + verb + " it", "who " + verb + " them"}
	case last == "via" || last == "through":
		return []string{"how it " + verb, "how they " + verb, "how people " + verb}
	}
	return nil
}

// writtenOut returns the words of a heading with their abbreviations in full.
func writtenOut(words []string) []string {
	full := make([]string, 0, len(words))
	for _, w := range words {
		if said := shared().short[w]; said != "" && (len(words) > 1 || isUncommon(w) || headingUnits[w]) {
			full = append(full, strings.Fields(said)...) // ltv is lifetime value
		} else {
			full = append(full, w)
		}
	}
	return full
}

func (h *headings) addWhole(words []string, k headingKey) {
	key := compact(words)
	if key != "" && !slices.ContainsFunc(h.whole[key], func(have headingKey) bool { return have.column == k.column }) {
		h.whole[key] = append(h.whole[key], k)
	}
}

// headingUnits are units at the end of a heading, which a question leaves out.
var headingUnits = set("usd eur gbp euro dollar pound percent pct kg g lb oz cm mm km ft l ml min mins sec secs hrs c f")

// withoutUnit returns the words of a heading without a unit at the end: price of price_usd.
func withoutUnit(words []string) []string {
	if n := len(words); n > 1 && headingUnits[words[n-1]] {
		return words[:n-1]
	}
	return words
}

// Full returns a word of a heading in full if it is short for one: received of rcvd.
func Full(word string) string { return cmp.Or(shared().short[word], word) }

// firstLetters returns the first letter of each of two to four words, by which a heading of
// shortened words is found: OpSys is "os". It returns "" if there are fewer or more.
func firstLetters(words []string) string {
	const least, most = 2, 4
	if len(words) < least || len(words) > most {
		return ""
	}
	return initials(words)
}

// shortened returns the headings of which each word is one of the words, or is cut short:
// "operating system" of OpSys, "kilos received" of KG_RCVD.
func (h *headings) shortened(f form) []Mention {
	var out []Mention
	for _, at := range h.short[firstLetters(f.words)] {
		have := h.list[at]
		cut := 0
		for i, w := range have.words {
			switch full := f.words[i]; {
			case isFunction(full) && w != full: // "not" is no No
				cut = -maxSpan
			case w == full, plan.Unit(w) == plan.Unit(full):
			case len(w) > 1 && strings.HasPrefix(full, w), isUncommon(w) && isCut(w, full), isUncommon(w) && isCut(w, f.tokens[i].Text):
				cut++
			default:
				cut = -maxSpan
			}
		}
		if cut >= 0 {
			out = append(out, Mention{Kind: Column, Column: have.column, How: Abbreviated, Quality: 0.85})
		}
	}
	return out
}

// isCut reports whether a word has letters of another one, in order, from its first letter to its
// last.
func isCut(short, full string) bool {
	if len(short) < 2 || short[0] != full[0] || short[len(short)-1] != full[len(full)-1] {
		return false
	}
	rest := full
	for i := range len(short) {
		at := strings.IndexByte(rest, short[i])
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// runTogether returns a heading as one word, in lower case.
func runTogether(heading string) string {
	var b strings.Builder
	for _, r := range fold(heading) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return lemma(b.String())
}

// Spaced separates the words of a heading: UnitsInStock, unit_price, Amount(USD).
func Spaced(heading string) string {
	var b strings.Builder
	runes := []rune(heading)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte(' ')
		}
		if r == '_' || r == '.' || r == '-' || r == '/' {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// segmented returns the words with those apart that are run together: customername.
func segmented(words []string) []string {
	var out []string
	for _, w := range words {
		if parts := segments(w); parts != nil {
			out = append(out, parts...)
		} else {
			out = append(out, w)
		}
	}
	return out
}

// segments returns the lemmas of the words that w is run together of; nil if w is a word, or
// no such words are known. Of several ways the one with the most frequent words wins.
func segments(w string) []string {
	const longest, least = 30, 6
	if !isWord(strings.TrimRight(w, "0123456789")) || len(w) < least || len(w) > longest || english.Known(w) || shared().words[w] {
		return nil
	}
	type way struct {
		cost  float64
		parts []string
	}
	best := make([]*way, len(w)+1)
	best[0] = &way{}
	for to := 1; to <= len(w); to++ {
		for from := range to {
			if best[from] == nil {
				continue
			}
			part := w[from:to]
			cost, ok := partCost(part)
			if ok && (best[to] == nil || best[from].cost+cost < best[to].cost) {
				best[to] = &way{best[from].cost + cost, append(slices.Clone(best[from].parts), lemma(part))}
			}
		}
	}
	if end := best[len(w)]; end != nil && len(end.parts) > 1 {
		return end.parts
	}
	return nil
}

// partCost returns how unusual a part of a run-together heading is; false if it is no word.
func partCost(part string) (float64, bool) {
	v := shared()
	switch r := english.Rank(part); {
	case v.words[part] && len(part) > 2, v.short[part] != "", part == "id" || part == "no" || part == "of" || part == "in":
		return 8, true
	case r > 0 && len(part) > 2:
		return 5 + math.Log(float64(r)), true
	case strings.Trim(part, "0123456789") == "":
		return 5, true
	}
	return 0, false
}

// Abbreviates reports whether an uncommon word is another one cut short. A usual abbreviation is that of its own word
// only: Amt is no aftermarket.
func Abbreviates(short, full string) bool {
	if word := shared().short[short]; word != "" {
		return strings.HasPrefix(full, word)
	}
	return isUncommon(short) && english.Abbreviates(short, full)
}

// abbreviated returns the only one of some words that a word is cut short to: the reader cannot
// tell which of two is meant.
func abbreviated(t Token, words []string) []string {
	var out []string
	for _, w := range words {
		if Abbreviates(w, t.Lemma) || Abbreviates(w, t.Text) {
			out = append(out, w)
		}
	}
	if len(out) != 1 {
		return nil
	}
	return out
}

// abbreviated returns the word of headings that a token is cut short to. A noun may be cut to two
// letters that are all its consonants, as in Sz and Dt.
func (h *headings) abbreviated(t Token) []string {
	if found := abbreviated(t, h.words); found != nil {
		return found
	}
	const most = 5
	if key := consonants(t.Lemma); len(key) == 2 && len(t.Lemma) > 3 && len(t.Lemma) <= most && english.IsNoun(t.Lemma) && h.by[key] != nil && !measures[key] {
		return []string{key}
	}
	return nil
}

// unitsNamed returns the words of headings that are another name of a unit of measure, or a unit
// of what a word names: kg of kilos and of weight.
func (h *headings) unitsNamed(lemma string) []string {
	if currencies[lemma] || isTimeUnit(lemma) {
		return nil
	}
	var out []string
	for _, unit := range append([]string{lemma}, unitsOf[lemma]...) {
		for _, w := range h.words {
			if len(w) > 1 && w != lemma && plan.Unit(w) == plan.Unit(unit) {
				out = append(out, w)
			}
		}
		if len(out) > 0 {
			break
		}
	}
	return out
}

// cutFlags returns the words of headings of yes and no that begin a word of any kind, which is a
// guess: discontinued of Disc. (Y/N).
func (h *headings) cutFlags(word string) []string {
	const least = 3
	var out []string
	for _, w := range h.words {
		isOfFlag := func(at int) bool { return isFlag(h.list[at].column) }
		if len(w) >= least && strings.HasPrefix(word, w) && slices.ContainsFunc(h.by[w], isOfFlag) {
			out = append(out, w)
		}
	}
	return out
}

// kindsNamed returns the words that are whole headings of names and of which a noun is a kind: vehicle of van, and
// animal of pet. A noun in -er may be somebody: a driver is no equipment.
func (h *headings) kindsNamed(noun string) []string {
	isNamed := func(w string) bool {
		return !general[w] && !strings.HasSuffix(noun, "er") && !english.IsPerson(noun) && english.IsA(noun, w) && slices.ContainsFunc(h.by[w], func(at int) bool {
			return len(h.list[at].words) == 1 && h.list[at].column.Type == schema.Text && h.list[at].column.Distinct > 1
		})
	}
	return slices.DeleteFunc(slices.Clone(h.words), func(w string) bool { return !isNamed(w) })
}

// isFlag reports whether the values of a column are yes and no.
func isFlag(c *schema.Column) bool {
	isNone := func(v string) bool { return !isTruth(v) }
	return c.Type == schema.Truth || c.Type == schema.Text && len(c.Values) > 0 && !slices.ContainsFunc(c.Values, isNone)
}

// initials returns the first letters of words.
func initials(words []string) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteByte(w[0])
	}
	return b.String()
}

// linking are the words of headings that do not tell one from another.
var linking = set("the of in per for and to by on at a an is was with from or as")

// joins are linking words that a question may put into a heading: date of order.
var joins = set("of in for per on at")

func isLinking(w string) bool { return linking[w] }

// general are words of headings that many kinds of columns share.
var general = set("name id code number type date amount total value level count status description key no num")

// padding are words that a question may add to a heading: "wait time" of Wait.
var padding = set("rate time amount value figure level score name type data column field")

// has reports whether a column's heading has a word.
func (h *headings) has(c *schema.Column, word string) bool {
	return slices.ContainsFunc(h.by[word], func(at int) bool { return h.list[at].column == c })
}

// part returns the mentions of headings by some of their words: words are the lemmas of a
// span, none of them linking at its ends.
func (h *headings) part(words []string) []Mention {
	factor := 1.0
	if n := len(words); n > 1 && padding[words[n-1]] && h.by[words[n-1]] == nil {
		words, factor = words[:n-1], 0.9
	}
	found := h.withAll(words)
	switch {
	case len(found) == 0, words[0] == "no": // none, and no Ticket No
		return nil
	case len(found) == 2:
		factor *= 0.9
	case len(found) > 2:
		factor *= 0.8
	}
	if w := words[0]; len(words) == 1 && (isFunction(w) || shared().times[w]) {
		factor *= 0.5
	} else if len(words) == 1 && !english.IsNoun(w) && english.Known(w) {
		factor *= 0.8 // the "used" of "Promo Code Used"
	}
	var out []Mention
	for _, at := range found {
		if len(words) == 1 && (h.list[at].isKindOf(words[0]) || h.list[at].isFor(words[0]) || h.list[at].isDone(words[0])) {
			continue
		}
		share, only := h.list[at].share(words)
		q := (0.5 + 0.45*share) * factor
		if only && len(found) > 1 {
			q *= 0.8
		}
		if len(words) > 1 && joins[words[1]] && !slices.Contains(h.list[at].words, words[1]) {
			q *= 0.85
		}
		out = append(out, Mention{Kind: Column, Column: h.list[at].column, How: Partial, Quality: q})
	}
	return out
}

// kinds are the heads of headings that say of which kind something is.
var kinds = set("type category segment group class tier status grade band kind")

// isKindOf reports whether a heading says of which kind the people are that a word means, and not
// who: a customer is no Cust Type.
func (h heading) isKindOf(word string) bool {
	isPerson := slices.ContainsFunc(shared().sets[word], func(s *synonymSet) bool {
		return s.role == schema.Customer || s.role == schema.Staff || s.role == schema.Supplier
	})
	return isPerson && len(h.words) == 2 && h.words[0] == word && kinds[h.words[1]]
}

// isFor reports whether a heading says by a word what its number is for one of: a night is no
// price per night, and boxes are no pieces per box.
func (h heading) isFor(word string) bool {
	per, at := slices.Index(h.words, "per"), slices.Index(h.words, word)
	written := strings.Fields(fold(Spaced(h.column.Heading)))
	isUnit := measures[word] && plan.Unit(lemma(written[len(written)-1])) == plan.Unit(word)
	isPrice := isUnit && (strings.Contains(h.column.Heading, "/") || len(written) == 2 && currencies[written[0]]) // cost/kg, USD_KG
	return h.column.Type == schema.Number && (per >= 0 && at > per || isPrice)
}

// isDone reports whether a word is the verb of a heading that says how, or by whom, that was done: what
// was booked is no Booked Via.
func (h heading) isDone(word string) bool {
	joins := []string{"by", "via", "through", "with", "from", "using"}
	return h.column.Type == schema.Text && len(h.words) == 2 && h.words[0] == word && english.SensesOf(word).Verb > 0 && slices.Contains(joins, h.words[1])
}

// withAll returns the headings that have all of the words, of which some may join others.
func (h *headings) withAll(words []string) []int {
	var found []int
	for i, w := range words {
		if isLinking(w) {
			if i == 0 || i == len(words)-1 || !joins[w] {
				return nil
			}
			if w == "per" { // labour per hour is no Labour Hrs
				found = slices.DeleteFunc(found, func(at int) bool { return !slices.Contains(h.list[at].words, w) })
			}
			continue
		}
		if with := h.by[w]; i == 0 {
			found = slices.Clone(with)
		} else {
			found = slices.DeleteFunc(found, func(at int) bool { return !slices.Contains(with, at) })
		}
	}
	return found
}

// share returns which share of the heading the words are, and whether they are only general
// ones.
func (h heading) share(words []string) (share float64, only bool) {
	all, covered := 0.0, 0.0
	only = true
	for _, w := range h.words {
		weight := 1.0
		switch {
		case isLinking(w):
			continue
		case general[w]:
			weight = 0.4
		}
		all += weight
		if slices.Contains(words, w) || slices.ContainsFunc(words, func(s string) bool { return shared().short[s] == w }) {
			covered += weight
			only = only && general[w]
		}
	}
	if all == 0 {
		return 1, only
	}
	return covered / all, only
}
