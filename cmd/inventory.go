package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/inventory"
	"svc/server/money"
)

func newInventory() *cobra.Command {
	return group("inventory", "What merchants sell", newInventoryImport(), newInventoryList(),
		accountFlag(command("show [--account EMAIL] ITEM", "Show an item, named by its id, SKU or a barcode, and its newest stock moves", exactly("ITEM"), withOwner(showItem))),
		newInventorySet(), newInventoryAdjust(), newInventoryRemove(), newInventorySearch(),
		accountFlag(command("export [--account EMAIL]", "Print the items as CSV that import takes back", exactly(), withOwner(exportInventory))),
		newInventoryAlias(),
		accountFlag(command("undo [--account EMAIL] IMPORT", "Undo an import, named by the id that import prints, for 30 days", exactly("IMPORT"), withOwner(undoImport))),
		accountFlag(command("verify [--account EMAIL]", "Check that the stock of every item is the sum of its moves", exactly(), withOwner(verifyInventory))))
}

type lineJSON struct {
	Worksheet string `json:"sheet,omitempty"` // if several worksheets are read
	Line      int    `json:"line"`
	Heading   string `json:"heading,omitempty"`
	Reason    string `json:"reason"`
}

func toLineJSON(e inventory.LineError) lineJSON { return lineJSON(e) }

type importJSON struct {
	OK       bool              `json:"ok"`
	ID       string            `json:"id,omitempty"` // of the import, by which it can be undone
	DryRun   bool              `json:"dry_run"`
	Added    int               `json:"added"`
	Updated  int               `json:"updated"`
	Skipped  int               `json:"skipped"`
	Faulty   int               `json:"faulty"` // rows with errors; with --leave-out they are left out
	LeftOut  int               `json:"left_out"`
	Columns  map[string]string `json:"columns"`
	Ignored  []string          `json:"ignored"`
	Above    int               `json:"above"`  // rows above the headings, which are not read
	Beyond   int               `json:"beyond"` // rows with text to the right of the last heading, which is not read
	Tables   []tableJSON       `json:"tables"`
	Warnings []lineJSON        `json:"warnings"`
	Errors   []lineJSON        `json:"errors"`
}

func newInventoryImport() *cobra.Command {
	var f inventory.File
	var dryRun bool
	c := &cobra.Command{
		Use:   "import [--account EMAIL] FILE",
		Short: "Put the products of a CSV or XLSX file into the inventory: all of them, or none if a line is at fault",
		Long: "Put the products of a CSV or XLSX file into the inventory: all of them, or none if a line is at fault.\n\n" +
			"The headings of Shopify, Square, WooCommerce, Amazon, eBay and Etsy are known, and the usual ones of plain sheets:\n" +
			"name, sku, barcode, price, cost_price, stock_qty, unit, reorder_point, category, aliases. A product has a name; one that is known may do with its SKU or barcode.\n" +
			"A product is known again by its SKU, else by a barcode, or, when it has neither, by its name; blank cells change\n" +
			"nothing, and a stock is set, not added. Prices are in the currency of the account (svc accounts set --currency).",
		Args: exactly("FILE"),
		RunE: withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			return importInventory(c, app, owner, args[0], f, dryRun)
		}),
	}
	c.Flags().StringVar(&f.Sheet, "sheet", "", sheetUsage)
	c.Flags().BoolVar(&f.LeaveOut, "leave-out", false, "leave out the lines at fault and import the others (default: all or nothing)")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "store nothing, only say what would become of the file")
	return accountFlag(c)
}

func importInventory(c *cobra.Command, app *server.App, owner db.Account, path string, f inventory.File, dryRun bool) error {
	var report inventory.Report
	err := withFile(path, func(name string, content io.ReaderAt, size int64) (err error) {
		f.Name, f.Content, f.Size = name, content, size
		report, err = app.Inventories.Import(c.Context(), owner, f, dryRun)
		return err
	})
	if err != nil {
		return err
	}
	return reportImport(c, owner, path, report)
}

func reportImport(c *cobra.Command, owner db.Account, path string, r inventory.Report) error {
	if wantsJSON(c) {
		err := printJSON(c, importJSON{
			OK: r.Done, ID: r.ID, DryRun: r.DryRun, Added: r.Added, Updated: r.Updated, Skipped: r.Skipped, Faulty: r.Faulty, LeftOut: r.LeftOut, Columns: r.Columns, Ignored: append([]string{}, r.Ignored...),
			Above: r.Above, Beyond: r.Beyond, Tables: mapAll(r.Tables, toTableJSON), Warnings: mapAll(r.Warnings, toLineJSON), Errors: mapAll(r.Errors, toLineJSON),
		})
		if err != nil {
			return err
		}
	} else {
		explainImport(c.OutOrStdout(), owner, r)
	}
	if !r.Done {
		faults := counted(len(r.Errors), "fault")
		if r.More {
			faults += " and perhaps more"
		}
		hint := ""
		if r.Good > 0 {
			hint = "; --leave-out imports the other " + counted(r.Good, "line")
		}
		return fmt.Errorf("%s: %s; nothing was imported%s", path, faults, hint)
	}
	return nil
}

