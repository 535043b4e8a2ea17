package stripetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock is a clock that a test sets.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock {
	return &clock{now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// params returns valid parameters of a session that ends in 31 minutes.
func params(c *clock) url.Values {
	return url.Values{
		"mode":                                   {"payment"},
		"client_reference_id":                    {"ch_1"},
		"metadata[reference]":                    {"ch_1"},
		"success_url":                            {"https://svc.example/done?s={CHECKOUT_SESSION_ID}"},
		"cancel_url":                             {"https://svc.example/back"},
		"expires_at":                             {fmt.Sprint(c.Now().Add(31 * time.Minute).Unix())},
		"line_items[0][quantity]":                {"1"},
		"line_items[0][price_data][currency]":    {"gbp"},
		"line_items[0][price_data][unit_amount]": {"1250"},
		"line_items[0][price_data][product_data][name]":        {"Tea <b>"},
		"line_items[0][price_data][product_data][description]": {"Green"},
		"payment_intent_data[metadata][reference]":             {"ch_1"},
	}
}

// answer is a response with its body read.
type answer struct {
	status int
	header http.Header
	body   map[string]any
	text   string
}

func (a answer) id() string {
	id, _ := a.body["id"].(string)
	return id
}

// code returns the code of an error object, or its type if it has no code.
func (a answer) code() string {
	e, _ := a.body["error"].(map[string]any)
	if code, ok := e["code"].(string); ok {
		return code
	}
	kind, _ := e["type"].(string)
	return kind
}

// do sends a request as a client of the API, or as a browser that follows no redirect.
func (s *Stripe) do(method, path, key string, form url.Values) (answer, error) {
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Key)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	a := answer{status: response.StatusCode, header: response.Header, text: string(content)}
	json.Unmarshal(content, &a.body)
	return a, err
}

func call(t *testing.T, s *Stripe, method, path, key string, form url.Values) answer {
	t.Helper()
	a, err := s.do(method, path, key, form)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

const sessions = "/v1/checkout/sessions"

func create(t *testing.T, s *Stripe, key string, form url.Values) answer {
	t.Helper()
	a := call(t, s, "POST", sessions, key, form)
	if a.status != 200 {
		t.Fatalf("create: %d %s", a.status, a.text)
	}
	return a
}

func expect(t *testing.T, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.code() != code {
		t.Errorf("answer = %d %q, want %d %q: %s", a.status, a.code(), status, code, a.text)
	}
}

func TestSession(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	made := create(t, s, "k1", params(c))
	if made.body["url"] != s.URL+"/pay/"+made.id() || made.body["status"] != "open" || made.body["livemode"] != false {
		t.Errorf("session = %s", made.text)
	}
	got := call(t, s, "GET", sessions+"/"+made.id(), "", nil)
	if got.text != made.text {
		t.Errorf("retrieved = %s\ncreated = %s", got.text, made.text)
	}

	stored := s.Sessions()[0]
	if stored.IdempotencyKey != "k1" || stored.AmountTotal != 1250 || stored.Currency != "gbp" || stored.Name != "Tea <b>" ||
		stored.Description != "Green" || stored.Metadata["reference"] != "ch_1" || stored.PaymentMetadata["reference"] != "ch_1" {
		t.Errorf("stored = %+v", stored)
	}
	stored.Metadata["reference"] = "changed"
	if s.Sessions()[0].Metadata["reference"] != "ch_1" {
		t.Error("Sessions returns the server's own map")
	}
}

func TestCreateRefusesParameter(t *testing.T) {
	const price = "line_items[0][price_data]"
	tests := []struct {
		name, parameter, value, code string
	}{
		{"Unknown", "locale", "en", "parameter_unknown"},
		{"UnknownWithin", "line_items[0][price_data][colour]", "red", "parameter_unknown"},
		{"SecondItem", "line_items[1][quantity]", "1", "parameter_unknown"},
		{"Empty", "success_url", "", "parameter_invalid_empty"},
		{"Mode", "mode", "setup", "invalid_request_error"},
		{"Currency", price + "[currency]", "GBP", "invalid_request_error"},
		{"Reference", "client_reference_id", "a b", "invalid_request_error"},
		{"LongReference", "client_reference_id", strings.Repeat("a", 201), "invalid_request_error"},
		{"LongMetadata", "metadata[x]", strings.Repeat("a", 501), "invalid_request_error"},
		{"LongPaymentMetadata", "payment_intent_data[metadata][x]", strings.Repeat("a", 501), "invalid_request_error"},
		{"LongName", price + "[product_data][name]", strings.Repeat("a", 251), "invalid_request_error"},
		{"SuccessURL", "success_url", "/done", "url_invalid"},
		{"CancelURL", "cancel_url", "ftp://x.example", "url_invalid"},
		{"Quantity", "line_items[0][quantity]", "2", "invalid_request_error"},
		{"Amount", price + "[unit_amount]", "12.5", "parameter_invalid_integer"},
		{"NegativeAmount", price + "[unit_amount]", "-1", "parameter_invalid_integer"},
		{"TooSmall", price + "[unit_amount]", "29", "amount_too_small"},
		{"TooLarge", price + "[unit_amount]", "100000000", "amount_too_large"},
		{"Expiry", "expires_at", "soon", "parameter_invalid_integer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newClock()
			s := New(t, c.Now)
			form := params(c)
			form.Set(test.parameter, test.value)
			expect(t, call(t, s, "POST", sessions, "k1", form), 400, test.code)
			if len(s.Sessions()) != 0 {
				t.Error("a session was created")
			}
			// The failure is not stored for the idempotency key.
			create(t, s, "k1", params(c))
		})
	}
}

func TestCreateRefusesMissingAndRepeatedParameter(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	for _, name := range required {
		form := params(c)
		form.Del(name)
		expect(t, call(t, s, "POST", sessions, "", form), 400, "parameter_missing")
	}
	form := params(c)
	form.Add("mode", "payment")
	expect(t, call(t, s, "POST", sessions, "", form), 400, "invalid_request_error")
}

func TestMinimumByCurrency(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	for currency, least := range map[string]int{"gbp": 30, "usd": 50, "jpy": 50, "chf": 50} {
		form := params(c)
		form.Set("line_items[0][price_data][currency]", currency)
		form.Set("line_items[0][price_data][unit_amount]", fmt.Sprint(least-1))
		expect(t, call(t, s, "POST", sessions, "", form), 400, "amount_too_small")
		form.Set("line_items[0][price_data][unit_amount]", fmt.Sprint(least))
		create(t, s, "", form)
	}
}

func TestExpiryIsWithinADay(t *testing.T) {
	c := newClock()
	c.advance(999 * time.Millisecond)
	s := New(t, c.Now)
	at := func(d time.Duration) url.Values {
		form := params(c)
		form.Set("expires_at", fmt.Sprint(c.Now().Add(d).Unix()))
		return form
	}
	create(t, s, "", at(30*time.Minute))
	create(t, s, "", at(24*time.Hour))
	expect(t, call(t, s, "POST", sessions, "", at(30*time.Minute-time.Second)), 400, "invalid_request_error")
	expect(t, call(t, s, "POST", sessions, "", at(24*time.Hour+time.Second)), 400, "invalid_request_error")

	byDefault := params(c)
	byDefault.Del("expires_at")
	create(t, s, "", byDefault)
	if all := s.Sessions(); !all[2].ExpiresAt.Equal(c.Now().Add(24 * time.Hour)) {
		t.Errorf("expires at %v", all[2].ExpiresAt)
	}
}

func TestSessionExpiresByTheClock(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	id := create(t, s, "", params(c)).id()
	c.advance(31*time.Minute - time.Second)
	if status := s.Sessions()[0].Status; status != "open" {
		t.Errorf("status = %s a second before the end", status)
	}
	c.advance(time.Second)
	if a := call(t, s, "GET", sessions+"/"+id, "", nil); a.body["status"] != "expired" || a.body["url"] != nil {
		t.Errorf("session = %s", a.text)
	}
	expect(t, call(t, s, "POST", sessions+"/"+id+"/expire", "", nil), 400, "invalid_request_error")
}

func TestUnknownResource(t *testing.T) {
	s := New(t, newClock().Now)
	expect(t, call(t, s, "GET", sessions+"/cs_test_x", "", nil), 404, "resource_missing")
	expect(t, call(t, s, "POST", sessions+"/cs_test_x/expire", "", nil), 404, "resource_missing")
	expect(t, call(t, s, "GET", "/v1/customers", "", nil), 404, "invalid_request_error")
	expect(t, call(t, s, "GET", sessions, "", nil), 404, "invalid_request_error")
	expect(t, call(t, s, "GET", "/pay/cs_test_x", "", nil), 404, "")
}

func TestSecretKey(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	s.Key = "sk_live_right"
	create(t, s, "", params(c))

	wrong := &Stripe{URL: s.URL, Key: "sk_live_wrong_one"}
	a := call(t, wrong, "POST", sessions, "", params(c))
	expect(t, a, 401, "invalid_request_error")
	if strings.Contains(a.text, wrong.Key) {
		t.Error("the answer has the whole key")
	}
	response, err := http.Get(s.URL + sessions + "/cs_test_x")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != 401 {
		t.Errorf("without a key: %d", response.StatusCode)
	}
}

func TestLive(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	s.Live = true
	if a := create(t, s, "", params(c)); !strings.HasPrefix(a.id(), "cs_live_") || a.body["livemode"] != true {
		t.Errorf("session = %s", a.text)
	}
}

func TestIdempotency(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	first := create(t, s, "k1", params(c))
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer is a replay")
	}
	s.Pay(first.id())
	again := create(t, s, "k1", params(c))
	if again.text != first.text || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("replay = %v %s", again.header, again.text)
	}

	other := params(c)
	other.Set("cancel_url", "https://svc.example/other")
	expect(t, call(t, s, "POST", sessions, "k1", other), 400, "idempotency_error")
	expect(t, call(t, s, "POST", sessions+"/"+first.id()+"/expire", "k1", nil), 400, "idempotency_error")
	call(t, s, "GET", sessions+"/"+first.id(), "k1", nil)

	if create(t, s, "k2", params(c)).id() == first.id() || create(t, s, "", params(c)).id() == first.id() {
		t.Error("another key, or none, returned the same session")
	}
	c.advance(24 * time.Hour)
	if create(t, s, "k1", params(c)).id() == first.id() {
		t.Error("the key is remembered for more than a day")
	}
}

