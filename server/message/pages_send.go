package message

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/money"
	"svc/server/session"
	"svc/server/unit"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	composePath = path + "/new"
	// sendsAllowed bounds the messages that people of an account send in sendWindow (G5).
	sendsAllowed = 30
	sendWindow   = time.Minute
	sendersKept  = 100_000
	orderedItems = 20  // that a prefilled order has
	goodsShown   = 100 // items that the field of a line offers at a time
)

// terms are what a message costs that a person sends: the price of the API's, and nothing if it
// is only saved (G5). The ledger names the page, since no endpoint was called.
func (p *Pages) terms() gate.Terms {
	t := gate.Terms{Endpoint: path, PriceCents: PriceCents, Idempotent: true, Deadline: Deadline}
	if p.NoSender() {
		t.PriceCents = 0
	}
	return t
}

// placed is the outcome of a send that is stored for a form that is sent again.
type placed struct {
	Message string `json:"message"` // its id
}

// byPerson is the action of a person's send: the API's, with another answer.
func (p *Pages) byPerson() gate.Endpoint {
	api := NewAPI(p.service)
	return gate.Action[Request, sent]{
		Parse:     func(_ gate.Caller, body []byte) (Request, error) { return ParseRequest(body) },
		Effect:    func(gate.Caller) bool { return p.service.Carrier.Remote() },
		Recipient: recipient,
		Do:        api.send,
		Settle: func(tx *db.Tx, _ gate.Caller, out sent, _ db.Receipt) (any, error) {
			return placed{out.message.ID}, tx.AddMessage(out.message)
		},
	}
}

// ShowNew handles GET /console/messages/new: the form of the `template`, for a `phone`, or an
// order of each inventory's `item`; item=low stands for all that are low.
func (p *Pages) ShowNew(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	d := Draft{Template: q.Get("template"), Phone: q.Get("phone")}
	if items := q["item"]; len(items) > 0 {
		lines, err := p.service.orderLines(r.Context(), v.Account, items[:min(len(items), orderedItems)])
		if err != nil {
			return err
		}
		d.Template, d.Lines = "purchase_order", lines
	}
	if kindWords[d.Template] == "" {
		d.Template = "receipt"
	}
	return p.composePage(w, r, v, views.Compose{Once: string(db.NewToken())}, d, nil)
}

// orderLines returns a line for each item of the account, with how many of it to order; "low"
// stands for those that are low. A NotFound: there is no such item.
func (s *Service) orderLines(ctx context.Context, account db.Account, ids []string) ([]Line, error) {
	var items []db.Item
	err := s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		if ids[0] == "low" {
			items, err = tx.SearchItems(account.ID, db.ItemFilter{Stock: db.LowStock}, orderedItems)
			return err
		}
		for _, id := range ids {
			item, err := tx.Item(account.ID, id)
			if err != nil {
				return err
			}
			items = append(items, item)
		}
		return nil
	})
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such item", Err: err}
	}
	var lines []Line
	for _, i := range items {
		lines = append(lines, Line{
			Item: i.Name, SKU: i.SKU, Quantity: money.Number(orderedMilli(i), 3), Price: priceText(i.CostPrice, account.Profile.Currency),
		})
	}
	return lines, err
}

// orderedMilli is how many of an item an order begins with: what brings its stock to twice the
// point below which it is low, in whole pieces and at least one.
func orderedMilli(i db.Item) int64 {
	var stock int64
	if i.StockMilli != nil {
		stock = max(*i.StockMilli, 0)
	}
	return max((2*i.ReorderPoint()-stock+999)/1000, 1) * 1000
}

func priceText(price *int64, currency string) string {
	if price == nil {
		return ""
	}
	return money.Decimal(*price, currency)
}

