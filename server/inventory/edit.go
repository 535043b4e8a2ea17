package inventory

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/gtin"
	"svc/server/money"
	"svc/server/sheet"
)

// Edit changes the fields of an item that are not nil, as texts in the forms that an import
// reads. An empty text makes a price or the reorder point unknown, and takes the SKU, the
// barcodes, the unit or the category away; a name and a stock cannot be taken away.
type Edit struct {
	Name, SKU, Barcodes, Price, CostPrice, Stock, Unit, Category, ReorderPoint *string
}

// Set changes an item, which is given by its id, its SKU or a barcode, and returns it.
// Barcodes replace those that it had. A new stock is stored as a count.
func (s *Service) Set(ctx context.Context, owner db.Account, item string, e Edit) (Entry, error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (entry Entry, err error) {
		found, err := findItem(tx, owner.ID, item)
		if err != nil {
			return entry, err
		}
		if err := e.store(tx, found, money.Decimals(owner.Profile.Currency)); err != nil {
			return entry, err
		}
		return readEntry(tx, owner.ID, found.ID)
	})
}

// store applies the edit to an item with prices of so many decimals.
func (e Edit) store(tx *db.Tx, i db.Item, decimals int) error {
	stock, problems := e.parse(&i, decimals)
	if err := errors.Join(problems...); err != nil {
		return err
	}
	err := tx.EditItem(i)
	if errors.Is(err, db.ErrConflict) {
		return fault.Invalid("sku", "another item has it").Because(db.ErrConflict)
	}
	if err == nil && e.Barcodes != nil {
		err = setBarcodes(tx, i, *e.Barcodes)
	}
	if err != nil || e.Stock == nil {
		return err
	}
	return tx.SetStock(i, *stock)
}

// parse applies the edit to an item with prices of so many decimals, but for its barcodes and its
// stock, which it returns. The problems, each an Invalid of its field, are all that the edit has by
// itself.
func (e Edit) parse(i *db.Item, decimals int) (stock *int64, problems []error) {
	problems = append(e.texts(i),
		setAmount("price", e.Price, decimals, false, &i.Price),
		setAmount("cost", e.CostPrice, decimals, false, &i.CostPrice),
		setAmount("reorder-point", e.ReorderPoint, stockDecimals, false, &i.ReorderMilli),
		setAmount("stock", e.Stock, stockDecimals, true, &stock))
	if e.Stock != nil && isBlankValue(strings.TrimSpace(*e.Stock)) {
		problems = append(problems, fault.Invalid("stock", "must be a number: a known stock cannot become unknown"))
	}
	if e.Barcodes != nil {
		_, err := barcodeKeys(*e.Barcodes)
		problems = append(problems, err)
	}
	return stock, problems
}

// problems returns all that is wrong with the edit by itself, for a form that shows it at once.
func (e Edit) problems(decimals int) []error {
	if e.Stock != nil && isBlankValue(*e.Stock) {
		e.Stock = nil
	}
	_, all := e.parse(&db.Item{Name: "-"}, decimals)
	return all
}

// texts applies the name, the SKU, the unit and the category.
func (e Edit) texts(i *db.Item) (problems []error) {
	for _, f := range []struct {
		name string
		text *string
		to   *string
		most int
	}{{"name", e.Name, &i.Name, nameLength}, {"sku", e.SKU, &i.SKU, skuLength}, {"unit", e.Unit, &i.Unit, unitLength}, {"category", e.Category, &i.Category, nameLength}} {
		if f.text == nil {
			continue
		}
		text := singleSpaced(*f.text)
		err := checkLength(text, f.most)
		if err == nil && f.to == &i.SKU {
			text, err = parseSKU(text)
		}
		if err != nil {
			problems = append(problems, fault.Invalid(f.name, err.Error()))
			continue
		}
		*f.to = text
	}
	if i.Name == "" {
		problems = append(problems, fault.Invalid("name", "must not be blank"))
	}
	return problems
}

// setAmount parses a text, if there is one, as a number of units of 10^-places. A blank text
// makes it nil.
func setAmount(field string, text *string, places int, negative bool, to **int64) error {
	if text == nil {
		return nil
	}
	if *to = nil; isBlankValue(strings.TrimSpace(*text)) {
		return nil
	}
	n, err := parseUnits(*text, places)
	if err == nil && n < 0 && !negative {
		err = errors.New(sheet.Quote(*text) + " is negative")
	}
	if err != nil {
		return fault.Invalid(field, err.Error())
	}
	*to = &n
	return nil
}

// parseUnits parses a number on its own: a point in it is a decimal point, unless its
// digits rule that out.
func parseUnits(text string, places int) (int64, error) {
	numbers := &sheet.Numbers{Fallback: '.'}
	numbers.Observe(text)
	return inUnits(numbers, text, places)
}

// barcodeKeys returns the barcodes of a text in the form in which they are stored.
func barcodeKeys(text string) ([]string, error) {
	barcodes, err := parseBarcodes(text)
	if err != nil {
		return nil, fault.Invalid("barcodes", "cannot be stored: "+err.Error())
	}
	keys := make([]string, len(barcodes))
	for n, b := range barcodes {
		keys[n] = gtin.Key(b)
	}
	return keys, nil
}

func setBarcodes(tx *db.Tx, i db.Item, text string) error {
	keys, err := barcodeKeys(text)
	if err != nil {
		return err
	}
	err = tx.SetBarcodes(i, keys)
	if errors.Is(err, db.ErrConflict) {
		err = fault.Invalid("barcodes", "another item has one of them").Because(db.ErrConflict)
	}
	return err
}

