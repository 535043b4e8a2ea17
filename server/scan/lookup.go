package scan

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"svc/db"
	"svc/server/match"
)

// inventories finds items of inventories: codes in the store, names in an index for each
// inventory. The first search makes the index, and each further search updates it.
type inventories struct {
	store *db.DB

	mu       sync.Mutex
	indexes  map[string]*nameIndex // by account
	searches uint64                // so far
}

// nameIndex has the names of one inventory.
type nameIndex struct {
	*match.Index
	used uint64 // value of searches at the last search in it; inventories.mu guards it

	update  chan struct{} // of capacity 1, a lock that a context can end: guards version
	version int64         // of the inventory that the index has
}

const (
	// maxNames bounds the items of all indexes together, about 1 kB each. Above it the
	// least recently used indexes are dropped.
	maxNames = 300_000
	// pageSize is how many items are read at a time.
	pageSize = 500
	// explained is how many candidates an observer gets.
	explained = 3
)

func newInventories(store *db.DB) *inventories {
	return &inventories{store: store, indexes: map[string]*nameIndex{}}
}

// find returns the id of the item of the owner's inventory that a detection identifies,
// or "" if there is none or several match (F4).
func (s *inventories) find(ctx context.Context, owner string, d detection, o observer) (id string, err error) {
	if owner == "" {
		return "", nil
	}
	began := time.Now()
	id, how, err := s.byCode(ctx, owner, d)
	if err != nil {
		return "", err
	}
	if id != "" {
		o.note("inventory", began, 1, fmt.Sprintf("%s, by its %s", id, how))
		return id, nil
	}
	if d.name == "" {
		o.note("inventory", began, 0, "no item has this code")
		return "", nil
	}
	index, err := s.index(ctx, owner)
	if err != nil || index == nil {
		return "", err
	}
	hit, ok := index.Find(d.name)
	if o != nil {
		for _, c := range index.Explain(d.name, explained) {
			o.note("match", began, c.Score, fmt.Sprintf("%s %s: %s", c.ID, c.Name, c.Reason))
		}
	}
	if !ok {
		return "", nil
	}
	return hit.ID, nil
}

// byCode looks for a barcode, then for a SKU, as printed and in the form of gtin.Key:
// shops print their own SKUs as barcodes, and use barcodes as SKUs.
func (s *inventories) byCode(ctx context.Context, owner string, d detection) (id, how string, err error) {
	if d.code == "" {
		return "", "", nil
	}
	err = s.store.View(ctx, func(tx *db.Tx) error {
		item, err := tx.ItemByBarcode(owner, d.code)
		how = "barcode"
		for _, sku := range []string{d.text, d.code} {
			if errors.Is(err, db.ErrNotFound) {
				item, err = tx.ItemBySKU(owner, sku)
				how = "SKU"
			}
		}
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		id = item.ID
		return err
	})
	return id, how, err
}

// index returns the updated index of an inventory, or nil if it has no items.
func (s *inventories) index(ctx context.Context, owner string) (*match.Index, error) {
	current, err := s.version(ctx, owner)
	if err != nil || current == 0 {
		return nil, err
	}
	index := s.use(owner)
	select {
	case index.update <- struct{}{}:
		defer func() { <-index.update }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for index.version < current {
		if err := s.readPage(ctx, owner, index); err != nil {
			return nil, err // the index keeps the pages read so far
		}
		s.evict(index)
	}
	return index.Index, nil
}

func (s *inventories) version(ctx context.Context, owner string) (int64, error) {
	return db.Read(ctx, s.store, func(tx *db.Tx) (int64, error) { return tx.InventoryVersion(owner) })
}

// readPage adds the next items that have changed since the version of the index, and drops
// those that were removed.
func (s *inventories) readPage(ctx context.Context, owner string, index *nameIndex) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.store.LongView(ctx, func(tx *db.Tx) error {
		items, removed, upTo, err := tx.ItemsSince(owner, index.version, pageSize)
		if err != nil {
			return err
		}
		for _, i := range items {
			aliases, err := tx.Aliases(i)
			if err != nil {
				return err
			}
			index.Put(match.Item{ID: i.ID, Name: i.Name, SKU: i.SKU, Aliases: aliases})
		}
		for _, id := range removed {
			index.Remove(id)
		}
		index.version = upTo
		return nil
	})
}

// use returns the index of an inventory, which may be outdated, and marks it as used.
func (s *inventories) use(owner string) *nameIndex {
	s.mu.Lock()
	defer s.mu.Unlock()
	index, ok := s.indexes[owner]
	if !ok {
		index = &nameIndex{Index: match.New(nil), update: make(chan struct{}, 1)}
		s.indexes[owner] = index
	}
	s.searches++
	index.used = s.searches
	return index
}

// evict drops the least recently used indexes except current until all have at most
// maxNames items.
func (s *inventories) evict(current *nameIndex) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, index := range s.indexes {
		total += index.Len()
	}
	for total > maxNames && len(s.indexes) > 1 {
		var oldest string
		for owner, index := range s.indexes {
			if index != current && (oldest == "" || index.used < s.indexes[oldest].used) {
				oldest = owner
			}
		}
		total -= s.indexes[oldest].Len()
		delete(s.indexes, oldest)
	}
}