// New handles POST /console/messages/new: it shows the message as it will be sent, changes its
// lines, or with `act` send sends it, if that is what was shown.
func (p *Pages) New(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	d := Draft{
		Template: form.Value("template"), Phone: form.Value("phone"), Number: form.Value("number"), Lines: linesOf(form),
		Supplier: form.Value("supplier"), By: form.Value("by"), Note: form.Value("note"),
	}
	page := views.Compose{Once: form.Value("once")}
	if kindWords[d.Template] == "" || page.Once == "" {
		return fault.Invalid("body", "is not the one that this page has")
	}
	if err := p.service.fill(r.Context(), v.Account, &d); err != nil {
		return err
	}
	act := form.Value("act")
	if d.changeLines(act) {
		page.Added = act == "add"
		return p.composePage(w, r, v, page, d, nil)
	}
	req, faults := d.Request(v.Account, p.today(v))
	switch {
	case len(faults) > 0:
		page.Faults = faultsOf(faults)
		return p.composePage(w, r, v, page, d, faults[0])
	case act == "send" && form.Value("seen") == p.fingerprint(req):
		return p.send(w, r, v, page, d, req)
	}
	page.Ready = true
	if act == "send" {
		return p.composePage(w, r, v, page, d, &fault.Error{
			Code: fault.Conflict, Message: "this is not what was shown before: look at the message once more, then send it",
		})
	}
	return p.composePage(w, r, v, page, d, nil)
}

// linesOf returns the lines of a form, at most one more than a message may have.
func linesOf(form web.Form) (lines []Line) {
	quantities, prices, skus := form.All("quantity"), form.All("price"), form.All("sku")
	at := func(all []string, n int) string {
		if n < len(all) {
			return all[n]
		}
		return ""
	}
	for n, item := range form.All("item") {
		if n > maxLines {
			break
		}
		lines = append(lines, Line{Item: item, Quantity: at(quantities, n), Price: at(prices, n), SKU: at(skus, n)})
	}
	return lines
}

// changeLines adds a line or removes one, as a button asks, and reports whether one did.
func (d *Draft) changeLines(act string) bool {
	if act == "add" {
		if len(d.Lines) < maxLines {
			d.Lines = append(d.Lines, Line{Quantity: "1"})
		}
		return true
	}
	number, ok := strings.CutPrefix(act, "remove-")
	if n, err := strconv.Atoi(number); ok && err == nil && n >= 1 && n <= len(d.Lines) {
		d.Lines = slices.Delete(d.Lines, n-1, n)
	}
	return ok
}

// fill completes the lines that name an item of the inventory: its SKU, and its price on a receipt where none was typed. An order's price that is empty stays so: it may be meant.
func (s *Service) fill(ctx context.Context, account db.Account, d *Draft) error {
	return s.Store.LongView(ctx, func(tx *db.Tx) error {
		for n := range d.Lines[:min(len(d.Lines), maxLines)] {
			l := &d.Lines[n]
			item, err := l.find(tx, account.ID)
			l.SKU = item.SKU
			if errors.Is(err, db.ErrNotFound) || errors.Is(err, db.ErrConflict) {
				continue
			}
			if err != nil {
				return err
			}
			if d.Template == "receipt" && strings.TrimSpace(l.Price) == "" {
				l.Price = priceText(item.Price, account.Profile.Currency)
			}
			l.stock = stockText(item)
		}
		return nil
	})
}

// find returns the account's item that a line is of: the one with its SKU while that has the
// name of the line, else the only one with the name. ErrConflict: several have it.
func (l Line) find(tx *db.Tx, accountID string) (db.Item, error) {
	name := strings.TrimSpace(l.Item)
	if name == "" || len(name) > 4*maxField {
		return db.Item{}, db.ErrNotFound
	}
	if l.SKU != "" && len(l.SKU) <= 4*maxField {
		item, err := tx.ItemBySKU(accountID, l.SKU)
		if err == nil && strings.EqualFold(strings.TrimSpace(item.Name), name) || err != nil && !errors.Is(err, db.ErrNotFound) {
			return item, err
		}
	}
	return tx.ItemByName(accountID, name)
}

func stockText(i db.Item) string {
	if i.StockMilli == nil {
		return ""
	}
	return unit.Quantity(i.StockMilli, i.Unit) + " in stock"
}

