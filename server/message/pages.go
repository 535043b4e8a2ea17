package message

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/carrier"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/session"
	"svc/server/throttle"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	path        = "/console/messages"
	pageRows    = 50
	unknownRows = 20
)

// Pages are the pages of an account's messages.
type Pages struct {
	// Gate settles what people send. It is set before the first request.
	Gate *gate.Gate

	service *Service
	views   *views.Set
	baseURL string                    // of the API
	sends   *throttle.Limiter[string] // by account
}

// NewPages returns the pages of a service. Where that has no provider, the messages of people
// are kept in the outbox, from which people send them by hand (G5).
func NewPages(s *Service, set *views.Set, baseURL string) *Pages {
	if s.Carrier.Name() == carrier.NameNone {
		own := s.Config
		own.Carrier = carrier.NewOutbox()
		s = New(own)
	}
	return &Pages{service: s, views: set, baseURL: baseURL, sends: throttle.New[string](sendsAllowed, sendWindow, sendersKept)}
}

// NoSender reports whether what people write is kept and not sent.
func (p *Pages) NoSender() bool { return p.service.Carrier.Name() == carrier.NameOutbox }

// Listing is a page of an account's messages.
type Listing struct {
	Messages []db.Message
	More     bool      // there are older ones
	Unknown  []db.Call // sends of unknown outcome
	Open     *db.Message
	Keys     map[string]db.KeyName
	People   map[string]string // e-mails of the people who sent some of them, by id
	Names    map[string]string // of customers, by phone number
}

// Search lists an account's messages that a filter chooses, at most limit, with the open one if
// its id is not empty. A NotFound: the account has no such message.
func (s *Service) Search(ctx context.Context, accountID string, f db.MessageFilter, open string, limit int) (l Listing, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		if l.Messages, err = tx.SearchMessages(accountID, f, limit+1); err != nil {
			return err
		}
		if l.Unknown, err = tx.UnknownCalls(accountID, unknownRows); err != nil {
			return err
		}
		var ids []string
		for _, m := range l.Messages {
			ids = append(ids, m.KeyID)
		}
		for _, c := range l.Unknown {
			ids = append(ids, c.KeyID)
		}
		if open != "" {
			found, err := tx.MessageOf(accountID, open)
			if err != nil {
				return err
			}
			l.Open, ids = &found, append(ids, found.KeyID)
		}
		if l.Keys, err = tx.KeyNames(ids); err != nil {
			return err
		}
		if l.Names, err = tx.CustomersByPhone(accountID, l.phones()); err != nil {
			return err
		}
		l.People, err = senders(tx, ids)
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such message", Err: err}
	}
	if l.More = len(l.Messages) > limit; l.More {
		l.Messages = l.Messages[:limit]
	}
	return l, err
}

// senders returns the e-mails of those ids that are people's.
func senders(tx *db.Tx, ids []string) (map[string]string, error) {
	people := map[string]string{}
	for _, id := range ids {
		if _, known := people[id]; known || strings.HasPrefix(id, "key_") {
			continue
		}
		email, err := tx.ActorEmail(id)
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
		people[id] = email
	}
	return people, nil
}

// phones returns the numbers of the recipients.
func (l Listing) phones() (all []string) {
	for _, m := range l.Messages {
		all = append(all, m.Phone)
	}
	for _, c := range l.Unknown {
		all = append(all, c.Recipient)
	}
	if l.Open != nil {
		all = append(all, l.Open.Phone)
	}
	return all
}

// by names the person who sent a message to a reader; "" if it was none.
func (l Listing) by(id string, v session.Visitor) string {
	if id == v.Person.ID {
		return "You"
	}
	return l.People[id]
}

// from says what sent a message: the console, or the key of an app, of which staff see no
// name (L11).
func (l Listing) from(id string, v session.Visitor) string {
	if _, person := l.People[id]; person {
		return "Console"
	}
	if !v.IsOwner() {
		return "An app"
	}
	return cmp.Or(l.Keys[id].Label, "An app")
}

