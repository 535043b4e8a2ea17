package link

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// values finds the values of a source's text columns, whole and by some of their words. It
// is a few flat lists, so that 200,000 values are cheap to keep.
type values struct {
	columns []*schema.Column
	column  []uint16 // of each value, index of columns
	number  []int32  // of each value, index of Column.Values
	start   []uint32 // of each value in ids; one more at the end
	ids     []int32  // words of the values, in order

	words     []string         // by id: lemmas
	raw       map[string]int32 // word as written → id; only while the index is made
	id        map[string]int32
	article   []bool   // of each word
	postStart []uint32 // of each word in post
	post      []int32  // values that have the word, rising; of no word that is in very many
	hashes    []uint64 // of each value's key
	heads     []int32  // by hash: the last value with it, or -1
	next      []int32  // the value before with the same place in heads, or -1
	seed      maphash.Seed
	typos     *typos
}

// newValues returns the index of a source's values.
func newValues(s *schema.Source) *values {
	total := 0
	for _, c := range s.Columns {
		total += len(c.Values)
	}
	v := &values{
		raw: make(map[string]int32, total), id: make(map[string]int32, total), seed: maphash.MakeSeed(), start: make([]uint32, 1, total+1),
		column: make([]uint16, 0, total), number: make([]int32, 0, total), hashes: make([]uint64, 0, total), ids: make([]int32, 0, 3*total),
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		if len(c.Values) == 0 {
			continue
		}
		v.columns = append(v.columns, c)
		for j, text := range c.Values {
			v.add(len(v.columns)-1, j, text)
		}
	}
	v.fillHeads()
	v.fillPostings()
	var list []string
	for _, w := range v.words {
		if len(w) > 3 && isWord(w) {
			list = append(list, w)
		}
	}
	v.typos = newTypos(list)
	v.raw = nil
	return v
}

// maxValueWords bounds the words of a value that are indexed.
const maxValueWords = 16

// add adds a value of a column.
func (v *values) add(column, number int, text string) {
	begin := len(v.ids)
	scan(text, func(p piece) {
		if len(v.ids)-begin < maxValueWords && p.text != possessive {
			v.ids = append(v.ids, v.idOf(text, p))
		}
	})
	if len(v.ids) == begin {
		return
	}
	v.column, v.number, v.start = append(v.column, uint16(column)), append(v.number, int32(number)), append(v.start, uint32(len(v.ids)))
	ids := v.ids[begin:]
	var h maphash.Hash
	h.SetSeed(v.seed)
	for i, id := range ids {
		if w := v.words[id]; !v.article[id] || !isLeftOut(w, i, len(ids)) {
			h.WriteString(w)
		}
	}
	v.hashes = append(v.hashes, h.Sum64())
}

// idOf returns the id of a piece's word.
func (v *values) idOf(text string, p piece) int32 {
	raw := text[p.start:p.end]
	if p.text == "" {
		if id, ok := v.raw[raw]; ok {
			return id
		}
	}
	w := p.text
	if w == "" {
		w = fold(raw)
	}
	w = lemma(w)
	id, ok := v.id[w]
	if !ok {
		id = int32(len(v.words))
		v.id[w] = id
		v.words, v.article = append(v.words, w), append(v.article, articles[w])
	}
	if p.text == "" {
		v.raw[raw] = id
	}
	return id
}

// wordsOf returns the ids of a value's words.
func (v *values) wordsOf(value int32) []int32 { return v.ids[v.start[value]:v.start[value+1]] }

// hash returns the hash of a key; spaces do not count, so that "t-shirt" is "tshirt".
func (v *values) hash(words []string) uint64 {
	var h maphash.Hash
	h.SetSeed(v.seed)
	for _, w := range words {
		h.WriteString(w)
	}
	return h.Sum64()
}

// fillHeads makes the table of the values' keys.
func (v *values) fillHeads() {
	v.heads = make([]int32, 1<<bits.Len(uint(len(v.hashes))))
	for i := range v.heads {
		v.heads[i] = -1
	}
	v.next = make([]int32, len(v.hashes))
	for i, h := range v.hashes {
		at := h & uint64(len(v.heads)-1)
		v.next[i] = v.heads[at]
		v.heads[at] = int32(i)
	}
}

// maxPostings bounds the values of one word. No question means them all by it.
const maxPostings = 30_000

