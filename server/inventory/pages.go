package inventory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/sheet"
	"svc/server/unit"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	path     = "/console/inventory"
	listRows = 50  // of a page
	newMoves = 8   // of an open item
	allMoves = 200 // of an open item, when they are asked for
)

// Pages are the pages of the console below /console/inventory.
type Pages struct {
	service *Service
	views   *views.Set
}

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set) *Pages { return &Pages{service: s, views: set} }

// part is which part of the list a page shows, as the address has it.
type part struct {
	search, stock, order string
	page                 int // from 1
}

// maxPage bounds the page of an address.
const maxPage = 1_000_000

func readList(q url.Values) part {
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 1 || page > maxPage {
		page = 1
	}
	return part{q.Get("q"), q.Get("stock"), q.Get("sort"), page}
}

// sentList reads the list from the field `list` of a form.
func sentList(form web.Form) part {
	q, err := url.ParseQuery(form.Value("list"))
	if err != nil {
		return part{page: 1}
	}
	return readList(q)
}

// query returns the query of the list.
func (l part) query() url.Values {
	q := url.Values{}
	for name, value := range map[string]string{"q": l.search, "stock": l.stock, "sort": l.order} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if l.page > 1 {
		q.Set("page", strconv.Itoa(l.page))
	}
	return q
}

// address returns the address of the list with further parameters, in pairs.
func (l part) address(more ...string) string {
	q := l.query()
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
}

func (l part) filter() db.ItemFilter {
	return db.ItemFilter{
		Search: l.search, Stock: db.StockState(l.stock), Order: db.ItemOrder(l.order), Offset: (l.page - 1) * listRows,
	}
}

// itemDone are the notices of an open item after a form.
var itemDone = map[string]string{
	"edited": "Saved.", "added": "Added.", "adjusted": "The stock is saved.", "undone": "Undone.", "alias": "Saved: a scan finds it by this name too.",
	"unnamed": "The name is removed.", "barcode": "Saved: a scan finds it by this barcode too.",
}

// listDone are the notices of the list after a form.
var listDone = map[string]string{"removed": "The item is removed."}

// Show handles GET /console/inventory.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	page, err := p.listPage(r.Context(), v, readList(q), q.Get("open"))
	if err != nil {
		return err
	}
	page.Notice = listDone[q.Get("done")]
	if q.Get("add") != "" {
		page.New = &views.ItemForm{Name: q.Get("name"), Barcodes: q.Get("barcode")}
	}
	if open := q.Get("open"); open != "" && page.New == nil {
		detail, err := p.detail(r.Context(), v, readList(q), open, q.Get("moves") != "")
		if err != nil {
			return err
		}
		done := q.Get("done")
		if detail.Notice = itemDone[done]; done != "adjusted" {
			detail.Undo = ""
		}
		page.Detail = &detail
	}
	return p.views.Render(w, http.StatusOK, page)
}

// listPage fills the list, of which one item may be open.
func (p *Pages) listPage(ctx context.Context, v session.Visitor, l part, open string) (views.Inventory, error) {
	found, err := p.service.List(ctx, v.Account.ID, l.filter(), listRows)
	if err != nil {
		return views.Inventory{}, err
	}
	code := v.Account.Profile.Currency
	page := views.Inventory{
		Frame: v.Frame("Inventory"), Search: l.search, List: l.query().Encode(),
		Groups: groupsOf(l, found.Counts), Heads: headsOf(l), Export: path + "/export.csv", Add: l.address("add", "1"),
		None: found.Counts.All == 0 && l.search == "",
	}
	page.Section = "inventory"
	for _, kept := range []views.Pair{{Name: "stock", Value: l.stock}, {Name: "sort", Value: l.order}} {
		if kept.Value != "" {
			page.Kept = append(page.Kept, kept)
		}
	}
	for _, i := range found.Items {
		page.Items = append(page.Items, rowOf(i, code, l.address("open", i.ID), i.ID == open))
	}
	if page.Pager.Range = rangeOf((l.page-1)*listRows, len(page.Items), found.Counts.Of(db.StockState(l.stock))); page.Pager.Range != "" {
		page.Pager.Range += ", prices in " + strings.ToUpper(code)
	}
	if l.order == string(db.ByAddedDown) {
		page.Pager.Range += ", newest first"
	}
	if l.page > 1 {
		before := l
		before.page--
		page.Pager.Previous = before.address()
	}
	if found.More {
		after := l
		after.page++
		page.Pager.Next = after.address()
	}
	return page, nil
}

// rangeOf says which rows of a list are shown.
func rangeOf(before, shown int, all int64) string {
	if shown == 0 {
		return ""
	}
	if before == 0 && int64(shown) >= all {
		if all == 1 {
			return "1 item"
		}
		return digits(all) + " items"
	}
	return fmt.Sprintf("%s–%s of %s items", digits(int64(before+1)), digits(int64(before+shown)), digits(all))
}

