package match

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/server/header"
)

const (
	maxWords = 32
	maxWord  = 48 // bytes
	maxSizes = 8
	maxCount = 10_000 // pieces in a pack
)

// name is a parsed name: its words in order, and its sizes, which are not words. Only
// numbers occur more than once in words (32/32 is not 32). A percentage is both a size
// and a word, because it is a property (2% milk) rather than a quantity.
type name struct {
	words []string
	properties
}

// properties are what a name tells besides its words.
type properties struct {
	sizes   []size
	systems systems // that a program runs on
	without absence
}

// key returns a text that is equal for names that differ only in spelling.
func (n name) key() string {
	if len(n.words) == 0 {
		return ""
	}
	key := strings.Join(n.words, " ")
	for _, s := range n.sizes {
		key += fmt.Sprintf(" %d:%.3g", s.dim, s.value)
	}
	if n.systems != 0 {
		key += fmt.Sprintf(" win:%x", n.systems)
	}
	return key
}

// parse parses a name.
func parse(s string) name {
	p := parser{in: lex(fold(s))}
	for p.at < len(p.in) {
		if !p.takeSize() && !p.takeSystems() {
			p.takeWord()
		}
	}
	slices.SortFunc(p.out.sizes, func(a, b size) int {
		return cmp.Or(cmp.Compare(a.dim, b.dim), cmp.Compare(a.value, b.value))
	})
	p.out.without = absenceOf(p.out.words)
	return p.out
}

type parser struct {
	in  []lexeme
	at  int
	out name
}

// peek returns the lexeme at a position, or a zero lexeme outside the text.
func (p *parser) peek(at int) lexeme {
	if at < 0 || at >= len(p.in) {
		return lexeme{}
	}
	return p.in[at]
}

func (p *parser) is(text string, at int) bool { return p.peek(at).text == text }

// packs are words before the number of pieces (pack of 6); multiples are words before
// pack (twin pack).
var (
	packs     = header.Set("pack packs pk box case set bag tray carton bundle lot")
	multiples = map[string]float64{
		"twin": 2, "double": 2, "duo": 2, "two": 2, "triple": 3, "three": 3, "quad": 4, "four": 4, "six": 6, "eight": 8, "twelve": 12,
	}
)

// takeSize parses a quantity, and reports whether there is one at the current lexeme.
func (p *parser) takeSize() bool {
	if p.takePack() {
		return true
	}
	if p.peek(p.at).attached && p.peek(p.at-1).kind == letterRun { // the 5 of kx5l
		return false
	}
	var values []float64
	at, times := p.at, false
	for len(values) < maxSizes {
		v, next, ok := p.quantity(at)
		if !ok {
			return false
		}
		values, at = append(values, v), next
		if u, next, ok := p.unit(at); ok {
			return p.addQuantities(values, times, u, next)
		}
		switch sep := p.peek(at); {
		case p.isTimes(at):
			times = true
		case sep.kind == '-' && sep.attached && p.peek(at+1).attached && len(values) == 1: // 18-70mm
		default:
			return false
		}
		at++
	}
	return false
}

// isTimes reports whether the lexeme is a multiplication sign.
func (p *parser) isTimes(at int) bool { return p.is("x", at) || p.is("*", at) }

// takePack parses "pack of 6", "twin pack" and "x6", which have no unit.
func (p *parser) takePack() bool {
	first, next := p.peek(p.at), p.at+1
	if first.kind != letterRun && first.kind != '*' || first.attached {
		return false
	}
	if n := multiples[first.text]; n > 0 {
		if p.peek(next).kind == '-' {
			next++
		}
		if p.is("pack", next) || p.is("pk", next) {
			p.addSize(size{value: n, dim: pieces})
			p.at = next + 1
			return true
		}
		return false
	}
	if packs[first.text] && (p.is("of", next) || p.is("de", next)) {
		next++
	} else if !p.isTimes(p.at) || p.peek(p.at-1).kind == number {
		return false
	}
	return p.takeCount(next)
}

// takeCount parses a number of pieces without a unit.
func (p *parser) takeCount(at int) bool {
	n := p.peek(at)
	if n.kind != number || !isCount(n.value) || p.continuesWord(at+1) {
		return false
	}
	if _, _, ok := p.unit(at + 1); ok {
		return false
	}
	p.addSize(size{value: n.value, dim: pieces})
	p.at = at + 1
	return true
}

// continuesWord reports whether the lexeme is part of the same word as the one before.
func (p *parser) continuesWord(at int) bool {
	l := p.peek(at)
	return l.attached && (l.kind == letterRun || l.kind == number)
}

func isCount(v float64) bool { return v >= 1 && v <= maxCount && v == float64(int(v)) }

