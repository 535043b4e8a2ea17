package connection_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// fixtureOf returns the connection of a test key (D9), which is derived from the key
// alone, as POST and GET show it.
func fixtureOf(key db.Key) (created, listed map[string]any) {
	sum := sha256.Sum256([]byte(key.ID))
	id := "conn_test_" + hex.EncodeToString(sum[:])[:12]
	created = map[string]any{
		"id": id, "merchant_email": "sandbox-merchant@example.com", "status": "approved", "scopes": readScope,
		"created_at": apiTime(key.CreatedAt), "expires_at": apiTime(key.CreatedAt.Add(servertest.LinkLife)), "test_mode": true,
	}
	listed = map[string]any{
		"id": id, "merchant_email": "sandbox-merchant@example.com", "merchant_user_id": "acct_sandbox_merchant",
		"status": "approved", "scopes": readScope, "created_at": apiTime(key.CreatedAt),
		"approved_at": apiTime(key.CreatedAt), "revoked_at": nil, "test_mode": true,
	}
	return created, listed
}

func TestConnectionFixture(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.Ask(t) // a live key's connection is not the test key's
	d.Clock.Advance(50 * time.Hour)
	key, secret := d.Key(t, d.Developer, db.Test, db.AccountMode)
	other, otherSecret := d.Key(t, d.Developer, db.Test, db.GenericMode)
	mailed := len(d.Outbox(t, ""))
	created, listed := fixtureOf(key)

	links := map[string]bool{}
	for _, wait := range []time.Duration{0, time.Hour, 8 * 24 * time.Hour, 400 * 24 * time.Hour} {
		d.Clock.Advance(wait)
		for _, body := range []string{
			servertest.AskMia, servertest.AskMia, `{"merchant_email":"sandbox-merchant@example.com"}`, `{"merchant_email":"a@b.example","scopes":["read_inventory"]}`,
		} {
			a := d.Request(t, body, servertest.WithKey(secret))
			link := servertest.ConfirmationURL(t, a)
			expectJSON(t, a.Fields(t), map[string]any{"connection": created, "confirmation_url": link})
			if links[link] || !strings.HasPrefix(link, d.URL) || !connectPath.MatchString(servertest.Path(link)) {
				t.Errorf("confirmation_url %q", link)
			}
			links[link] = true
		}
		expectJSON(t, d.Connections(t, secret), []map[string]any{listed})
	}

	otherCreated, otherListed := fixtureOf(other)
	expectJSON(t, connectionOf(t, d.Request(t, servertest.AskMia, servertest.WithKey(otherSecret))), otherCreated)
	expectJSON(t, d.Connections(t, otherSecret), []map[string]any{otherListed})
	if otherCreated["id"] == created["id"] {
		t.Error("two keys have one fixture")
	}
	if rows := strings.Count(d.dump(t, "connections"), "\n"); rows != 1 || len(d.Outbox(t, "")) != mailed {
		t.Errorf("%d connections are stored, %d mails, want only the live key's", rows, len(d.Outbox(t, "")))
	}
}

// A test key's link shows what a merchant would see, decides nothing, and ends like any
// other.
func TestConnectionPreview(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.plantItems(t, d.MerchantID, db.ItemChange{Name: "Mia's own"})
	_, secret := d.Key(t, d.Developer, db.Test, db.AccountMode)
	link := d.Ask(t, servertest.WithKey(secret))

	for _, b := range []*servertest.Browser{d.Browser(t), d.Merchant} {
		d.expectUntouched(t, func() {
			page := b.Get(t, link)
			if page.Status != 200 || !page.Says("Preview of a test key") || !page.Says("sandbox-merchant@example.com") ||
				len(page.Forms()) != 0 || page.Says("Mia") || page.Says(servertest.Mia+"</") {
				t.Errorf("%d %s", page.Status, page.Body)
			}
			for _, action := range allActions {
				a := b.Post(t, link+"/"+action, formOf(action))
				if a.Status != 409 && (a.Status != 303 || a.Header.Get("Location") != servertest.Path(link)) || len(a.Header["Set-Cookie"]) != 0 {
					t.Errorf("%s: %d %v", action, a.Status, a.Header)
				}
			}
		})
	}

	d.Clock.Advance(servertest.LinkLife - time.Millisecond)
	if a := d.Browser(t).Get(t, link); a.Status != 200 {
		t.Errorf("just before its end: %d", a.Status)
	}
	d.Clock.Advance(time.Millisecond)
	expectNoRequest(t, d.Browser(t).Get(t, link))
	expectNoRequest(t, d.Browser(t).Post(t, link+"/approve", servertest.Ticked("read_inventory")))
	d.plantPreviews(t, 450)
	d.Clock.Advance(servertest.LinkLife)
	second := d.Ask(t, servertest.WithKey(secret))
	if err := d.App.Connections.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(d.dump(t, "previews"), "\n"); left != 1 || d.Browser(t).Get(t, second).Status != 200 {
		t.Errorf("%d previews are left after the sweep, want the one that has not ended", left)
	}
}

func (d *desk) plantPreviews(t *testing.T, n int) {
	t.Helper()
	dbtest.Update(t, d.Store, func(tx *db.Tx) error {
		for range n {
			if _, err := tx.CreatePreview(d.LiveKey.ID); err != nil {
				return err
			}
		}
		return nil
	})
}
