package read

import (
	"maps"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/editdistance"
	"svc/server/schema"
)

// valueRef is a value of a column.
type valueRef struct{ column, value int }

// lexicon has the words of one source: its headings and its values.
type lexicon struct {
	source       schema.Source
	headings     map[string]int         // key → column
	taught       map[string]schema.Word // key → word that the merchant has taught
	valuesByKey  map[string][]valueRef
	valuesByWord map[string][]valueRef // stem → values with that word
	byLength     map[int][]string      // words of vocabulary, headings and values, to correct typing errors
	known        map[string]bool       // words of byLength
	longest      int                   // number of words of the longest phrase
}

// maxPhrase bounds the words of a heading or a value that is looked up as a whole.
const maxPhrase = 8

func newLexicon(s schema.Source) *lexicon {
	x := &lexicon{
		source: s, headings: map[string]int{}, taught: map[string]schema.Word{}, valuesByKey: map[string][]valueRef{}, valuesByWord: map[string][]valueRef{},
		byLength: map[int][]string{}, known: map[string]bool{}, longest: longest,
	}
	for i, c := range s.Columns {
		k := key(spaced(c.Heading))
		x.addShortHeading(i, k)
		if _, taken := x.headings[k]; !taken && k != "" {
			x.headings[k] = i
			x.addWords(strings.Fields(k))
		}
		for j, v := range c.Values {
			x.addValue(valueRef{i, j}, v)
		}
	}
	for _, w := range s.Words {
		x.taught[key(w.Text)] = w
		x.addWords(strings.Fields(key(w.Text)))
	}
	for k := range lookup {
		x.addWords(strings.Fields(k))
	}
	for name := range holidays {
		x.addWords(strings.Fields(name))
	}
	x.addWords(slices.Collect(maps.Keys(monthNames)))
	x.addWords(slices.Collect(maps.Keys(weekdayNames)))
	for _, list := range x.byLength {
		slices.Sort(list)
	}
	return x
}

// addShortHeading adds a heading without its last word: the coffees of "coffee name". A
// word that names another column keeps its meaning.
func (x *lexicon) addShortHeading(column int, k string) {
	if x.source.Columns[column].Role == schema.None {
		return
	}
	for _, tail := range []string{" name", " id"} {
		short, ok := strings.CutSuffix(k, tail)
		if _, taken := x.headings[short]; !ok || taken {
			continue
		}
		if slices.ContainsFunc(lookup[short], func(s sense) bool {
			_, has := x.source.ByRole(s.role)
			return s.kind != dim || has
		}) {
			continue
		}
		x.headings[short] = column
	}
}

