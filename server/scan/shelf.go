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

	mu      sync.Mutex // held while index is brought up to date
	version int64      // of the inventory, as far as it is in index
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
	if id, how, err := s.byCode(ctx, owner, saw.code); err != nil || id != "" {
		o.note("inventory", began, 1, fmt.Sprintf("%s, by its %s", id, how))
		return id, err
	}
	if saw.name == "" {
		o.note("inventory", began, 0, "no item has this code")
		return "", nil
	}
	index, err := s.names(ctx, owner)
	if err != nil {
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

// byCode looks for a barcode, then for a SKU: shops print their own as barcodes.
func (s *shelves) byCode(ctx context.Context, owner, code string) (id, how string, err error) {
	if code == "" {
		return "", "", nil
	}
	err = s.store.View(ctx, func(tx *db.Tx) error {
		item, err := tx.ItemByBarcode(owner, code)
		how = "barcode"
		if errors.Is(err, db.ErrNotFound) {
			item, err = tx.ItemBySKU(owner, code)
			how = "SKU"
		}
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		id = item.ID
		return err
	})
	return id, how, err
}

// names is the index of an inventory, up to date.
func (s *shelves) names(ctx context.Context, owner string) (*match.Index, error) {
	shelf := s.shelf(owner)
	shelf.mu.Lock()
	defer shelf.mu.Unlock()
	for {
		items, upTo, err := s.since(ctx, owner, shelf.version)
		if err != nil {
			return nil, err
		}
		for _, i := range items {
			shelf.index.Put(i)
		}
		shelf.version = upTo
		if len(items) < page {
			s.makeRoom(shelf)
			return shelf.index, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err() // what is read stays
		}
	}
}

// since reads a page of what has changed in an inventory.
func (s *shelves) since(ctx context.Context, owner string, version int64) (items []match.Item, upTo int64, err error) {
	current := int64(0)
	err = s.store.View(ctx, func(tx *db.Tx) (err error) {
		current, err = tx.InventoryVersion(owner)
		return err
	})
	if err != nil || current == version {
		return nil, version, err
	}
	err = s.store.LongView(ctx, func(tx *db.Tx) error {
		changed, last, err := tx.ItemsSince(owner, version, page)
		upTo = last
		for _, i := range changed {
			aliases, err := tx.Aliases(i)
			if err != nil {
				return err
			}
			items = append(items, match.Item{ID: i.ID, Name: i.Name, SKU: i.SKU, Aliases: aliases})
		}
		return err
	})
	return items, upTo, err
}

func (s *shelves) shelf(owner string) *shelf {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.byID[owner]
	if !ok {
		found = &shelf{index: match.New(nil)}
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
