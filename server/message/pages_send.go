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
	"strings"
	"time"

	"svc/db"
	"svc/server/carrier"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/money"
	"svc/server/session"
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
	orderedItems = 20 // that a prefilled order has
)

// terms are what a message costs that a person sends: the price of the API's. The ledger
// names the page, since no endpoint was called.
var terms = gate.Terms{Endpoint: path, PriceCents: PriceCents, Idempotent: true, Deadline: Deadline}

// placed is the outcome of a send that is stored for a form that is sent again.
type placed struct {
	Message string `json:"message"` // its id
}

// byPerson is the action of a person's send: the API's, with another answer.
func (p *Pages) byPerson() gate.Endpoint {
	api := NewAPI(p.service)
	return gate.Action[Request, sent]{
		Parse:  func(_ gate.Caller, body []byte) (Request, error) { return ParseRequest(body) },
		Effect: func(gate.Caller) bool { return p.service.Carrier.Remote() },
		Do:     api.send,
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
		lines, err := p.service.orderLines(r.Context(), v.Account.ID, items[:min(len(items), orderedItems)])
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

// orderLines returns a line for each item of the account, with Blank in the place of the
// quantity; "low" stands for those that are low. A NotFound: there is no such item.
func (s *Service) orderLines(ctx context.Context, accountID string, ids []string) (string, error) {
	var items []db.Item
	err := s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		if ids[0] == "low" {
			items, err = tx.SearchItems(accountID, db.ItemFilter{Stock: db.LowStock}, orderedItems)
			return err
		}
		for _, id := range ids {
			item, err := tx.Item(accountID, id)
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
	var lines []string
	for _, i := range items {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s x %s %s", Blank, i.Name, i.SKU)))
	}
	return strings.Join(lines, "\n"), err
}

// New handles POST /console/messages/new: it shows the message as it will be sent, or with
// `act` send sends it, if that is what was shown.
func (p *Pages) New(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	d := Draft{
		Template: form.Value("template"), Phone: form.Value("phone"), Number: form.Value("number"), Lines: form.Value("lines"),
		Total: form.Value("total"), Supplier: form.Value("supplier"), By: form.Value("by"), Note: form.Value("note"),
	}
	page := views.Compose{Once: form.Value("once")}
	if kindWords[d.Template] == "" || page.Once == "" {
		return fault.Invalid("body", "is not the one that this page has")
	}
	req, err := d.Request(v.Account, p.today(v))
	switch {
	case err != nil:
	case form.Value("act") != "send":
		page.Ready = true
	case form.Value("seen") != fingerprint(req):
		page.Ready = true
		err = &fault.Error{Code: fault.Conflict, Message: "this is not what was shown before: look at the message once more, then send it"}
	default:
		return p.send(w, r, v, page, d, req)
	}
	problem := web.UserError(err)
	if err != nil && problem == nil {
		return err
	}
	return p.composePage(w, r, v, page, d, problem)
}

func (p *Pages) today(v session.Visitor) time.Time {
	return p.service.Clock().In(zone.Of(v.Account.Profile.Timezone))
}

// fingerprint stands for a message that was shown.
func fingerprint(req Request) string {
	sum := sha256.Sum256([]byte(req.Phone + "\x00" + req.Template + "\x00" + req.Text))
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
	}, terms, p.byPerson())
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
func (p *Pages) composePage(w *web.Response, r *http.Request, v session.Visitor, page views.Compose, d Draft, problem *fault.Error) error {
	page.Frame = v.Frame("New message")
	page.Section = "messages"
	page.Template, page.Phone, page.Number, page.Lines, page.Total = d.Template, d.Phone, d.Number, d.Lines, d.Total
	page.Supplier, page.By, page.Note = d.Supplier, d.By, d.Note
	page.Currency, page.Cost = strings.ToUpper(v.Account.Profile.Currency), money.Format(PriceCents, "usd")
	page.Provider, page.CanSend = providerWords[p.service.Carrier.Name()], p.service.Carrier.Name() != carrier.NameNone
	page.Outbox = p.service.Carrier.Name() == carrier.NameOutbox
	for _, kind := range templates {
		page.Kinds = append(page.Kinds, views.Group{Title: kindWords[kind], Link: composePath + "?template=" + kind, Chosen: kind == d.Template})
	}
	if v.IsOwner() {
		wallet, err := db.Read(r.Context(), p.service.Store, func(tx *db.Tx) (db.Wallet, error) { return tx.Wallet(v.Account.ID) })
		if err != nil {
			return err
		}
		page.Credit, page.Short = money.Format(wallet.BalanceCents, "usd"), wallet.BalanceCents-wallet.HeldCents < PriceCents
	}
	if page.Ready {
		if req, err := d.Request(v.Account, p.today(v)); err == nil {
			page.Preview = &views.MessagePreview{Phone: req.Phone, Text: req.Text, Seen: fingerprint(req), Length: len([]rune(req.Text))}
		}
	}
	status := http.StatusOK
	if r.Header.Get("HX-Request") == "" || problem == nil { // a preview as one types is no refusal
		status, page.Problem, page.Field = views.Report(w, problem)
	} else {
		page.Missing = views.Sentence(problem)
	}
	return p.views.Render(w, status, page)
}