func TestIdempotencyKeyIsForOnePath(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	first, second := create(t, s, "", params(c)).id(), create(t, s, "", params(c)).id()
	call(t, s, "POST", sessions+"/"+first+"/expire", "k1", nil)
	expect(t, call(t, s, "POST", sessions+"/"+second+"/expire", "k1", nil), 400, "idempotency_error")
	if all := s.Sessions(); all[0].Status != "expired" || all[1].Status != "open" {
		t.Errorf("sessions are %s and %s", all[0].Status, all[1].Status)
	}
}

// The payer's pages.

func TestPayer(t *testing.T) {
	tests := []struct {
		name, button  string
		pay           PayMode
		next          string
		status, money string
	}{
		{"Pays", "pay", "", "https://svc.example/done?s=ID", "complete", "paid"},
		{"PaysWithDelay", "pay", Delayed, "https://svc.example/done?s=ID", "complete", "unpaid"},
		{"Cancels", "cancel", "", "https://svc.example/back", "open", "unpaid"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newClock()
			s := New(t, c.Now)
			s.PayMode = test.pay
			id := create(t, s, "", params(c)).id()

			page := call(t, s, "GET", "/pay/"+id, "", nil)
			action := "/pay/" + id + "/" + test.button
			if page.status != 200 || !strings.Contains(page.text, `<form method="post" action="`+action+`">`) ||
				!strings.Contains(page.text, "Tea &lt;b&gt;") {
				t.Errorf("page = %d %s", page.status, page.text)
			}
			pressed := call(t, s, "POST", action, "", nil)
			next := strings.Replace(test.next, "ID", id, 1)
			if pressed.status != 303 || pressed.header.Get("Location") != next {
				t.Errorf("pressed = %d %q, want 303 %q", pressed.status, pressed.header.Get("Location"), next)
			}
			got := s.Sessions()[0]
			if got.Status != test.status || got.PaymentStatus != test.money || got.PaymentIntent == "" != got.open() {
				t.Errorf("session = %+v", got)
			}
		})
	}
}

