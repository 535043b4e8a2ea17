package inventory

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/sheet"
)

const (
	// filesAtOnce bounds the files that are read for previews at once: one of 20 MB takes
	// seconds of a core and some 100 MB.
	filesAtOnce = 2
	// previewsKept is how many previews of an account wait for its decision. A further one
	// drops the oldest.
	previewsKept = 3
)

// PreviewLimits bound a file that is sent through the console (I1).
var PreviewLimits = sheet.Limits{Bytes: 20_000_000, Rows: 200_000}

// What becomes of a row of a preview.
const (
	RowAdded   = "added"
	RowChanged = "changed"
	RowSame    = "same"
	RowFaulty  = "faulty" // it is left out
)

// Preview is a file that is staged beside the inventory, and what would become of it. It is
// dropped a day after it was made. A file of which no row can be imported has Errors and no ID,
// and nothing of it is stored; one of which some can has Faulty rows.
type Preview struct {
	ID       string            `json:"-"`
	File     string            `json:"file"`
	Added    int               `json:"added"`
	Changed  int               `json:"changed"`
	Same     int               `json:"same"`               // rows that say what the inventory has already
	Faulty   int               `json:"faulty,omitempty"`   // rows with faults, which Confirm leaves out
	Headings []string          `json:"headings,omitempty"` // of the file, if it has faulty rows
	Skipped  int               `json:"skipped,omitempty"`
	Above    int               `json:"above,omitempty"`
	Beyond   int               `json:"beyond,omitempty"`
	Columns  map[string]string `json:"columns"`
	Ignored  []string          `json:"ignored,omitempty"`
	Sheets   []sheet.Brief     `json:"sheets,omitempty"` // of the file, also those that were not read
	Sheet    string            `json:"sheet,omitempty"`  // that was chosen; empty: the one that fits best
	Warnings []LineError       `json:"warnings,omitempty"`
	Noted    []PreviewRow      `json:"noted,omitempty"` // the first that are new or changed, for when it is done
	Errors   []LineError       `json:"-"`
	More     bool              `json:"-"` // there may be more errors
}

// newPreview returns what a preview says of the file itself.
func newPreview(f File, r Result) Preview {
	return Preview{
		File: f.Name, Skipped: r.Skipped, Above: r.Above, Beyond: r.Beyond, Columns: r.Columns,
		Ignored: r.Ignored, Sheets: sheet.Briefs(r.Tables), Sheet: f.Sheet, Warnings: r.Warnings,
	}
}

// Rows returns the number of rows with an outcome, or of all that are imported if it is empty.
func (p Preview) Rows(outcome string) int {
	switch outcome {
	case RowAdded:
		return p.Added
	case RowChanged:
		return p.Changed
	case RowSame:
		return p.Same
	case RowFaulty:
		return p.Faulty
	}
	return p.Added + p.Changed + p.Same
}

// mostNoted is how many rows a preview notes.
const mostNoted = 20

// note keeps a row that is new or changed, if it is among the first.
func (p *Preview) note(row PreviewRow) {
	if row.Outcome != RowSame && len(p.Noted) < mostNoted {
		p.Noted = append(p.Noted, row)
	}
}

// count changes the number of rows with an outcome.
func (p *Preview) count(outcome string, by int) {
	switch outcome {
	case RowAdded:
		p.Added += by
	case RowChanged:
		p.Changed += by
	case RowSame:
		p.Same += by
	}
}

// FieldChange is a field that a row changes; From is empty for a field that was empty.
type FieldChange struct {
	Field string `json:"f"`
	From  string `json:"a,omitempty"`
	To    string `json:"b"`
}

// PreviewRow is what would become of a row.
type PreviewRow struct {
	Seq       int           `json:"-"`
	Outcome   string        `json:"-"`
	Worksheet string        `json:"sheet,omitempty"`
	Line      int           `json:"line"`
	ItemID    string        `json:"item,omitempty"` // empty: a new item
	Name      string        `json:"name"`
	Changes   []FieldChange `json:"changes,omitempty"`
}

