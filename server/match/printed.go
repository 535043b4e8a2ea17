package match

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Names as tills and suppliers print them are shortened: appl gala or, gg whl krnl corn.
// Find reads a name so if no item has it otherwise. Each word of the name must be a word
// of the item, a shortened one, the initials of adjacent ones, or several written as one.
// What a word tells is the logarithm of how much likelier it is in a name of the item
// than in one of any other product: the words of the inventory show which other words
// could be meant (a naive Bayes classifier over a noisy channel).
const (
	completeCredit  = 0.8   // less evidence is enough if the item has no other words
	leastLetters    = 6     // and the name this many letters
	evidenceLead    = 0.6   // by which the evidence for the best item must exceed that for the next
	looseLead       = 1.2   // likewise, if the item has words that the name lacks
	lackedTail      = 0.7   // evidence lost with each word of the item after those that the name has
	lackedHead      = 1.0   // likewise, before or between them
	unread          = 4.0   // evidence lost with each word of the name that the item does not explain
	sizeAgrees      = 2.5   // evidence of a size that both have
	sizeLacked      = 1.0   // evidence lost with a size that the item does not have
	initialsCost    = 0.7   // of initials, besides the chance that other words begin so
	gluedCost       = 1.0   // of each further word written as one with another
	strayCost       = 0.5   // of one that does not follow the word before
	leastStray      = 3     // letters of such a word
	leastPart       = 2     // letters of any word written as one with another
	maxGlued        = 3     // words written as one
	splitCost       = 1.0   // of one word written as two
	typoCost        = 1.5   // of a typing mistake
	ordinaryCost    = 1.5   // of reading a word of the inventory as another one
	leastItemShare  = 0.5   // the least share of the item's words that the name has
	maxReadings     = 200   // readings of one word that are compared with items
	maxPrintedWords = 14    // words of a name that may be shortened: tills have little room
	maxPrinted      = 60    // items whose words are compared with a name
	maxAligned      = 10000 // pairs of words that are aligned in one search
	maxParts        = 5000  // likewise, pairs of a part of a word and a word
	maxKinds        = 50    // names with a letter that are compared with an item; with more the letter is a kind
)

// reading is a word of the inventory that a word of the query may mean.
type reading struct {
	word  uint32
	cost  float64
	short bool // one of both shortens the other
}

// printedWord is a word of the query with its readings.
type printedWord struct {
	*term
	readings []reading // the best first
	all      float64   // how often names have the readings, weighed by their odds
	initials int       // names with adjacent words of which it may be the initials
	letters  bool
}

// printed is a search for a name that may be shortened.
type printed struct {
	aligner
	*search
	x       *Index
	words   []printedWord
	without absence // of the query
	names   float64 // of the inventory, and the prior
	aligned int
	parts   int
	links   []span // between the query and one item

	itemWithout absence // of that item
}

// likeness is the evidence that an item is meant.
type likeness struct {
	evidence float64
	flaw     string
	lacks    int  // words of the item that the name lacks
	words    int  // words of the name that the item explains
	short    bool // a word is shortened
}

// evidence returns what a reading tells that df names have.
func (p *printed) evidence(w *printedWord, cost float64) float64 {
	odds := math.Exp(-cost)
	return math.Log(p.names * odds / (w.all + 0.6))
}

// read fills in the readings of the words of the query, and reports whether they are few
// enough to compare.
func (p *printed) read() bool {
	p.words = p.words[:0]
	p.names = float64(p.x.nameCount() + priorNames)
	var texts []string
	for _, t := range p.apart() {
		texts = append(texts, t.text)
		w := printedWord{term: t}
		_, w.letters = headOf(t.text)
		p.readWord(&w)
		if p.aligned > maxAligned {
			return false
		}
		for _, r := range w.readings {
			w.all += float64(len(p.x.words.words[r.word].names)) * math.Exp(-r.cost)
		}
		w.readings = w.readings[:min(len(w.readings), maxReadings)]
		w.initials = len(p.x.words.initials[t.text])
		w.all += float64(w.initials) * math.Exp(-initialsCost)
		p.words = append(p.words, w)
	}
	p.without = absenceOf(texts)
	return true
}