func TestPayerComesTooLate(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	id := create(t, s, "", params(c)).id()
	c.advance(time.Hour)
	for _, path := range []string{"", "/pay", "/cancel"} {
		method := "POST"
		if path == "" {
			method = "GET"
		}
		if a := call(t, s, method, "/pay/"+id+path, "", nil); a.status != 410 {
			t.Errorf("%s %s: %d", method, path, a.status)
		}
	}
	if got := s.Sessions()[0]; got.Status != "expired" || got.PaymentStatus != "unpaid" {
		t.Errorf("session = %+v", got)
	}
}

// Changes to a session by a test.

// reporter records the failures that the server reports for mistakes of a test.
type reporter struct {
	testing.TB
	reports []string
}

func (r *reporter) Errorf(format string, args ...any) {
	r.reports = append(r.reports, fmt.Sprintf(format, args...))
}

func TestSessionChanges(t *testing.T) {
	type step = func(*Stripe, string)
	tests := []struct {
		name          string
		steps         []step
		status, money string
		mistakes      int
	}{
		{"Paid", []step{(*Stripe).Pay}, "complete", "paid", 0},
		{"PaidTwice", []step{(*Stripe).Pay, (*Stripe).Pay}, "complete", "paid", 1},
		{"Delayed", []step{(*Stripe).PayDelayed}, "complete", "unpaid", 0},
		{"Settled", []step{(*Stripe).PayDelayed, (*Stripe).Settle}, "complete", "paid", 0},
		{"SettledTwice", []step{(*Stripe).PayDelayed, (*Stripe).Settle, (*Stripe).Settle}, "complete", "paid", 1},
		{"Failed", []step{(*Stripe).PayDelayed, (*Stripe).FailDelayed}, "complete", "unpaid", 0},
		{"SettledAfterFailing", []step{(*Stripe).PayDelayed, (*Stripe).FailDelayed, (*Stripe).Settle}, "complete", "unpaid", 1},
		{"SettledUnpaid", []step{(*Stripe).Settle}, "open", "unpaid", 1},
		{"Expired", []step{(*Stripe).Expire}, "expired", "unpaid", 0},
		{"PaidAfterExpiry", []step{(*Stripe).Expire, (*Stripe).Pay}, "expired", "unpaid", 1},
		{"ExpiredAfterPaying", []step{(*Stripe).Pay, (*Stripe).Expire}, "complete", "paid", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := newClock()
			r := &reporter{TB: t}
			s := New(r, c.Now)
			id := create(t, s, "", params(c)).id()
			for _, step := range test.steps {
				step(s, id)
			}
			if got := s.Sessions()[0]; got.Status != test.status || got.PaymentStatus != test.money {
				t.Errorf("session = %s, %s", got.Status, got.PaymentStatus)
			}
			if len(r.reports) != test.mistakes {
				t.Errorf("mistakes = %q, want %d", r.reports, test.mistakes)
			}
		})
	}
}

