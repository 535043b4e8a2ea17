package scan

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/throttle"
	"svc/server/views"
	"svc/server/web"
)

const (
	itemPath = "/console/inventory"
	choices  = 5 // items that a photo may show

	// UploadLimit bounds the form with a photo, in bytes. It is above that of a photo, whose
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
}

// PagesConfig names what Pages work with. Timeout bounds the look at one photo, and Model is
// the vision model, empty for none.
type PagesConfig struct {
	Views   *views.Set
	Clock   func() time.Time
	Timeout time.Duration
	Model   string
}

// NewPages returns the page of a service.
func NewPages(s *Service, c PagesConfig) *Pages {
	return &Pages{
		service: s, views: c.Views, clock: c.Clock, timeout: c.Timeout, model: c.Model,
		looks: throttle.New[string](photosAllowed, photoWindow, accountsKept),
	}
}

func (p *Pages) page(v session.Visitor) views.Scan {
	page := views.Scan{Frame: v.Frame("Scan a product"), Model: p.model}
	page.Section = "inventory"
	return page
}

// Show handles GET /console/inventory/scan. With `read` or `code`, which a photo showed, it
// searches for the item by `q`.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q, page := r.URL.Query(), p.page(v)
	page.Read, page.Code, page.Search = bounded(q.Get("read")), bounded(q.Get("code")), bounded(q.Get("q"))
	page.Looked = page.Teaches()
	if page.Looked {
		if err := p.offer(r.Context(), v, &page); err != nil {
			return err
		}
	}
	return p.views.Render(w, http.StatusOK, page)
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
		page.Problem = sentence
		return p.views.Render(w, status, page)
	}
	if err != nil {
		return err
	}

	page.Read, page.Code = report.Read, report.Code
	if report.Found {
		item, err := db.Read(r.Context(), p.service.store, func(tx *db.Tx) (db.Item, error) { return tx.Item(v.Account.ID, *report.InventoryID) })
		if err != nil {
			return err
		}
		page.Item = itemRow(item, v.Account.Profile.Currency)
	} else {
		page.Unknown = report.Name
	}
	if err := p.offer(r.Context(), v, &page); err != nil {
		return err
	}
	return p.views.Render(w, http.StatusOK, page)
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
	page.Add = itemPath + "?" + q.Encode()
	if strings.TrimSpace(text) == "" {
		return nil
	}
	found, err := p.service.Search(ctx, v.Account.ID, text, choices)
	for _, m := range found {
		if page.Item != nil && page.Item.ID == m.Item.ID {
			continue
		}
		page.Choices = append(page.Choices, views.ScanChoice{ID: m.Item.ID, Name: m.Item.Name, Detail: m.Item.SKU, Score: percent(m.Score)})
	}
	return err
}

func percent(score float64) string { return fmt.Sprintf("%.0f %%", score*100) }

func itemRow(i db.Item, code string) *views.ItemRow {
	price := func(n *int64) string {
		if n == nil {
			return "–"
		}
		return money.Format(*n, code)
	}
	stock := "not counted"
	if i.StockMilli != nil {
		stock = strings.TrimSpace(money.Number(*i.StockMilli, 3) + " " + i.Unit)
	}
	return &views.ItemRow{
		ID: i.ID, Name: i.Name, SKU: i.SKU, Price: price(i.Price), Cost: price(i.CostPrice), Stock: stock, Low: i.IsLow(),
		Out: i.StockMilli != nil && *i.StockMilli <= 0, Link: itemPath + "?open=" + url.QueryEscape(i.ID),
	}
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
