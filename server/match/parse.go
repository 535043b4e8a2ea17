package match

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	maxWords = 32
	maxWord  = 48 // bytes
	maxSizes = 8
	maxCount = 10_000 // pieces in a pack
)

// name is a name taken apart: its words in their order, each once but for numbers
// (32/32 is not 32), and its sizes, which are no words. A percentage is both, for it
// tells what a thing is (2% milk) and not how much of it there is.
type name struct {
	words []string
	sizes []size
}

// key is the same for names that differ in spelling only.
func (n name) key() string {
	var b strings.Builder
	for _, w := range n.words {
		b.WriteString(w)
		b.WriteByte(' ')
	}
	if b.Len() == 0 {
		return ""
	}
	for _, s := range n.sizes {
		b.WriteByte('0' + byte(s.dim))
		b.WriteString(strconv.FormatFloat(s.value, 'g', 3, 64))
		b.WriteByte(' ')
	}
	return b.String()
}

// parse takes a name apart.
func parse(s string) name {
	p := parser{in: lex(fold(s))}
	for p.at < len(p.in) {
		if !p.takeSize() {
			p.takeWord()
		}
	}
	slices.SortFunc(p.out.sizes, func(a, b size) int {
		if a.dim != b.dim {
			return int(a.dim) - int(b.dim)
		}
		if a.value < b.value {
			return -1
		}
		return 1
	})
	return p.out
}

type parser struct {
	in  []lexeme
	at  int
	out name
}

// peek is the lexeme at a place, and none outside of the text.
func (p *parser) peek(at int) lexeme {
	if at < 0 || at >= len(p.in) {
		return lexeme{}
	}
	return p.in[at]
}

func (p *parser) is(text string, at int) bool { return p.peek(at).text == text }

// packs stand before the number of pieces: pack of 6. Multiples stand before pack.
var (
	packs     = set("pack packs pk box case set bag tray carton bundle lot")
	multiples = map[string]float64{
		"twin": 2, "double": 2, "duo": 2, "two": 2, "triple": 3, "three": 3, "quad": 4, "four": 4, "six": 6, "eight": 8, "twelve": 12,
	}
)

// takeSize takes a quantity, if one stands here.
func (p *parser) takeSize() bool {
	if p.takePack() {
		return true
	}
	if p.peek(p.at).tight && p.peek(p.at-1).what == run { // the 5 of kx5l
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
			return p.take(values, times, u, next)
		}
		switch sep := p.peek(at); {
		case p.isTimes(at):
			times = true
		case sep.what == '-' && sep.tight && p.peek(at+1).tight && len(values) == 1: // 18-70mm
		default:
			return false
		}
		at++
	}
	return false
}

// isTimes says that a sign of multiplication stands here.
func (p *parser) isTimes(at int) bool { return p.is("x", at) || p.is("*", at) }

// takePack takes "pack of 6", "twin pack" and "x6", which have no unit.
func (p *parser) takePack() bool {
	first, next := p.peek(p.at), p.at+1
	if first.what != run && first.what != '*' || first.tight {
		return false
	}
	if n := multiples[first.text]; n > 0 {
		if p.peek(next).what == '-' {
			next++
		}
		if p.is("pack", next) || p.is("pk", next) {
			p.add(size{value: n, dim: pieces})
			p.at = next + 1
			return true
		}
		return false
	}
	if packs[first.text] && (p.is("of", next) || p.is("de", next)) {
		next++
	} else if !p.isTimes(p.at) || p.peek(p.at-1).what == number {
		return false
	}
	return p.takeCount(next)
}

// takeCount takes a number of pieces that has no unit of its own.
func (p *parser) takeCount(at int) bool {
	n := p.peek(at)
	if n.what != number || !isCount(n.value) || p.isGlued(at+1) {
		return false
	}
	if _, _, ok := p.unit(at + 1); ok {
		return false
	}
	p.add(size{value: n.value, dim: pieces})
	p.at = at + 1
	return true
}

// isGlued says that the lexeme here is one word with that before.
func (p *parser) isGlued(at int) bool {
	l := p.peek(at)
	return l.tight && (l.what == run || l.what == number)
}

func isCount(v float64) bool { return v >= 1 && v <= maxCount && v == float64(int(v)) }

// take adds the quantities before a unit. Of what is weighed, poured or counted,
// all but the last of a product are numbers of pieces; 10 x 20 cm is two lengths.
func (p *parser) take(values []float64, times bool, u unit, next int) bool {
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
			p.add(size{value: count, dim: pieces})
		}
	}
	for _, v := range values {
		if u.dim == pieces && !isCount(v) {
			return false
		}
		p.add(size{value: v * u.scale, dim: u.dim, ounce: u.ounce})
		if u.dim == percentage {
			p.put(strconv.FormatFloat(v, 'f', -1, 64) + "%")
		}
	}
	p.at = next
	if (u.dim == mass || u.dim == volume) && p.isTimes(next) { // 330ml x 6
		p.takeCount(next + 1)
	}
	return true
}

