package scan

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/gtin"
	"svc/server/money"
	"svc/server/session"
	"svc/server/throttle"
	"svc/server/unit"
	"svc/server/views"
	"svc/server/web"
)

const (
	itemPath = "/console/inventory"
	scanPath = itemPath + "/scan"
	choices  = 5 // items that a photo may show

	// UploadLimit bounds the file of a photo that is sent, in bytes. It is above that of a photo, whose
	// refusal then is worded as such.
	UploadLimit = 8 << 20

	// An account may look at so many photos in a window with its console, which is free (F8).
	photosAllowed = 20
	photoWindow   = time.Minute
	accountsKept  = 10_000
)

// Pages is the scan page of the console.
type Pages struct {
	service *Service
	views   *views.Set
	clock   func() time.Time
	timeout time.Duration
	model   string
	looks   *throttle.Limiter[string] // by account
	adjust  Adjust
	undo    Undo
}

// Adjust changes the stock of an account's item by a number like "+1" or "-1", for a reason, and
// returns the number of the move. Undo takes such a move back.
type (
	Adjust func(ctx context.Context, owner db.Account, item, change, reason string) (move int64, err error)
	Undo   func(ctx context.Context, owner db.Account, item string, move int64) error
)

// PagesConfig names what Pages work with. Timeout bounds the look at one photo, and Model is
// the vision model, empty for none. Adjust and Undo are what its buttons do.
type PagesConfig struct {
	Adjust  Adjust
	Undo    Undo
	Views   *views.Set
	Clock   func() time.Time
	Timeout time.Duration
	Model   string
}

// NewPages returns the page of a service.
func NewPages(s *Service, c PagesConfig) *Pages {
	return &Pages{
		service: s, views: c.Views, clock: c.Clock, timeout: c.Timeout, model: c.Model, adjust: c.Adjust, undo: c.Undo,
		looks: throttle.New[string](photosAllowed, photoWindow, accountsKept),
	}
}

func (p *Pages) page(v session.Visitor) views.Scan {
	page := views.Scan{Frame: v.Frame("Scan a product"), Model: p.model}
	page.Section = "scan"
	return page
}

// Show handles GET /console/inventory/scan: the item with the id `item`, or those that `q` means.
// With `read` or `code`, which a photo showed, one of them is to be found by it.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q, page := r.URL.Query(), p.page(v)
	page.Read, page.Code, page.Search = bounded(q.Get("read")), bounded(q.Get("code")), bounded(q.Get("q"))
	switch {
	case q.Get("item") != "":
		item, err := p.item(r.Context(), v, q.Get("item"))
		if err != nil {
			return err
		}
		if move, err := strconv.ParseInt(q.Get("move"), 10, 64); err == nil {
			item.Undo = strconv.FormatInt(move, 10)
		}
		page.Item, page.Looked = item, true
		page.Notice = scanDone[q.Get("done")]
		return p.views.Render(w, http.StatusOK, page)
	case page.Teaches():
		page.Looked = true
	case page.Search != "" && r.Header.Get("HX-Request") == "":
		if err := p.typed(r.Context(), v, &page); err != nil {
			return err
		}
	}
	if err := p.offer(r.Context(), v, &page); err != nil {
		return err
	}
	return p.views.Render(w, http.StatusOK, page)
}

// scanDone are the notices of an item after a form.
var scanDone = map[string]string{"taught": "Remembered: it is found the next time."}

// typed looks for the item with the barcode or the SKU that was typed. A barcode that no item has
// is kept, so that an item can get it.
func (p *Pages) typed(ctx context.Context, v session.Visitor, page *views.Scan) error {
	text := strings.TrimSpace(page.Search)
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text) // as groups are printed on a pack
	id, _, err := p.service.inventories.byCode(ctx, v.Account.ID, detection{code: gtin.Key(digits), text: text})
	if err != nil {
		return err
	}
	switch {
	case id != "":
		page.Item, err = p.item(ctx, v, id)
		page.Looked, page.Search = true, ""
	case gtin.Valid(digits):
		page.Looked, page.Code, page.Unknown, page.Search = true, digits, "Barcode "+digits, ""
	}
	return err
}

// item returns an item of the account. A NotFound: there is none with the id.
func (p *Pages) item(ctx context.Context, v session.Visitor, id string) (*views.ScanItem, error) {
	item, err := db.Read(ctx, p.service.store, func(tx *db.Tx) (db.Item, error) { return tx.Item(v.Account.ID, id) })
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such item; it may have been removed", Err: err}
	}
	if err != nil {
		return nil, err
	}
	return p.shown(item, v.Account.Profile.Currency), nil
}

// Stock handles POST /console/inventory/scan/stock: one more or one less of the item `id`, as
// `change` says, or the way back of the move in `undo`.
func (p *Pages) Stock(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	change := form.Value("change")
	undo, noUndo := strconv.ParseInt(form.Value("undo"), 10, 64)
	if noUndo != nil && change != "+1" && change != "-1" {
		return fault.Invalid("change", "must be +1 or -1")
	}
	item, err := p.item(r.Context(), v, form.Value("id"))
	if err != nil {
		return err
	}
	next := url.Values{"item": {item.ID}}
	if noUndo == nil {
		if err := p.undo(r.Context(), v.Account, item.ID, undo); err != nil {
			return err
		}
		return w.Redirect(scanPath + "?" + next.Encode())
	}
	move, err := p.adjust(r.Context(), v.Account, item.ID, change, "Scanned")
	if err != nil {
		return err
	}
	next.Set("move", strconv.FormatInt(move, 10))
	return w.Redirect(scanPath + "?" + next.Encode())
}