// decides reports whether two comparisons of a row come to the same: the same item gets the
// same new values. What the values were before may differ.
func (r PreviewRow) decides(other PreviewRow) bool {
	sameField := func(a, b FieldChange) bool { return a.Field == b.Field && a.To == b.To }
	return r.Outcome == other.Outcome && r.ItemID == other.ItemID && slices.EqualFunc(r.Changes, other.Changes, sameField)
}

// PreviewFile reads a file and stages it beside the inventory, to be confirmed or discarded. The
// error is a *sheet.Error if the file is no product list; any other error is ours.
func (s *Service) PreviewFile(ctx context.Context, owner db.Account, f File) (p Preview, err error) {
	if err := s.files.Acquire(ctx, 1); err != nil {
		return p, err
	}
	defer s.files.Release(1)
	err = s.Queue.Do(ctx, fairqueue.Files, owner.ID, func(ctx context.Context) error {
		p, err = s.previewFile(ctx, owner, f)
		return err
	})
	return p, err
}

// previewFile is PreviewFile in a turn, which other heavy work interrupts.
func (s *Service) previewFile(ctx context.Context, owner db.Account, f File) (p Preview, err error) {
	f.Limits = PreviewLimits
	result, err := Parse(ctx, f, owner.Profile.Currency)
	if err != nil {
		return p, err
	}
	p = newPreview(f, result)
	if err = s.stagePreview(ctx, owner, f, &p, result); err != nil || p.ID == "" || len(p.Sheets) < 2 {
		return p, err
	}
	return p, s.keepFile(p, f)
}

// keepFile keeps the file of a preview, so that another of its sheets can be chosen. It goes
// with the preview.
func (s *Service) keepFile(p Preview, f File) error {
	content, err := io.ReadAll(io.NewSectionReader(f.Content, 0, f.Size))
	if err != nil {
		return err
	}
	return s.Store.WriteUpload(db.Upload{ID: p.ID}, content)
}

// ChooseSheet reads another sheet of the file of a preview of the account, and stages it in the
// place of the preview. If the sheet has Errors, or the error is a *sheet.Error, the preview
// stays as it was.
func (s *Service) ChooseSheet(ctx context.Context, owner db.Account, id, name string) (p Preview, err error) {
	i, before, err := s.preview(ctx, owner.ID, id)
	if err != nil {
		return p, err
	}
	file, err := s.Store.OpenUpload(db.Upload{ID: id})
	if errors.Is(err, db.ErrNotFound) {
		return p, &fault.Error{Code: fault.Gone, Message: "the file is no longer kept here; send it again"}
	}
	if err != nil {
		return p, err
	}
	defer file.Close() // it is only read
	info, err := file.Stat()
	if err != nil {
		return p, err
	}
	p, err = s.PreviewFile(ctx, owner, File{Name: before.File, Content: file, Size: info.Size(), Sheet: name})
	if err != nil || len(p.Errors) > 0 {
		return p, err
	}
	return p, s.drop(ctx, i)
}

// stagePreview compares the products with the inventory and stages them, unless no row is
// without a fault: then all faults are told at once.
func (s *Service) stagePreview(ctx context.Context, owner db.Account, f File, p *Preview, result Result) error {
	var staged db.Import
	err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
		staged, err = tx.BeginImport(owner.ID)
		return err
	})
	if err != nil {
		return err
	}
	seq, all := 0, result.faults
	for some := range slices.Chunk(result.Products, chunk) {
		if all.whole || all.full() {
			break
		}
		if err := fairqueue.Yield(ctx); err != nil {
			return err
		}
		good, rows, err := s.compareRows(ctx, owner, p, &all, some)
		if err == nil {
			err = s.stageRows(ctx, staged, seq, rows, good)
		}
		if err != nil {
			return err
		}
		seq += len(good)
	}
	var faulty []FaultyRow
	if p.Headings, faulty, err = faultyRows(ctx, f, &all); err != nil {
		return err
	}
	if p.Faulty = len(faulty); all.whole || seq == 0 {
		p.Errors, p.More = all.first(), len(all.all) > maxErrors
		return s.drop(ctx, staged)
	}
	if err := s.stageFaulty(ctx, staged, faulty); err != nil {
		return err
	}
	if err := s.keep(ctx, staged, *p); err != nil {
		return err
	}
	p.ID = staged.ID
	return s.dropOld(ctx, owner.ID)
}