// addQuantities adds the quantities before a unit. If they are multiplied, all except
// the last are numbers of pieces for mass, volume, charge and pieces (6 x 330 ml); in
// other dimensions each is a size (10 x 20 cm).
func (p *parser) addQuantities(values []float64, times bool, u unit, next int) bool {
	last := len(values) - 1
	if times && (u.dim == mass || u.dim == volume || u.dim == charge || u.dim == pieces) {
		count := 1.0
		for _, v := range values[:last] {
			count *= v
		}
		if !isCount(count) {
			return false
		}
		if values = values[last:]; u.dim == pieces {
			values[0] *= count
		} else {
			p.addSize(size{value: count, dim: pieces})
		}
	}
	for _, v := range values {
		if u.dim == pieces && !isCount(v) {
			return false
		}
		if u.dim == storage && v >= 1024 && math.Mod(v, 1024) == 0 { // 1024 MB are 1 GB
			v = v / 1024 * 1000
		}
		p.addSize(size{value: v * u.scale, dim: u.dim, ounce: u.ounce})
		if u.dim == percentage {
			p.addWord(strconv.FormatFloat(v, 'f', -1, 64) + "%")
		}
	}
	p.at = next
	if (u.dim == mass || u.dim == volume) && p.isTimes(next) { // 330ml x 6
		p.takeCount(next + 1)
	}
	return true
}

// quantity parses 2, 2.5, .5, 1/2, 1 1/2 and 1 000.
func (p *parser) quantity(at int) (v float64, next int, ok bool) {
	l := p.peek(at)
	if l.kind == '.' && !l.attached && p.peek(at+1).attached && p.peek(at+1).kind == number {
		v, err := strconv.ParseFloat("."+p.peek(at+1).text, 64)
		return v, at + 2, err == nil
	}
	if l.kind != number {
		return 0, at, false
	}
	if v, ok := p.fraction(at); ok {
		return v, at + 3, true
	}
	if v, ok := p.fraction(at + 1); ok && isCount(l.value) && !p.peek(at+1).attached {
		return l.value + v, at + 4, true
	}
	if v, ok := p.fraction(at + 2); ok && isCount(l.value) && p.is("-", at+1) { // 22-1/2
		return l.value + v, at + 5, true
	}
	if group := p.peek(at + 1); len(l.text) <= 3 && isCount(l.value) && group.isThousands() {
		return 1000*l.value + group.value, at + 2, true
	}
	return l.value, at + 1, true
}

func (p *parser) fraction(at int) (float64, bool) {
	a, b := p.peek(at), p.peek(at+2)
	ok := a.kind == number && p.is("/", at+1) && b.kind == number && a.value > 0 && a.value < b.value && b.value <= 64
	return a.value / b.value, ok
}

// unit parses the unit after a number, which may be joined by a hyphen.
func (p *parser) unit(at int) (u unit, next int, ok bool) {
	if p.is("-", at) && p.peek(at).attached && p.continuesWord(at+1) {
		at++
	}
	l := p.peek(at)
	if l.kind == '"' || l.kind == '%' {
		return units[l.text], at + 1, true
	}
	if l.kind != letterRun || p.continuesWord(at+1) && !p.is("x", at+1) {
		return unit{}, at, false
	}
	switch l.text {
	case "fl", "fluid":
		at = p.skipPoint(at + 1)
		return units["floz"], p.skipPoint(at + 1), units[p.peek(at).text].ounce
	case "in": // 3 in 1
		after := p.peek(at + 1)
		if !l.attached && after.kind != 0 && after.kind != '.' && !p.isTimes(at+1) || after.kind == '-' && after.attached {
			return unit{}, at, false
		}
	case "g": // Wi-Fi
		if p.is("802.11", at-1) {
			return unit{}, at, false
		}
	}
	u, ok = units[l.text]
	next = p.skipPoint(at + 1)
	if ok && u.dim == pieces { // 6pk pack, 6er-Pack
		if p.is("-", next) {
			next++
		}
		if p.is("pack", next) || p.is("packung", next) {
			return u, next + 1, true
		}
		next = p.skipPoint(at + 1)
	}
	return u, next, ok
}

// skipPoint skips the point of an abbreviation, as in "oz.".
func (p *parser) skipPoint(at int) int {
	if p.is(".", at) && p.peek(at).attached && !p.continuesWord(at+1) {
		return at + 1
	}
	return at
}

func (p *parser) addSize(s size) {
	isOne := s.dim == pieces && s.value == 1
	if s.value > 0 && !isOne && len(p.out.sizes) < maxSizes && !hasNear(p.out.sizes, s) {
		p.out.sizes = append(p.out.sizes, s)
	}
}