func digits(n int64) string { return money.Digits(n, 0) }

func groupsOf(l part, counts db.ItemCounts) (all []views.Group) {
	for _, g := range []struct {
		title string
		state db.StockState
	}{{"All", db.AnyStock}, {"Low stock", db.LowStock}, {"Out of stock", db.OutOfStock}, {"Not counted", db.UnknownStock}, {"Below cost", db.BelowCost}} {
		if g.state == db.BelowCost && counts.BelowCost == 0 && l.stock != string(g.state) {
			continue // most shops have none for ever
		}
		to := l
		to.stock, to.page = string(g.state), 1
		all = append(all, views.Group{Title: g.title, Count: digits(counts.Of(g.state)), Link: to.address(), Chosen: l.stock == to.stock})
	}
	return all
}

func headsOf(l part) []views.Head {
	columns := []views.ListColumn{
		{Title: "Name", Order: string(db.ByName)}, {Title: "Stock", Order: string(db.ByStock), Number: true},
		{Title: "Price", Order: string(db.ByPrice), Number: true}, {Title: "Cost", Order: string(db.ByCost), Number: true, Aside: true},
		{Title: "SKU", Order: string(db.BySKU)}, {Title: "Category", Aside: true},
	}
	return views.Heads(columns, cmp.Or(l.order, string(db.ByName)), func(order string) string {
		to := l
		to.order, to.page = order, 1
		return to.address()
	})
}

func rowOf(i db.Item, code, link string, open bool) views.ItemRow {
	row := views.ItemRow{
		ID: i.ID, Name: i.Name, SKU: i.SKU, Category: i.Category, Low: i.IsLow(), Out: isOut(i), Minus: isMinus(i),
		BelowCost: i.IsBelowCost(), Link: link, Open: open,
		Price: formatted(i.Price, code), Cost: formatted(i.CostPrice, code), Stock: unit.Quantity(i.StockMilli, i.Unit),
	}
	return row
}

func isOut(i db.Item) bool { return i.StockMilli != nil && *i.StockMilli <= 0 }

// isMinus reports whether more was sold or taken away than there had been by the last count.
func isMinus(i db.Item) bool { return i.StockMilli != nil && *i.StockMilli < 0 }

func formatted(n *int64, code string) string {
	if n == nil {
		return "–"
	}
	return money.Format(*n, code)
}

// costText is formatted, "" without a cost price.
func costText(n *int64, code string) string {
	if n == nil {
		return ""
	}
	return formatted(n, code)
}

// detail fills the open item.
func (p *Pages) detail(ctx context.Context, v session.Visitor, l part, id string, all bool) (d views.ItemDetail, err error) {
	most := newMoves
	if all {
		most = allMoves
	}
	e, moves, err := p.service.Find(ctx, v.Account.ID, id, most+1)
	if err != nil {
		return d, notFound(err)
	}
	point := e.ReorderPoint()
	d = views.ItemDetail{
		ID: e.ID, Name: e.Name, Stock: unit.Quantity(e.StockMilli, e.Unit), Reorder: numberText(&point, stockDecimals), Low: e.IsLow(), Out: isOut(e.Item), Minus: isMinus(e.Item),
		Known: e.StockMilli != nil, Close: l.address(), Form: formOf(e, money.Decimals(v.Account.Profile.Currency)), Adjust: adjustForm("", e.StockMilli != nil),
		Order: "/console/messages/new?item=" + url.QueryEscape(e.ID),
		Price: formatted(e.Price, v.Account.Profile.Currency), CostText: costText(e.CostPrice, v.Account.Profile.Currency),
		Aliases: e.Aliases, List: l.query().Encode(), Zone: zone.Of(v.Account.Profile.Timezone), BelowCost: e.IsBelowCost(),
	}
	if d.Minus {
		d.Adjust = adjustForm(howCount, true)
	}
	if d.Sales, err = p.salesOf(ctx, v, e.Item); err != nil {
		return d, err
	}
	if len(moves) > 1 && canUndo(moves[0]) {
		d.Undo = strconv.FormatInt(moves[0].Seq, 10)
	}
	if len(moves) > most {
		moves = moves[:most]
		if !all {
			d.MoreMoves = l.address("open", e.ID, "moves", "all")
		}
	}
	var actors []string
	for _, m := range moves {
		actors = append(actors, m.Actor)
	}
	names, err := p.service.actorNames(ctx, actors)
	for _, m := range moves {
		d.Moves = append(d.Moves, moveOf(m, names))
	}
	return d, err
}