// providerWords say how a server sends messages.
var providerWords = map[string]string{
	carrier.NameNone:     "No sender is set up, so a message is saved here, and you send it yourself by WhatsApp or SMS.",
	carrier.NameOutbox:   "No sender is set up, so a message is saved here, and you send it yourself by WhatsApp or SMS.",
	carrier.NameWhatsApp: "They go out by WhatsApp.",
	carrier.NameTwilio:   "They go out by SMS or WhatsApp, with Twilio.",
	carrier.NameWebhook:  "They go out through the sender of this server.",
}

var kindWords = map[string]string{"receipt": "Receipt", "purchase_order": "Purchase order"}

// Show handles GET /console/messages.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	filter := db.MessageFilter{Before: q.Get("before"), Template: q.Get("template"), Search: q.Get("q"), Saved: q.Get("state") == "saved"}
	found, err := p.service.Search(r.Context(), v.Account.ID, filter, q.Get("open"), pageRows)
	if err != nil {
		return err
	}
	page := views.Messages{
		Frame: v.Frame("Messages"), Provider: providerWords[p.service.Carrier.Name()], Search: filter.Search, Groups: groupsOf(filter), Kept: keptOf(filter),
		Filtered: filter != db.MessageFilter{}, Zone: zone.Of(v.Account.Profile.Timezone), Curl: p.curl(), NoSender: p.NoSender(),
	}
	page.Section = "messages"
	page.Notice = doneNotice(q.Get("done"), found.Open)
	for _, m := range found.Messages {
		page.Rows = append(page.Rows, rowOf(m, found, v, address(filter, "open", m.ID)))
	}
	for _, c := range found.Unknown {
		page.Unknown = append(page.Unknown, views.UnknownSend{At: c.CreatedAt, Phone: c.Recipient, Name: found.Names[c.Recipient], RequestID: c.ID, From: found.from(c.KeyID, v), By: found.by(c.KeyID, v)})
	}
	if found.More {
		older := filter
		older.Before = found.Messages[len(found.Messages)-1].ID
		page.Pager.Older = address(older)
	}
	if filter.Before != "" {
		newest := filter
		newest.Before = ""
		page.Pager.Newest = address(newest)
	}
	if found.Open != nil {
		page.Detail = detailOf(*found.Open, found, v, address(filter))
		page.Detail.NoSender = page.NoSender
	}
	return p.views.Render(w, http.StatusOK, page)
}

// doneNotice is the notice of an open message after a form. One that is saved says so itself.
func doneNotice(done string, m *db.Message) string {
	switch {
	case m == nil || m.Provider == carrier.NameOutbox:
	case done == "sent":
		return "Sent. The sender has taken the message."
	case done == "hand" && m.Provider == db.ByHand:
		return "Noted: you sent it yourself."
	}
	return ""
}

// MarkSent handles POST /console/messages/sent: a person has sent the message `id` themselves, or
// takes that back with `undo`.
func (p *Pages) MarkSent(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, sent := form.Value("id"), form.Value("undo") == ""
	err := p.service.Store.Update(r.Context(), func(tx *db.Tx) error { return tx.MarkSent(v.Account.ID, id, sent) })
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such message that is saved and not sent", Err: err}
	}
	if err != nil {
		return err
	}
	done := map[bool]string{true: "hand", false: "unsent"}[sent]
	return w.Redirect(path + "?done=" + done + "&open=" + url.QueryEscape(id))
}

// address returns the address of a list with further parameters, in pairs.
func address(f db.MessageFilter, more ...string) string {
	q := url.Values{}
	for _, kept := range append(keptOf(f), views.Pair{Name: "q", Value: f.Search}, views.Pair{Name: "before", Value: f.Before}) {
		if kept.Value != "" {
			q.Set(kept.Name, kept.Value)
		}
	}
	for i := 0; i < len(more); i += 2 {
		q.Set(more[i], more[i+1])
	}
	return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
}

// keptOf returns the part of the list that a search keeps.
func keptOf(f db.MessageFilter) (all []views.Pair) {
	if f.Template != "" {
		all = append(all, views.Pair{Name: "template", Value: f.Template})
	}
	if f.Saved {
		all = append(all, views.Pair{Name: "state", Value: "saved"})
	}
	return all
}