// Goods handles GET /console/messages/goods: the items that the first `item` of a form means.
func (p *Pages) Goods(w *web.Response, r *http.Request, v session.Visitor) error {
	goods, err := p.service.goods(r.Context(), v.Account, r.URL.Query().Get("item"))
	if err != nil {
		return err
	}
	return p.views.Render(w, http.StatusOK, views.Compose{Frame: v.Frame("Products"), Goods: goods})
}

// goods returns items of the inventory that have the words of a text, or its first ones.
func (s *Service) goods(ctx context.Context, account db.Account, text string) (all []views.Good, err error) {
	var items []db.Item
	err = s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		items, err = tx.SearchItems(account.ID, db.ItemFilter{Search: text}, goodsShown)
		return err
	})
	for _, i := range items {
		good := views.Good{
			Name: i.Name, Price: priceText(i.Price, account.Profile.Currency), Cost: priceText(i.CostPrice, account.Profile.Currency), Text: stockText(i),
		}
		if i.Price != nil {
			good.Text = strings.Trim(money.Format(*i.Price, account.Profile.Currency)+", "+good.Text, ", ")
		}
		all = append(all, good)
	}
	return all, err
}

func faultsOf(all Faults) (faults views.Faults) {
	for _, f := range all {
		faults = append(faults, views.Fault{Field: f.Field, Text: views.Sentence(f)})
	}
	return faults
}

func (p *Pages) today(v session.Visitor) time.Time {
	return p.service.Clock().In(zone.Of(v.Account.Profile.Timezone))
}

// fingerprint stands for a message that was shown, with its price and whether it is only saved:
// a form that was shown as free must not be charged once a sender is set up.
func (p *Pages) fingerprint(req Request) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%s\x00%d\x00%t", req.Phone, req.Template, req.Text, p.terms().PriceCents, p.NoSender()))
	return hex.EncodeToString(sum[:8])
}

// send sends what was shown, once, and goes to the message.
func (p *Pages) send(w *web.Response, r *http.Request, v session.Visitor, page views.Compose, d Draft, req Request) error {
	if err := p.take(v.Account.ID); err != nil {
		return p.composePage(w, r, v, page, d, err)
	}
	body, err := json.Marshal(map[string]string{"phone": req.Phone, "template": req.Template, "text": req.Text})
	if err != nil {
		return err
	}
	done, err := p.Gate.Place(r, gate.Order{
		AccountID: v.Account.ID, PersonID: v.Person.ID, RequestID: w.RequestID, Once: page.Once, Body: body,
	}, p.terms(), p.byPerson())
	if err == nil && done.Mismatch {
		page.Once = string(db.NewToken())
		err = &fault.Error{Code: fault.Conflict, Message: "this form was used for another message before, and this one was not sent; if you mean it, send it now"}
	}
	if problem := failed(err, v); problem != nil {
		page.Ready = true
		return p.composePage(w, r, v, page, d, problem)
	}
	if err != nil {
		return err
	}
	var made placed
	if err := json.Unmarshal(done.Answer, &made); err != nil {
		return fmt.Errorf("stored outcome of a send: %w", err)
	}
	return w.Redirect(path + "?done=sent&open=" + url.QueryEscape(made.Message))
}

// take counts a send of the account.
func (p *Pages) take(accountID string) *fault.Error {
	now := p.service.Clock()
	standing := p.sends.Standing(accountID, now)
	if standing.Remaining == 0 {
		return &fault.Error{
			Code: fault.TooManyTries, RetryAfter: standing.Reset.Sub(now),
			Message: fmt.Sprintf("%d messages in a minute are the most that a shop sends from here; wait a moment", sendsAllowed),
		}
	}
	p.sends.Fail(accountID, now)
	return nil
}

