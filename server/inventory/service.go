package inventory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/gtin"
	"svc/server/sheet"
)

// Config names what a Service works with.
type Config struct {
	Store *db.DB
	Queue *fairqueue.Queue // of all heavy work; nil: one of its own
}

// Service manages the items of accounts.
type Service struct {
	Config
	files *semaphore.Weighted
	wake  chan struct{} // see Woken
}

// New returns the service.
func New(c Config) *Service {
	c.Queue = cmp.Or(c.Queue, fairqueue.ForProcess())
	return &Service{Config: c, files: semaphore.NewWeighted(filesAtOnce), wake: make(chan struct{}, 1)}
}

const (
	// chunk is the number of rows in one transaction, which keeps the writer busy for
	// about 5 ms.
	chunk = 50
	// abandoned is the age at which Sweep drops an import that is not ready.
	abandoned = 24 * time.Hour
)

// File is a file with a product list.
type File struct {
	Name    string
	Content io.ReaderAt
	Size    int64        // bytes
	Limits  sheet.Limits // the zero value does not limit size and rows
	Sheet   string       // worksheet or table that is read (see sheet.Choice); empty: the one that fits best
	// LeaveOut makes Import leave out rows with faults. Otherwise it imports all rows or none.
	LeaveOut bool
}

// Report is the outcome of an import, or of a dry run.
type Report struct {
	Result
	ID string // of the import; empty: nothing was stored
	// Added counts new items, Updated changed ones. The stock of changed items is set to
	// that of the file.
	Added, Updated int
	// Faulty counts rows with faults, which were left out if File.LeaveOut says so. Done is
	// false if nothing is imported because of them. Good counts the rows that could be imported
	// without them.
	Faulty, Good int
	Done         bool
	// LeftOut counts rows that conflict with changes made during the import.
	LeftOut int
	DryRun  bool // nothing was stored
}

// Import puts the products of a file into an account's inventory: all of them, or none if
// Report.Errors is not empty, unless the file says to leave rows with faults out. A product is
// identified by its SKU, else by a barcode, or, if it has neither, by its name; blank cells
// change nothing. All faults are told at once, those of the cells and those that only the
// inventory shows. A dry run stores nothing.
//
// The error is a *sheet.Error if the file is no product list; any other error is ours.
// Once all rows are staged, the import will be finished, by this call or by Sweep.
func (s *Service) Import(ctx context.Context, owner db.Account, f File, dryRun bool) (Report, error) {
	result, err := Parse(ctx, f, owner.Profile.Currency)
	r := Report{Result: result, DryRun: dryRun}
	if err != nil {
		return r, err
	}
	if !dryRun {
		if _, err := s.finish(ctx, owner.ID); err != nil { // an interrupted import comes first
			return r, err
		}
	}
	p, err := s.compare(ctx, owner, f, &r)
	if err != nil {
		return r, err
	}
	var faulty []FaultyRow
	if p.Headings, faulty, err = faultyRows(ctx, f, &r.faults); err != nil {
		return r, err
	}
	p.Faulty, r.Faulty = len(faulty), len(r.faults.rows())
	if r.Faulty == 0 || len(faulty) > 0 {
		r.Good = len(r.Products)
	}
	if r.Done = r.Faulty == 0 || f.LeaveOut && r.Good > 0; !r.Done {
		r.Added, r.Updated = 0, 0
	}
	if !r.Done || dryRun {
		return r, nil
	}
	if r.ID, err = s.stage(ctx, owner.ID, r.Products, faulty, p); err != nil {
		return r, err
	}
	if r.LeftOut, err = s.finish(context.WithoutCancel(ctx), owner.ID); err != nil {
		err = fmt.Errorf("the import counts, and a running server will finish it: %w", err)
	}
	return r, err
}

// compare counts new and known products. A row whose SKU, barcodes and name belong to several
// items gets an error and is no product. The preview says what would become of the others.
func (s *Service) compare(ctx context.Context, owner db.Account, f File, r *Report) (Preview, error) {
	p := newPreview(f, r.Result)
	all := r.Products
	r.Products = nil
	for products := range slices.Chunk(all, chunk) {
		if r.faults.full() {
			break
		}
		good, _, err := s.compareRows(ctx, owner, &p, &r.faults, products)
		if err != nil {
			return p, err
		}
		r.Products = append(r.Products, good...)
	}
	r.Added, r.Updated = p.Added, p.Changed+p.Same
	r.Errors, r.More = r.faults.first(), len(r.faults.all) > maxErrors
	return p, nil
}

// change returns the product in the form of the store.
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

