package webhook_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/event"
	"svc/server/servertest"
	"svc/server/webhook"
)

const page = "/console/webhooks"

// sitting is a shop whose account a browser is signed in to.
type sitting struct {
	*shop
	b *servertest.Browser
}

func newSitting(t *testing.T) *sitting {
	t.Helper()
	s := &shop{Server: servertest.New(t, loopback)}
	s.account = s.Person(t, "shop@example.com")
	return &sitting{s, s.enter(t, "shop@example.com")}
}

// enter returns a browser that is signed in to an account.
func (s *shop) enter(t *testing.T, email string) *servertest.Browser {
	t.Helper()
	b := s.Browser(t)
	b.SignIn(t, email, servertest.Password).Expect(t, 303, "")
	return b
}

// field returns the value of a hidden field of a page.
func field(t *testing.T, a servertest.Answer, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindSubmatch(a.Body)
	if found == nil {
		t.Fatalf("no field %s in %s", name, a.Body)
	}
	return string(found[1])
}

// open returns the page with a webhook beside the list.
func (d *sitting) open(t *testing.T, w db.Webhook) servertest.Answer {
	t.Helper()
	return d.b.Get(t, page+"?open="+w.ID)
}

// act posts one of the forms of a webhook.
func (d *sitting) act(t *testing.T, w db.Webhook, what string, fields ...string) servertest.Answer {
	t.Helper()
	form := url.Values{"id": {w.ID}}
	for i := 0; i < len(fields); i += 2 {
		form.Add(fields[i], fields[i+1])
	}
	return d.b.Post(t, page+"/"+what, form)
}

// All that is wrong with the form is said at once, each at its field, and what was typed stays.
func TestPageSaysAllFaults(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	form := url.Values{
		"ticket": {field(t, d.b.Get(t, page+"?new=1"), "ticket")}, "url": {"http://10.0.0.1/x"}, "description": {strings.Repeat("a", 201)},
	}
	faults := []string{
		"The address must begin with https://: plain http:// may lead to this machine alone.", "The events must name at least one kind of event.",
		"The description must be one line of at most 200 characters.", `value="http://10.0.0.1/x"`,
	}
	d.b.Post(t, page, form).ExpectPage(t, 400, faults...)

	form.Set("url", "https://example.com/x")
	form.Set("description", "")
	form.Set("events", "stock.low")
	d.b.Post(t, page, form).ExpectPage(t, 200, "The signing secret")
	w, err := d.App.Webhooks.List(t.Context(), d.account.ID)
	if err != nil || len(w) != 1 {
		t.Fatal(w, err)
	}
	faulty := url.Values{"id": {w[0].ID}, "version": {webhook.Version(w[0])}, "url": {" "}, "description": {"a\tb"}}
	d.b.Post(t, page+"/edit", faulty).ExpectPage(t, 400, "The address is required.", faults[1], faults[2])
}

func TestPageMakes(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	d.b.Get(t, page).ExpectPage(t, 200, "No webhooks yet")
	form := url.Values{
		"ticket": {field(t, d.b.Get(t, page+"?new=1"), "ticket")}, "url": {"https://example.com:25/"},
		"events": {"stock.low"}, "description": {"till"},
	}
	wrong := d.b.Post(t, page, form)
	wrong.ExpectErrorPage(t, 400, "invalid_request", `id="hook-url-problem"`, "The address must have port", `value="https://example.com:25/"`, `value="till"`)

	form["url"], form["events"] = []string{"https://example.com/in"}, nil
	d.b.Post(t, page, form).ExpectErrorPage(t, 400, "invalid_request", "The events must name at least one kind of event.")

	form["events"] = []string{"stock.low"}
	d.b.Post(t, page, form).ExpectPage(t, 200, "whsec_", "it is not shown again")
	// The same form, sent again, makes nothing.
	again := d.b.Post(t, page, form)
	again.ExpectErrorPage(t, 409, "conflict", "This form was sent before")
	if again.Says("whsec_") {
		t.Error("the secret is shown again")
	}
	if n := d.Count(t, `SELECT count(*) FROM webhooks`); n != 1 {
		t.Errorf("%d webhooks", n)
	}
	form["ticket"] = []string{"made-up"}
	d.b.Post(t, page, form).ExpectErrorPage(t, 409, "conflict", "This form is not of this sign-in")
	form.Del("ticket")
	d.b.Post(t, page, form).ExpectErrorPage(t, 400, "invalid_request", "This form came without its ticket")
}