// apart returns the words of the query, those that no item has with a number before letters
// as two: 3chs, 3 cheese.
func (p *printed) apart() []*term {
	var out []*term
	for i := range p.query.terms {
		t := &p.query.terms[i]
		letters := strings.TrimLeft(t.text, "0123456789")
		if _, plain := headOf(letters); letters == "" || letters == t.text || !plain || !t.unknown {
			out = append(out, t)
			continue
		}
		for _, text := range []string{strings.TrimSuffix(t.text, letters), letters} {
			part := newTerm(p.x.words.find(text), p.x.nameCount())
			out = append(out, &part)
		}
	}
	return out
}

// readWord collects the readings of one word: itself, its other spellings, and the words
// that it shortens or that shorten it.
func (p *printed) readWord(w *printedWord) {
	extra := 0.0
	if w.class.runes >= 4 && p.known(w) {
		extra = ordinaryCost
	}
	p.readSpellings(w, extra)
	if !w.letters || w.class.runes < 2 {
		return
	}
	p.readShortened(w, extra)
	words := p.x.words.words
	slices.SortFunc(w.readings, func(a, b reading) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), strings.Compare(words[a.word].text, words[b.word].text))
	})
}

// readSpellings adds the word itself, its plurals, typing mistakes, which cost extra, and
// spellings by sound.
func (p *printed) readSpellings(w *printedWord, extra float64) {
	v := p.x.words
	if itself, ok := v.ids[w.text]; ok {
		w.readings = append(w.readings, reading{word: itself})
	}
	for _, r := range v.similar(w.term, p.search) {
		switch {
		case r.sim == plural:
			w.readings = append(w.readings, reading{word: r.id, cost: costPlural})
		case r.sim >= sameWord && r.sim < 1 && w.letters:
			w.readings = append(w.readings, reading{word: r.id, cost: extra + typoCost*(1-r.sim)/perTypo})
		}
	}
	for _, other := range spoken[w.text] {
		if id, ok := v.ids[other]; ok {
			w.readings = append(w.readings, reading{id, costSpoken, true})
		}
	}
}

// readShortened adds the words that a word shortens, or that shorten it, which cost extra.
func (p *printed) readShortened(w *printedWord, extra float64) {
	v := p.x.words
	head, _ := utf8.DecodeRuneInString(w.text)
	first, meant := w.readings, v.heads[head]
	if head == 'x' { // xtra, extra
		meant = slices.Concat(meant, v.heads['e'])
	}
	for _, id := range meant {
		other := &v.words[id]
		cost := p.shortens(w.term, other)
		if p.aligned > maxAligned {
			return
		}
		// A common word is not the beginning of another one: lemon, lemonade.
		whole := w.common && w.class.runes >= 5 && strings.HasPrefix(other.text, w.text)
		if cost+extra > mostCost || other.text == w.text || whole && cost > costPlural {
			continue
		}
		r := reading{id, cost + extra, true}
		if at := slices.IndexFunc(first, func(read reading) bool { return read.word == id }); at < 0 {
			w.readings = append(w.readings, r)
		} else if r.cost < w.readings[at].cost {
			w.readings[at] = r
		}
	}
}

// shortens returns the cost of the shorter of two words as an abbreviation of the longer
// one, or infinity. A word is not the short form of one that denies it.
func (p *printed) shortens(t *term, w *interned) float64 {
	short, long, a, b := t.text, w.text, &t.class, &w.class
	if b.runes < a.runes {
		short, long, a, b = long, short, b, a
	}
	if a.runes == b.runes || a.runes < 2 || denies(long, short) || alike(a.letters)&^alike(b.letters) != 0 {
		return math.Inf(1)
	}
	p.aligned++
	return p.cost(short, long)
}

// alike adds to a set of letters those that sound alike.
func alike(letters uint32) uint32 {
	for _, set := range []uint32{1<<('c'&31) | 1<<('k'&31) | 1<<('x'&31), 1<<('s'&31) | 1<<('z'&31), 1<<('i'&31) | 1<<('y'&31)} {
		if letters&set != 0 {
			letters |= set
		}
	}
	return letters
}

