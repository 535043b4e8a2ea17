package link

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// numbers returns the numbers of the tokens, with the units and the multiples that follow
// them: 2 million, 10 percent, 20 dollars, 30 days.
func numbers(tokens []Token) []Mention {
	var out []Mention
	for i, t := range tokens {
		if m, ok := fraction(tokens, i); ok {
			out = append(out, m)
		}
		m := Mention{From: i, To: i + 1, Kind: Number, How: Exact, Quality: 1, Number: t.Number, Unit: t.Unit, Text: t.Text}
		if t.Unit == "" {
			n, unit, to := spelled(tokens, i)
			if to == i {
				continue
			}
			m.Number, m.Unit, m.To = n, unit, to
		}
		if m.To < len(tokens) && multiples[tokens[m.To].Text] > 1 && len(tokens[m.To].Text) > 2 && m.Unit != Ordinal {
			m.Number *= multiples[tokens[m.To].Text]
			m.To++
		}
		m.Text = textOf(tokens[m.From:m.To])
		out = append(out, m)
		if m.To == len(tokens) || m.Unit != Plain {
			continue
		}
		next := tokens[m.To]
		switch days := timeUnits[next.Lemma]; {
		case next.Text == "per" && m.To+1 < len(tokens) && tokens[m.To+1].Text == "cent":
			m.Unit = Percent
			m.To++
		case days > 0:
			m.Number, m.Unit = m.Number*days, Days
		case next.Text == "%" || next.Text == "percent" || next.Text == "pct":
			m.Unit = Percent
		case currencies[next.Lemma]:
			m.Unit = Money
		case measures[next.Lemma]:
			m.Arg = next.Lemma
		default:
			continue
		}
		m.To++
		m.Text = textOf(tokens[m.From:m.To])
		out = append(out, m)
	}
	return out
}

// fraction reads a number with a half or a quarter beside its unit of measure: two and a half
// hours, an hour and a half, three quarters of an hour; and a single unit that something is
// compared with: longer than an hour. Both are no number and a unit one after the other.
func fraction(tokens []Token, i int) (Mention, bool) {
	is := func(k int, words ...string) bool { return k < len(tokens) && slices.Contains(words, tokens[k].Text) }
	number, to := 1.0, i+1
	if part, end := fractionOf(tokens, i); end > i { // half an hour
		for to = end; is(to, "of", "a", "an"); {
			to++
		}
		number = part
	} else if n, unit, end := spelled(tokens, i); tokens[i].Unit == Plain || end > i && unit == Plain { // two and a half hours
		if tokens[i].Unit == Plain {
			n, end = tokens[i].Number, i+1
		}
		part, after := andFraction(tokens, end)
		number, to = n+part, after
	} else if !is(i, "a", "an") {
		return Mention{}, false
	}
	if to >= len(tokens) || !measures[tokens[to].Lemma] {
		return Mention{}, false
	}
	m := Mention{From: i, To: to + 1, Kind: Number, How: Exact, Quality: 1, Unit: Plain, Arg: tokens[to].Lemma}
	part, end := andFraction(tokens, m.To) // an hour and a half
	m.Number, m.To = number+part, end
	m.Text = textOf(tokens[i:m.To])
	isCompared := i > 0 && slices.Contains([]string{"than", "over", "under", "least", "most", "exactly"}, tokens[i-1].Text)
	return m, m.Number != math.Trunc(m.Number) || is(i, "a", "an") && isCompared
}

// andFraction returns the part that "and a half" adds at a token, and the token after it.
func andFraction(tokens []Token, at int) (float64, int) {
	if at < len(tokens) && tokens[at].Text == "and" {
		if part, end := fractionOf(tokens, at+1); end > at+1 {
			return part, end
		}
	}
	return 0, at
}

// fractionOf returns the half or the quarters at a token, and the token after them, which is the
// same one if there are none.
func fractionOf(tokens []Token, at int) (float64, int) {
	times, to := 1.0, at
	if to < len(tokens) && (tokens[to].Text == "a" || tokens[to].Text == "three") {
		if tokens[to].Text == "three" {
			times = 3
		}
		to++
	}
	switch {
	case to < len(tokens) && tokens[to].Text == "half" && times == 1:
		return 0.5, to + 1
	case to < len(tokens) && tokens[to].Lemma == "quarter" && (times == 3) == (tokens[to].Text == "quarters"):
		return times / 4, to + 1
	}
	return 0, at
}