func TestUnknownSessionFailsTheTest(t *testing.T) {
	r := &reporter{TB: t}
	s := New(r, newClock().Now)
	s.Pay("cs_test_x")
	s.Alter("cs_test_x", func(*Session) { t.Error("called") })
	if event := s.Event("cs_test_x", "checkout.session.completed"); event != nil || len(r.reports) != 3 {
		t.Errorf("event = %s, mistakes = %q", event, r.reports)
	}
}

func TestAlter(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	id := create(t, s, "", params(c)).id()
	s.Alter(id, func(session *Session) { session.ID, session.AmountTotal, session.Reference = "x", 1, "" })
	if a := call(t, s, "GET", sessions+"/"+id, "", nil); a.body["amount_total"] != 1.0 || a.body["client_reference_id"] != nil {
		t.Errorf("session = %s", a.text)
	}
}

func TestEvent(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	made := create(t, s, "", params(c))
	var first, second map[string]any
	json.Unmarshal(s.Event(made.id(), "checkout.session.completed"), &first)
	json.Unmarshal(s.Event(made.id(), "checkout.session.expired"), &second)
	if first["id"] == second["id"] || second["type"] != "checkout.session.expired" || first["api_version"] != "2025-09-30.clover" {
		t.Errorf("events = %v\n%v", first, second)
	}
	data, _ := first["data"].(map[string]any)
	object, _ := json.Marshal(data["object"])
	session, _ := json.Marshal(made.body)
	if string(object) != string(session) {
		t.Errorf("object = %s\nsession = %s", object, session)
	}
}