// compareRows returns the products of some that can be imported, and what would become of each.
// It adds to the counts of the preview and to the faults.
func (s *Service) compareRows(ctx context.Context, owner db.Account, p *Preview, all *faults, products []Product) (good []Product, rows []PreviewRow, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		for _, product := range products {
			row, problem, err := compareRow(tx, owner, product.change())
			if err != nil {
				return err
			}
			if problem != "" {
				all.add(LineError{Worksheet: product.Worksheet, Line: product.Line, Reason: problem})
				for _, at := range product.others {
					all.attached = append(all.attached, attachedTo(at))
				}
				continue
			}
			row.Worksheet, row.Line = product.Worksheet, product.Line
			p.count(row.Outcome, 1)
			p.note(row)
			good, rows = append(good, product), append(rows, row)
		}
		return nil
	})
	return good, rows, errors.Join(err, ctx.Err())
}

// compareRow compares a change with the inventory. Problem is a clause without a full stop,
// empty if there is none.
func compareRow(tx *db.Tx, owner db.Account, c db.ItemChange) (row PreviewRow, problem string, err error) {
	item, err := tx.MatchItem(owner.ID, c)
	switch {
	case errors.Is(err, db.ErrNotFound) && c.Name == "":
		return row, "has no name, and the inventory does not know it", nil
	case errors.Is(err, db.ErrConflict):
		return row, "its SKU, its barcodes or its name point to different items of the inventory", nil
	case errors.Is(err, db.ErrNotFound):
		row = PreviewRow{Outcome: RowAdded, Name: c.Name}
		row.Changes = changesOf(Entry{Item: db.Item{Name: c.Name}}, c, money.Decimals(owner.Profile.Currency))
		return row, "", nil
	case err != nil:
		return row, "", err
	}
	before, err := entryOf(tx, item)
	row = PreviewRow{Outcome: RowChanged, ItemID: item.ID, Name: cmp.Or(c.Name, item.Name)}
	if row.Changes = changesOf(before, c, money.Decimals(owner.Profile.Currency)); len(row.Changes) == 0 {
		row.Outcome = RowSame
	}
	return row, "", err
}

// changesOf lists the fields of an item that a change changes, as people write them.
func changesOf(before Entry, c db.ItemChange, decimals int) (all []FieldChange) {
	text := func(field, from, to string) {
		if to != "" && to != from {
			all = append(all, FieldChange{field, from, to})
		}
	}
	price := func(field string, from, to *int64) {
		if to != nil && (from == nil || *from != *to) {
			all = append(all, FieldChange{field, priceText(from, decimals), priceText(to, decimals)})
		}
	}
	quantity := func(field string, from, to *int64) {
		if to != nil && (from == nil || *from != *to) {
			all = append(all, FieldChange{field, numberText(from, stockDecimals), numberText(to, stockDecimals)})
		}
	}
	added := func(field string, has, more []string) {
		for _, code := range more {
			if !slices.Contains(has, code) {
				all = append(all, FieldChange{Field: field, To: code})
			}
		}
	}
	text(FieldName, before.Name, c.Name)
	text(FieldSKU, before.SKU, c.SKU)
	price(FieldPrice, before.Price, c.Price)
	price(FieldCost, before.CostPrice, c.CostPrice)
	quantity(FieldStock, before.StockMilli, c.StockMilli)
	text(FieldUnit, before.Unit, c.Unit)
	quantity(FieldReorder, before.ReorderMilli, c.ReorderMilli)
	text(FieldCategory, before.Category, c.Category)
	added(FieldBarcodes, before.Barcodes, c.Barcodes)
	added(FieldAliases, before.Aliases, c.Aliases)
	return all
}

// numberText returns a number of units of 10^-places, empty for nil.
func numberText(n *int64, places int) string {
	if n == nil {
		return ""
	}
	return money.Number(*n, places)
}

