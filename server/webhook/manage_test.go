package webhook_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/webhook"
)

// wantFault checks an error's code and the beginning of its text.
func wantFault(t testing.TB, err error, code fault.Code, text string) {
	t.Helper()
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != code || !strings.HasPrefix(e.Text(), text) {
		t.Errorf("%v, want %s: %s", err, code, text)
	}
}

func TestCreateChecks(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	good := webhook.NewWebhook{URL: "https://example.com/", Events: []string{"stock.low"}}
	for _, row := range []struct {
		change func(*webhook.NewWebhook)
		text   string
	}{
		{func(n *webhook.NewWebhook) { n.URL = " " }, "url: is required"},
		{func(n *webhook.NewWebhook) { n.URL = "http://example.com/" }, "url: must begin with https://: plain http"},
		{func(n *webhook.NewWebhook) { n.URL = "http://example.com:8080/" }, "url: must begin with https://: plain http"},
		{func(n *webhook.NewWebhook) { n.URL = "http://10.0.0.1:8080/" }, "url: must begin with https://: plain http"},
		{func(n *webhook.NewWebhook) { n.URL = "https://10.0.0.1:8080/" }, "url: must lead to a public address: not to"},
		{func(n *webhook.NewWebhook) { n.URL = "https://u:p@example.com/" }, "url: must not have a user"},
		{func(n *webhook.NewWebhook) { n.URL = "https://example.com:25/" }, "url: must have port"},
		{func(n *webhook.NewWebhook) { n.Events = nil }, "events: is required"},
		{func(n *webhook.NewWebhook) { n.Events = []string{} }, "events: must name"},
		{func(n *webhook.NewWebhook) { n.Events = []string{"sale.deleted"} }, "events: has the unknown kind"},
		{func(n *webhook.NewWebhook) { n.Description = strings.Repeat("ü", 201) }, "description: must be one line"},
		{func(n *webhook.NewWebhook) { n.Description = "a\nb" }, "description: must be one line"},
	} {
		n := good
		row.change(&n)
		_, _, err := s.App.Webhooks.Create(t.Context(), s.account.ID, n)
		wantFault(t, err, fault.InvalidRequest, row.text)
	}
	for range webhook.MaxWebhooks {
		if _, _, err := s.App.Webhooks.Create(t.Context(), s.account.ID, good); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := s.App.Webhooks.Create(t.Context(), s.account.ID, good)
	wantFault(t, err, fault.Conflict, "an account has at most 20")
}

func TestChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	w, _ := s.subscribe(t, "https://example.com/", event.StockLow, event.SaleCreated, event.StockLow)
	if !slices.Equal(w.Events, []event.Kind{event.SaleCreated, event.StockLow}) || !w.Enabled {
		t.Errorf("made %+v", w)
	}
	s.Clock.Advance(time.Minute)
	changed, err := s.App.Webhooks.Change(t.Context(), s.account.ID, w.ID, webhook.Change{
		URL: new("https://example.com:8443/in"), Events: []string{"brief.ready"}, Description: new("till"),
	})
	if err != nil || changed.URL != "https://example.com:8443/in" || changed.Description != "till" ||
		!slices.Equal(changed.Events, []event.Kind{event.BriefReady}) || !changed.UpdatedAt.Equal(s.Clock.Now()) || changed.CreatedAt.Equal(changed.UpdatedAt) {
		t.Errorf("changed %+v, %v", changed, err)
	}
	// A bad change changes nothing.
	_, err = s.App.Webhooks.Change(t.Context(), s.account.ID, w.ID, webhook.Change{Description: new("desk"), URL: new("https://127.0.0.1:25/")})
	wantFault(t, err, fault.InvalidRequest, "url: must have port")
	if found := s.find(t, w); found.Description != "till" {
		t.Errorf("found %+v", found)
	}
}

// Nothing of one account's webhooks is another's.
func TestOthersSeeNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	w, _ := s.subscribe(t, "https://example.com/", event.StockLow)
	eve := dbtest.MustAccount(t, s.Store, "eve@example.com", db.Free)
	hooks, ctx := s.App.Webhooks, t.Context()
	fails := map[string]error{}
	_, fails["find"] = hooks.Find(ctx, eve.ID, w.ID)
	_, fails["change"] = hooks.Change(ctx, eve.ID, w.ID, webhook.Change{Description: new("mine")})
	_, _, fails["rotate"] = hooks.RotateSecret(ctx, eve.ID, w.ID, webhook.Rotation{})
	_, fails["test"] = hooks.Test(ctx, eve.ID, w.ID, "")
	_, fails["deliveries"] = hooks.Deliveries(ctx, eve.ID, w.ID, webhook.Filter{Limit: 1})
	_, fails["recover"] = hooks.RecoverSince(ctx, eve.ID, w.ID, s.Clock.Now())
	fails["delete"] = hooks.Delete(ctx, eve.ID, w.ID)
	for what, err := range fails {
		t.Run(what, func(t *testing.T) { wantFault(t, err, fault.NotFound, "no webhook "+w.ID) })
	}
	if all, err := hooks.List(ctx, eve.ID); len(all) != 0 || err != nil {
		t.Errorf("list %v, %v", all, err)
	}
	if all, err := hooks.List(ctx, s.account.ID); len(all) != 1 || all[0].Description != "" || err != nil {
		t.Errorf("list of the owner %v, %v", all, err)
	}
}

func TestDeliveriesAreListed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	w, _ := s.subscribe(t, r.URL, event.StockLow)
	for range 5 {
		s.Clock.Advance(time.Millisecond)
		s.emit(t, event.Stock{})
	}
	s.deliver(t)
	s.emit(t, event.Stock{})
	list := func(f webhook.Filter) []db.Delivery {
		t.Helper()
		all, err := s.App.Webhooks.Deliveries(t.Context(), s.account.ID, w.ID, f)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := list(webhook.Filter{Limit: 10})
	if len(all) != 6 || all[0].Sequence != 6 || all[5].Sequence != 1 {
		t.Errorf("%d deliveries: %+v", len(all), all)
	}
	if page := list(webhook.Filter{Before: all[1].ID, Limit: 2}); len(page) != 2 || page[0].ID != all[2].ID {
		t.Errorf("page %+v", page)
	}
	if queued := list(webhook.Filter{State: "queued", Limit: 10}); len(queued) != 1 || queued[0].ID != all[0].ID {
		t.Errorf("queued %+v", queued)
	}
	_, err := s.App.Webhooks.Deliveries(t.Context(), s.account.ID, w.ID, webhook.Filter{State: "lost", Limit: 1})
	wantFault(t, err, fault.InvalidRequest, "status: must be one of")

	// After 30 days the log is empty; what is queued goes with it.
	s.Clock.Advance(30*24*time.Hour + time.Second)
	s.deliver(t)
	if all := list(webhook.Filter{Limit: 10}); len(all) != 0 {
		t.Errorf("after 30 days: %+v", all)
	}
}

// A disabled account's deliveries wait; a deleted account's are not sent.
func TestDisabledAccount(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	s.account = dbtest.MustAccount(t, s.Store, "second@example.com", db.Free) // the first is the operator
	s.subscribe(t, r.URL, event.StockLow)
	s.emit(t, event.Stock{})
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.DisableAccount(s.account.ID) })
	s.deliver(t)
	r.expect(t, 0)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.EnableAccount(s.account.ID) })
	s.deliver(t)
	r.expect(t, 1)
	s.emit(t, event.Stock{})
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { _, err := tx.DeleteAccount(s.account); return err })
	s.deliver(t)
	r.expect(t, 1)
}