// candidates returns the slots of the names that the evidence of single words favours.
func (p *printed) candidates() []ranked {
	s := p.search
	s.sums = grow(s.sums, len(p.x.names))
	s.slots = s.slots[:0]
	add := func(slots []uint32, evidence float64) {
		if evidence <= 0 || len(slots) > s.namesLeft {
			return
		}
		s.namesLeft -= len(slots)
		for _, slot := range slots {
			if s.sums[slot] == 0 {
				s.slots = append(s.slots, slot)
			}
			s.sums[slot] += float32(evidence)
		}
	}
	for i := range p.words {
		w := &p.words[i]
		if w.class.count < 1 {
			continue
		}
		for _, r := range w.readings {
			add(p.x.words.words[r.word].names, p.evidence(w, r.cost))
		}
		if w.letters && w.class.runes <= 3 {
			add(p.x.words.initials[w.text], p.evidence(w, initialsCost))
		}
		p.addGlued(w, add)
	}
	s.ranked, s.floor = s.ranked[:0], float32(math.Inf(-1))
	for _, slot := range s.slots {
		rank := s.sums[slot] - lackedTail*float32(len(p.x.names[slot].words))
		s.addRanked(p.x, ranked{slot, rank})
		s.sums[slot] = 0
	}
	s.keepBest(p.x)
	return s.ranked[:min(len(s.ranked), maxPrinted)]
}