// failed returns the error that a person is told about a send, nil if there is none or if it
// is a fault of ours.
func failed(err error, v session.Visitor) *fault.Error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return nil
	}
	switch e.Code {
	case fault.InsufficientFunds:
		told := *e
		told.Message = "the credit does not cover this message; it was not sent. Buy credit on the wallet page, then send it"
		if !v.IsOwner() {
			told.Message = "the credit of the shop does not cover this message; it was not sent. Ask " + v.Account.Email + " to buy some"
		}
		return &told
	case fault.OutcomeUnknown:
		told := *e
		told.Message = "it is not known whether the message was sent, and nothing was charged. Ask the recipient before you write another"
		return &told
	case fault.ProviderFailed, fault.InProgress:
		return e
	}
	return web.UserError(err)
}

// composePage renders the form with what was typed.
func (p *Pages) composePage(w *web.Response, r *http.Request, v session.Visitor, page views.Compose, d Draft, problem *fault.Error) (err error) {
	page.Frame = v.Frame("New message")
	page.Section = "messages"
	page.Template, page.Phone, page.Number = d.Template, d.Phone, d.Number
	page.Supplier, page.By, page.Note = d.Supplier, d.By, d.Note
	page.Currency, page.Cost, page.NoSender = strings.ToUpper(v.Account.Profile.Currency), money.Format(PriceCents, "usd"), p.NoSender()
	for _, kind := range templates {
		q := url.Values{"template": {kind}}
		if d.Phone != "" {
			q.Set("phone", d.Phone)
		}
		page.Kinds = append(page.Kinds, views.Group{Title: kindWords[kind], Link: composePath + "?" + q.Encode(), Chosen: kind == d.Template})
	}
	if page.Goods, err = p.service.goods(r.Context(), v.Account, ""); err != nil {
		return err
	}
	if v.IsOwner() && !page.NoSender {
		wallet, err := db.Read(r.Context(), p.service.Store, func(tx *db.Tx) (db.Wallet, error) { return tx.Wallet(v.Account.ID) })
		if err != nil {
			return err
		}
		page.Credit, page.Short = money.Format(wallet.BalanceCents, "usd"), wallet.BalanceCents-wallet.HeldCents < PriceCents
	}
	if page.Ready {
		if page.Preview, err = p.preview(r.Context(), v, d); err != nil {
			return err
		}
	}
	status := http.StatusOK
	if r.Header.Get("HX-Request") == "" || problem == nil { // a preview as one types is no refusal
		status, page.Problem, _ = views.Report(w, problem)
	} else {
		for _, f := range page.Faults {
			page.Missing = append(page.Missing, f.Text)
		}
		page.Faults = nil
	}
	page.Lines, page.Total = linesShown(d), d.total(v.Account.Profile.Currency)
	return p.views.Render(w, status, page)
}

// preview returns the message of a draft as it will be sent; nil if it has faults.
func (p *Pages) preview(ctx context.Context, v session.Visitor, d Draft) (*views.MessagePreview, error) {
	req, faults := d.Request(v.Account, p.today(v))
	if len(faults) > 0 {
		return nil, nil
	}
	var names map[string]string
	err := p.service.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		names, err = tx.CustomersByPhone(v.Account.ID, []string{req.Phone})
		return err
	})
	return &views.MessagePreview{
		To: names[req.Phone], Phone: req.Phone, Text: req.Text, Seen: p.fingerprint(req), Length: len([]rune(req.Text)),
	}, err
}

// total is what the priced lines of a draft come to, as far as they are right.
func (d Draft) total(currency string) string {
	var faults Faults
	_, total := d.goods(currency, &faults)
	if len(faults) > 0 {
		return ""
	}
	return total
}

// linesShown returns the lines of a form, of which there is at least one.
func linesShown(d Draft) (all []views.ComposeLine) {
	if len(d.Lines) == 0 {
		d.Lines = []Line{{Quantity: "1"}}
	}
	for _, l := range d.Lines {
		all = append(all, views.ComposeLine{Item: l.Item, Quantity: l.Quantity, Price: l.Price, SKU: l.SKU, Stock: l.stock})
	}
	return all
}
