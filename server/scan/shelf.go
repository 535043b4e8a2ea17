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

// shelves look things up in inventories. Codes are looked up in the store; names in an
// index that is made when an inventory is first searched, and brought up to date by
// each further search.
type shelves struct {
	store *db.DB

	mu     sync.Mutex
	byID   map[string]*shelf // by account
	number uint64            // of the last search
}

// shelf holds the names of one inventory.
type shelf struct {
	index *match.Index
	used  uint64 // the number of the last search in it; shelves.mu guards it

	turn    chan struct{} // of one: who brings index up to date
	version int64         // of the inventory, as far as it is in index
}

const (
	// maxNames is how many items all indexes together may hold before those that were
	// not used for longest go: about 1 kB each.
	maxNames = 300_000
	// page is how many items are read at a time.
	page = 500
	// explained is how many candidates are told of.
	explained = 3
)

func newShelves(store *db.DB) *shelves {
	return &shelves{store: store, byID: map[string]*shelf{}}
}

// find returns the id of the one item of the owner's inventory that a sighting means,
// or nothing (F4).
func (s *shelves) find(ctx context.Context, owner string, saw sighting, o observer) (id string, err error) {
	if owner == "" {
		return "", nil
	}
	began := time.Now()
	id, how, err := s.byCode(ctx, owner, saw)
	if err != nil {
		return "", err
	}
	if id != "" {
		o.note("inventory", began, 1, fmt.Sprintf("%s, by its %s", id, how))
		return id, nil
	}
	if saw.name == "" {
		o.note("inventory", began, 0, "no item has this code")
		return "", nil
	}
	index, err := s.names(ctx, owner)
	if err != nil || index == nil {
		return "", err
	}
	hit, ok := index.Find(saw.name)
	if o != nil {
		for _, c := range index.Explain(saw.name, explained) {
			o.note("match", began, c.Score, fmt.Sprintf("%s %s: %s", c.ID, c.Name, c.Reason))
		}
	}
	if !ok {
		return "", nil
	}
	return hit.ID, nil
}

// byCode looks for a barcode, then for a SKU, with and without the zeros of the longer
// forms: shops print their own SKUs as barcodes, and use barcodes as SKUs.
func (s *shelves) byCode(ctx context.Context, owner string, saw sighting) (id, how string, err error) {
	if saw.code == "" {
		return "", "", nil
	}
	err = s.store.View(ctx, func(tx *db.Tx) error {
		item, err := tx.ItemByBarcode(owner, saw.code)
		how = "barcode"
		for _, sku := range []string{saw.text, saw.code} {
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

// names is the index of an inventory, up to date; nil where there are no items.
func (s *shelves) names(ctx context.Context, owner string) (*match.Index, error) {
	current, err := s.version(ctx, owner)
	if err != nil || current == 0 {
		return nil, err
	}
	shelf := s.shelf(owner)
	select {
	case shelf.turn <- struct{}{}:
		defer func() { <-shelf.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	for shelf.version < current {
		if err := s.readPage(ctx, owner, shelf); err != nil {
			return nil, err // what is read stays
		}
		s.makeRoom(shelf)
	}
	return shelf.index, nil
}

func (s *shelves) version(ctx context.Context, owner string) (version int64, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) (err error) {
		version, err = tx.InventoryVersion(owner)
		return err
	})
	return version, err
}

// readPage brings a shelf closer to what the inventory is now.
func (s *shelves) readPage(ctx context.Context, owner string, shelf *shelf) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return s.store.LongView(ctx, func(tx *db.Tx) error {
		items, upTo, err := tx.ItemsSince(owner, shelf.version, page)
		if err != nil {
			return err
		}
		for _, i := range items {
			aliases, err := tx.Aliases(i)
			if err != nil {
				return err
			}
			shelf.index.Put(match.Item{ID: i.ID, Name: i.Name, SKU: i.SKU, Aliases: aliases})
		}
		shelf.version = upTo
		return nil
	})
}

func (s *shelves) shelf(owner string) *shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.byID[owner]
	if !ok {
		found = &shelf{index: match.New(nil), turn: make(chan struct{}, 1)}
		s.byID[owner] = found
	}
	s.number++
	found.used = s.number
	return found
}

// makeRoom drops the indexes that were not used for longest until there are few enough
// items, but not the one that is used now.
func (s *shelves) makeRoom(now *shelf) {
	s.mu.Lock()
	defer s.mu.Unlock()
	total := 0
	for _, one := range s.byID {
		total += one.index.Len()
	}
	for total > maxNames && len(s.byID) > 1 {
		var oldest string
		for id, one := range s.byID {
			if one != now && (oldest == "" || one.used < s.byID[oldest].used) {
				oldest = id
			}
		}
		total -= s.byID[oldest].index.Len()
		delete(s.byID, oldest)
	}
}