// salesOf fills the sales of the open item; nil if the account has none.
func (p *Pages) salesOf(ctx context.Context, v session.Visitor, i db.Item) (*views.ItemSales, error) {
	sold, err := p.service.SoldOf(ctx, v.Account, i)
	if err != nil || !sold.Known {
		return nil, err
	}
	s := &views.ItemSales{Days: plural(sold.Days, "day", "days"), Revenue: money.Format(sold.Amount, v.Account.Profile.Currency)}
	if sold.Milli != 0 || sold.Amount != 0 {
		s.Units = unit.Quantity(&sold.Milli, i.Unit)
	}
	if last, err := time.Parse(time.DateOnly, sold.Last); err == nil {
		s.Last = last.Format("2 January 2006")
	}
	if sold.Lasts != nil {
		s.Lasts = "about " + plural(int(*sold.Lasts), "day", "days")
		if *sold.Lasts < 1 {
			s.Lasts = "less than a day"
		}
	}
	return s, nil
}

// notFound returns the error of a page for an item that the account does not have.
func notFound(err error) error {
	if web.UserError(err) == nil && errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "there is no such item; it may have been removed", Err: err}
	}
	return err
}

// formOf returns the form of an item, with its fields as Set takes them.
func formOf(e Entry, decimals int) views.ItemForm {
	f := views.ItemForm{
		Name: e.Name, SKU: e.SKU, Barcodes: strings.Join(e.Barcodes, " "), Price: priceText(e.Price, decimals), Cost: priceText(e.CostPrice, decimals),
		Unit: e.Unit, Category: e.Category, Reorder: numberText(e.ReorderMilli, stockDecimals),
	}
	f.Was = []views.Pair{
		{Name: "name", Value: f.Name}, {Name: "sku", Value: f.SKU}, {Name: "barcodes", Value: f.Barcodes}, {Name: "price", Value: f.Price},
		{Name: "cost", Value: f.Cost}, {Name: "unit", Value: f.Unit}, {Name: "category", Value: f.Category}, {Name: "reorder-point", Value: f.Reorder},
	}
	return f
}

// The choices of how a stock is changed.
const (
	howAdd   = "add"
	howTake  = "take"
	howCount = "count"
)

func adjustForm(chosen string, known bool) views.AdjustForm {
	all := []views.Option{{Value: howAdd, Text: "Add"}, {Value: howTake, Text: "Take away"}, {Value: howCount, Text: "Counted"}}
	if !known {
		all = all[2:]
	}
	for n := range all {
		all[n].Chosen = all[n].Value == chosen
	}
	return views.AdjustForm{How: all}
}

// moveWords say what moved a stock.
var moveWords = map[string]string{
	db.MovedByImport: "Import", db.MovedByCount: "Counted", db.MovedByAdjustment: "Adjusted", db.MovedByPush: "Set by the API",
	db.MovedBySale: "Sale", db.MovedByPurchase: "Order", "opening": "First stock",
}

func moveOf(m db.StockMove, names map[string]string) views.Move {
	what, ok := moveWords[m.Reason]
	if !ok {
		what = m.Reason
	}
	row := views.Move{
		At: m.CreatedAt, What: strings.TrimSpace(what + " " + m.Record), Note: m.Note, Who: m.Actor,
		Change: numberText(&m.ChangeMilli, stockDecimals), After: numberText(&m.StockAfterMilli, stockDecimals), Down: m.ChangeMilli < 0,
	}
	if name, ok := names[m.Actor]; ok {
		row.Who = name
	}
	if m.ChangeMilli > 0 {
		row.Change = "+" + row.Change
	}
	return row
}

// Export handles GET /console/inventory/export.csv: all items, in a file that Import takes back.
func (p *Pages) Export(w *web.Response, r *http.Request, v session.Visitor) error {
	day := w.Started.In(zone.Of(v.Account.Profile.Timezone)).Format(time.DateOnly)
	return sendCSV(w, "inventory-"+day+".csv", func(write func([]string) error) error {
		return p.service.Export(r.Context(), v.Account, write)
	})
}

// sendCSV answers with a file of the rows that each writes. An error before the first row is an
// answer of its own.
func sendCSV(w *web.Response, name string, each func(write func(cells []string) error) error) error {
	out := sheet.NewWriter(w)
	rows := 0
	err := each(func(cells []string) error {
		if rows == 0 {
			w.SetHeader("Content-Type", "text/csv; charset=utf-8")
			w.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
		}
		if err := out.Write(cells); err != nil {
			return err
		}
		if rows++; rows%chunk == 0 {
			out.Flush()
		}
		return out.Error()
	})
	out.Flush()
	if err != nil && w.Status() != 0 {
		panic(http.ErrAbortHandler) // so that a part is not taken for the whole
	}
	return err
}