// maxReason bounds the reason of an adjustment, in characters.
const maxReason = 200

// Adjust changes the stock of an item by a number like "+5" or "-3" and keeps the reason,
// which may not be blank, with the stock move. It returns the item after the change.
func (s *Service) Adjust(ctx context.Context, owner db.Account, item, change, reason string) (Entry, error) {
	return adjusted(ctx, s, owner, item, change, reason, func(tx *db.Tx, i db.Item) (Entry, error) { return readEntry(tx, owner.ID, i.ID) })
}

// Step is Adjust, and returns the number of the stock move, for Undo.
func (s *Service) Step(ctx context.Context, owner db.Account, item, change, reason string) (move int64, err error) {
	return adjusted(ctx, s, owner, item, change, reason, func(tx *db.Tx, i db.Item) (int64, error) {
		moves, err := tx.StockMoves(owner.ID, i.ID, 1)
		if err != nil || len(moves) == 0 {
			return 0, err
		}
		return moves[0].Seq, nil
	})
}

// adjusted is Adjust with what read returns of the item in the same transaction.
func adjusted[T any](ctx context.Context, s *Service, owner db.Account, item, change, reason string, read func(*db.Tx, db.Item) (T, error)) (none T, err error) {
	reason, err = parseReason(reason)
	if err == nil && reason == "" {
		err = fault.Invalid("reason", "must not be blank")
	}
	if err != nil {
		return none, err
	}
	milli, err := parseUnits(change, stockDecimals)
	if err == nil && milli == 0 {
		err = errors.New("must not be 0")
	}
	if err != nil {
		return none, fault.Invalid("change", err.Error())
	}
	return db.Write(ctx, s.Store, func(tx *db.Tx) (T, error) {
		found, err := findItem(tx, owner.ID, item)
		if err != nil {
			return none, err
		}
		if err := adjust(tx, found, milli, reason); err != nil {
			return none, err
		}
		return read(tx, found)
	})
}

func parseReason(text string) (string, error) {
	text = singleSpaced(text)
	if err := checkLength(text, maxReason); err != nil {
		return "", fault.Invalid("reason", err.Error())
	}
	return text, nil
}

func adjust(tx *db.Tx, i db.Item, milli int64, reason string) error {
	if i.StockMilli == nil {
		return fault.Invalid("change", fmt.Sprintf("the stock of %s is not known; set it first", i.Name)).Because(db.ErrConflict)
	}
	if after := *i.StockMilli + milli; (after > *i.StockMilli) != (milli > 0) {
		return fault.Invalid("change", sheet.ErrRange.Error()).Because(sheet.ErrRange)
	}
	return tx.AdjustStock(i, milli, reason)
}

// Find returns an item, which is given by its id, its SKU or a barcode, with its newest
// stock moves, at most limit.
func (s *Service) Find(ctx context.Context, accountID, item string, limit int) (e Entry, moves []db.StockMove, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		found, err := findItem(tx, accountID, item)
		if err != nil {
			return err
		}
		if e, err = readEntry(tx, accountID, found.ID); err != nil {
			return err
		}
		moves, err = tx.StockMoves(accountID, found.ID, limit)
		return err
	})
	return e, moves, err
}

// Remove removes an item, which is given by its id, its SKU or a barcode, with its barcodes
// and aliases. What it was sold and bought for stays: sales, orders and stock moves are the
// shop's history, and answers are computed from them.
func (s *Service) Remove(ctx context.Context, accountID, item string) (removed db.Item, err error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (db.Item, error) {
		found, err := findItem(tx, accountID, item)
		if err != nil {
			return found, err
		}
		return found, tx.RemoveItem(found)
	})
}

// exported are the headings of Export. Import knows each of them.
var exported = []string{FieldName, FieldSKU, "barcode", FieldPrice, FieldCost, FieldStock, FieldUnit, FieldReorder, FieldCategory, FieldAliases}

// Export calls write with the headings and then with each item, oldest first, in cells that
// Import takes back without a change.
func (s *Service) Export(ctx context.Context, owner db.Account, write func(cells []string) error) error {
	decimals := money.Decimals(owner.Profile.Currency)
	number := func(n *int64, places int) string {
		if n == nil {
			return ""
		}
		return money.Number(*n, places)
	}
	if err := write(exported); err != nil {
		return err
	}
	return s.Each(ctx, owner.ID, func(e Entry) error {
		aliases := strings.Join(e.Aliases, ";")
		if strings.Contains(aliases, ",") {
			aliases += ";" // else a single alias would end at its comma
		}
		return write([]string{
			e.Name, e.SKU, strings.Join(e.Barcodes, ";"), number(e.Price, decimals), number(e.CostPrice, decimals),
			number(e.StockMilli, stockDecimals), e.Unit, number(e.ReorderMilli, stockDecimals), e.Category, aliases,
		})
	})
}

// Mentions reports whether each word of a text is in the item's name, SKU, category, a
// barcode or an alias, whatever the case.
func (e Entry) Mentions(text string) bool {
	all := strings.ToLower(strings.Join(append([]string{e.Name, e.SKU, e.Category, strings.Join(e.Barcodes, " ")}, e.Aliases...), "\n"))
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		if !strings.Contains(all, word) {
			return false
		}
	}
	return true
}
