package match

import (
	"iter"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"svc/server/editdistance"
)

// kind says what a word is made of.
type kind uint8

const (
	plain  kind = iota // letters
	digits             // few digits: 2007, 7.1
	code               // both, but few: cs3, mp3
	model              // a model number or another code that is hardly met twice: f8n044slv
)

// trait says what a word does to a product for which it stands in one of two names only.
type trait uint8

const (
	anyWord trait = iota
	colour        // each of the two has another one: two products
	ordinal       // the same of a letter, a number or a code: which one of a series
	variety       // one of the two has it: two products
	traits
)

// class is what is known of a word without knowing any inventory.
type class struct {
	kind  kind
	trait trait
	prior float64 // how common it is, as a share of the names
	count float64 // how much it counts among the words of a name, from 0 to 1
	runes int
	has   uint32 // which letters it has, as bits
}

// Words that say little about which product is meant: connectives, then packaging
// and praise.
var (
	connectives = set(`a an and the of for with in on by to from at or
		de la le les el los y et du des con und mit der die das fur aus v ver version`)
	fillers = set(`new fresh premium quality brand pack size edition
		bottle bottles can cans jar bag bags box pouch tin carton tub tray
		dose flasche glas beutel packung
		software pc windows win mac`)
	colours = set(`black white silver red blue green pink gray grey yellow orange purple brown gold
		schwarz weiss rot blau grun`)
	varieties = set(`decaf decaffeinated caffeinefree zero diet light lite less reduced free without
		sugarfree alcoholfree fatfree lowfat nonfat glutenfree lactosefree dairyfree 0 0%
		unsweetened salted unsalted skimmed semi semiskimmed
		plus pro max ultra mini xl ti multipack refill
		entkoffeiniert koffeinfrei zuckerfrei alkoholfrei fettarm glutenfrei laktosefrei gesalzen ungesalzen ohne
		decafeine sans demi ecreme demiecreme allege descafeinado sin desnatada semidesnatada senza`)
	// tails of a model number are another model; other ones are a colour or a country.
	tails = set(`ti xl x f k pro plus max`)
)

func words(list string) iter.Seq[string] { return strings.FieldsSeq(list) }

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range words(list) {
		m[w] = true
	}
	return m
}

func classify(word string) class {
	c := class{kind: kindOf(word), count: 1, runes: utf8.RuneCountInString(word)}
	c.trait = traitOf(word, c)
	for _, r := range word {
		c.has |= 1 << (r & 31)
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
	case rest == 1 && d <= 4 && isDigit(word[0]): // 1080p
		return code
	case d >= 2 && d+rest >= 4:
		return model
	}
	return code
}

// term is a word in one name, weighed.
type term struct {
	text   string
	class  class
	weight float64
	common bool // several names of the inventory have it: it is no slip of the pen
}

// confidence is how many names the priors are worth beside those of an inventory.
const confidence = 200

// manyNames have a word that is no slip of the pen.
const manyNames = 3

// weigh says how much a word tells that df of n names have. In a small inventory,
// or in none, the prior decides.
func weigh(text string, c class, df, n int) term {
	w := math.Log(1 + (float64(n)+confidence)/(float64(df)+c.prior*confidence))
	if c.runes == 1 {
		w /= 2
	}
	return term{text: text, class: c, weight: w, common: df >= manyNames}
}

// How well a word stands for another one that it is not.
const (
	joined   = 0.95 // cushtop, cush top
	plural   = 0.95 // bagel, bagels
	slip     = 0.1  // is lost with each wrong letter
	sure     = 0.75 // from here on they are the same word
	variant  = 0.85 // fs105, fs105na
	cousin   = 0.7  // ln52a750a, ln52a750b
	shortcut = 0.6  // choc, chocolate
	doubt    = 0.5  // what is left when both words are common
)

// alike says how well one word stands for another.
func alike(a, b *term) float64 {
	if a.text == b.text {
		return 1
	}
	if len(a.text) > len(b.text) {
		a, b = b, a
	}
	if a.class.kind != plain || b.class.kind != plain {
		return alikeCodes(a, b)
	}
	short, long := a.text, b.text
	if short == "" || short[0] != long[0] {
		return 0
	}
	n := a.class.runes
	tail, prefix := strings.CutPrefix(long, short)
	sim := 0.0
	if prefix && n >= 3 {
		if tail == "s" || tail == "es" {
			return plural
		}
		sim = shortcut
	}
	// A wrong letter takes one from the letters that a word has, and adds one.
	limit := slips(n)
	if b.class.runes > 4 && b.class.runes-n <= limit && bits.OnesCount32(a.class.has^b.class.has) <= 2*limit {
		if d := editdistance.Runes(short, long, limit); d <= limit {
			sim = 1 - slip*float64(d)
		}
	}
	if a.common && b.common {
		sim *= doubt
	}
	return sim
}

// slips is how many wrong letters a word of n may have.
func slips(n int) int {
	switch {
	case n >= 8:
		return 2
	case n >= 4:
		return 1
	}
	return 0
}

// alikeCodes compares words with digits, in which no digit may differ. The one that
// goes on after the other is a variant of it, such as a colour or a country. The one
// whose last letters differ is its cousin: as much like it, and another product.
func alikeCodes(short, long *term) float64 {
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
	if n == len(a) && tails[b[n:]] {
		return cousin
	}
	if n == len(a) {
		return variant
	}
	if short.class.kind == model && n >= 5 && n >= len(a)-3 && n*4 >= len(b)*3-3 && strings.ContainsAny(a[:n], "0123456789") {
		return cousin
	}
	return 0
}

// splitsNumber says that s has digits on both sides of a place.
func splitsNumber(s string, at int) bool {
	return at > 0 && at < len(s) && isDigit(s[at]) && isDigit(s[at-1])
}
