package inventory

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/gtin"
	"svc/server/money"
)

// Listing is a page of an inventory.
type Listing struct {
	Items  []db.Item
	Counts db.ItemCounts // of what the search finds
	More   bool          // there are items after these
}

// List returns the items of an account that a filter chooses, at most limit.
func (s *Service) List(ctx context.Context, accountID string, f db.ItemFilter, limit int) (l Listing, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		if l.Counts, err = tx.CountItems(accountID, f); err != nil || l.Counts.Of(f.Stock) == 0 {
			return err
		}
		l.Items, err = tx.SearchItems(accountID, f, limit+1)
		return err
	})
	if l.More = len(l.Items) > limit; l.More {
		l.Items = l.Items[:limit]
	}
	return l, err
}

// First returns the first items by name that have the words of a text, at most limit. It does
// not count them, which would read all items.
func (s *Service) First(ctx context.Context, accountID, text string, limit int) (all []db.Item, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		all, err = tx.SearchItems(accountID, db.ItemFilter{Search: text}, limit)
		return err
	})
	return all, err
}

// Add adds an item, which needs a name. An Invalid of its field: another item has the SKU, one
// of the barcodes, or, if it has neither, the name.
func (s *Service) Add(ctx context.Context, owner db.Account, e Edit) (Entry, error) {
	if e.Stock != nil && isBlankValue(*e.Stock) {
		e.Stock = nil
	}
	e.Name = orEmpty(e.Name)
	return db.Write(ctx, s.Store, func(tx *db.Tx) (entry Entry, err error) {
		name := db.Item{Name: "-"}
		if _, problems := e.parse(&name, money.Decimals(owner.Profile.Currency)); errors.Join(problems...) != nil {
			return entry, errors.Join(problems...)
		}
		if *orEmpty(e.SKU) == "" && *orEmpty(e.Barcodes) == "" {
			if _, err := tx.ItemByName(owner.ID, name.Name); !errors.Is(err, db.ErrNotFound) {
				return entry, taken(err, "name", "is another item's; give this one a SKU or a barcode to tell them apart")
			}
		}
		item, err := tx.AddItem(owner.ID, name.Name)
		if err != nil {
			return entry, err
		}
		if err := e.store(tx, item, money.Decimals(owner.Profile.Currency)); err != nil {
			return entry, err
		}
		return readEntry(tx, owner.ID, item.ID)
	})
}

func orEmpty(text *string) *string {
	if text == nil {
		return new("")
	}
	return text
}

// taken returns the error of a field whose value another item has, or the error of looking.
func taken(err error, field, message string) error {
	if err != nil && !errors.Is(err, db.ErrConflict) {
		return err
	}
	return fault.Invalid(field, message).Because(db.ErrConflict)
}

// AddBarcode adds one barcode to an item, which is given by its id, its SKU or a barcode.
func (s *Service) AddBarcode(ctx context.Context, accountID, item, barcode string) (Entry, error) {
	codes, err := parseBarcodes(barcode)
	if err != nil || len(codes) != 1 {
		return Entry{}, fault.Invalid("barcodes", "must be one barcode with 8, 12, 13 or 14 digits")
	}
	return db.Write(ctx, s.Store, func(tx *db.Tx) (entry Entry, err error) {
		found, err := findItem(tx, accountID, item)
		if err != nil {
			return entry, err
		}
		all, err := tx.Barcodes(found)
		if err != nil {
			return entry, err
		}
		err = tx.SetBarcodes(found, append(all, gtin.Key(codes[0])))
		if errors.Is(err, db.ErrConflict) {
			err = fault.Invalid("barcodes", "is another item's").Because(err)
		}
		if err != nil {
			return entry, err
		}
		return readEntry(tx, accountID, found.ID)
	})
}

// Count stores the stock of an item as counted, with a note that may be empty.
func (s *Service) Count(ctx context.Context, owner db.Account, item, stock, note string) (Entry, error) {
	note, err := parseReason(note)
	if err != nil {
		return Entry{}, err
	}
	var milli *int64
	if err := setAmount("stock", &stock, stockDecimals, true, &milli); err != nil {
		return Entry{}, err
	}
	if milli == nil {
		return Entry{}, fault.Invalid("stock", "must be a number")
	}
	return db.Write(ctx, s.Store, func(tx *db.Tx) (entry Entry, err error) {
		found, err := findItem(tx, owner.ID, item)
		if err != nil {
			return entry, err
		}
		if err := tx.CountStock(found, *milli, note); err != nil {
			return entry, err
		}
		return readEntry(tx, owner.ID, found.ID)
	})
}

// Actors that are no person and no key.
var actorWords = map[string]string{db.ActorCommand: "command line", db.ActorServer: "the server", db.ActorLink: "a mailed link"}

// actorNames names the actors of moves to people. A person is named by their address, a key by
// its label.
func (s *Service) actorNames(ctx context.Context, actors []string) (map[string]string, error) {
	named := maps.Clone(actorWords)
	var keys map[string]db.KeyName
	err := s.Store.View(ctx, func(tx *db.Tx) (err error) {
		var ids []string
		for _, actor := range actors {
			if strings.HasPrefix(actor, "key_") {
				ids = append(ids, actor)
			} else if _, known := named[actor]; !known && actor != "" {
				email, err := tx.ActorEmail(actor)
				if err != nil && !errors.Is(err, db.ErrNotFound) {
					return err
				}
				named[actor] = email
			}
		}
		keys, err = tx.KeyNames(ids)
		return err
	})
	for id, key := range keys {
		named[id] = "key " + cmp.Or(key.Label, id)
	}
	return named, err
}
