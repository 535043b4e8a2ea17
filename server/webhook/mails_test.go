package webhook_test

import (
	"net/url"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server/servertest"
)

// An owner who wants no mails is not told of a disabled webhook, until they want them again.
func TestMailsOfDisabledWebhooksAreASetting(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.SetPasswordHash(s.account.ID, servertest.PasswordHash()) })
	b := s.Browser(t)
	b.SignIn(t, s.account.Email, servertest.Password).ExpectRedirect(t, "/console")
	if b.Get(t, "/console/settings").Says("webhook-mails") {
		t.Error("the setting is shown to an account without webhooks")
	}
	gone := newReceiver(t, status(410))
	for i, wants := range []bool{true, false, true} {
		w, _ := s.subscribe(t, gone.URL, event.StockLow)
		form := url.Values{}
		if wants {
			form.Set("webhook-mails", "1")
		}
		if i > 0 { // they come by default
			b.Post(t, "/console/settings/mails", form).ExpectRedirect(t, "/console/settings?done=profile")
		}
		if ticked := strings.Contains(string(b.Get(t, "/console/settings").Body), `value="1" autocomplete="off" checked`); ticked != wants {
			t.Errorf("the box is ticked: %t, want %t", ticked, wants)
		}
		before := len(s.Outbox(t, s.account.Email))
		s.emit(t, event.Stock{})
		s.deliver(t)
		if s.find(t, w).Enabled {
			t.Fatal("the webhook is not disabled")
		}
		if mailed := len(s.Outbox(t, s.account.Email)) > before; mailed != wants {
			t.Errorf("mailed: %t, want %t", mailed, wants)
		}
	}
}