// stage stores the products beside the inventory, and then makes the import ready in one
// durable step. If it fails before that, Sweep drops the staged products.
func (s *Service) stage(ctx context.Context, accountID string, products []Product, faulty []FaultyRow, p Preview) (id string, err error) {
	var i db.Import
	err = s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
		i, err = tx.BeginImport(accountID)
		return err
	})
	if err != nil {
		return "", err
	}
	seq := 0
	for some := range slices.Chunk(products, chunk) {
		err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
			for n, p := range some {
				if err := tx.StageItem(i, seq+n, p.change()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return "", err
		}
		seq += len(some)
	}
	if err := s.stageFaulty(ctx, i, faulty); err != nil {
		return "", err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return i.ID, s.Store.Update(ctx, func(tx *db.Tx) error {
		if err := tx.KeepPreview(i, text); err != nil {
			return err
		}
		return tx.ReadyImport(i)
	})
}

// finish applies the account's ready imports, in their order.
func (s *Service) finish(ctx context.Context, accountID string) (leftOut int, err error) {
	var ready []db.Import
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		ready, err = tx.ReadyImportsOf(accountID)
		return err
	})
	for _, i := range ready {
		if err != nil {
			return leftOut, err
		}
		err = s.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
			done, n, err := tx.ApplyImport(i, chunk)
			leftOut += n
			return done, err
		})
	}
	return leftOut, err
}

// Sweep finishes imports that are ready and undos that have begun, and drops abandoned imports.
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
		_, finishErr := s.finish(ctx, i.AccountID)
		err = errors.Join(err, finishErr)
	}
	for _, i := range stale {
		err = errors.Join(err, s.drop(ctx, i))
	}
	return errors.Join(err, s.sweepUndos(ctx))
}

// Entry is an item with its barcodes and aliases.
type Entry struct {
	db.Item
	Barcodes, Aliases []string
}

// Each calls yield with each item of an account, oldest first, until yield returns an
// error.
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
			if page[n], err = entryOf(tx, i); err != nil {
				return err
			}
		}
		return nil
	})
	return page, err
}

// readEntry reads an item with its barcodes and aliases.
func readEntry(tx *db.Tx, accountID, id string) (Entry, error) {
	i, err := tx.Item(accountID, id)
	if err != nil {
		return Entry{}, err
	}
	return entryOf(tx, i)
}

func entryOf(tx *db.Tx, i db.Item) (e Entry, err error) {
	e.Item = i
	if e.Barcodes, err = tx.Barcodes(i); err != nil {
		return e, err
	}
	e.Aliases, err = tx.Aliases(i)
	return e, err
}

// maxAlias bounds an alias, in bytes.
const maxAlias = 1000

// AddAlias adds a name by which scan finds an item (F4). The item is given by its id, its
// SKU or a barcode. AddAlias returns the item, and the item that had the alias before, if any.
func (s *Service) AddAlias(ctx context.Context, accountID, item, alias string) (found, before db.Item, err error) {
	if alias = singleSpaced(alias); alias == "" || len(alias) > maxAlias {
		return found, before, fault.Invalid("name", "must not be blank, nor longer than any name")
	}
	if strings.ContainsAny(alias, ";|") {
		return found, before, fault.Invalid("name", "must not have a ; or |, which separate aliases in a file")
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		if found, err = findItem(tx, accountID, item); err != nil {
			return err
		}
		before, err = tx.ItemByAlias(accountID, alias)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return err
		}
		err = tx.AddAlias(accountID, found.ID, alias)
		if errors.Is(err, db.ErrConflict) {
			err = fault.Invalid("name", "is another item's own name").Because(err)
		}
		return err
	})
	return found, before, err
}

// RemoveAlias removes an alias from an item, which is given by its id, its SKU or a barcode.
func (s *Service) RemoveAlias(ctx context.Context, accountID, item, alias string) (found db.Item, err error) {
	alias = singleSpaced(alias)
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		if found, err = findItem(tx, accountID, item); err != nil {
			return err
		}
		err = tx.RemoveAlias(accountID, found.ID, alias)
		if errors.Is(err, db.ErrNotFound) {
			err = fault.Invalid("name", "the item has no such alias").Because(err)
		}
		return err
	})
	return found, err
}

// findItem finds an item by its id, its SKU or a barcode.
func findItem(tx *db.Tx, accountID, item string) (db.Item, error) {
	found, err := tx.Item(accountID, item)
	if errors.Is(err, db.ErrNotFound) {
		found, err = tx.ItemBySKU(accountID, item)
	}
	if errors.Is(err, db.ErrNotFound) {
		found, err = tx.ItemByBarcode(accountID, gtin.Key(item))
	}
	if err != nil {
		return db.Item{}, fmt.Errorf("item %q: %w", item, err)
	}
	return found, nil
}

// Verify returns the ids of the account's items whose stock is not the sum of its moves.
func (s *Service) Verify(ctx context.Context, accountID string) (faults []string, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		faults, err = tx.StockFaults(accountID)
		return err
	})
	return faults, err
}