// spaced separates the words of a heading: UnitsInStock, unit_price.
func spaced(heading string) string {
	var b strings.Builder
	runes := []rune(heading)
	for i, r := range runes {
		if r == '_' || r == '.' || r == '-' {
			r = ' '
		}
		if i > 0 && isUpper(r) && (!isUpper(runes[i-1]) || i+1 < len(runes) && isLower(runes[i+1])) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isUpper(r rune) bool { return r >= 'A' && r <= 'Z' }
func isLower(r rune) bool { return r >= 'a' && r <= 'z' }

func (x *lexicon) addValue(p valueRef, v string) {
	ws := strings.Fields(key(v))
	if len(ws) == 0 {
		return
	}
	if len(ws) <= maxPhrase {
		k := strings.Join(ws, " ")
		x.valuesByKey[k] = append(x.valuesByKey[k], p)
		x.longest = max(x.longest, len(ws))
	}
	if x.source.Columns[p.column].Role == schema.Order {
		return // parts of an order's number are not asked for
	}
	slices.Sort(ws)
	for _, w := range slices.Compact(ws) {
		x.valuesByWord[w] = append(x.valuesByWord[w], p)
	}
	x.addWords(ws)
}

// addWords adds words for the correction of typing errors.
func (x *lexicon) addWords(ws []string) {
	for _, w := range ws {
		if x.known[w] || strings.ContainsAny(w, "0123456789") {
			continue
		}
		x.known[w] = true
		if len(w) >= 4 {
			x.byLength[len(w)] = append(x.byLength[len(w)], w)
		}
	}
}

// correction returns the one word that differs from w by few typing errors. It reports
// false if two words are equally close.
func (x *lexicon) correction(w string) (string, bool) {
	limit := maxTypos(len(w))
	best, found := limit+1, ""
	for n := len(w) - limit; n <= len(w)+limit; n++ {
		for _, have := range x.byLength[n] {
			if have[0] != w[0] && limit < 2 {
				continue
			}
			switch d := editdistance.Bytes(w, have, limit); {
			case d < best:
				best, found = d, have
			case d == best:
				found = ""
			}
		}
	}
	return found, found != "" && best <= limit
}

// maxTypos returns how many typing errors a word of n letters may have. Short words are
// too close to others.
func maxTypos(n int) int {
	switch {
	case n < 5:
		return 0
	case n < 9:
		return 1
	}
	return 2
}

// completion returns the one word that begins with w: merch, approx.
func (x *lexicon) completion(w string) (string, bool) {
	const least = 4
	found := ""
	if len(w) < least {
		return "", false
	}
	for n, list := range x.byLength {
		if n <= len(w) {
			continue
		}
		i, _ := slices.BinarySearch(list, w)
		for ; i < len(list) && strings.HasPrefix(list[i], w); i++ {
			if found != "" {
				return "", false
			}
			found = list[i]
		}
	}
	return found, found != ""
}

// role returns the column with a role.
func (x *lexicon) role(r schema.Role) (schema.Column, bool) { return x.source.ByRole(r) }

// can reports whether the source gives a metric.
func (x *lexicon) can(m plan.Metric) bool {
	_, err := plan.FormulaOf(x.source, plan.Measure{Metric: m})
	return err == nil
}

// roleOrder ranks the columns of a value that several have, wider ones first.
var roleOrder = []schema.Role{
	schema.Category, schema.Product, schema.Brand, schema.Region, schema.Country, schema.State, schema.City, schema.Store,
	schema.Channel, schema.Payment, schema.Segment, schema.Customer, schema.Supplier, schema.Staff, schema.Status, schema.SKU, schema.None,
}

// pickColumn returns the values in one column: the one that the question names, else the
// widest.
func (x *lexicon) pickColumn(places []valueRef, named map[int]bool) []valueRef {
	best, rank := -1, 0
	for _, p := range places {
		r := slices.Index(roleOrder, x.source.Columns[p.column].Role)
		if r < 0 {
			r = len(roleOrder)
		}
		if named[p.column] {
			r -= 100
		}
		if best < 0 || r < rank {
			best, rank = p.column, r
		}
	}
	return slices.DeleteFunc(slices.Clone(places), func(p valueRef) bool { return p.column != best })
}

// abbreviations are those of places, in capitals or after "in".
var abbreviations = map[string]string{
	"al": "alabama", "ak": "alaska", "az": "arizona", "ar": "arkansas", "ca": "california", "co": "colorado", "ct": "connecticut",
	"de": "delaware", "fl": "florida", "ga": "georgia", "hi": "hawaii", "id": "idaho", "il": "illinois", "in": "indiana", "ia": "iowa",
	"ks": "kansas", "ky": "kentucky", "la": "louisiana", "me": "maine", "md": "maryland", "ma": "massachusetts", "mi": "michigan",
	"mn": "minnesota", "ms": "mississippi", "mo": "missouri", "mt": "montana", "ne": "nebraska", "nv": "nevada", "nh": "new hampshire",
	"nj": "new jersey", "nm": "new mexico", "ny": "new york", "nyc": "new york city", "nc": "north carolina", "nd": "north dakota", "oh": "ohio", "ok": "oklahoma",
	"or": "oregon", "pa": "pennsylvania", "ri": "rhode island", "sc": "south carolina", "sd": "south dakota", "tn": "tennessee",
	"tx": "texas", "ut": "utah", "vt": "vermont", "va": "virginia", "wa": "washington", "wv": "west virginia", "wi": "wisconsin",
	"wy": "wyoming", "uk": "united kingdom", "gb": "united kingdom", "usa": "united states of america", "us": "united states of america",
	"uae": "united arab emirates", "la city": "los angeles", "sf": "san francisco",
	"america": "united states of america", "britain": "united kingdom", "united states": "united states of america",
}

// variants are other names of a value: USA and United States of America.
var variants = map[string][]string{
	"united states of america": {"united states", "usa", "us"},
	"united kingdom":           {"uk", "great britain"},
	"new york city":            {"new york"},
}
