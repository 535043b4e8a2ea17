package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/inventory"
	"svc/server/money"
	"svc/server/scan"
	"svc/server/sheet"
)

// shownMoves is how many stock moves show prints.
const shownMoves = 10

type moveJSON struct {
	At       string      `json:"at"`
	Reason   string      `json:"reason"`
	Note     string      `json:"note,omitempty"`
	Change   json.Number `json:"change"`
	StockQty json.Number `json:"stock_qty"` // after the change
}

func toMoveJSON(m db.StockMove) moveJSON {
	return moveJSON{
		At: stamp(m.CreatedAt), Reason: m.Reason, Note: m.Note, Change: json.Number(money.Number(m.ChangeMilli, 3)),
		StockQty: json.Number(money.Number(m.StockAfterMilli, 3)),
	}
}

func (moveJSON) header() string { return "TIME REASON CHANGE STOCK NOTE" }

func (m moveJSON) cells() []any {
	return []any{m.At, m.Reason, m.Change, m.StockQty, orDash(short(m.Note))}
}

func showItem(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	found, moves, err := app.Inventories.Find(c.Context(), owner.ID, args[0], shownMoves)
	if err != nil {
		return err
	}
	i := itemOf(owner, found)
	result := struct {
		itemJSON
		Moves []moveJSON `json:"moves"`
	}{i, mapAll(moves, toMoveJSON)}
	number := func(n *json.Number) string { return string(orZero(n)) }
	err = printFields(c, result, "id", i.ID, "name", i.Name, "sku", i.SKU, "barcodes", strings.Join(i.Barcodes, " "),
		"aliases", strings.Join(i.Aliases, "; "), "price", number(i.Price), "cost price", number(i.CostPrice), "stock", number(i.StockQty),
		"unit", i.Unit, "category", i.Category, "reorder point", number(i.ReorderPoint))
	if err != nil || wantsJSON(c) || len(moves) == 0 {
		return err
	}
	fmt.Fprintln(c.OutOrStdout())
	return table(c, result.Moves)
}

// itemOf converts an item of an account.
func itemOf(owner db.Account, e inventory.Entry) itemJSON {
	return toItemJSON(e, money.Decimals(owner.Profile.Currency))
}

func orZero[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

func newInventorySet() *cobra.Command {
	c := command("set [--account EMAIL] ITEM", "Change an item, named by its id, SKU or a barcode; an empty value takes a field away", exactly("ITEM"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			edit := inventory.Edit{
				Name: changed(c, "name"), SKU: changed(c, "sku"), Barcodes: changed(c, "barcodes"), Price: changed(c, "price"),
				CostPrice: changed(c, "cost"), Stock: changed(c, "stock"), Unit: changed(c, "unit"), Category: changed(c, "category"),
				ReorderPoint: changed(c, "reorder-point"),
			}
			if edit == (inventory.Edit{}) {
				return usageError{errors.New("say what to change, like --price 4.50 or --stock 24")}
			}
			e, err := app.Inventories.Set(c.Context(), owner, args[0], edit)
			if err != nil {
				return err
			}
			return show(c, itemOf(owner, e), "changed %s (%s)%s", e.Name, e.ID, belowZeroHint(e))
		}))
	for name, usage := range map[string]string{
		"name": "name", "sku": "SKU", "barcodes": "all its barcodes, separated by spaces; others that it has are removed",
		"price": "price, in the currency of the account", "cost": "what a piece costs to buy", "unit": "unit, like bag or kg", "category": "category",
		"stock": "stock as counted; see also svc inventory adjust", "reorder-point": "stock at or below which the item is to be ordered",
	} {
		c.Flags().String(name, "", usage)
	}
	return accountFlag(c)
}

// belowZeroHint returns what to do about a stock below zero, "" if it is not below.
func belowZeroHint(e inventory.Entry) string {
	if orZero(e.StockMilli) >= 0 {
		return ""
	}
	return "; that is below zero: count it and correct it with svc inventory set ITEM --stock N"
}

