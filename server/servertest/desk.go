package servertest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
)

// The requests that a [Desk] makes.
const (
	ConnectionsPath = "/api/v1/connections"
	Mia             = "mia@shop.example" // the merchant
	AskMia          = `{"merchant_email":"` + Mia + `"}`
	LinkLife        = 7 * 24 * time.Hour // of a request (seed 8.2)
)

// Desk is an appliance with a developer who has a live key, and a merchant with a browser
// that is signed in.
type Desk struct {
	*Server
	// Developer is an e-mail address.
	Developer string
	LiveKey   db.Key
	Secret    string
	// MerchantID is Mia's account, and Merchant her browser.
	MerchantID string
	Merchant   *Browser
}

// NewDesk opens a desk.
func NewDesk(t testing.TB, change ...func(*server.Config)) *Desk {
	t.Helper()
	d := &Desk{Server: New(t, change...)}
	d.Developer = d.Account(t, "dev@acme.example", string(db.Business), 0)
	d.LiveKey, d.Secret = d.Key(t, d.Developer, db.Live, db.AccountMode)
	d.MerchantID, d.Merchant = d.PlantMember(t, Mia)
	return d
}

// OtherLiveKey makes another live key of the developer.
func (d *Desk) OtherLiveKey(t testing.TB) (secret string) {
	t.Helper()
	_, secret = d.Key(t, d.Developer, db.Live, db.AccountMode)
	return secret
}

// PlantMember stores an account and signs a browser in to it.
func (s *Server) PlantMember(t testing.TB, email string) (id string, b *Browser) {
	t.Helper()
	id, b = s.PlantAccount(t, email, true), s.Browser(t)
	b.SignIn(t, email, Password).Expect(t, 303, "")
	return id, b
}

// PlantAccount stores an account with Password.
func (s *Server) PlantAccount(t testing.TB, email string, verified bool) (id string) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		name, _, _ := strings.Cut(email, "@")
		a := db.Account{
			Email: email, Name: name, Plan: db.Free, PasswordHash: PasswordHash(),
			Profile: db.Profile{BizType: "retail", Currency: "gbp", Timezone: "UTC"},
		}
		if verified {
			a.VerifiedAt = tx.Now()
		}
		made, err := tx.CreateAccount(a)
		id = made.ID
		return err
	})
	return id
}

// Request posts a body with the developer's live key, which an option may replace. A
// millisecond passes first, so that the new connection is the newest.
func (d *Desk) Request(t testing.TB, body any, options ...Option) Answer {
	t.Helper()
	d.Clock.Advance(time.Millisecond)
	options = slices.Insert(options, 0, WithKey(d.Secret))
	return d.Call(t, http.MethodPost, ConnectionsPath, body, options...)
}

// Ask makes a request to the merchant and returns its link.
func (d *Desk) Ask(t testing.TB, options ...Option) (link string) {
	t.Helper()
	return ConfirmationURL(t, d.Request(t, AskMia, options...))
}

// ConfirmationURL reads the link of a POST's answer.
func ConfirmationURL(t testing.TB, a Answer) string {
	t.Helper()
	a.Expect(t, 200, "")
	link, _ := a.Field(t, "confirmation_url").(string)
	return link
}

// Connections lists the connections of a key, the newest first.
func (d *Desk) Connections(t testing.TB, secret string) (all []map[string]any) {
	t.Helper()
	a := d.Call(t, http.MethodGet, ConnectionsPath, nil, WithKey(secret))
	a.Expect(t, 200, "")
	fields := a.Fields(t)
	rows, ok := fields["connections"].([]any)
	if !ok || len(fields) != 1 {
		t.Fatalf("answer %s", a.Body)
	}
	for _, row := range rows {
		all = append(all, row.(map[string]any))
	}
	return all
}

// Newest returns the newest connection of the developer's live key.
func (d *Desk) Newest(t testing.TB) map[string]any {
	t.Helper()
	all := d.Connections(t, d.Secret)
	if len(all) == 0 {
		t.Fatal("no connection")
	}
	return all[0]
}

// Ticked is the form of a decision with these scopes ticked.
func Ticked(scopes ...string) url.Values { return url.Values{"scope": scopes} }

// ExpectDone checks that a form did its work and leads back to the request.
func (a Answer) ExpectDone(t testing.TB, link string) {
	t.Helper()
	a.ExpectRedirect(t, Path(link))
}