func explainImport(out io.Writer, owner db.Account, r inventory.Report) {
	for _, note := range append(tableNotes(r.Tables), rowNotes(r.Above, r.Beyond)...) {
		fmt.Fprintln(out, "note:", oneLine(note))
	}
	fmt.Fprintln(out, "columns:", oneLine(columnsTaken(r.Columns)))
	if len(r.Ignored) > 0 {
		fmt.Fprintln(out, "not used:", oneLine(someOf(r.Ignored)))
	}
	for _, w := range r.Warnings {
		fmt.Fprintln(out, "note:", oneLine(w.Error()))
	}
	for _, e := range r.Errors {
		fmt.Fprintln(out, oneLine(e.Error()))
	}
	if !r.Done {
		return
	}
	verb := "imported"
	if r.DryRun {
		verb = "dry run: would import"
	}
	fmt.Fprintf(out, "%s %s: %d new, %d updated", verb, counted(r.Added+r.Updated, "product"), r.Added, r.Updated)
	if r.Skipped > 0 {
		fmt.Fprintf(out, "; %s without a product left out", counted(r.Skipped, "row"))
	}
	if r.Faulty > 0 {
		fmt.Fprintf(out, "; %s at fault left out", counted(r.Faulty, "line"))
	}
	if r.LeftOut > 0 {
		fmt.Fprintf(out, "; %s left out, which contradict what came in meanwhile", counted(r.LeftOut, "product"))
	}
	fmt.Fprintf(out, "; prices in %s\n", strings.ToUpper(owner.Profile.Currency))
	if r.ID != "" {
		fmt.Fprintf(out, "undo with: svc inventory undo --account %s %s\n", owner.Email, r.ID)
	}
}

type keptJSON struct {
	ID     string `json:"id"` // of the item
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

func undoImport(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	if err := app.Inventories.UndoImport(c.Context(), owner, args[0]); err != nil {
		return err
	}
	done, err := app.Inventories.Undone(c.Context(), owner.ID, args[0])
	if err != nil {
		return err
	}
	result := struct {
		ID     string     `json:"id"`
		Undone int64      `json:"undone"` // rows of the import
		Left   int64      `json:"left"`   // rows that a running server goes on with
		Kept   int64      `json:"kept"`   // rows that could not be undone
		Items  []keptJSON `json:"items"`  // of the first of these
	}{args[0], done.Rows, done.Left, done.Kept, mapAll(done.Problems, func(f db.UndoFault) keptJSON {
		return keptJSON{f.ItemID, f.Name, inventory.UndoReason(f.Problem)}
	})}
	if wantsJSON(c) {
		return printJSON(c, result)
	}
	out := c.OutOrStdout()
	for _, k := range result.Items {
		fmt.Fprintln(out, oneLine(fmt.Sprintf("%s (%s): %s", k.Name, k.ID, k.Reason)))
	}
	if result.Undone+result.Left+result.Kept == 0 {
		fmt.Fprintln(out, "nothing to undo: the import has changed no item")
		return nil
	}
	fmt.Fprintf(out, "undone: %s; %d could not be", counted(int(result.Undone), "row"), result.Kept)
	if result.Left > 0 {
		fmt.Fprintf(out, "; %d are left for a running server", result.Left)
	}
	fmt.Fprintln(out)
	return nil
}

// columnsTaken lists the fields with the heading that each was read from.
func columnsTaken(columns map[string]string) string {
	var all []string
	for _, field := range slices.Sorted(maps.Keys(columns)) {
		all = append(all, field+" from "+columns[field])
	}
	return strings.Join(all, ", ")
}

// someOf lists the first headings and counts the rest.
func someOf(headings []string) string {
	const most = 12
	if rest := len(headings) - most; rest > 0 {
		return strings.Join(headings[:most], ", ") + fmt.Sprintf(" and %d more", rest)
	}
	return strings.Join(headings, ", ")
}

// counted returns a number with its noun, in the plural unless it is 1.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return money.Digits(int64(n), 0) + " " + noun
}

