package connection_test

import (
	"context"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

// A live key's request is mailed to the merchant, a test key's never (D8).
func TestConnectionMail(t *testing.T) {
	servertest.Sequential(t)
	t.Run("OneWithTheLink", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		mails := d.Outbox(t, "")
		if len(mails) != 1 {
			t.Fatalf("%d mails, want 1", len(mails))
		}
		m := mails[0]
		if m.To != servertest.Mia || !strings.Contains(m.Text, "\n"+link+"\n") || !strings.Contains(m.HTML, `"`+link+`"`) ||
			!strings.Contains(m.Text, "Read your inventory") || !strings.Contains(m.Text, "dev") || !strings.Contains(m.Text, "9 March 2026, 10:00 UTC") {
			t.Errorf("mail %+v", m)
		}
		if !m.ExpiresAt.Equal(d.Clock.Now().Add(servertest.LinkLife)) {
			t.Errorf("the mail expires at %v", m.ExpiresAt)
		}
	})

	t.Run("AddressIsKeptAsGiven", func(t *testing.T) {
		d := newDesk(t)
		link := servertest.ConfirmationURL(t, d.Request(t, asking(`"MIA@Shop.Example"`)))
		if m := d.Outbox(t, "")[0]; m.To != "MIA@Shop.Example" {
			t.Errorf("mailed to %s", m.To)
		}
		d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).Expect(t, 303, "")
		if got := d.Newest(t); got["merchant_email"] != "MIA@Shop.Example" || got["merchant_user_id"] != d.MerchantID {
			t.Errorf("approved: %v", got)
		}
	})

	t.Run("TestKeyMailsNobody", func(t *testing.T) {
		d := newDesk(t)
		for _, mode := range []db.Mode{db.AccountMode, db.GenericMode} {
			_, secret := d.Key(t, d.Developer, db.Test, mode)
			d.Ask(t, servertest.WithKey(secret))
		}
		if mails := d.Outbox(t, ""); len(mails) != 0 {
			t.Errorf("%d mails", len(mails))
		}
	})
}

// One address gets a mail an hour and five a day on behalf of one key, whichever process
// serves it; each request is made and answered with its link all the same (L10).
func TestConnectionMailsOfOneKeyAreLimited(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	second := servertest.Open(t, d.Path, d.Clock)
	start := d.Clock.Now()
	for _, row := range []struct {
		at    time.Duration
		mails int // after the requests of this time
	}{
		{0, 1},
		{30 * time.Minute, 1},
		{time.Hour - time.Millisecond, 1},
		{time.Hour, 2},
		{90 * time.Minute, 2},
		{2 * time.Hour, 3},
		{5 * time.Hour, 4},
		{6 * time.Hour, 5},
		{7 * time.Hour, 5},
		{24*time.Hour - time.Millisecond, 5},
		{24 * time.Hour, 6}, // a day after the first
		{25*time.Hour - time.Millisecond, 6},
		{25 * time.Hour, 7},
	} {
		d.Clock.Set(start.Add(row.at))
		for i, server := range []*servertest.Server{d.Server, second, d.Server} {
			body := asking([]string{`"` + servertest.Mia + `"`, `"MIA@Shop.Example"`}[i%2])
			a := server.Call(t, "POST", servertest.ConnectionsPath, body, servertest.WithKey(d.Secret))
			d.Merchant.Get(t, servertest.ConfirmationURL(t, a)).ExpectPage(t, 200)
		}
		if n := len(d.Outbox(t, servertest.Mia)); n != row.mails {
			t.Errorf("%d mails after %v, want %d", n, row.at, row.mails)
		}
	}

	// The limit is of one key and one address.
	d.Ask(t, servertest.WithKey(d.OtherLiveKey(t)))
	if n := len(d.Outbox(t, servertest.Mia)); n != 8 {
		t.Errorf("%d mails after a request of another key, want 8", n)
	}
	servertest.ConfirmationURL(t, d.Request(t, asking(`"max@shop.example"`)))
	if n := len(d.Outbox(t, "max@shop.example")); n != 1 {
		t.Errorf("%d mails to another address, want 1", n)
	}
}

