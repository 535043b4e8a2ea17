// Package match finds the one item of an inventory that a name or an SKU means, and
// says that there is none when it is not sure: not found is better than wrong (F4).
//
// It owns what a name is (words and sizes, whatever their spelling), how much two
// names say the same, and when that is enough. It knows no database, no account
// and no picture; whoever keeps items puts them in and takes them out, and looks up
// barcodes first.
//
// An Index lives in memory and follows each change of the inventory. It may be
// used from any number of goroutines: readers share a lock, Put and Remove hold it
// alone for as long as one item takes, and parse the names before they take it.
//
// How a name is found: each of its words leads, by itself or through the trigrams
// it shares with words like it, to the names that have it; the best few hundred of
// these are compared word by word; the best of all is accepted unless there
// is doubt, or nothing is.
package match

import (
	"slices"
	"sync"
)

// Item is what can be found.
type Item struct {
	ID      string
	Name    string
	SKU     string
	Aliases []string // further names, such as the corrections of the console
}

// How says by what an item was found.
type How string

// The ways, in the order in which they are tried.
const (
	BySKU   How = "sku"
	ByAlias How = "alias"
	ByName  How = "name"
)

// Hit is the item that was meant.
type Hit struct {
	ID    string
	How   How
	Score float64 // from 0 to 1; 1 for all ways but the name
}

// Index is an inventory that can be searched.
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

// entry is one name of an item, taken apart.
type entry struct {
	item  *stored
	words []uint32 // in their order
	sizes []size
	text  string
}

// New makes an index of the items. Of two with one ID the later one counts.
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

// Len is how many items there are.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()

	return len(x.items)
}

// len is how many names there are.
func (x *Index) len() int { return len(x.names) - len(x.free) }

// Put adds an item, or replaces the one that has its ID.
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
	file(x.skus, skuKey(i.SKU), s)
	for n, parsed := range names {
		if n > 0 {
			s.keys = append(s.keys, parsed.key())
			file(x.aliases, parsed.key(), s)
		}
		if len(parsed.words) > 0 {
			s.slots = append(s.slots, x.enter(entry{item: s, sizes: parsed.sizes, text: texts[n]}, parsed.words))
		}
	}
}

// Remove takes an item out, if it is there.
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
	unfile(x.skus, skuKey(s.SKU), s)
	for _, key := range s.keys {
		unfile(x.aliases, key, s)
	}
	for _, slot := range s.slots {
		for i, w := range x.names[slot].words {
			if !slices.Contains(x.names[slot].words[:i], w) { // a number may stand there twice
				x.words.drop(w, slot)
			}
		}
		x.names[slot] = entry{}
		x.free = append(x.free, slot)
	}
}

// enter gives a name its slot.
func (x *Index) enter(e entry, words []string) uint32 {
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
	x.names[slot] = e
	return slot
}

// file puts an item under a key, once. An empty key is none. An item that is under
// the key already came last: its keys are filed one after the other.
func file(m map[string][]*stored, key string, s *stored) {
	list := m[key]
	if key == "" || len(list) > 0 && list[len(list)-1] == s {
		return
	}
	m[key] = append(list, s)
}

func unfile(m map[string][]*stored, key string, s *stored) {
	list := slices.DeleteFunc(m[key], func(other *stored) bool { return other == s })
	if len(list) == 0 {
		delete(m, key)
		return
	}
	m[key] = list
}