type itemJSON struct {
	ID           string       `json:"id"`
	Name         string       `json:"name"`
	SKU          string       `json:"sku,omitempty"`
	Barcodes     []string     `json:"barcodes"`
	Aliases      []string     `json:"aliases"`
	Price        *json.Number `json:"price"`
	CostPrice    *json.Number `json:"cost_price"`
	StockQty     *json.Number `json:"stock_qty"`
	Unit         string       `json:"unit,omitempty"`
	Category     string       `json:"category,omitempty"`
	ReorderPoint *json.Number `json:"reorder_point"`
}

// toItemJSON converts prices to units of a currency with the given decimals (F7).
func toItemJSON(e inventory.Entry, decimals int) itemJSON {
	number := func(n *int64, places int) *json.Number {
		if n == nil {
			return nil
		}
		return new(json.Number(money.Number(*n, places)))
	}
	return itemJSON{
		ID: e.ID, Name: e.Name, SKU: e.SKU, Unit: e.Unit, Category: e.Category,
		Barcodes: append([]string{}, e.Barcodes...), Aliases: append([]string{}, e.Aliases...),
		Price: number(e.Price, decimals), CostPrice: number(e.CostPrice, decimals),
		StockQty: number(e.StockMilli, 3), ReorderPoint: number(e.ReorderMilli, 3),
	}
}

func (itemJSON) header() string { return "ID SKU NAME PRICE COST STOCK UNIT BARCODES" }

func (i itemJSON) cells() []any {
	return []any{i.ID, orDash(i.SKU), i.Name, numberOrDash(i.Price), numberOrDash(i.CostPrice),
		numberOrDash(i.StockQty), orDash(i.Unit), orDash(strings.Join(i.Barcodes, " "))}
}

func newInventoryList() *cobra.Command {
	var search string
	c := command("list [--account EMAIL]", "List the items of an account, oldest first", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			return listItems(c, app, owner, search)
		}))
	c.Flags().StringVar(&search, "search", "", "only items that have all these words in name, SKU, category, barcodes or aliases")
	return accountFlag(c)
}

// listItems prints the items that mention a text.
func listItems(c *cobra.Command, app *server.App, owner db.Account, search string) error {
	var all []itemJSON
	err := app.Inventories.Each(c.Context(), owner.ID, func(e inventory.Entry) error {
		if e.Mentions(search) {
			all = append(all, itemOf(owner, e))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return table(c, all)
}

func numberOrDash(n *json.Number) string {
	if n == nil {
		return orDash("")
	}
	return n.String()
}

func newInventoryAlias() *cobra.Command {
	var remove bool
	c := command("alias [--account EMAIL] ITEM NAME", "Give an item, named by its id, SKU or a barcode, one more name that scan finds it by", exactly("ITEM", "NAME"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			if remove {
				return removeAlias(c, app, owner, args[0], args[1])
			}
			return addAlias(c, app, owner, args[0], args[1])
		}))
	c.Flags().BoolVar(&remove, "remove", false, "take the name away again")
	return accountFlag(c)
}

type aliasJSON struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Alias   string `json:"alias"`
	Removed bool   `json:"removed,omitempty"`
	// TakenFrom is the id of the item that had the alias before.
	TakenFrom string `json:"taken_from,omitempty"`
}

func addAlias(c *cobra.Command, app *server.App, owner db.Account, item, alias string) error {
	found, before, err := app.Inventories.AddAlias(c.Context(), owner.ID, item, alias)
	if err != nil {
		return err
	}
	result := aliasJSON{ID: found.ID, Name: found.Name, Alias: alias}
	if before.ID == "" || before.ID == found.ID {
		return show(c, result, "%s (%s) is also found as %s", found.Name, found.ID, alias)
	}
	result.TakenFrom = before.ID
	return show(c, result, "%s (%s) is also found as %s, and %s (%s) no longer is", found.Name, found.ID, alias, before.Name, before.ID)
}

func removeAlias(c *cobra.Command, app *server.App, owner db.Account, item, alias string) error {
	found, err := app.Inventories.RemoveAlias(c.Context(), owner.ID, item, alias)
	if err != nil {
		return err
	}
	result := aliasJSON{ID: found.ID, Name: found.Name, Alias: alias, Removed: true}
	return show(c, result, "%s (%s) is no longer found as %s", found.Name, found.ID, alias)
}

func verifyInventory(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	faults, err := app.Inventories.Verify(c.Context(), owner.ID)
	if err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("stock contradicts the moves of %s: %s", counted(len(faults), "item"), strings.Join(faults, " "))
	}
	return show(c, map[string]bool{"ok": true}, "every stock is the sum of its moves")
}