// quantity reads 2, 2.5, .5, 1/2, 1 1/2 and 1 000.
func (p *parser) quantity(at int) (v float64, next int, ok bool) {
	l := p.peek(at)
	if l.what == '.' && !l.tight && p.peek(at+1).tight && p.peek(at+1).what == number {
		v, err := strconv.ParseFloat("."+p.peek(at+1).text, 64)
		return v, at + 2, err == nil
	}
	if l.what != number {
		return 0, at, false
	}
	if v, ok := p.fraction(at); ok {
		return v, at + 3, true
	}
	if v, ok := p.fraction(at + 1); ok && isCount(l.value) && !p.peek(at+1).tight {
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
	ok := a.what == number && p.is("/", at+1) && b.what == number && a.value > 0 && a.value < b.value && b.value <= 64
	return a.value / b.value, ok
}

// unit reads the unit of a number, which a hyphen may join to it.
func (p *parser) unit(at int) (u unit, next int, ok bool) {
	if p.is("-", at) && p.peek(at).tight && p.isGlued(at+1) {
		at++
	}
	l := p.peek(at)
	if l.what == '"' || l.what == '%' {
		return units[l.text], at + 1, true
	}
	if l.what != run || p.isGlued(at+1) && !p.is("x", at+1) {
		return unit{}, at, false
	}
	switch l.text {
	case "fl", "fluid":
		at = p.point(at + 1)
		if o := units[p.peek(at).text]; o.ounce {
			return units["floz"], p.point(at + 1), true
		}
		return unit{}, at, false
	case "in": // 3 in 1
		after := p.peek(at + 1)
		if !l.tight && after.what != 0 && after.what != '.' && !p.isTimes(at+1) || after.what == '-' && after.tight {
			return unit{}, at, false
		}
	case "g": // Wi-Fi
		if p.is("802.11", at-1) {
			return unit{}, at, false
		}
	}
	u, ok = units[l.text]
	next = p.point(at + 1)
	if ok && u.dim == pieces { // 6pk pack, 6er-Pack
		if p.is("-", next) {
			next++
		}
		if p.is("pack", next) || p.is("packung", next) {
			return u, next + 1, true
		}
		next = p.point(at + 1)
	}
	return u, next, ok
}

// point skips that of "oz.".
func (p *parser) point(at int) int {
	if p.is(".", at) && p.peek(at).tight && !p.isGlued(at+1) {
		return at + 1
	}
	return at
}

func (p *parser) add(s size) {
	if s.value <= 0 || len(p.out.sizes) == maxSizes || s.dim == pieces && s.value == 1 {
		return
	}
	for _, other := range p.out.sizes {
		if other.dim == s.dim && near(other.value, s.value) {
			return
		}
	}
	p.out.sizes = append(p.out.sizes, s)
}

// takeWord takes the next word: a whole model number, whatever signs it has, or
// letters and digits that no sign parts.
func (p *parser) takeWord() {
	end := p.at + 1
	for p.peek(end).tight {
		end++
	}
	if start := p.at; !p.peek(start).tight && !p.endsInSize(end) && isModel(p.in[start:end]) {
		p.at = end
		p.put(spell(p.in[start:end]))
		return
	}
	start := p.at
	if l := p.in[start]; l.what != number && l.what != run {
		p.at++
		return
	}
	p.at++
	for p.isGlued(p.at) {
		p.at++
	}
	p.put(spell(p.in[start:p.at]))
}

// endsInSize says that the lexemes before a place are a sign and what is weighed,
// poured or counted: tea/500g.
func (p *parser) endsInSize(end int) bool {
	sign, n, u := p.peek(end-3), p.peek(end-2), units[p.peek(end-1).text]
	return sign.what != 0 && sign.what != run && sign.what != number && n.what == number && n.tight &&
		u.scale > 0 && (u.dim == mass || u.dim == volume || u.dim == pieces)
}

// isModel says that lexemes joined by signs are one word, such as kx-tg4323b and
// 010-10747-03, and not 5-port or wireless-g.
func isModel(in []lexeme) bool {
	letters, digits, signs, long := 0, 0, 0, false
	for i, l := range in {
		switch l.what {
		case run:
			alone := (i == 0 || in[i-1].what != number) && (i+1 == len(in) || in[i+1].what != number)
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
	case in[0].what == number && in[1].what != run && digits < 4:
		return false
	}
	return !long && digits > 0 && letters+digits >= 4
}

// spell writes lexemes without their signs. In a code of letters and digits the
// points are signs, too.
func spell(in []lexeme) string {
	if len(in) == 1 {
		return in[0].text
	}
	var b strings.Builder
	for _, l := range in {
		switch l.what {
		case run:
			b.WriteString(l.text)
		case number:
			b.WriteString(strings.Map(func(r rune) rune {
				if r == '.' || r == ',' {
					return -1
				}
				return r
			}, l.text))
		}
	}
	return b.String()
}

// put adds a word. v10 and 10.0 are 10.
func (p *parser) put(word string) {
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