// A quoted spelling of an address shares the limit of its mails (L10), and the active
// connection (D2). Another mailbox shares neither.
func TestConnectionToAQuotedSpelling(t *testing.T) {
	servertest.Sequential(t)
	const quoted, escaped, another = `"\"mia\"@shop.example"`, `"\"m\\ia\"@Shop.example"`, `"\"mi a\"@shop.example"`
	d := newDesk(t)
	link := d.Ask(t)
	last := link
	for _, address := range []string{quoted, escaped} {
		last = servertest.ConfirmationURL(t, d.Request(t, asking(address)))
	}
	if n := len(d.Outbox(t, "")); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	d.Merchant.Get(t, last).ExpectPage(t, 200) // is for her account

	d.approve(t, last)
	for _, address := range []string{quoted, escaped, `"` + servertest.Mia + `"`} {
		d.Request(t, asking(address)).Expect(t, 409, "conflict")
	}
	expectPage(t, d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")), 409, "conflict", "", "")

	servertest.ConfirmationURL(t, d.Request(t, asking(another)))
	if n := len(d.Outbox(t, "")); n != 2 {
		t.Errorf("%d mails after a request to another mailbox, want 2", n)
	}
}

// Requests that arrive at once are mailed once.
func TestConnectionMailsAtOnce(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	second := servertest.Open(t, d.Path, d.Clock)
	var all sync.WaitGroup
	for i := range 20 {
		server := []*servertest.Server{d.Server, second}[i%2]
		all.Go(func() {
			server.Call(t, "POST", servertest.ConnectionsPath, servertest.AskMia, servertest.WithKey(d.Secret)).Expect(t, 200, "")
		})
	}
	all.Wait()
	if n := len(d.Outbox(t, servertest.Mia)); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	if n := len(d.Connections(t, d.Secret)); n != 20 {
		t.Errorf("%d requests, want 20", n)
	}
}

// A developer's names cannot add headers, lines or markup to a mail.
func TestConnectionMailEscapesNames(t *testing.T) {
	servertest.Sequential(t)
	const (
		appName = "Acme\r\nBcc: eve@example.com\r\n\r\nPay now: http://evil.example/ <script>alert(1)</script> \u202egnp.exe"
		devName = "Dev\nSubject: You have won\n\n<img src=x onerror=alert(2)>”\u2028Reply-To: eve@example.com"
	)
	sink := mailtest.New(t)
	d := newDesk(t, func(c *server.Config) { c.SMTP, c.MailFrom = sink.URL(), "svc <svc@svc.example>" })
	link := d.Ask(t, servertest.WithKey(d.hostileKey(t, appName, devName)))
	if err := d.App.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}

	m := sink.Wait(1)[0]
	if !reflect.DeepEqual(m.To, []string{servertest.Mia}) || m.Subject != "An app asks to read your inventory" || m.Header.Get("To") != "<"+servertest.Mia+">" {
		t.Errorf("to %v (%s), subject %q", m.To, m.Header.Get("To"), m.Subject)
	}
	for _, name := range []string{"Bcc", "Reply-To", "Cc"} {
		if m.Header.Get(name) != "" {
			t.Errorf("%s: %s", name, m.Header.Get(name))
		}
	}
	for line := range strings.Lines(m.Text) {
		for _, forged := range []string{"Bcc:", "Subject:", "Reply-To:", "Pay now"} {
			if strings.HasPrefix(strings.TrimSpace(line), forged) {
				t.Errorf("a line made by the developer's name: %q", line)
			}
		}
	}
	if strings.ContainsAny(m.Text+m.HTML, "\u202e\u2028") || strings.Contains(m.Text, "http://evil.example") {
		t.Errorf("text %s", m.Text)
	}
	if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "<img src=x") || strings.Contains(m.HTML, "http://evil.example") {
		t.Errorf("HTML %s", m.HTML)
	}
	if !strings.Contains(m.Text, link) || !strings.Contains(m.Text, "Acme") {
		t.Errorf("text %s", m.Text)
	}
}

// hostileKey makes a live key of an app and an account with these names.
func (d *desk) hostileKey(t *testing.T, appName, devName string) (secret string) {
	t.Helper()
	dbtest.Update(t, d.Store, func(tx *db.Tx) error {
		owner, err := tx.CreateAccount(db.Account{Email: "hostile@acme.example", Name: devName, Plan: db.Business, VerifiedAt: tx.Now()})
		if err != nil {
			return err
		}
		app, err := tx.CreateApp(db.App{AccountID: owner.ID, Name: appName})
		if err != nil {
			return err
		}
		_, made, err := tx.CreateKey(db.Key{AccountID: owner.ID, AppID: app.ID, Env: db.Live, Mode: db.AccountMode, Label: "hostile"})
		secret = string(made)
		return err
	})
	return secret
}