// timeUnits are the days of units of time after a number.
var timeUnits = map[string]float64{"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}

// multiples are what letters and words after a number multiply it with.
var multiples = map[string]float64{"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "thousand": 1e3, "grand": 1e3, "million": 1e6, "mil": 1e6, "billion": 1e9, "hundred": 100, "dozen": 12}

// measures are units of measure after a number, which are no things of their own.
var measures = set("ml cl dl ltr g gr gm kg mg oz lb lbs mm cm km ft yd mph kph hp hr hrs min mins sec secs gb tb mb kw kwh kilo kilogram gram litre liter pint gallon inch foot metre meter kilometre mile minute second hour calorie watt volt star degree")

// Measure returns the column that a number with a unit of measure is of: the only one whose
// numbers have the unit, whose heading names it and is no price for it, or which weighs, else the only one whose unit
// it is converted to. It returns nil if there is none.
func (x *Lexicon) Measure(unit string) *schema.Column {
	switch unit {
	case "star":
		return x.roles[schema.Rating]
	case "degree":
		return x.attributes["temperature"]
	case "percent":
		return x.attributes["strength"]
	case "person":
		return x.attribute("pax")
	case "owed":
		return cmp.Or(x.roles[schema.Owed], x.attribute("balance"))
	}
	canonical := func(word string) string { return plan.Unit(lemma(strings.ToLower(strings.TrimSpace(word)))) }
	wordsOf := func(c *schema.Column) []string {
		return strings.FieldsFunc(Spaced(c.Heading), func(r rune) bool { return strings.ContainsRune(" ()[].,", r) })
	}
	named := func(c *schema.Column) bool {
		return slices.ContainsFunc(wordsOf(c), func(w string) bool { return canonical(w) == canonical(unit) })
	}
	amount := func(c *schema.Column) bool { // Wt (kg), beside Waste kg
		return named(c) && !slices.ContainsFunc(wordsOf(c), func(w string) bool {
			return canonical(w) != canonical(unit) && !amounts[cmp.Or(shared().short[strings.ToLower(w)], strings.ToLower(w))]
		})
	}
	whole := func(c *schema.Column) bool { return canonical(strings.Trim(c.Heading, "()[]")) == canonical(unit) }
	follows := func(c *schema.Column) bool { return c.Suffix != "" && canonical(c.Suffix) == canonical(unit) }
	converts := func(c *schema.Column) bool {
		_, ok := plan.Conversion(plan.UnitOf(*c), canonical(unit))
		return ok
	}
	for _, fits := range []func(*schema.Column) bool{whole, follows, amount, named, converts} {
		var found *schema.Column
		for i := range x.source.Columns {
			if c := &x.source.Columns[i]; c.Type == schema.Number && c.Unit != schema.Money && fits(c) {
				if found != nil && (found.Role == schema.Quantity) == (c.Role == schema.Quantity) {
					return nil
				}
				if found == nil || c.Role == schema.Quantity {
					found = c // kg received, and not kg ordered
				}
			}
		}
		if found != nil {
			return found
		}
	}
	if c := x.attributes["weight"]; c != nil && c.Type == schema.Number && c.Suffix == "" && slices.Contains([]string{"kg", "g", "lb", "oz"}, canonical(unit)) {
		return c
	}
	return nil
}

// unitsOf has the units of what a column may be called by, though its heading is a unit alone:
// the weight of kgs, the distance of miles.
var unitsOf = map[string][]string{"weight": {"kg", "g", "lb"}, "distance": {"mile", "km"}, "duration": {"minute", "hour", "night", "day", "week"}}

// measuredIn returns the only column in a unit of what a word names; nil if there is none.
func (x *Lexicon) measuredIn(word string) *schema.Column {
	for _, unit := range unitsOf[word] {
		if c := x.Measure(unit); c != nil || slices.ContainsFunc(x.headings.words, func(w string) bool { return plan.Unit(w) == unit }) {
			return c // nil: the reader cannot tell which of several is meant
		}
	}
	return nil
}

// amounts are words of headings of a unit that say nothing but that it is measured.
var amounts = set("weight wt size volume length distance duration time amount quantity total net gross spend")

// UnitArg is the Arg of a column that is called by the unit of its numbers: litres of Size (L).
const UnitArg = "unit"

// shortUnits are units of measure that are no other word.
var shortUnits = set("kg km cm mm ml lb lbs oz")

// inUnit returns the column whose numbers are in a unit of measure, by the unit's name.
func (x *Lexicon) inUnit(f form) []Mention {
	if len(f.words) == 1 && f.how == Exact && len(x.headings.by[f.words[0]]) == 0 {
		if c := x.measuredIn(f.words[0]); c != nil {
			return []Mention{{Kind: Column, Column: c, How: Near, Quality: 0.85}}
		}
	}
	if len(f.words) != 1 || f.how != Exact || len(f.words[0]) < 4 && !shortUnits[f.words[0]] || !measures[f.words[0]] && plan.Unit(f.words[0]) == f.words[0] || len(x.headings.whole[f.words[0]]) > 0 {
		return nil
	}
	c := x.Measure(f.words[0])
	if c == nil {
		return nil
	}
	return []Mention{{Kind: Column, Column: c, How: Abbreviated, Quality: 0.95, Arg: UnitArg}}
}

// currencies are words for money after a number.
var currencies = set("dollar pound euro quid buck usd gbp eur £ $ €")

// spelled reads a number in words at i, such as "twenty five", "three hundred" and "third",
// and returns the token after it; i if there is none.
func spelled(tokens []Token, i int) (n float64, unit Unit, to int) {
	unit = Plain
	for to = i; to < len(tokens) && unit == Plain; to++ {
		word, wordUnit, ok := numberOf(tokens[to])
		switch {
		case !ok:
			return n, unit, to
		case to == i:
			n, unit = word, wordUnit
		case word >= 12 && multiples[tokens[to].Text] > 0 && n < word:
			n *= word
		case n >= 20 && n < 100 && int(n)%10 == 0 && word > 0 && word < 10:
			n, unit = n+word, wordUnit
		default:
			return n, unit, to
		}
	}
	return n, unit, to
}

// numberOf returns the number that a word means.
func numberOf(t Token) (float64, Unit, bool) {
	for _, s := range shared().senses[t.Lemma] {
		if s.mention.Kind == Number {
			return s.mention.Number, s.mention.Unit, true
		}
	}
	return 0, "", false
}
