package match

import (
	"cmp"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"svc/server/editdistance"
	"svc/server/header"
)

// kind is the kind of characters of a word.
type kind uint8

const (
	plain  kind = iota // letters
	digits             // few digits: 2007, 7.1
	code               // few letters and digits: cs3, mp3
	model              // a model number or another code that is almost unique: f8n044slv
)

// trait is what a word means if only one of two names has it.
type trait uint8

const (
	anyWord trait = iota
	colour        // two products if each name has another one
	ordinal       // a letter, a number or a code of a series: two products if each name has another one
	variety       // two products if one name has it
	traits
)

// class is what is known of a word in every inventory.
type class struct {
	kind    kind
	trait   trait
	prior   float64 // assumed share of the names that have the word
	count   float64 // how much it counts among the words of a name, from 0 to 1
	runes   int
	letters uint32 // the set of its letters, hashed to 32 bits
}

// Words that say little about the product: connectives, then packaging and praise; and words
// that tell products of a kind apart.
var (
	connectives = header.Set(`a an and the of for with in on by to from at or
		de la le les el los y et du des con avec und mit der die das fur aus v ver version`)
	negations    = header.Set(`without wo ohne sans sin senza no`)
	affirmations = header.Set(`with con avec mit`) // after which a negation ends
	fillers      = header.Set(`new fresh premium quality brand pack size edition
		bottle bottles can cans jar bag bags box pouch tin carton tub tray
		dose flasche glas beutel packung
		software pc windows win mac`)
	colours = header.Set(`black white silver red blue green pink gray grey yellow orange purple brown gold
		cyan magenta violet navy beige burgundy turquoise
		schwarz weiss rot blau grun`)
	varieties = header.Set(`decaf decaffeinated caffeinefree zero diet light lite less reduced free without wo no
		sugarfree alcoholfree fatfree lowfat nonfat glutenfree lactosefree dairyfree 0 0%
		unsweetened salted unsalted skimmed semi semiskimmed
		plus pro max ultra mini xl ti multipack refill kit bundle
		deluxe upgrade upsell academic
		remanufactured refurbished reconditioned renewed compatible
		entkoffeiniert koffeinfrei zuckerfrei alkoholfrei fettarm glutenfrei laktosefrei gesalzen ungesalzen ohne
		decafeine sans demi ecreme demiecreme allege descafeinado sin desnatada semidesnatada senza`)
	absentTails = header.Set(`out free less frei los`)
	// modelTails at the end of a model number make it another model; other endings are a
	// colour or a country.
	modelTails = header.Set(`ti xl x f k pro plus max`)
)

func classify(word string) class {
	c := class{kind: kindOf(word), count: 1, runes: utf8.RuneCountInString(word)}
	c.trait = traitOf(word, c)
	for _, r := range word {
		c.letters |= 1 << (r & 31)
	}
	switch {
	case connectives[word]:
		c.prior, c.count = 0.3, 0
	case fillers[word]:
		c.prior, c.count = 0.05, 0.4
	case c.kind == digits:
		c.prior = 0.01
	case c.kind == model:
		c.prior = 0.0003
	default:
		c.prior = 0.003
	}
	return c
}

func traitOf(word string, c class) trait {
	switch {
	case varieties[word]:
		return variety
	case colours[word]:
		return colour
	case c.kind == digits, c.kind == code, c.runes == 1:
		return ordinal
	}
	return anyWord
}

func kindOf(word string) kind {
	d, rest := 0, 0
	for _, r := range word {
		switch {
		case r >= '0' && r <= '9':
			d++
		case r != '.' && r != ',' && r != '%':
			rest++
		}
	}
	switch {
	case rest >= 6 && rest == len(word) && !strings.ContainsAny(word, "aeiouy"): // lcscst
		return model
	case d == 0:
		return plain
	case rest == 0 && d < 5:
		return digits
	case rest == 1 && isDigit(word[0]) && (d <= 4 || strings.Contains(word, "x")): // 1080p, 1920x1080
		return code
	case d >= 2 && d+rest >= 4:
		return model
	}
	return code
}

// term is a word of a name with its weight.
type term struct {
	text    string
	class   class
	weight  float64
	common  bool // at least commonNames names have it, so it is no typo
	maker   bool // it seems to be a maker
	unknown bool // no name of the inventory has it; false without an inventory
}

const (
	priorNames    = 200 // weight of the prior, as a number of names
	commonNames   = 3   // names with a word that is no typo
	standardNames = 5   // names with a number that is no model's: rs232, pc3200, or that of a device which accessories fit
)