func TestPageEdits(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	w, _ := d.subscribe(t, "https://example.com/in", event.StockLow)
	shown := d.b.Get(t, page+"?edit=1&open="+w.ID)
	shown.ExpectPage(t, 200, "Edit the webhook", `value="https://example.com/in"`, `value="stock.low" checked`)
	version := field(t, shown, "version")
	edit := func(address string, kinds ...string) servertest.Answer {
		t.Helper()
		fields := []string{"version", version, "url", address, "description", "the till"}
		for _, k := range kinds {
			fields = append(fields, "events", k)
		}
		return d.act(t, w, "edit", fields...)
	}

	edit("http://example.com:25/", "stock.low").ExpectErrorPage(t, 400, "invalid_request", `id="hook-url-problem"`, "The address must", `value="the till"`)
	edit("https://example.com/"+strings.Repeat("x", 2048), "stock.low").ExpectErrorPage(t, 400, "invalid_request", "The address must have at most 2048 characters.")
	edit("https://example.com/new").ExpectErrorPage(t, 400, "invalid_request", "The events must name at least one kind of event.")
	if found := d.find(t, w); found.URL != w.URL || found.Description != "" {
		t.Errorf("a bad form changed it: %+v", found)
	}

	saved := page + "?done=saved&open=" + w.ID
	edit("https://example.com/new", "sale.created", "brief.ready").ExpectRedirect(t, saved)
	found := d.find(t, w)
	if found.URL != "https://example.com/new" || found.Description != "the till" || !slices.Equal(found.Events, []event.Kind{event.SaleCreated, event.BriefReady}) {
		t.Errorf("changed: %+v", found)
	}
	d.b.Get(t, saved).ExpectPage(t, 200, "Webhook “the till” is changed.", "https://example.com/new", "sale.created, brief.ready")
	// Sent twice it is the same; with other values it is of a page that is outdated.
	edit("https://example.com/new", "sale.created", "brief.ready").ExpectRedirect(t, saved)
	edit("https://example.com/other", "stock.low").ExpectErrorPage(t, 409, "conflict", "was changed since this form was made")
	version = ""
	edit("https://example.com/other", "stock.low").ExpectErrorPage(t, 409, "conflict", "was changed since this form was made")
	if now := d.find(t, w); now.URL != found.URL {
		t.Errorf("an outdated form changed it to %s", now.URL)
	}
}

func TestPageRotates(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	w, first := d.subscribe(t, "https://example.com/in", event.StockLow)
	version := field(t, d.open(t, w), "version")
	rotated := d.act(t, w, "rotate", "version", version)
	rotated.ExpectPage(t, 200, "whsec_", "The old secret signs too until")
	if rotated.Says(first) {
		t.Error("the old secret is shown")
	}
	d.open(t, w).ExpectPage(t, 200, "signs until")
	d.act(t, w, "rotate", "version", version).ExpectErrorPage(t, 409, "conflict", "was changed since this form was made")
	d.act(t, w, "rotate").ExpectErrorPage(t, 409, "conflict")
}

// Two clicks at once rotate once: a second rotation would end the first secret at once,
// for receivers that still check with it.
func TestPageRotatesOnceAtOnce(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	w, _ := d.subscribe(t, "https://example.com/in", event.StockLow)
	const clicks = 6
	var browsers []*servertest.Browser
	for range clicks {
		browsers = append(browsers, d.enter(t, d.account.Email))
	}
	form := url.Values{"id": {w.ID}, "version": {field(t, d.open(t, w), "version")}}
	statuses := servertest.Parallel(clicks, func(i int) int { return browsers[i].Post(t, page+"/rotate", form).Status })
	if statuses[200] != 1 || statuses[409] != clicks-1 {
		t.Errorf("statuses %v, want 200 once and 409", statuses)
	}
	if now := d.find(t, w); !slices.Equal(now.OldSecret, w.Secret) {
		t.Error("the secret from before does not sign any more")
	}
}

func TestPageTestsAndResends(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	r := newReceiver(t, status(500))
	w, _ := d.subscribe(t, r.URL+"/in", event.StockLow)
	d.open(t, w).ExpectPage(t, 200, "Nothing was sent yet.")
	d.act(t, w, "test", "event", "brief.ready").ExpectRedirect(t, page+"?done=test&open="+w.ID)
	d.deliver(t)
	failed := d.expectDelivery(t, w, db.DeliveryFailed, 1, 500)
	d.b.Get(t, page+"?open="+w.ID+"&delivery="+failed.ID).ExpectPage(t, 200, "brief.ready", "Send it again", "test_mode")

	r.answers(nil)
	d.act(t, w, "resend", "delivery", failed.ID).ExpectRedirect(t, page+"?done=resent&open="+w.ID)
	d.deliver(t)
	d.expectDelivery(t, w, db.DeliverySent, 1, 200)
	d.act(t, w, "test", "event", "moon.full").ExpectErrorPage(t, 400, "invalid_request", "The event has the unknown kind")
	d.act(t, w, "resend", "delivery", "dlv_unknown").Expect(t, 404, "not_found")
}

