package message

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
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

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set, baseURL string) *Pages {
	return &Pages{service: s, views: set, baseURL: baseURL, sends: throttle.New[string](sendsAllowed, sendWindow, sendersKept)}
}

// Listing is a page of an account's messages.
type Listing struct {
	Messages []db.Message
	More     bool      // there are older ones
	Unknown  []db.Call // sends of unknown outcome
	Open     *db.Message
	Keys     map[string]db.KeyName
	People   map[string]string // e-mails of the people who sent some of them, by id
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

// by names who sent a message to a reader: themselves, a person of the shop, or a key, of
// which staff see none (L11).
func (l Listing) by(id string, v session.Visitor) string {
	switch email, person := l.People[id]; {
	case id == v.Person.ID:
		return "You"
	case person:
		return email
	case !v.IsOwner():
		return ""
	}
	return keyName(l.Keys, id)
}

// providerWords say how a server sends messages.
var providerWords = map[string]string{
	carrier.NameNone:     "This server has no message provider, so nothing can be sent.",
	carrier.NameOutbox:   "This server sends nothing: messages are kept in its outbox, to be read here.",
	carrier.NameWhatsApp: "This server sends by WhatsApp.",
	carrier.NameTwilio:   "This server sends by Twilio.",
	carrier.NameWebhook:  "This server hands messages to its operator's own provider.",
}

var kindWords = map[string]string{"receipt": "Receipt", "purchase_order": "Purchase order"}

// Show handles GET /console/messages.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	filter := db.MessageFilter{Before: q.Get("before"), Template: q.Get("template"), Phone: q.Get("q")}
	found, err := p.service.Search(r.Context(), v.Account.ID, filter, q.Get("open"), pageRows)
	if err != nil {
		return err
	}
	page := views.Messages{
		Frame: v.Frame("Messages"), Provider: providerWords[p.service.Carrier.Name()], Phone: filter.Phone, Templates: kindOptions(filter.Template),
		Filtered: filter != db.MessageFilter{}, Zone: zone.Of(v.Account.Profile.Timezone), Curl: p.curl(),
	}
	page.Section = "messages"
	if q.Get("done") == "sent" && found.Open != nil {
		page.Notice = "The provider has taken the message."
		if found.Open.Provider == carrier.NameOutbox {
			page.Notice = "The message is kept in the outbox. It was not sent."
		}
	}
	for _, m := range found.Messages {
		state, tag := stateOf(m)
		page.Rows = append(page.Rows, views.MessageRow{
			At: m.CreatedAt, Phone: m.Phone, Kind: kindOf(m), State: state, Tag: tag, By: found.by(m.KeyID, v),
			Link: address(filter, "open", m.ID), Open: found.Open != nil && m.ID == found.Open.ID,
		})
	}
	for _, c := range found.Unknown {
		by := found.by(c.KeyID, v)
		if _, person := found.People[c.KeyID]; !person && by != "" {
			by = "key " + by
		}
		page.Unknown = append(page.Unknown, views.UnknownSend{At: c.CreatedAt, RequestID: c.ID, By: by})
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
		page.Detail = detailOf(*found.Open, found.by(found.Open.KeyID, v), address(filter))
		_, page.Detail.Person = found.People[found.Open.KeyID]
	}
	return p.views.Render(w, http.StatusOK, page)
}

// address returns the address of a list with further parameters, in pairs.
func address(f db.MessageFilter, more ...string) string {
	q := url.Values{}
	pairs := append([]string{"q", f.Phone, "template", f.Template, "before", f.Before}, more...)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return (&url.URL{Path: path, RawQuery: q.Encode()}).String()
}

func kindOptions(chosen string) []views.Option {
	all := []views.Option{{Text: "All"}}
	for _, name := range templates {
		all = append(all, views.Option{Value: name, Text: kindWords[name], Chosen: name == chosen})
	}
	return all
}

func kindOf(m db.Message) string { return cmp.Or(kindWords[m.Template], m.Template) }

func keyName(keys map[string]db.KeyName, id string) string { return cmp.Or(keys[id].Label, id) }

// stateOf returns the state of a message and the kind of tag that shows it (G2).
func stateOf(m db.Message) (state, tag string) {
	if m.Provider == carrier.NameOutbox {
		return "in the outbox", "test"
	}
	return "accepted", "on"
}

func detailOf(m db.Message, by, back string) *views.MessageDetail {
	d := &views.MessageDetail{
		ID: m.ID, Phone: m.Phone, Kind: kindOf(m), Text: m.Text, Provider: m.Provider, ProviderID: m.ProviderID, By: by, RequestID: m.RequestID, Close: back,
		Again: composePath + "?" + url.Values{"template": {m.Template}, "phone": {m.Phone}}.Encode(),
		Later: "Whether it was delivered or read is not known here: the provider said that it took the message, and reports nothing to this server after that.",
	}
	d.States = []views.MessageState{{At: m.CreatedAt, Text: "Accepted by the provider"}}
	if m.Provider == carrier.NameOutbox {
		d.Later = ""
		d.States[0].Text, d.ProviderID = "Kept in the outbox of this server; nothing was sent", ""
	}
	return d
}

// curl returns a line that sends a message.
func (p *Pages) curl() string {
	return "curl " + p.baseURL + "/api/v1/messaging/send -H 'x-api-key: svc_live_…' -H 'Idempotency-Key: order-1042' " +
		`-d '{"phone":"+447700900123","template":"purchase_order","text":"Please send 20 x Ground Coffee 250 g."}'`
}