// bounded returns a text of an address, or nothing of one that is longer than any name.
func bounded(text string) string {
	if len(text) > 1000 {
		return ""
	}
	return text
}

// Look handles POST /console/inventory/scan.
func (p *Pages) Look(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	page := p.page(v)
	report, err := p.look(r.Context(), v, form)
	page.Looked, page.Steps = true, stepsOf(report.Steps)
	var problem *fault.Error
	if errors.As(err, &problem) {
		status, sentence, _ := views.Report(w, problem)
		if page.Problem = sentence; problem.Code == fault.NotIdentified {
			page.Problem = p.unread()
		}
		page.Add = itemPath + "?add=1"
		return p.views.Render(w, status, page)
	}
	if err != nil {
		return err
	}

	page.Read, page.Code = report.Read, report.Code
	if report.Found {
		if page.Item, err = p.item(r.Context(), v, *report.InventoryID); err != nil {
			return err
		}
	} else {
		page.Unknown = report.Name
	}
	if err := p.offer(r.Context(), v, &page); err != nil {
		return err
	}
	return p.views.Render(w, http.StatusOK, page)
}

// unread says that nothing was read off a photo, and what helps.
func (p *Pages) unread() string {
	what := "No barcode"
	if p.model != "" {
		what = "No barcode and no name"
	}
	return what + " could be read on this photo. Go closer, so that it is sharp and well lit."
}

// look identifies the photo of a form, if the account may look at one more.
func (p *Pages) look(ctx context.Context, v session.Visitor, form web.Form) (Report, error) {
	photo, ok := form.File("photo")
	if !ok || len(photo.Body) == 0 {
		return Report{}, fault.Invalid("photo", "must be chosen")
	}
	now := p.clock()
	if standing := p.looks.Standing(v.Account.ID, now); standing.Remaining == 0 {
		return Report{}, &fault.Error{
			Code: fault.TooManyTries, Message: fmt.Sprintf("%d photos in a minute are the most; wait a moment", photosAllowed), RetryAfter: standing.Reset.Sub(now),
		}
	}
	p.looks.Fail(v.Account.ID, now)
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	return p.service.Explain(ctx, v.Account.ID, photo.Body)
}

// offer fills the items that a photo may show: those that the search finds, else those that
// are like what was read.
func (p *Pages) offer(ctx context.Context, v session.Visitor, page *views.Scan) error {
	text := page.Search
	if text == "" {
		text = page.Read
	}
	q := url.Values{"add": {"1"}, "name": {page.Read}, "barcode": {page.Code}}
	if page.Read == "" {
		q.Set("name", page.Search)
	}
	page.Add = itemPath + "?" + q.Encode()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	found, err := p.service.Search(ctx, v.Account.ID, text, choices)
	for _, m := range found {
		if page.Item != nil && page.Item.ID == m.Item.ID {
			continue
		}
		page.Choices = append(page.Choices, views.ScanChoice{ID: m.Item.ID, Name: m.Item.Name, Detail: m.Item.SKU})
	}
	return err
}

func percent(score float64) string { return fmt.Sprintf("%.0f %%", score*100) }

func (p *Pages) shown(i db.Item, code string) *views.ScanItem {
	price := func(n *int64) string {
		if n == nil {
			return ""
		}
		return money.Format(*n, code)
	}
	shown := &views.ScanItem{
		ID: i.ID, Name: i.Name, SKU: i.SKU, Price: price(i.Price), Cost: price(i.CostPrice), Counted: i.StockMilli != nil, Low: i.IsLow(),
		Link: itemPath + "?open=" + url.QueryEscape(i.ID), Order: "/console/messages/new?item=" + url.QueryEscape(i.ID),
	}
	if shown.Counted {
		shown.Stock, shown.Out, shown.Minus = money.Number(*i.StockMilli, 3), *i.StockMilli <= 0, *i.StockMilli < 0
		shown.Unit = unit.Of(*i.StockMilli, i.Unit)
	}
	return shown
}

// stepWords are the names of steps on a page.
var stepWords = map[string]string{"photo": "Photo", "barcodes": "Barcode", "inventory": "Inventory", "match": "Match"}

func stepsOf(all []Step) (rows []views.ScanStep) {
	for _, s := range all {
		row := views.ScanStep{Name: stepWords[s.Name], Text: s.Text, Took: fmt.Sprintf("%d ms", s.Took.Milliseconds())}
		if model, ok := strings.CutPrefix(s.Name, "model "); ok {
			row.Name = "Read by " + model
		}
		// People know an item by its name, which follows its id.
		if id, rest, ok := strings.Cut(s.Text, " "); ok && strings.HasPrefix(id, "item_") {
			row.Text = rest
		}
		if id, how, ok := strings.Cut(s.Text, ", "); ok && s.Name == "inventory" && strings.HasPrefix(id, "item_") {
			row.Text = "found " + how
		}
		if s.Score > 0 {
			row.Score = percent(s.Score)
		}
		rows = append(rows, row)
	}
	return rows
}