// What came while it was disabled is sent once, from the day that is asked for.
func TestPageRecovers(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	r := newReceiver(t, nil)
	w, _ := d.subscribe(t, r.URL, event.StockLow)
	d.act(t, w, "disable").ExpectRedirect(t, page+"?done=disabled&open="+w.ID)
	d.open(t, w).ExpectPage(t, 200, ">disabled<", "Enable")
	d.emit(t, event.Stock{})
	d.emit(t, event.Stock{})
	d.deliver(t)
	r.expect(t, 0)
	today := d.Clock.Now().Format(time.DateOnly)
	d.act(t, w, "recover", "since", today).ExpectErrorPage(t, 409, "conflict", "The webhook is disabled; enable it first.")
	d.act(t, w, "enable").ExpectRedirect(t, page+"?done=enabled&open="+w.ID)
	d.act(t, w, "recover", "since", "last week").ExpectErrorPage(t, 400, "invalid_request", "The day must be a day")
	d.act(t, w, "recover", "since", d.Clock.Now().AddDate(0, 0, 2).Format(time.DateOnly)).ExpectErrorPage(t, 400, "invalid_request", "must not be in the future")

	d.act(t, w, "recover", "since", today).ExpectRedirect(t, page+"?done=recovered&open="+w.ID)
	d.deliver(t)
	for _, got := range r.expect(t, 2) {
		if e := envelope(t, got.body); e.Type != event.StockLow {
			t.Errorf("recovered %+v", e)
		}
	}
	nothing := page + "?done=missed-nothing&open=" + w.ID
	d.act(t, w, "recover", "since", today).ExpectRedirect(t, nothing)
	d.b.Get(t, nothing).ExpectPage(t, 200, strings.TrimPrefix(r.URL, "http://")+" has missed nothing since that day.")
	d.deliver(t)
	r.expect(t, 2)
}

func TestPageDeletes(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	w, _ := d.subscribe(t, "https://example.com/in", event.StockLow)
	d.act(t, w, "delete").ExpectRedirect(t, page+"?done=deleted")
	d.b.Get(t, page+"?done=deleted").ExpectPage(t, 200, "The webhook is deleted.", "No webhooks yet")
	d.open(t, w).Expect(t, 404, "not_found")
	d.act(t, w, "delete").Expect(t, 404, "not_found")
}

// Another account's webhooks and deliveries do not exist.
func TestPageOfAnother(t *testing.T) {
	t.Parallel()
	d := newSitting(t)
	w, _ := d.subscribe(t, "https://example.com/in", event.StockLow)
	queued, err := d.App.Webhooks.Test(t.Context(), w.AccountID, w.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	version := field(t, d.open(t, w), "version")
	before := d.Query(t, `SELECT id, url, events, enabled, hex(secret), updated_at FROM webhooks`)
	other := d.Person(t, "eve@example.com")
	eve := &sitting{d.shop, d.enter(t, "eve@example.com")}
	if list := eve.b.Get(t, page); list.Says("example.com/in") {
		t.Error("the list has another account's webhook")
	}
	for _, query := range []string{"?open=", "?edit=1&open="} {
		eve.b.Get(t, page+query+w.ID).Expect(t, http.StatusNotFound, "not_found")
	}
	for _, act := range [][]string{
		{"edit", "version", version, "url", "https://eve.example/", "events", "stock.low"}, {"rotate", "version", version}, {"test"}, {"enable"}, {"disable"},
		{"recover", "since", d.Clock.Now().Format(time.DateOnly)}, {"resend", "delivery", queued.ID}, {"delete"},
	} {
		eve.act(t, w, act[0], act[1:]...).Expect(t, http.StatusNotFound, "not_found")
	}
	own, _, err := d.App.Webhooks.Create(t.Context(), other.ID, webhook.NewWebhook{URL: "https://eve.example/", Events: []string{"stock.low"}})
	if err != nil {
		t.Fatal(err)
	}
	eve.b.Get(t, page+"?open="+own.ID+"&delivery="+queued.ID).Expect(t, http.StatusNotFound, "not_found")
	eve.act(t, own, "resend", "delivery", queued.ID).Expect(t, http.StatusNotFound, "not_found")
	if after := d.Query(t, `SELECT id, url, events, enabled, hex(secret), updated_at FROM webhooks WHERE id <> '`+own.ID+`'`); !slices.Equal(before, after) {
		t.Errorf("changed: %q", after)
	}
}