func groupsOf(f db.MessageFilter) (all []views.Group) {
	for _, g := range []struct {
		title string
		part  db.MessageFilter
	}{
		{"All", db.MessageFilter{}}, {"Receipts", db.MessageFilter{Template: "receipt"}},
		{"Purchase orders", db.MessageFilter{Template: "purchase_order"}}, {"Not sent", db.MessageFilter{Saved: true}},
	} {
		chosen := g.part.Template == f.Template && g.part.Saved == f.Saved
		g.part.Search = f.Search
		all = append(all, views.Group{Title: g.title, Link: address(g.part), Chosen: chosen})
	}
	return all
}

func kindOf(m db.Message) string { return cmp.Or(kindWords[m.Template], m.Template) }

func rowOf(m db.Message, found Listing, v session.Visitor, link string) views.MessageRow {
	state, tag := StateOf(m)
	row := views.MessageRow{
		At: m.CreatedAt, To: found.Recipient(m), Kind: kindOf(m), Gist: Gist(m.Text), State: state, Tag: tag, From: found.from(m.KeyID, v),
		Link: link, Open: found.Open != nil && m.ID == found.Open.ID,
	}
	if row.To != m.Phone {
		row.Phone = m.Phone
	}
	return row
}

// Recipient is the name of who gets a message: that of the customer with the number, else the
// supplier whom the text of an order names, else the number.
func (l Listing) Recipient(m db.Message) string {
	if name := l.Names[m.Phone]; name != "" {
		return name
	}
	if _, rest, ok := strings.Cut(m.Text, "\nTo "); ok && m.Template == "purchase_order" {
		name, _, _ := strings.Cut(rest, "\n")
		return cmp.Or(strings.TrimSpace(name), m.Phone)
	}
	return m.Phone
}

// Gist says in few words what a text is about: its total, or the first thing on its list, or
// its first line. It is empty for a text that is not kept.
func Gist(text string) string {
	parts := strings.Split(text, "\n\n")
	for _, part := range parts {
		if strings.HasPrefix(part, "Total ") {
			first, _, _ := strings.Cut(part, "\n")
			return first
		}
	}
	if len(parts) > 1 {
		text = parts[1]
	}
	first, rest, _ := strings.Cut(text, "\n")
	if rest = strings.TrimSpace(rest); rest != "" && len(parts) > 1 {
		first += " and " + strconv.Itoa(strings.Count(rest, "\n")+1) + " more"
	}
	return first
}

// StateOf returns the state of a message and the kind of tag that shows it (G2).
func StateOf(m db.Message) (state, tag string) {
	switch m.Provider {
	case carrier.NameOutbox:
		return "Saved, not sent", "warn"
	case db.ByHand:
		return "Sent by hand", "on"
	}
	return "Sent", "on"
}

func detailOf(m db.Message, found Listing, v session.Visitor, back string) *views.MessageDetail {
	d := &views.MessageDetail{
		ID: m.ID, To: found.Recipient(m), Phone: m.Phone, Kind: kindOf(m), Text: m.Text, At: m.CreatedAt, Provider: m.Provider, ProviderID: m.ProviderID,
		By: found.by(m.KeyID, v), From: found.from(m.KeyID, v), RequestID: m.RequestID, Close: back, Zone: zone.Of(v.Account.Profile.Timezone),
		Again: composePath + "?" + url.Values{"template": {m.Template}, "phone": {m.Phone}}.Encode(),
		Saved: m.Provider == carrier.NameOutbox, MarkedSent: m.Provider == db.ByHand,
	}
	d.State, d.Tag = StateOf(m)
	switch m.Provider {
	case carrier.NameOutbox, db.ByHand:
		d.Provider, d.ProviderID = "", ""
	default:
		d.Later = "The sender has taken it. Whether it was delivered or read is not known here."
	}
	return d
}

// curl returns a line that sends a message.
func (p *Pages) curl() string {
	return "curl " + p.baseURL + "/api/v1/messaging/send -H 'x-api-key: svc_live_…' -H 'Idempotency-Key: order-1042' " +
		`-d '{"phone":"+447700900123","template":"purchase_order","text":"Please send 20 x Ground Coffee 250 g."}'`
}