// takeWord parses the next word: a whole model number with its signs, or letters and
// digits without signs.
func (p *parser) takeWord() {
	end := p.at + 1
	for p.peek(end).attached {
		end++
	}
	if start := p.at; !p.peek(start).attached && !p.endsInSize(end) && isModel(p.in[start:end]) {
		p.at = end
		p.addWord(join(p.in[start:end]))
		return
	}
	start := p.at
	if p.is("w", start) && p.is("/", start+1) && p.peek(start+1).attached { // w/ beans, w/o salt
		p.at += 2
		if (p.is("o", p.at) || p.is("out", p.at)) && p.peek(p.at).attached && !p.continuesWord(p.at+1) {
			p.at++
			p.addWord("without")
		} else {
			p.addWord("with")
		}
		return
	}
	if l := p.in[start]; l.kind != number && l.kind != letterRun || p.isNumberSign(start) {
		p.at++
		return
	}
	p.at++
	for p.continuesWord(p.at) {
		p.at++
	}
	p.addWord(join(p.in[start:p.at]))
}

// isNumberSign reports whether the lexeme is the no of no. 5, rather than of no sugar.
func (p *parser) isNumberSign(at int) bool {
	next := p.skipPoint(at + 1)
	return p.is("no", at) && (next > at+1 || p.peek(next).kind == number)
}

// systems is a set of versions of Windows, one bit each.
type systems uint32

var versions = strings.Fields("95 98 se me nt 2000 2003 xp vista 7 8 8.1 10 11")

// systemAt returns the version of Windows at a position as a set, or none.
func (p *parser) systemAt(at int) systems {
	i := slices.Index(versions, p.peek(at).text)
	if _, _, measured := p.unit(at + 1); i < 0 || measured {
		return 0
	}
	return 1 << i
}

// differ reports whether both names have systems, and none in common.
func (s systems) differ(other systems) bool { return s != 0 && other != 0 && s&other == 0 }

// takeSystems parses a list of the systems that a program runs on, of which only the first
// word is a word of the name: win 98 me 2000 xp. A single one may be the product, and its
// version is a word, too: windows xp.
func (p *parser) takeSystems() bool {
	if !p.is("win", p.at) && !p.is("windows", p.at) {
		return false
	}
	n, at := 0, p.at+1
	for s := p.systemAt(at); s != 0; s = p.systemAt(at) {
		p.out.systems |= s
		n++
		at++
		if p.is("/", at) || p.is("and", at) && p.systemAt(at+1) != 0 {
			at++
		}
	}
	if n < 2 {
		return false
	}
	p.addWord(p.in[p.at].text)
	p.at = at
	return true
}

// endsInSize reports whether the lexemes before end are a sign and a mass, a volume or a
// number of pieces: tea/500g.
func (p *parser) endsInSize(end int) bool {
	sign, n, u := p.peek(end-3), p.peek(end-2), units[p.peek(end-1).text]
	return sign.kind != 0 && sign.kind != letterRun && sign.kind != number && n.kind == number && n.attached &&
		u.scale > 0 && (u.dim == mass || u.dim == volume || u.dim == pieces)
}

// isModel reports whether lexemes joined by signs are a model number, such as kx-tg4323b
// and 010-10747-03, unlike 5-port or wireless-g.
func isModel(in []lexeme) bool {
	letters, digits, signs, long := 0, 0, 0, false
	for i, l := range in {
		switch l.kind {
		case letterRun:
			alone := (i == 0 || in[i-1].kind != number) && (i+1 == len(in) || in[i+1].kind != number)
			long = long || alone && utf8.RuneCountInString(l.text) > 4
			letters += len(l.text)
		case number:
			digits += len(l.text)
		case '-', '/', '_', '.':
			signs++
		default:
			return false
		}
	}
	switch {
	case signs == 0:
		return false
	case letters == 0:
		return signs >= 2 && digits >= 7
	case in[0].kind == number && in[1].kind != letterRun && digits < 4:
		return false
	}
	return !long && digits > 0 && letters+digits >= 4
}

// join returns the text of lexemes without their signs. If there are several, points in
// numbers are signs, too.
func join(in []lexeme) string {
	if len(in) == 1 {
		return in[0].text
	}
	var b strings.Builder
	for _, l := range in {
		switch l.kind {
		case letterRun:
			b.WriteString(l.text)
		case number:
			b.WriteString(withoutPoints.Replace(l.text))
		}
	}
	return b.String()
}

var withoutPoints = strings.NewReplacer(".", "", ",", "")

// addWord adds a word. v10 and 10.0 become 10.
func (p *parser) addWord(word string) {
	word = truncate(word, maxWord)
	if rest, ok := strings.CutPrefix(word, "v"); ok && rest != "" && strings.Trim(rest, "0123456789.") == "" {
		word = rest
	}
	if whole, rest, ok := strings.Cut(word, "."); ok && strings.Trim(rest, "0") == "" {
		word = whole
	}
	isNumber := kindOf(word) == digits && !strings.HasSuffix(word, "%")
	if word != "" && len(p.out.words) < maxWords && (isNumber || !slices.Contains(p.out.words, word)) {
		p.out.words = append(p.out.words, word)
	}
}