func newInventoryAdjust() *cobra.Command {
	var reason string
	c := command("adjust [--account EMAIL] ITEM +N|-N", "Change the stock of an item by a number, and keep why", exactly("ITEM", "CHANGE"),
		func(c *cobra.Command, args []string) error {
			if err := require(c, "reason"); err != nil {
				return err
			}
			return withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
				e, err := app.Inventories.Adjust(c.Context(), owner, args[0], args[1], reason)
				if err != nil {
					return err
				}
				i := itemOf(owner, e)
				return show(c, i, "%s (%s): %s, so the stock is now %s%s", e.Name, e.ID, args[1], numberOrDash(i.StockQty), belowZeroHint(e))
			})(c, args)
		})
	c.Flags().StringVar(&reason, "reason", "", "why, like \"two bags were torn\"; it is kept with the stock move")
	c.Annotations = map[string]string{endsInNumber: "true"}
	return accountFlag(c)
}

func newInventoryRemove() *cobra.Command {
	var yes bool
	c := command("remove [--account EMAIL] ITEM", "Remove an item; its sales, orders and stock moves are kept", exactly("ITEM"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			return removeItem(c, app, owner, args[0], yes)
		}))
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return accountFlag(c)
}

func removeItem(c *cobra.Command, app *server.App, owner db.Account, item string, yes bool) error {
	found, _, err := app.Inventories.Find(c.Context(), owner.ID, item, 0)
	if err != nil {
		return err
	}
	if !yes {
		warning := fmt.Sprintf("%s (%s) is removed with its price, stock, barcodes and aliases. Its sales, orders and stock moves are kept. This cannot be undone", found.Name, found.ID)
		if err := confirm(c, warning, "yes", "--yes"); err != nil {
			return err
		}
	}
	removed, err := app.Inventories.Remove(c.Context(), owner.ID, found.ID)
	if err != nil {
		return err
	}
	result := struct {
		ID      string `json:"id"`
		Name    string `json:"name"`
		SKU     string `json:"sku,omitempty"`
		Removed bool   `json:"removed"`
	}{removed.ID, removed.Name, removed.SKU, true}
	return show(c, result, "removed %s (%s); its sales, orders and stock moves are kept", removed.Name, removed.ID)
}

type matchJSON struct {
	ID       string       `json:"id"`
	SKU      string       `json:"sku,omitempty"`
	Name     string       `json:"name"`
	Score    json.Number  `json:"score"`
	StockQty *json.Number `json:"stock_qty"`
	Unit     string       `json:"unit,omitempty"`
	Accepted bool         `json:"accepted"` // a scan finds it by this text
	Reason   string       `json:"reason"`
}

func toMatchJSON(m scan.Match) matchJSON {
	i := toItemJSON(inventory.Entry{Item: m.Item}, 0)
	return matchJSON{
		ID: i.ID, SKU: i.SKU, Name: i.Name, Score: json.Number(fmt.Sprintf("%.2f", m.Score)), StockQty: i.StockQty, Unit: i.Unit,
		Accepted: m.Accepted, Reason: m.Reason,
	}
}

func (matchJSON) header() string { return "ID SKU NAME SCORE STOCK UNIT SCAN WHY" }

func (m matchJSON) cells() []any {
	scan := "-"
	if m.Accepted {
		scan = "finds"
	}
	return []any{m.ID, cmp.Or(m.SKU, "-"), short(m.Name), m.Score, numberOrDash(m.StockQty), orDash(m.Unit), scan, short(m.Reason)}
}

func newInventorySearch() *cobra.Command {
	var limit int
	c := command("search [--account EMAIL] TEXT", "Find items by a name, SKU or barcode as scan does, with scores", exactly("TEXT"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			all, err := app.Scans.Search(c.Context(), owner.ID, args[0], limit)
			return list(c, toMatchJSON, all, err)
		}))
	return accountFlag(limitFlag(c, &limit, 10))
}

// exportInventory prints CSV that import takes back, or with --json what list prints.
func exportInventory(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	if wantsJSON(c) {
		return listItems(c, app, owner, "")
	}
	out := sheet.NewWriter(c.OutOrStdout())
	err := app.Inventories.Export(c.Context(), owner, out.Write)
	out.Flush()
	return errors.Join(err, out.Error())
}