// fillPostings fills the lists of each word's values.
func (v *values) fillPostings() {
	v.postStart = make([]uint32, len(v.words)+1)
	last := make([]int32, len(v.words))
	each := func(visit func(id, value int32)) {
		for i := range last {
			last[i] = -1
		}
		for value := range int32(len(v.column)) {
			if c := v.columns[v.column[value]]; c.Role == schema.Order || c.Distinct == 1 {
				continue // parts of an order's number, or of what all rows have, are not asked for
			}
			for _, id := range v.wordsOf(value) {
				if last[id] != value {
					last[id] = value
					visit(id, value)
				}
			}
		}
	}
	each(func(id, _ int32) { v.postStart[id+1]++ })
	for i := range v.words {
		v.postStart[i+1] += v.postStart[i]
	}
	v.post = make([]int32, v.postStart[len(v.words)])
	next := slices.Clone(v.postStart)
	each(func(id, value int32) {
		v.post[next[id]] = value
		next[id]++
	})
}

// postings returns the values that have a word.
func (v *values) postings(word string) []int32 {
	id, ok := v.id[word]
	if !ok || v.postStart[id+1]-v.postStart[id] > maxPostings {
		return nil
	}
	return v.post[v.postStart[id]:v.postStart[id+1]]
}

// has reports whether a value has the word.
func (v *values) has(word string) bool {
	_, ok := v.id[word]
	return ok
}

// exactly returns the values whose key is the words.
func (v *values) exactly(words []string) []int32 {
	var out []int32
	h := v.hash(words)
	for i := v.heads[h&uint64(len(v.heads)-1)]; i >= 0; i = v.next[i] {
		if v.hashes[i] == h {
			out = append(out, i)
		}
	}
	slices.Reverse(out)
	return out
}

// orListed returns values of one column that are the words, and those in whose list the words are
// an item: brass, and "linen, brass". What has a role, such as a product, is no list.
func (v *values) orListed(found []int32, words []string) []int32 {
	column := v.column[found[0]]
	c := v.columns[column]
	if c.Role != schema.None {
		return found
	}
	isItem := func(item string) bool { return slices.Equal(lemmas(item), words) }
	for _, value := range v.withAll(words) {
		if v.column[value] != column {
			continue
		}
		if items := strings.Split(c.Values[v.number[value]], ","); len(items) > 1 && slices.ContainsFunc(items, isItem) {
			found = append(found, value)
		}
	}
	return found
}

// withAll returns the values that have all of the words, in any order unless there is a
// number among them.
func (v *values) withAll(words []string) []int32 {
	var found []int32
	adjacent := false
	for i, w := range words {
		adjacent = adjacent || w[0] >= '0' && w[0] <= '9'
		if isLinking(w) && (i == 0 || i == len(words)-1) {
			return nil
		}
		with := v.postings(w)
		if i > 0 {
			with = intersect(found, with)
		}
		if found = with; len(found) == 0 {
			return nil
		}
	}
	if adjacent {
		return slices.DeleteFunc(slices.Clone(found), func(value int32) bool { return !v.hasRun(value, words) })
	}
	return found
}

// hasRun reports whether a value has the words one after the other.
func (v *values) hasRun(value int32, words []string) bool {
	ids := v.wordsOf(value)
	for i := range len(ids) - len(words) + 1 {
		n := 0
		for n < len(words) && v.words[ids[i+n]] == words[n] {
			n++
		}
		if n == len(words) {
			return true
		}
	}
	return false
}

// anyIn reports whether a value of a column has all of the words.
func (v *values) anyIn(c *schema.Column, words []string) bool {
	return slices.ContainsFunc(v.withAll(words), func(value int32) bool { return v.columns[v.column[value]] == c })
}

// intersect returns the numbers that two rising lists share.
func intersect(a, b []int32) []int32 {
	var out []int32
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			out = append(out, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return out
}

// byColumn splits values into those of each column.
func (v *values) byColumn(found []int32) [][]int32 {
	var out [][]int32
	for i, value := range found {
		if i == 0 || v.column[value] != v.column[found[i-1]] {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], value)
	}
	return out
}

// mention returns the mention of values of one column, that the words mean.
func (v *values) mention(found []int32, words []string, m Mention) Mention {
	c := v.columns[v.column[found[0]]]
	m.Kind, m.Column = Value, c
	if len(found) > plan.MaxValues || m.How == Exact && isNote(c) {
		m.Contains = contained(c.Values[v.number[found[0]]], m.Text, words)
		return m
	}
	for _, value := range found {
		m.Values = append(m.Values, c.Values[v.number[value]])
	}
	return m
}

// isNote reports whether a column has remarks: one that is within another says the same there.
func isNote(c *schema.Column) bool {
	return c.Role == schema.None && slices.ContainsFunc(strings.Fields(fold(Spaced(c.Heading))), func(w string) bool { return notes[w] })
}

// contained returns the text that a value has of the words: as typed, or their lemmas.
func contained(value, typed string, words []string) string {
	if strings.Contains(strings.ToLower(value), typed) {
		return typed
	}
	return strings.Join(words, " ")
}
