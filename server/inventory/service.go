package inventory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"svc/db"
	"svc/server/gtin"
	"svc/server/money"
	"svc/server/sheet"
)

// Service keeps the items of accounts.
type Service struct{ Store *db.DB }

const (
	// chunk is how many rows one transaction takes: some 20 ms of the one writer.
	chunk = 200
	// abandoned is the age at which an import that was never made ready is dropped.
	abandoned = 24 * time.Hour
)

// File is a product list as its owner brings it.
type File struct {
	Name    string
	Content io.ReaderAt
	Size    int64        // bytes
	Limits  sheet.Limits // the zero value has none on size and rows
}

// Report is what became of a file, or would.
type Report struct {
	Result
	Added, Changed int
	DryRun         bool
}

// Import puts the products of a file into an account's inventory: all of them, or none
// when a row is at fault, which Report.Errors then says. A product is known by its SKU,
// else by a barcode, or, when it has neither, by its name; what the file leaves blank
// stays as it is. A dry run stores nothing.
//
// The error is a *sheet.Error where the file is no product list, and ours otherwise.
// Once all is staged the import is finished, if not by this call then by Sweep.
func (s *Service) Import(ctx context.Context, owner db.Account, f File, dryRun bool) (Report, error) {
	result, err := Parse(f.Name, f.Content, f.Size, f.Limits, money.Decimals(owner.Profile.Currency))
	r := Report{Result: result, DryRun: dryRun}
	if err != nil || len(r.Errors) > 0 {
		return r, err
	}
	if err := s.compare(ctx, owner.ID, &r); err != nil || len(r.Errors) > 0 || dryRun {
		return r, err
	}
	i, err := s.stage(ctx, owner.ID, r.Products)
	if err != nil {
		return r, err
	}
	return r, s.apply(ctx, i)
}

// compare counts what is new to the inventory, and finds rows whose SKU and barcodes
// are those of several items.
func (s *Service) compare(ctx context.Context, accountID string, r *Report) error {
	for products := range slices.Chunk(r.Products, chunk) {
		err := s.Store.LongView(ctx, func(tx *db.Tx) error {
			for _, p := range products {
				_, err := tx.MatchItem(accountID, p.change())
				switch {
				case errors.Is(err, db.ErrNotFound):
					r.Added++
				case errors.Is(err, db.ErrConflict):
					r.Errors = append(r.Errors, LineError{Line: p.Line, Reason: "its SKU and its barcodes belong to different items of the inventory"})
				case err != nil:
					return err
				default:
					r.Changed++
				}
			}
			return nil
		})
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if len(r.Errors) >= maxErrors {
			return nil
		}
	}
	return nil
}

// change is the product as the store takes it.
func (p Product) change() db.ItemChange {
	keys := make([]string, len(p.Barcodes))
	for i, b := range p.Barcodes {
		keys[i] = gtin.Key(b)
	}
	return db.ItemChange{
		Name: p.Name, SKU: p.SKU, Barcodes: keys, Aliases: p.Aliases,
		Price: p.Price, CostPrice: p.CostPrice, StockMilli: p.Stock,
		Unit: p.Unit, Category: p.Category, ReorderMilli: p.ReorderPoint,
	}
}

// stage stores the products beside the inventory, and then makes all of them count in
// one durable step.
func (s *Service) stage(ctx context.Context, accountID string, products []Product) (i db.Import, err error) {
	err = s.Store.Tally(ctx, func(tx *db.Tx) (err error) {
		i, err = tx.BeginImport(accountID)
		return err
	})
	if err != nil {
		return i, err
	}
	seq := 0
	for some := range slices.Chunk(products, chunk) {
		err := s.Store.Tally(ctx, func(tx *db.Tx) error {
			for n, p := range some {
				if err := tx.StageItem(i, seq+n, p.change()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return i, err // Sweep drops what is staged
		}
		seq += len(some)
	}
	return i, s.Store.Update(ctx, func(tx *db.Tx) error { return tx.ReadyImport(i) })
}

// apply works an import that is ready off.
func (s *Service) apply(ctx context.Context, i db.Import) error {
	return s.inChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.ApplyImport(i, chunk) })
}

func (s *Service) inChunks(ctx context.Context, step func(*db.Tx) (done bool, err error)) error {
	for done := false; !done; {
		err := s.Store.Tally(ctx, func(tx *db.Tx) (err error) {
			done, err = step(tx)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Sweep finishes imports that are ready and drops those that nobody went on with.
func (s *Service) Sweep(ctx context.Context) error {
	var ready, stale []db.Import
	err := s.Store.View(ctx, func(tx *db.Tx) (err error) {
		if ready, err = tx.ReadyImports(); err != nil {
			return err
		}
		stale, err = tx.StaleImports(tx.Now().Add(-abandoned))
		return err
	})
	for _, i := range ready {
		err = errors.Join(err, s.apply(ctx, i))
	}
	for _, i := range stale {
		err = errors.Join(err, s.inChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.DropImport(i, chunk) }))
	}
	return err
}

// Entry is an item with what else it is found by.
type Entry struct {
	db.Item
	Barcodes, Aliases []string
}

// Each calls yield with each item of an account, oldest first, until yield fails.
func (s *Service) Each(ctx context.Context, accountID string, yield func(Entry) error) error {
	for after := ""; ; {
		page, err := s.page(ctx, accountID, after)
		if err != nil {
			return err
		}
		for _, e := range page {
			if err := yield(e); err != nil {
				return err
			}
		}
		if len(page) < chunk {
			return nil
		}
		after = page[chunk-1].ID
	}
}

func (s *Service) page(ctx context.Context, accountID, after string) (page []Entry, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		items, err := tx.Items(accountID, after, chunk)
		if err != nil {
			return err
		}
		page = make([]Entry, len(items))
		for n, i := range items {
			page[n].Item = i
			if page[n].Barcodes, err = tx.Barcodes(i); err != nil {
				return err
			}
			if page[n].Aliases, err = tx.Aliases(i); err != nil {
				return err
			}
		}
		return nil
	})
	return page, err
}

// AddAlias gives an item, named by its id or its SKU, one more name that scan knows it
// by (F4). It returns the item.
func (s *Service) AddAlias(ctx context.Context, accountID, item, alias string) (found db.Item, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		found, err = tx.Item(accountID, item)
		if errors.Is(err, db.ErrNotFound) {
			found, err = tx.ItemBySKU(accountID, item)
		}
		if err != nil {
			return fmt.Errorf("item %q: %w", item, err)
		}
		return tx.AddAlias(accountID, found.ID, alias)
	})
	return found, err
}

// Verify lists the ids of the account's items whose stock is not the sum of its moves.
func (s *Service) Verify(ctx context.Context, accountID string) (faults []string, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		faults, err = tx.StockFaults(accountID)
		return err
	})
	return faults, err
}