// addGlued adds the names with words with which a long word begins that may be several.
func (p *printed) addGlued(w *printedWord, add func([]uint32, float64)) {
	whole := func(r reading) bool { return r.cost < 1 && p.x.words.words[r.word].class.runes >= w.class.runes }
	if !w.letters || w.class.runes < 5 || slices.ContainsFunc(w.readings, whole) {
		return
	}
	head, _ := utf8.DecodeRuneInString(w.text)
	for _, id := range p.x.words.heads[head] {
		other := &p.x.words.words[id]
		if n := max(commonPrefix(w.text, other.text), commonPrefix(w.text, consonants(other.text))); n >= 3 || n == len(other.text) && n >= 2 {
			add(other.names, p.rarity(other)/2)
		}
	}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// compare returns the evidence for a name of the inventory.
func (p *printed) compare(e *entry) likeness {
	p.links = p.links[:0]
	item := make([]*interned, len(e.words))
	for j, id := range e.words {
		item[j] = &p.x.words.words[id]
	}
	p.itemWithout = e.without
	for i := range p.words {
		p.linkWord(i, e, item)
	}
	slices.SortStableFunc(p.links, func(a, b span) int { return cmp.Compare(b.evidence, a.evidence) })

	var out likeness
	var read, had uint64
	for _, l := range p.links {
		mine := mask(l.i, l.ni)
		if read&mine != 0 || had&l.theirs != 0 {
			continue
		}
		read, had = read|mine, had|l.theirs
		out.evidence += l.evidence
		out.short = out.short || l.short
	}
	p.judge(&out, e, item, read, had)
	return out
}

func mask(at, n int) uint64 { return (1<<n - 1) << at }

// judge subtracts what the words that only one of two names has tell against the item.
func (p *printed) judge(out *likeness, e *entry, item []*interned, read, had uint64) {
	sizes := compareSizes(p.query.sizes, e.sizes)
	if sizes.conflict {
		out.flaw = "its " + dimensionNames[sizes.dim] + " differs"
	}
	if p.query.systems.differ(e.systems) {
		out.flaw = cmp.Or(out.flaw, "its variety differs")
	}
	out.evidence += sizeAgrees*float64(sizes.agree) - sizeLacked*float64(sizes.onlyLeft)
	if at := p.cutOff(e, item, read, had); at >= 0 {
		read, had = read|mask(len(p.words)-1, 1), had|mask(at, 1)
	}
	p.judgeUnread(out, e, read)
	judgeLacked(out, item, had)
}

// judgeUnread subtracts what the words of the query tell that the item does not explain.
func (p *printed) judgeUnread(out *likeness, e *entry, read uint64) {
	for i := range p.words {
		w := &p.words[i]
		if read>>i&1 == 1 && w.class.count == 1 {
			out.words++
		}
		repeats := p.without.first>>i&1 == 0 && w.repeats(e)
		if read>>i&1 == 1 || w.class.count == 0 || w.text == "n" || isCountOf(w.text, e.sizes) || repeats {
			continue
		}
		out.evidence -= unread * w.class.count
		if w.class.count == 1 {
			out.flaw = cmp.Or(out.flaw, `does not explain "`+w.text+`"`)
		}
	}
}

// judgeLacked subtracts what the words of the item tell that the query lacks.
func judgeLacked(out *likeness, item []*interned, had uint64) {
	shared, all := 0.0, 0.0
	last := bits.Len64(had)
	for j, w := range item {
		all += w.class.count
		if had>>j&1 == 1 {
			shared += w.class.count
			continue
		}
		if w.class.count == 1 {
			out.lacks++
		}
		if w.class.trait == variety {
			out.flaw = cmp.Or(out.flaw, "its variety differs")
		}
		lost := lackedTail
		if j < last {
			lost = lackedHead
		}
		out.evidence -= lost * w.class.count
	}
	if shared < leastItemShare*all || max(out.words, bits.OnesCount64(had)) == 1 && out.lacks > 0 {
		out.flaw = cmp.Or(out.flaw, "has much that the name lacks")
	}
}

// cutOff returns the place of the item's word that the last letter of a name begins, where a
// till cut the name off, or -1. The letter tells nothing, and may be a kind: vitamin c.
func (p *printed) cutOff(e *entry, item []*interned, read, had uint64) int {
	n := len(p.words)
	last := &p.words[n-1]
	if n < 3 || read>>(n-1) == 1 || !last.letters || last.class.runes > 1 || p.isKind(last, e, had) {
		return -1
	}
	at := -1
	for j, w := range item {
		switch {
		case had>>j&1 == 1:
		case w.class.trait != anyWord:
			return -1
		case at < 0 && w.class.count > 0 && strings.HasPrefix(w.text, last.text):
			at = j
		}
	}
	return at
}

// isKind reports whether a letter tells goods of a kind apart in this inventory: whether a
// name with it shares a word that the query means with the item.
func (p *printed) isKind(letter *printedWord, e *entry, had uint64) bool {
	id, ok := p.x.words.ids[letter.text]
	if !ok {
		return false
	}
	names := p.x.words.words[id].names
	if len(names) > maxKinds {
		return true
	}
	for _, slot := range names {
		for j, word := range e.words {
			if had>>j&1 == 1 && slices.Contains(p.x.names[slot].words, word) {
				return true
			}
		}
	}
	return false
}

// repeats reports whether a word shortens a word of the item that another one means, too:
// names have each word once, but pretz pret may be what is left of two.
func (w *printedWord) repeats(e *entry) bool {
	return slices.ContainsFunc(w.readings, func(r reading) bool { return r.short && slices.Contains(e.words, r.word) })
}

// isCountOf reports whether a word is the number of pieces in a pack.
func isCountOf(word string, sizes []size) bool {
	return kindOf(word) == digits && hasNear(sizes, size{value: valueOf(word), dim: pieces})
}

// needed returns the least evidence for an item: that makes it likelier than all others
// together.
func (p *printed) needed(l *likeness) float64 {
	letters := 0
	for i := range p.words {
		letters += p.words[i].class.runes
	}
	if l.lacks == 0 && letters >= leastLetters {
		return math.Log(p.names) - completeCredit
	}
	return math.Log(p.names)
}

// findPrinted returns the one item that a shortened name means, if it is clear, or
// nil.
func (s *search) findPrinted(x *Index) *entry {
	p := printed{search: s, x: x}
	s.trigramsLeft, s.namesLeft = maxTrigramReads, maxNameReads
	if n := len(s.query.terms); n == 0 || n > maxPrintedWords || !p.read() {
		return nil
	}
	best, second := p.best()
	if best.entry == nil || best.flaw != "" || !best.short || best.evidence < p.needed(&best.likeness) {
		return nil
	}
	lead := evidenceLead
	if best.lacks > 0 {
		lead = looseLead
	}
	if second.entry != nil && best.evidence < second.evidence+lead {
		return nil
	}
	return best.entry
}

// judged is a name of the inventory with the evidence for it.
type judged struct {
	*entry
	likeness
}

// best returns the most likely name, and the most likely one of another item.
func (p *printed) best() (best, second judged) {
	for _, r := range p.candidates() {
		e := &p.x.names[r.slot]
		j := judged{e, p.compare(e)}
		switch {
		case best.entry == nil || j.evidence > best.evidence:
			if best.entry != nil && best.item != e.item {
				second = best
			}
			best = j
		case e.item != best.item && (second.entry == nil || j.evidence > second.evidence):
			second = j
		}
	}
	return best, second
}