// newTerm returns a word in an inventory of n names, weighed by its inverse document
// frequency. In a small inventory the prior decides.
func newTerm(w *interned, n int) term {
	df := len(w.names)
	weight := math.Log(1 + (float64(n)+priorNames)/(float64(df)+w.class.prior*priorNames))
	if w.class.runes == 1 {
		weight /= 2
	}
	class := w.class
	if class.kind == model && df >= standardNames {
		class.kind = code
	}
	return term{text: w.text, class: class, weight: weight, common: df >= commonNames, maker: w.isMaker(), unknown: df == 0 && n > 0}
}

// The similarities of two different words.
const (
	joined      = 0.95 // cushtop, cush top
	plural      = 0.95 // bagel, bagels
	doubled     = 0.95 // humus, hummus
	variant     = 0.85 // fs105, fs105na
	sameWord    = 0.75 // the least of words that count as the same
	sibling     = 0.7  // ln52a750a, ln52a750b
	abbreviated = 0.6  // choc, chocolate
	perTypo     = 0.1  // lost with each typo
	bothCommon  = 0.5  // factor if both words are common
)

// wordSimilarity returns the similarity of two words, from 0 to 1.
func wordSimilarity(a, b *term) float64 {
	if a.text == b.text {
		return 1
	}
	if len(a.text) > len(b.text) {
		a, b = b, a
	}
	if a.class.kind != plain || b.class.kind != plain {
		return codeSimilarity(a, b)
	}
	short, long := a.text, b.text
	if short == "" || short[0] != long[0] {
		return 0
	}
	if isPlural(short, long) {
		return plural
	}
	sim := cmp.Or(spellingSimilarity(a, b), beginningSimilarity(a, b))
	if a.common && b.common {
		sim *= bothCommon
	}
	return sim
}

// isPlural reports whether the longer word is the plural of the shorter one.
func isPlural(short, long string) bool {
	if stem, ok := strings.CutSuffix(short, "y"); ok && long == stem+"ies" {
		return true
	}
	tail, ok := strings.CutPrefix(long, short)
	return ok && utf8.RuneCountInString(short) >= 3 && (tail == "s" || tail == "es")
}

// spellingSimilarity returns the similarity of two words, the shorter one first, of which one
// may be a typo of the other, or 0.
func spellingSimilarity(a, b *term) float64 {
	// A typo removes at most one letter from the set, and adds at most one.
	limit := maxTypos(a.class.runes)
	if b.class.runes <= 4 || b.class.runes-a.class.runes > limit || bits.OnesCount32(a.class.letters^b.class.letters) > 2*limit {
		return 0
	}
	if doubles(a.text, b.text) {
		return doubled
	}
	if d := editdistance.Runes(a.text, b.text, limit); d <= limit {
		return 1 - perTypo*float64(d)
	}
	return 0
}

// beginningSimilarity returns the similarity of two words of which the shorter one, a, may be
// the beginning of the other, or 0. A common word of five letters is rather a word by itself,
// and so is a connective, and a word that the other one denies.
func beginningSimilarity(a, b *term) float64 {
	switch {
	case a.class.runes < 3 || a.class.count == 0 || !strings.HasPrefix(b.text, a.text) || denies(b.text, a.text):
		return 0
	case a.common && a.class.runes >= 5:
		return abbreviated * bothCommon
	}
	return abbreviated
}

// denies reports whether the longer word says that what the shorter one names is absent:
// without, with; sugarfree, sugar.
func denies(long, short string) bool {
	tail, ok := strings.CutPrefix(long, short)
	return ok && absentTails[tail]
}

// doubles reports whether the longer word is the shorter one with a consonant written twice,
// which is a spelling rather than another word.
func doubles(short, long string) bool {
	n := commonPrefix(short, long)
	return len(long) == len(short)+1 && n > 0 && long[n] == long[n-1] && !isVowel(rune(long[n])) && long[n+1:] == short[n:]
}

// maxTypos returns how many typos a word of n letters may have.
func maxTypos(n int) int {
	switch {
	case n >= 8:
		return 2
	case n >= 4:
		return 1
	}
	return 0
}

// codeSimilarity compares words with digits, in which no digit may differ. If one word
// continues the other, it is a variant of it, such as a colour or a country. If only the
// last letters differ, the words are siblings: similar, but different products.
func codeSimilarity(short, long *term) float64 {
	a, b := short.text, long.text
	if len(a) < 4 || short.class.kind == plain || short.class.kind == digits {
		return 0
	}
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	if splitsNumber(a, n) || splitsNumber(b, n) {
		return 0
	}
	if n == len(a) && modelTails[b[n:]] {
		return sibling
	}
	if n == len(a) {
		return variant
	}
	if short.class.kind == model && n >= 5 && n >= len(a)-3 && n*4 >= len(b)*3-3 && strings.ContainsAny(a[:n], "0123456789") {
		return sibling
	}
	return 0
}

// splitsNumber reports whether s has digits on both sides of a position.
func splitsNumber(s string, at int) bool {
	return at > 0 && at < len(s) && isDigit(s[at]) && isDigit(s[at-1])
}