// priceText returns a price with all decimals of its currency, empty for nil.
func priceText(n *int64, decimals int) string {
	if n == nil {
		return ""
	}
	return strings.ReplaceAll(money.Digits(*n, decimals), ",", "")
}

func (s *Service) stageRows(ctx context.Context, staged db.Import, seq int, rows []PreviewRow, products []Product) error {
	return s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		for n, row := range rows {
			stored, err := row.stored(seq + n)
			if err != nil {
				return err
			}
			stored.Change = products[n].change()
			if err := tx.StagePreviewRow(staged, stored); err != nil {
				return err
			}
		}
		return nil
	})
}

func (r PreviewRow) stored(seq int) (db.PreviewRow, error) {
	note, err := json.Marshal(r)
	return db.PreviewRow{Seq: seq, Outcome: r.Outcome, Note: note}, err
}

func (s *Service) keep(ctx context.Context, staged db.Import, p Preview) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.KeepPreview(staged, text) })
}

func (s *Service) drop(ctx context.Context, i db.Import) error {
	err := s.Store.InChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.DropImport(i, chunk) })
	return errors.Join(err, s.Store.RemoveUpload(db.Upload{ID: i.ID}))
}

// dropOld drops the account's previews except the newest.
func (s *Service) dropOld(ctx context.Context, accountID string) error {
	old, err := db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Import, error) { return tx.OldPreviews(accountID, previewsKept) })
	for _, i := range old {
		err = errors.Join(err, s.drop(ctx, i))
	}
	return err
}

var errNoPreview = &fault.Error{Code: fault.NotFound, Message: "there is no such import; it may have been discarded, or replaced by later ones"}

// preview reads a preview and its import.
func (s *Service) preview(ctx context.Context, accountID, id string) (i db.Import, p Preview, err error) {
	var text []byte
	err = s.Store.View(ctx, func(tx *db.Tx) error {
		i, text, err = tx.ImportPreview(accountID, id)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return i, p, errNoPreview
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	p.ID = id
	return i, p, err
}

// Staged is a preview with some of its rows.
type Staged struct {
	Preview
	At    time.Time
	Shown []PreviewRow
	Left  []FaultyRow // in the place of Shown, if they were asked for
	Next  int         // first row of the next page; 0: none
}

// Staged returns a preview of the account with its rows of an outcome (empty: all that are
// imported), from a row on, at most limit. A NotFound: there is none with this id that waits for
// a decision.
func (s *Service) Staged(ctx context.Context, accountID, id, outcome string, from, limit int) (found Staged, err error) {
	i, p, err := s.preview(ctx, accountID, id)
	if err != nil {
		return found, err
	}
	found = Staged{Preview: p, At: i.CreatedAt}
	if outcome == RowFaulty {
		found.Left, err = s.Faulty(ctx, accountID, id, from, limit+1)
		if len(found.Left) > limit {
			found.Next, found.Left = found.Left[limit].Seq, found.Left[:limit]
		}
		return found, err
	}
	rows, err := s.rows(ctx, i, outcome, from, limit+1)
	if len(rows) > limit {
		found.Next, rows = rows[limit].Seq, rows[:limit]
	}
	for _, stored := range rows {
		row, rowErr := readRow(stored)
		err = errors.Join(err, rowErr)
		found.Shown = append(found.Shown, row)
	}
	return found, err
}

func (s *Service) rows(ctx context.Context, i db.Import, outcome string, from, limit int) (rows []db.PreviewRow, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		rows, err = tx.PreviewRows(i, outcome, from, limit)
		return err
	})
	return rows, err
}

func readRow(stored db.PreviewRow) (row PreviewRow, err error) {
	err = json.Unmarshal(stored.Note, &row)
	row.Seq, row.Outcome = stored.Seq, stored.Outcome
	return row, err
}

// Discard drops a preview of the account.
func (s *Service) Discard(ctx context.Context, accountID, id string) error {
	i, _, err := s.preview(ctx, accountID, id)
	if err != nil {
		return err
	}
	return s.drop(ctx, i)
}