// Faults.

func TestFaultAppliesToOneCall(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	s.Fail(503, `{"error":{"type":"api_error"}}`)
	s.Cut()
	s.Fail(200, `{}`)
	expect(t, call(t, s, "POST", sessions, "k1", params(c)), 503, "api_error")
	if len(s.Sessions()) != 0 {
		t.Error("the failed call had an effect")
	}
	if a, err := s.do("POST", sessions, "k1", params(c)); err == nil {
		t.Errorf("the cut call was answered: %d", a.status)
	}
	if len(s.Sessions()) != 1 {
		t.Error("the cut call had no effect")
	}
	if a := call(t, s, "POST", sessions, "k1", params(c)); a.id() != "" {
		t.Errorf("the third call answered %s", a.text)
	}
	if a := create(t, s, "k1", params(c)); a.id() != s.Sessions()[0].ID || len(s.Sessions()) != 1 {
		t.Errorf("the retry made %s", a.id())
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests, want 4: net/http must not repeat a call", n)
	}
}

func TestDown(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	id := create(t, s, "", params(c)).id()
	s.Down()
	for _, path := range []string{sessions + "/" + id, "/pay/" + id} {
		if a, err := s.do("GET", path, "", nil); err == nil {
			t.Errorf("%s answered %d", path, a.status)
		}
	}
	s.Up()
	call(t, s, "GET", sessions+"/"+id, "", nil)
	if n := len(s.Requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}

func TestHang(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	arrived := s.Hang()

	ctx, giveUp := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL+sessions+"/cs_test_x", nil)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		response, err := http.DefaultClient.Do(r)
		if err == nil {
			response.Body.Close()
		}
		ended <- err
	}()
	if r := <-arrived; r.Path != sessions+"/cs_test_x" {
		t.Errorf("request = %+v", r)
	}
	giveUp()
	if err := <-ended; err == nil {
		t.Error("the call was answered")
	}

	go func() {
		_, err := s.do("POST", sessions, "", params(c))
		ended <- err
	}()
	<-arrived
	s.Up()
	if err := <-ended; err == nil {
		t.Error("Up answered the call")
	}
	create(t, s, "", params(c))
	if n := len(s.Sessions()); n != 1 {
		t.Errorf("%d sessions, want 1: the hanging call had an effect", n)
	}
}

func TestEndOfTestReleasesHangingCall(t *testing.T) {
	ended := make(chan error, 1)
	t.Run("Test", func(t *testing.T) {
		s := New(t, newClock().Now)
		arrived := s.Hang()
		go func() {
			_, err := s.do("GET", sessions+"/cs_test_x", "", nil)
			ended <- err
		}()
		<-arrived
	})
	if err := <-ended; err == nil {
		t.Error("the call was answered")
	}
}

func TestRequests(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	create(t, s, "k1", params(c))
	got := s.Requests()[0]
	if got.Method != "POST" || got.Path != sessions || got.IdempotencyKey != "k1" || got.Form.Get("mode") != "payment" ||
		got.Header.Get("User-Agent") == "" || got.Header.Get("Authorization") != "" {
		t.Errorf("request = %+v", got)
	}
}

func TestConcurrentUse(t *testing.T) {
	c := newClock()
	s := New(t, c.Now)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			a, err := s.do("POST", sessions, fmt.Sprint("k", i%2), params(c))
			if err != nil || a.status != 200 {
				t.Errorf("create: %d, %v", a.status, err)
				return
			}
			s.Alter(a.id(), func(session *Session) { session.AmountTotal++ })
			s.Event(a.id(), "checkout.session.completed")
			s.Sessions()
			s.Requests()
		})
	}
	all.Wait()
	made := s.Sessions()
	if len(made) != 2 || made[0].AmountTotal+made[1].AmountTotal != 2*1250+20 {
		t.Errorf("sessions = %+v", made)
	}
}
