package webhook_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
	"svc/server/servertest"
)

const (
	hooksPath = "/api/v1/webhooks"
	target    = "https://hooks.example.com/svc"
)

// desk is an appliance with two people who are signed in. The first is the operator.
type desk struct {
	*servertest.Server
	id   string
	own  *servertest.Browser
	els  *servertest.Browser // somebody else's
	none *servertest.Browser
}

func newDesk(t *testing.T, change ...func(*server.Config)) *desk {
	t.Helper()
	s := servertest.New(t, change...)
	d := &desk{Server: s, none: s.Browser(t)}
	_, d.els = s.Member(t, "other@example.com")
	d.id, d.own = s.Member(t, "owner@example.com")
	return d
}

// create makes a webhook of the owner and returns its path and its secret.
func (d *desk) create(t *testing.T, url string, kinds ...event.Kind) (path, secret string) {
	t.Helper()
	a := d.own.Send(t, "POST", hooksPath, map[string]any{"url": url, "events": kinds})
	a.Expect(t, 200, "")
	secret, _ = a.Field(t, "secret").(string)
	return hooksPath + "/" + webhookOf(t, a)["id"].(string), secret
}

func (d *desk) emit(t *testing.T, payloads ...event.Payload) {
	t.Helper()
	dbtest.Update(t, d.Store, func(tx *db.Tx) error {
		for _, p := range payloads {
			if _, err := tx.Emit(d.id, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func webhookOf(t *testing.T, a servertest.Answer) map[string]any {
	t.Helper()
	fields, ok := a.Field(t, "webhook").(map[string]any)
	if !ok {
		t.Fatalf("no webhook in %d %s", a.Status, a.Body)
	}
	return fields
}

// deliveries reads a page of the log and the before of the next, "" at the end.
func (d *desk) deliveries(t *testing.T, path, query string) (all []map[string]any, next string) {
	t.Helper()
	a := d.own.Send(t, "GET", path+"/deliveries"+query, nil)
	a.Expect(t, 200, "")
	for _, one := range a.Field(t, "deliveries").([]any) {
		all = append(all, one.(map[string]any))
	}
	next, _ = a.Field(t, "next").(string)
	return all, next
}

func TestLifeOfAWebhook(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	a := d.own.Send(t, "POST", hooksPath, `{"url":"`+target+`","events":["stock.low","sale.created","stock.low"],"description":"till"}`)
	a.Expect(t, 200, "")
	secret := a.Field(t, "secret").(string)
	if !regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{43}=$`).MatchString(secret) {
		t.Errorf("secret %q", secret)
	}
	made := webhookOf(t, a)
	if made["url"] != target || made["description"] != "till" || made["enabled"] != true || fmt.Sprint(made["events"]) != "[sale.created stock.low]" {
		t.Errorf("made %v", made)
	}
	path := hooksPath + "/" + made["id"].(string)

	d.Clock.Advance(time.Minute)
	a = d.own.Send(t, "PATCH", path, `{"description":"","events":["brief.ready"]}`)
	a.Expect(t, 200, "")
	changed := webhookOf(t, a)
	if changed["description"] != "" || fmt.Sprint(changed["events"]) != "[brief.ready]" || changed["url"] != target || changed["updated_at"] == changed["created_at"] {
		t.Errorf("changed %v", changed)
	}
	a = d.own.Send(t, "PATCH", path, `{"enabled":false}`)
	if off := webhookOf(t, a); off["enabled"] != false || off["disabled_reason"] != "owner" || off["disabled_at"] == nil {
		t.Errorf("disabled %v", off)
	}
	d.own.Send(t, "POST", path+"/test", nil).Expect(t, 409, "conflict")
	d.own.Send(t, "POST", path+"/recover", `{"since":"2026-01-01T00:00:00Z"}`).Expect(t, 409, "conflict")
	a = d.own.Send(t, "PATCH", path, `{"enabled":true}`)
	if on := webhookOf(t, a); on["enabled"] != true || on["disabled_reason"] != nil {
		t.Errorf("enabled %v", on)
	}

	a = d.own.Send(t, "POST", path+"/rotate-secret", nil)
	a.Expect(t, 200, "")
	ends := webhookOf(t, a)["old_secret_ends_at"]
	if next := a.Field(t, "secret"); next == secret || ends != d.Clock.Now().Add(24*time.Hour).UTC().Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("rotated: old secret until %v", ends)
	}
	for _, read := range []servertest.Answer{d.own.Send(t, "GET", path, nil), d.own.Send(t, "GET", hooksPath, nil)} {
		read.Expect(t, 200, "")
		if strings.Contains(string(read.Body), "whsec_") {
			t.Errorf("a secret is shown again: %s", read.Body)
		}
	}
	if strings.Contains(d.Log.String(), "whsec_") {
		t.Error("a secret is in the log")
	}

	d.own.Send(t, "DELETE", path, nil).ExpectBody(t, 200, `{"deleted":true,"id":"`+made["id"].(string)+`"}`+"\n")
	d.own.Send(t, "GET", path, nil).Expect(t, 404, "not_found")
	d.own.Send(t, "GET", hooksPath, nil).ExpectBody(t, 200, `{"webhooks":[]}`+"\n")
}

// A webhook that is made disabled gets nothing until it is enabled (K1).
func TestWebhookMadeDisabled(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	made := func(enabled string) map[string]any {
		t.Helper()
		a := d.own.Send(t, "POST", hooksPath, `{"url":"`+target+`","events":["stock.low"],"enabled":`+enabled+`}`)
		a.Expect(t, 200, "")
		return webhookOf(t, a)
	}
	for _, enabled := range []string{"true", "null"} {
		if w := made(enabled); w["enabled"] != true || w["disabled_reason"] != nil {
			t.Errorf("enabled %s: made %v", enabled, w)
		}
	}
	off := made("false")
	if off["enabled"] != false || off["disabled_reason"] != "owner" || off["disabled_at"] == nil {
		t.Errorf("made %v", off)
	}
	path := hooksPath + "/" + off["id"].(string)
	d.emit(t, event.Stock{ProductID: "item_1", Name: "Tea"})
	if queued, _ := d.deliveries(t, path, ""); len(queued) != 0 {
		t.Errorf("queued while it was disabled: %v", queued)
	}
	if on := webhookOf(t, d.own.Send(t, "PATCH", path, `{"enabled":true}`)); on["enabled"] != true || on["disabled_at"] != nil {
		t.Errorf("enabled %v", on)
	}
	d.emit(t, event.Stock{ProductID: "item_2", Name: "Oat Milk"})
	if queued, _ := d.deliveries(t, path, ""); len(queued) != 1 {
		t.Errorf("queued once it was enabled: %v", queued)
	}
}

// operations are all operations on a webhook and a delivery, with bodies that would do.
func operations(path, delivery string) map[string]string {
	return map[string]string{
		"GET " + path: "", "PATCH " + path: `{"description":"mine"}`, "DELETE " + path: "",
		"POST " + path + "/test": "", "POST " + path + "/rotate-secret": "", "POST " + path + "/recover": `{"since":"2026-01-01T00:00:00Z"}`,
		"GET " + path + "/deliveries": "", "POST " + path + "/deliveries/" + delivery + "/resend": "",
	}
}

func TestOnlyTheOwnerManages(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	path, _ := d.create(t, target, event.StockLow)
	d.emit(t, event.Stock{ProductID: "item_1", Name: "Tea"})
	log, _ := d.deliveries(t, path, "")
	delivery := log[0]["id"].(string)
	_, live := d.Key(t, "owner@example.com", db.Live, db.AccountMode)
	before := d.own.Send(t, "GET", path, nil)

	all := operations(path, delivery)
	all["GET "+hooksPath], all["POST "+hooksPath] = "", `{"url":"`+target+`","events":["stock.low"]}`
	for _, operation := range slices.Sorted(maps.Keys(all)) {
		method, address, _ := strings.Cut(operation, " ")
		t.Run(operation[:min(len(operation), 30)], func(t *testing.T) {
			body := all[operation]
			d.none.Send(t, method, address, body).Expect(t, 401, "sign_in_required")
			key := d.Call(t, method, address, body, servertest.WithKey(live))
			key.Expect(t, 401, "sign_in_required")
			if key.Header.Get("X-RateLimit-Limit") != "5" {
				t.Errorf("limits of the key: %v", key.Header)
			}
			d.own.Send(t, method, address, body, servertest.WithKey(live)).Expect(t, 401, "sign_in_required")
			if method != http.MethodGet {
				d.own.Send(t, method, address, body, servertest.WithHeader("Sec-Fetch-Site", "cross-site")).Expect(t, 403, "cross_origin")
			}
			if address != hooksPath {
				d.els.Send(t, method, address, body).Expect(t, 404, "not_found")
			}
		})
	}
	d.els.Send(t, "GET", hooksPath, nil).ExpectBody(t, 200, `{"webhooks":[]}`+"\n")
	servertest.ExpectSame(t, string(before.Body), string(d.own.Send(t, "GET", path, nil).Body))
	if now, _ := d.deliveries(t, path, ""); len(now) != 1 {
		t.Errorf("%d deliveries, want the one", len(now))
	}
}

// A delivery of another webhook of the same account is not found under this one.
func TestDeliveryOfAnotherWebhook(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	first, _ := d.create(t, target, event.StockLow)
	second, _ := d.create(t, target, event.BriefReady)
	d.emit(t, event.Stock{ProductID: "item_1", Name: "Tea"})
	log, _ := d.deliveries(t, first, "")
	d.own.Send(t, "POST", second+"/deliveries/"+log[0]["id"].(string)+"/resend", nil).Expect(t, 404, "not_found")
}

func TestBadInput(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	path, _ := d.create(t, target, event.StockLow)
	long := strings.Repeat("x", 201)
	for _, row := range []struct{ method, path, body, want string }{
		{"POST", hooksPath, ``, "body: must be a JSON object, not empty"},
		{"POST", hooksPath, `[]`, "body: must be a JSON object"},
		{"POST", hooksPath, `{"events":["stock.low"]}`, "url: is required"},
		{"POST", hooksPath, `{"url":1,"events":["stock.low"]}`, "url: must be a string"},
		{"POST", hooksPath, `{"url":"hooks","events":["stock.low"]}`, "url: must"},
		{"POST", hooksPath, `{"url":"ftp://example.com/x","events":["stock.low"]}`, "url: must begin with https://, unless it leads to this machine and the operator allows it (svc serve --webhook-allow loopback)"},
		{"POST", hooksPath, `{"url":"http://example.com/x","events":["stock.low"]}`, "url: must begin with https://, unless it leads to this machine and the operator allows it (svc serve --webhook-allow loopback)"},
		{"POST", hooksPath, `{"url":"http://127.0.0.1:8080/x","events":["stock.low"]}`, "url: must"},
		{"POST", hooksPath, `{"url":"https://u:p@example.com/x","events":["stock.low"]}`, "url: must not have a user name or password"},
		{"POST", hooksPath, `{"url":"https://example.com:25/x","events":["stock.low"]}`, "url: must have port 443, or one from 1024 to 65535"},
		{"POST", hooksPath, `{"url":"https://10.0.0.1/x","events":["stock.low"]}`, "url: "},
		{"POST", hooksPath, `{"url":"https://[::1]/x","events":["stock.low"]}`, "url: "},
		{"POST", hooksPath, `{"url":"https://localhost/x","events":["stock.low"]}`, "url: "},
		{"POST", hooksPath, `{"url":"https://example.com/` + strings.Repeat("x", 2048) + `","events":["stock.low"]}`, "url: must be at most 2048 characters"},
		{"POST", hooksPath, `{"url":"` + target + `"}`, "events: must be an array of strings"},
		{"POST", hooksPath, `{"url":"` + target + `","events":[]}`, "events: must name at least one kind of event"},
		{"POST", hooksPath, `{"url":"` + target + `","events":["sale.made"]}`, `events: has the unknown kind "sale.made"`},
		{"POST", hooksPath, `{"url":"` + target + `","events":"stock.low"}`, "events: must be an array of strings"},
		{"POST", hooksPath, `{"url":"` + target + `","events":["stock.low"],"description":"` + long + `"}`, "description: must be at most 200 characters"},
		{"POST", hooksPath, `{"url":"` + target + `","events":["stock.low"],"enabled":1}`, "enabled: must be true or false"},
		{"POST", hooksPath, `{"url":"` + target + `","events":["stock.low"],"enabled":"false"}`, "enabled: must be true or false"},
		{"POST", hooksPath, `{"url":"` + target + `","events":["stock.low"],"description":"a\nb"}`, "description: must be one line"},
		{"PATCH", path, `{"url":""}`, "url: is required"},
		{"PATCH", path, `{"url":null}`, "url: is required"},
		{"PATCH", path, `{"events":[]}`, "events: must name at least one kind of event"},
		{"PATCH", path, `{"enabled":"yes"}`, "enabled: must be true or false"},
		{"PATCH", path, `{"enabled":null}`, "enabled: must be true or false"},
		{"POST", path + "/test", `{"event":"sale.made"}`, `event: has the unknown kind "sale.made"`},
		{"POST", path + "/test", `{"event":7}`, "event: must be a string"},
		{"POST", path + "/rotate-secret", `{"overlap_hours":-1}`, "overlap_hours: must be from 0 to 168"},
		{"POST", path + "/rotate-secret", `{"overlap_hours":9999999999999}`, "overlap_hours: must be from 0 to 168"},
		{"POST", path + "/rotate-secret", `{"overlap_hours":"1"}`, "overlap_hours: must be an integer"},
		{"POST", path + "/recover", `{}`, "since: is required"},
		{"POST", path + "/recover", `{"since":"yesterday"}`, "since: must be a time like"},
		{"POST", path + "/recover", `{"since":"2999-01-01T00:00:00Z"}`, "since: must not be in the future"},
		{"GET", path + "/deliveries?status=lost", ``, "status: must be one of queued sending sent failed dropped"},
		{"GET", path + "/deliveries?before=yesterday", ``, "before: must be the id of a delivery"},
		{"GET", path + "/deliveries?limit=0", ``, "limit: must be from 1 to 200"},
		{"GET", path + "/deliveries?limit=x", ``, "limit: must be from 1 to 200"},
	} {
		a := d.own.Send(t, row.method, row.path, row.body)
		a.Expect(t, 400, "invalid_request")
		if text, _ := a.Field(t, "error").(string); !strings.HasPrefix(text, row.want) {
			t.Errorf("%s %s: %q, want %q", row.method, row.body, text, row.want)
		}
	}
	if all := d.own.Send(t, "GET", hooksPath, nil); strings.Count(string(all.Body), `"id"`) != 1 {
		t.Errorf("something was stored: %s", all.Body)
	}
}

func TestTooManyWebhooks(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	for range 20 {
		d.create(t, target, event.StockLow)
	}
	a := d.own.Send(t, "POST", hooksPath, `{"url":"`+target+`","events":["stock.low"]}`)
	a.Expect(t, 409, "conflict")
	d.els.Send(t, "POST", hooksPath, `{"url":"`+target+`","events":["stock.low"]}`).Expect(t, 200, "")
}

func TestPagesOfDeliveries(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	path, _ := d.create(t, target, event.StockLow)
	for i := range 5 {
		d.emit(t, event.Stock{ProductID: fmt.Sprint("item_", i), Name: "Tea"})
	}
	var seen []any
	pages := 0
	for before := ""; pages == 0 || before != ""; pages++ {
		var page []map[string]any
		page, before = d.deliveries(t, path, "?limit=2&before="+before)
		for _, one := range page {
			seen = append(seen, one["sequence"])
		}
	}
	if fmt.Sprint(seen) != "[5 4 3 2 1]" || pages != 3 {
		t.Errorf("%v on %d pages", seen, pages)
	}
	if none, _ := d.deliveries(t, path, "?status=sent"); len(none) != 0 {
		t.Errorf("sent %v", none)
	}
}

// A delivery that failed arrives when it is sent again, with the same id and body; what was
// missed arrives once, however often it is recovered.
func TestResendAndRecover(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t, loopback)
	r := newReceiver(t, status(500))
	path, _ := d.create(t, r.URL+"/hook", event.StockLow)
	sweep := func() {
		if err := d.App.Webhooks.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	d.emit(t, event.Stock{ProductID: "item_1", Name: "Tea"})
	sweep()
	first := r.expect(t, 1)[0]
	log, _ := d.deliveries(t, path, "")
	if log[0]["status"] != "queued" || log[0]["code"] != 500.0 || log[0]["attempts"] != 1.0 || log[0]["next_attempt_at"] == nil {
		t.Errorf("after a failure: %v", log[0])
	}
	r.answers(status(204))
	d.own.Send(t, "POST", path+"/deliveries/"+log[0]["id"].(string)+"/resend", nil).Expect(t, 200, "")
	sweep()
	again := r.expect(t, 2)[1]
	if again.id() != first.id() || string(again.body) != string(first.body) {
		t.Errorf("sent again: %s %s, first %s %s", again.id(), again.body, first.id(), first.body)
	}
	log, _ = d.deliveries(t, path, "?status=sent")
	if len(log) != 1 || log[0]["code"] != 204.0 {
		t.Errorf("after the resend: %v", log)
	}

	d.own.Send(t, "PATCH", path, `{"enabled":false}`).Expect(t, 200, "")
	d.emit(t, event.Stock{ProductID: "item_2", Name: "Milk"}, event.Brief{ID: "brief_1"})
	d.own.Send(t, "PATCH", path, `{"enabled":true}`).Expect(t, 200, "")
	since := fmt.Sprintf(`{"since":%q}`, d.Clock.Now().Add(-time.Hour).Format(time.RFC3339))
	for _, want := range []string{`{"queued":1}`, `{"queued":0}`} {
		d.own.Send(t, "POST", path+"/recover", since).ExpectBody(t, 200, want+"\n")
		sweep()
	}
	if missed := r.expect(t, 3)[2]; !strings.Contains(string(missed.body), "item_2") {
		t.Errorf("recovered %s", missed.body)
	}
	d.own.Send(t, "POST", path+"/test", `{"event":"brief.ready"}`).Expect(t, 200, "")
	sweep()
	if made := r.expect(t, 4)[3]; !strings.Contains(string(made.body), `"type":"brief.ready"`) || !strings.Contains(string(made.body), `"test_mode":true`) {
		t.Errorf("test event %s", made.body)
	}
}
