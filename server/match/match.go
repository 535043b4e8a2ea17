// Package match finds the one item of an inventory with a given name or SKU. If it is
// not sure, it finds nothing: not found is better than wrong (F4).
//
// It owns how names are parsed (words and sizes, in any spelling), how similar two
// names are, and when that is enough. It knows no database, account or picture. Its
// callers put items in, take them out, and look up barcodes first.
//
// An Index is in memory, and its owner updates it with each change of the inventory. It
// is safe for concurrent use: readers share a lock, and Put and Remove hold it
// exclusively for one item, after they have parsed its names.
//
// A name is found in three steps: the names that share words with it, or similar words
// by their trigrams, are ranked; the best 150 are compared word by word; the best one
// is accepted, unless something speaks against it. A name that is not found so may be a
// shortened one, as tills print them (printed.go).
package match

import (
	"slices"
	"sync"
)

// Item is one item of an inventory.
type Item struct {
	ID      string
	Name    string
	SKU     string
	Aliases []string // further names, such as corrections from the console
}

// How is the way in which an item was found.
type How string

// The ways, in the order in which Find tries them.
const (
	BySKU   How = "sku"
	ByAlias How = "alias"
	ByName  How = "name"
)

// Hit is the item that Find has found.
type Hit struct {
	ID    string
	How   How
	Score float64 // from 0 to 1; 1 if How is not ByName
}

// Index is a searchable inventory.
type Index struct {
	mu      sync.RWMutex
	items   map[string]*stored
	skus    map[string][]*stored
	aliases map[string][]*stored
	names   []entry  // by slot
	free    []uint32 // slots without a name
	words   *vocabulary

	searches sync.Pool // of *search
}

// stored is an item, the keys of its aliases and the slots of its names.
type stored struct {
	Item
	keys  []string
	slots []uint32
}

// entry is one parsed name of an item.
type entry struct {
	item  *stored
	words []uint32 // ids in the vocabulary, in the order of the name
	properties
	text string
}

// New returns an index of the items. If two have the same ID, the later one counts.
func New(items []Item) *Index {
	x := &Index{
		items:   make(map[string]*stored, len(items)),
		skus:    map[string][]*stored{},
		aliases: map[string][]*stored{},
		words:   newVocabulary(),
	}
	x.searches.New = func() any { return new(search) }
	for _, i := range items {
		x.Put(i)
	}
	return x
}

// Len returns the number of items.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()

	return len(x.items)
}

// nameCount returns the number of names.
func (x *Index) nameCount() int { return len(x.names) - len(x.free) }

// Put adds an item, or replaces the one with the same ID.
func (x *Index) Put(i Item) {
	i.Aliases = slices.Clone(i.Aliases)
	texts := append([]string{i.Name}, i.Aliases...)
	names := make([]name, len(texts))
	for n, text := range texts {
		names[n] = parse(text)
	}

	x.mu.Lock()
	defer x.mu.Unlock()

	x.remove(i.ID)
	s := &stored{Item: i}
	x.items[i.ID] = s
	addKey(x.skus, skuKey(i.SKU), s)
	for n, parsed := range names {
		if n > 0 {
			s.keys = append(s.keys, parsed.key())
			addKey(x.aliases, parsed.key(), s)
		}
		if len(parsed.words) > 0 {
			s.slots = append(s.slots, x.addName(entry{item: s, properties: parsed.properties, text: texts[n]}, parsed.words))
		}
	}
}

// Remove removes an item if the index has it.
func (x *Index) Remove(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()

	x.remove(id)
}

func (x *Index) remove(id string) {
	s, ok := x.items[id]
	if !ok {
		return
	}
	delete(x.items, id)
	removeKey(x.skus, skuKey(s.SKU), s)
	for _, key := range s.keys {
		removeKey(x.aliases, key, s)
	}
	for _, slot := range s.slots {
		initials := x.initialsOf(x.names[slot].words)
		x.words.words[x.names[slot].words[0]].leads--
		for i, w := range x.names[slot].words {
			if !slices.Contains(x.names[slot].words[:i], w) { // a name may have a number twice
				x.words.drop(w, slot)
			}
		}
		for _, key := range initials {
			removeFrom(x.words.initials, key, slot)
		}
		x.names[slot] = entry{}
		x.free = append(x.free, slot)
	}
}

// addName stores a name in a free slot and returns the slot.
func (x *Index) addName(e entry, words []string) uint32 {
	slot := uint32(len(x.names))
	if n := len(x.free); n > 0 {
		slot, x.free = x.free[n-1], x.free[:n-1]
	} else {
		x.names = append(x.names, entry{})
	}
	e.words = make([]uint32, len(words))
	for i, w := range words {
		e.words[i] = x.words.add(w, slot)
	}
	x.words.words[e.words[0]].leads++
	for _, key := range x.initialsOf(e.words) {
		x.words.initials[key] = insert(x.words.initials[key], slot)
	}
	x.names[slot] = e
	return slot
}

// initialsOf returns the first letters of each two and each three adjacent words, without
// connectives, each once.
func (x *Index) initialsOf(words []uint32) []string {
	var heads []rune
	for _, id := range words {
		w := &x.words.words[id]
		if head, ok := headOf(w.text); ok && w.class.count > 0 {
			heads = append(heads, head)
		}
	}
	var out []string
	for i := range heads {
		for _, n := range []int{2, 3} {
			if i+n > len(heads) {
				break
			}
			if key := string(heads[i : i+n]); !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

// addKey adds an item to a key, once. It ignores the empty key. The keys of an item are
// added one after the other, so an item that is there already is the last.
func addKey(m map[string][]*stored, key string, s *stored) {
	list := m[key]
	if key == "" || len(list) > 0 && list[len(list)-1] == s {
		return
	}
	m[key] = append(list, s)
}

func removeKey(m map[string][]*stored, key string, s *stored) {
	list := slices.DeleteFunc(m[key], func(other *stored) bool { return other == s })
	if len(list) == 0 {
		delete(m, key)
		return
	}
	m[key] = list
}
