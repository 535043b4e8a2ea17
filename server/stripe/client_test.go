package stripe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stripe/stripe-go/v76"

	"svc/server/stripe/stripetest"
)

// Requests to Stripe and their answers.

func TestCreate(t *testing.T) {
	fake, p := newFake(t)
	got := create(t, p, order())

	made := fake.Sessions()
	if len(made) != 1 {
		t.Fatalf("%d sessions, want 1", len(made))
	}
	want := Session{
		ID:            made[0].ID,
		URL:           fake.URL + "/pay/" + made[0].ID,
		Status:        "open",
		PaymentStatus: "unpaid",
		Reference:     "ch_01j0000000000000000000000a",
		Currency:      "gbp",
		AmountTotal:   1250,
	}
	if got != want {
		t.Errorf("session = %+v\n      want %+v", got, want)
	}

	form := map[string]string{
		"mode":                "payment",
		"client_reference_id": "ch_01j0000000000000000000000a",
		"metadata[reference]": "ch_01j0000000000000000000000a",
		"payment_intent_data[metadata][reference]":      "ch_01j0000000000000000000000a",
		"line_items[0][quantity]":                       "1",
		"line_items[0][price_data][currency]":           "gbp",
		"line_items[0][price_data][unit_amount]":        "1250",
		"line_items[0][price_data][product_data][name]": "Repair of a bicycle & two bells",
		"success_url": "https://svc.example/charges/t0ken?done=1",
		"cancel_url":  "https://svc.example/charges/t0ken",
		"expires_at":  fmt.Sprint(noon.Add(31 * time.Minute).Unix()),
	}
	if len(made[0].Params) != len(form) {
		t.Errorf("%d parameters, want %d: %v", len(made[0].Params), len(form), made[0].Params)
	}
	for name, value := range form {
		if got := made[0].Params.Get(name); got != value {
			t.Errorf("%s = %q, want %q", name, got, value)
		}
	}
	if key := made[0].IdempotencyKey; key != order().IdempotencyKey {
		t.Errorf("idempotency key = %q", key)
	}
}

func TestCreateSplitsLongDescription(t *testing.T) {
	tests := []struct{ name, description, product, below string }{
		{"Short", "Tea", "Tea", ""},
		{"Fits", strings.Repeat("ü", 250), strings.Repeat("ü", 250), ""},
		{"TooLong", strings.Repeat("ü", 251), strings.Repeat("ü", 249) + "…", strings.Repeat("ü", 251)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, p := newFake(t)
			o := order()
			o.Description = test.description
			create(t, p, o)
			if made := fake.Sessions()[0]; made.Name != test.product || made.Description != test.below {
				t.Errorf("name %q, description %q", made.Name, made.Description)
			}
		})
	}
}

func TestSessionReturnsPresentState(t *testing.T) {
	fake, p := newFake(t)
	made := create(t, p, order())

	fake.PayDelayed(made.ID)
	expectStatus(t, p, made.ID, "complete", "unpaid")
	fake.Settle(made.ID)
	expectStatus(t, p, made.ID, "complete", "paid")

	fake.Alter(made.ID, func(s *stripetest.Session) {
		s.AmountTotal, s.Currency, s.Reference, s.Live = 1, "usd", "", true
	})
	got, err := p.Session(t.Context(), made.ID)
	want := Session{ID: made.ID, Status: "complete", PaymentStatus: "paid", Currency: "usd", AmountTotal: 1, Live: true}
	if err != nil || got != want {
		t.Errorf("session = %+v, %v\n      want %+v", got, err, want)
	}
}

func expectStatus(t *testing.T, p Provider, id, status, paymentStatus string) {
	t.Helper()
	s, err := p.Session(t.Context(), id)
	if err != nil {
		t.Fatalf("Session: %v", err)
	}
	if s.ID != id || s.Status != status || s.PaymentStatus != paymentStatus {
		t.Errorf("session = %+v, want %s and %s", s, status, paymentStatus)
	}
}

func TestExpire(t *testing.T) {
	_, p := newFake(t)
	made := create(t, p, order())

	got, err := p.Expire(t.Context(), made.ID)
	if err != nil || got.ID != made.ID || got.Status != "expired" || got.URL != "" {
		t.Errorf("Expire = %+v, %v", got, err)
	}
	expectStatus(t, p, made.ID, "expired", "unpaid")

	_, err = p.Expire(t.Context(), made.ID)
	fails(t, err, Refused)
}

func TestLiveByKey(t *testing.T) {
	live := map[string]bool{
		"sk_live_1": true, "rk_live_1": true, "sk_test_1": false, "rk_test_1": false,
		"": false, "pk_live_1": false, "xsk_live_1": false, "sk_live": false,
	}
	for key, want := range live {
		if got := New(Config{Key: key}).Live(); got != want {
			t.Errorf("Live with key %q = %v, want %v", key, got, want)
		}
	}
}

func TestLiveSession(t *testing.T) {
	fake := stripetest.New(t, clock)
	fake.Key, fake.Live = "rk_live_restricted", true
	p := New(Config{Key: fake.Key, API: fake.URL})
	if s := create(t, p, order()); !s.Live || !strings.HasPrefix(s.ID, "cs_live_") {
		t.Errorf("session = %+v, want a live one", s)
	}
}

func TestHeaders(t *testing.T) {
	fake, p := newFake(t)
	made := create(t, p, order())
	if _, err := p.Session(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Expire(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}

	requests := fake.Requests()
	if len(requests) != 3 {
		t.Fatalf("%d requests, want 3", len(requests))
	}
	for _, r := range requests {
		if r.StripeVersion != stripe.APIVersion {
			t.Errorf("%s %s: Stripe-Version %q", r.Method, r.Path, r.StripeVersion)
		}
		for _, private := range []string{"X-Stripe-Client-User-Agent", "X-Stripe-Client-Telemetry"} {
			if r.Header.Get(private) != "" {
				t.Errorf("%s %s: header %s is sent", r.Method, r.Path, private)
			}
		}
	}
	if requests[0].IdempotencyKey != order().IdempotencyKey {
		t.Errorf("Create has the key %q", requests[0].IdempotencyKey)
	}
	if requests[1].IdempotencyKey != "" {
		t.Errorf("Session has the key %q", requests[1].IdempotencyKey)
	}
	if requests[2].IdempotencyKey == "" {
		t.Error("Expire has no idempotency key, so net/http cannot repeat it after a dead connection")
	}
}

func TestClientsShareNothing(t *testing.T) {
	one, first := newFake(t)
	two := stripetest.New(t, clock)
	two.Key = "sk_test_other"
	second := New(Config{Key: two.Key, API: two.URL + "/v1/"})

	create(t, first, order())
	create(t, second, order())
	create(t, first, order())
	if a, b := len(one.Sessions()), len(two.Sessions()); a != 1 || b != 1 {
		t.Errorf("%d and %d sessions, want 1 and 1", a, b)
	}
	if stripe.Key != "" {
		t.Error("the library's global key is set")
	}
}

// Arguments that are refused without a request.

func TestInvalidSessionIDIsNotFound(t *testing.T) {
	fake, p := newFake(t)
	for _, id := range []string{
		"", "cs_", "pi_123", "xcs_1", "cs_test/../../customers", "cs_test_1/expire", "cs_test_1?x=1",
		"cs_test_1\n", "cs_test_é", "cs-test", " cs_test_1", "cs_%2e", "CS_test",
	} {
		_, err := p.Session(t.Context(), id)
		fails(t, err, NotFound)
		_, err = p.Expire(t.Context(), id)
		fails(t, err, NotFound)
	}
	if n := len(fake.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

func TestInvalidIdempotencyKeyIsRefused(t *testing.T) {
	fake, p := newFake(t)
	for _, key := range []string{"", " ", "a b", "a\n", "é", strings.Repeat("a", 256)} {
		o := order()
		o.IdempotencyKey = key
		_, err := p.Create(t.Context(), o)
		fails(t, err, Refused)
	}
	if n := len(fake.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}

	o := order()
	o.IdempotencyKey = strings.Repeat("a", 255)
	create(t, p, o)
}

func TestInvalidSecretKeyIsMisconfigured(t *testing.T) {
	fake := stripetest.New(t, clock)
	for _, key := range []string{"", "sk_test_fake\n", "sk test", "sk_tést"} {
		p := New(Config{Key: key, API: fake.URL})
		eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
			fails(t, call(t.Context(), p), Misconfigured)
		})
	}
	if n := len(fake.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// Retries.

func TestSameOrderReturnsSameSession(t *testing.T) {
	fake, p := newFake(t)
	first := create(t, p, order())
	if again := create(t, p, order()); again != first {
		t.Errorf("second session = %+v, want %+v", again, first)
	}
	if n := len(fake.Sessions()); n != 1 {
		t.Errorf("%d sessions, want 1", n)
	}
}

func TestSameKeyWithOtherOrderIsRefused(t *testing.T) {
	changes := map[string]func(*Order){
		"Amount":      func(o *Order) { o.Amount++ },
		"Currency":    func(o *Order) { o.Currency = "eur" },
		"Reference":   func(o *Order) { o.Reference += "x" },
		"Description": func(o *Order) { o.Description += "x" },
		"ExpiresAt":   func(o *Order) { o.ExpiresAt = o.ExpiresAt.Add(time.Second) },
		"SuccessURL":  func(o *Order) { o.SuccessURL += "x" },
		"CancelURL":   func(o *Order) { o.CancelURL += "x" },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			fake, p := newFake(t)
			create(t, p, order())
			other := order()
			change(&other)
			_, err := p.Create(t.Context(), other)
			if e := fails(t, err, Refused); e.Code != "idempotency_error" {
				t.Errorf("Code = %q", e.Code)
			}
			if n := len(fake.Sessions()); n != 1 {
				t.Errorf("%d sessions, want 1", n)
			}
		})
	}
}

func TestRetryAfterLostAnswerReturnsSameSession(t *testing.T) {
	fake, p := newFake(t)
	fake.Cut()
	_, err := p.Create(t.Context(), order())
	fails(t, err, Unavailable)
	made := fake.Sessions()
	if len(made) != 1 {
		t.Fatalf("%d sessions, want 1, of the call without an answer", len(made))
	}

	again := create(t, p, order())
	if again.ID != made[0].ID || len(fake.Sessions()) != 1 {
		t.Errorf("retry returned %q, want %q", again.ID, made[0].ID)
	}
}

func TestDownAndUp(t *testing.T) {
	fake, p := newFake(t)
	made := create(t, p, order())
	fake.Down()
	_, err := p.Session(t.Context(), made.ID)
	fails(t, err, Unavailable)
	fake.Up()
	expectStatus(t, p, made.ID, "open", "unpaid")
}

func TestConnectionRefusedIsUnavailable(t *testing.T) {
	server, p := newServer(t, nil)
	server.Close()
	eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
		fails(t, call(t.Context(), p), Unavailable)
	})
}

// Kinds of answers.

// stripeError returns an error object in Stripe's form.
func stripeError(kind, code, message string) string {
	content, err := json.Marshal(map[string]any{"error": map[string]string{
		"type": kind, "code": code, "message": message, "param": "line_items[0][price_data]",
	}})
	if err != nil {
		panic(err)
	}
	return string(content)
}

func TestKindOfAnswer(t *testing.T) {
	const invalidRequest, apiError = "invalid_request_error", "api_error"
	no := stripeError(invalidRequest, "some_code", "No, not https://svc.example/charges/t0ken")
	session := `{"id":"cs_test_a1","object":"checkout.session","url":"https://checkout.stripe.com/c/pay/cs_test_a1"`
	tests := []struct {
		name   string
		status int
		body   string
		kind   Kind
		code   string
	}{
		{"BadRequest", 400, no, Refused, "some_code"},
		{"PaymentRequired", 402, stripeError("card_error", "card_declined", "Declined."), Refused, "card_declined"},
		{"Gone", 410, no, Refused, "some_code"},
		{"Unprocessable", 422, no, Refused, "some_code"},
		{"Last4xx", 499, no, Refused, "some_code"},
		{"KeyWithOtherParameters", 400, stripeError("idempotency_error", "", "Keys for…"), Refused, "idempotency_error"},
		{"WrongKey", 401, stripeError(invalidRequest, "", "Invalid API Key provided: sk_test_****"), Misconfigured, invalidRequest},
		{"ExpiredKey", 401, stripeError(invalidRequest, "api_key_expired", "Expired."), Misconfigured, "api_key_expired"},
		{"Forbidden", 403, stripeError(invalidRequest, "", "The key has no permission"), Misconfigured, invalidRequest},
		{"NotFound", 404, stripeError(invalidRequest, "resource_missing", "No such"), NotFound, "resource_missing"},
		{"KeyInUse", 409, stripeError("idempotency_error", "idempotency_key_in_use", "In use"), Unavailable, "idempotency_key_in_use"},
		{"RateLimit", 429, stripeError(invalidRequest, "rate_limit", "Slow down"), Unavailable, "rate_limit"},
		{"LockTimeout", 429, stripeError(invalidRequest, "lock_timeout", "Locked"), Unavailable, "lock_timeout"},
		{"ServerError", 500, stripeError(apiError, "", "Sorry"), Unavailable, apiError},
		{"BadGateway", 502, stripeError(apiError, "", "Sorry"), Unavailable, apiError},
		{"Down", 503, stripeError(apiError, "", "Sorry"), Unavailable, apiError},
		{"TimedOut", 504, stripeError(apiError, "", "Sorry"), Unavailable, apiError},
		{"Beyond", 600, stripeError(apiError, "", "Sorry"), Unavailable, apiError},
		{"ServerErrorPage", 500, "<html>t0ken</html>", Unavailable, ""},
		{"GatewayPage", 502, "<html>Bad gateway</html>", Unavailable, ""},
		{"ProxyForbids", 403, "<html>Forbidden</html>", Unavailable, ""},
		{"PageNotFound", 404, "<html>Not found</html>", Unavailable, ""},
		{"BrokenRefusal", 400, no[:20], Unavailable, ""},
		{"EmptyRefusal", 400, "", Unavailable, ""},
		{"RefusalWithoutError", 400, `{"t0ken":1}`, Unavailable, ""},
		{"RefusalThatIsText", 400, `{"error":"t0ken"}`, Unavailable, ""},
		{"Empty", 200, "", Unavailable, ""},
		{"NoContent", 204, "", Unavailable, ""},
		{"Broken", 200, session, Unavailable, ""},
		{"Page", 200, "<html>t0ken</html>", Unavailable, ""},
		{"EmptyObject", 200, "{}", Unavailable, ""},
		{"Null", 200, "null", Unavailable, ""},
		{"List", 200, "[]", Unavailable, ""},
		{"BareID", 200, `"cs_test_a1"`, Unavailable, ""},
		{"NoID", 200, `{"object":"checkout.session","url":"https://x.example"}`, Unavailable, ""},
		{"NoObject", 200, `{"id":"cs_test_a1","url":"https://x.example"}`, Unavailable, ""},
		{"OtherObject", 200, `{"id":"cs_test_a1","object":"charge","url":"https://x.example"}`, Unavailable, ""},
		{"OddID", 200, `{"id":"cs_test/a1","object":"checkout.session","url":"https://x.example"}`, Unavailable, ""},
		{"TextForAmount", 200, session + `,"amount_total":"12"}`, Unavailable, ""},
		{"ErrorForSuccess", 200, no, Unavailable, ""},
		{"Redirect", 302, session + `}`, Unavailable, ""},
		{"NotModified", 304, "", Unavailable, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
				fake, p := newFake(t)
				fake.Fail(test.status, test.body)
				e := fails(t, call(t.Context(), p), test.kind)
				if e.Code != test.code {
					t.Errorf("Code = %q, want %q", e.Code, test.code)
				}
				if e.Reason != kinds[test.kind].reason {
					t.Errorf("Reason = %q, want %q", e.Reason, kinds[test.kind].reason)
				}
				if n := len(fake.Requests()); n != 1 {
					t.Errorf("%d requests, want 1", n)
				}
			})
		})
	}
}

func TestUnreadableAnswerNamesItsStatus(t *testing.T) {
	fake, p := newFake(t)
	fake.Fail(502, "<html>")
	_, err := p.Session(t.Context(), "cs_test_a1")
	if e := fails(t, err, Unavailable); e.Err.Error() != "HTTP 502 without a checkout session" {
		t.Errorf("cause = %v", e.Err)
	}
}

func TestCreateWithoutURL(t *testing.T) {
	fake, p := newFake(t)
	fake.Fail(200, `{"id":"cs_test_a1","object":"checkout.session","url":null}`)
	_, err := p.Create(t.Context(), order())
	fails(t, err, Unavailable)

	fake.Fail(200, `{"id":"cs_test_a1","object":"checkout.session","url":null}`)
	if s, err := p.Session(t.Context(), "cs_test_a1"); err != nil || s.ID != "cs_test_a1" {
		t.Errorf("Session = %+v, %v, want one without a URL", s, err)
	}
}

func TestAnswerAboutOtherSessionIsUnavailable(t *testing.T) {
	fake, p := newFake(t)
	fake.Fail(200, `{"id":"cs_test_b2","object":"checkout.session","payment_status":"paid","status":"complete"}`)
	_, err := p.Session(t.Context(), "cs_test_a1")
	fails(t, err, Unavailable)
}

func TestCreateRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Order)
		code   string
		reason string
	}{
		{"TooSmall", func(o *Order) { o.Amount = 29 }, "amount_too_small",
			"The Checkout Session's total amount must convert to at least 30 pence."},
		{"TooSmallInYen", func(o *Order) { o.Currency, o.Amount = "jpy", 49 }, "amount_too_small",
			"The Checkout Session's total amount must convert to at least 50 yen."},
		{"TooLarge", func(o *Order) { o.Amount = 100000000 }, "amount_too_large",
			"The Checkout Session's total amount due must be no more than 99999999."},
		{"TooSoon", func(o *Order) { o.ExpiresAt = noon.Add(30*time.Minute - time.Second) }, "invalid_request_error",
			kinds[Refused].reason},
		{"TooLate", func(o *Order) { o.ExpiresAt = noon.Add(24*time.Hour + time.Second) }, "invalid_request_error",
			kinds[Refused].reason},
		{"NoDescription", func(o *Order) { o.Description = "" }, "parameter_invalid_empty", kinds[Refused].reason},
		{"OddURL", func(o *Order) { o.SuccessURL = "/t0ken" }, "url_invalid", kinds[Refused].reason},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, p := newFake(t)
			o := order()
			test.change(&o)
			_, err := p.Create(t.Context(), o)
			e := fails(t, err, Refused)
			if e.Code != test.code || e.Reason != test.reason {
				t.Errorf("Code = %q, Reason = %q, want %q, %q", e.Code, e.Reason, test.code, test.reason)
			}
			if n := len(fake.Sessions()); n != 0 {
				t.Errorf("%d sessions", n)
			}
		})
	}
}

func TestReasonForPayer(t *testing.T) {
	tests := []struct {
		name    string
		status  int
		code    string
		message string
		reason  string
	}{
		{"Amount", 400, "invalid_charge_amount", "Invalid amount.", "Invalid amount."},
		{"Folded", 400, "amount_too_small", " Too\n small.\x00 ", "Too small."},
		{"NoWords", 400, "amount_too_small", " ", kinds[Refused].reason},
		{"OtherCode", 400, "url_invalid", "Not a valid URL: https://svc.example/charges/t0ken", kinds[Refused].reason},
		{"OtherKind", 500, "amount_too_small", "Too small.", kinds[Unavailable].reason},
		{"Key", 400, "amount_too_small", "Too small for sk_test_fake.", "Too small for [redacted]."},
		{"KeyInPieces", 400, "amount_too_small", "Too small for sk_test\x00_fake.", "Too small for [redacted]."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fake, p := newFake(t)
			fake.Fail(test.status, stripeError("invalid_request_error", test.code, test.message))
			_, err := p.Create(t.Context(), order())
			kind := Refused
			if test.status == 500 {
				kind = Unavailable
			}
			if e := fails(t, err, kind); e.Reason != test.reason {
				t.Errorf("Reason = %q, want %q", e.Reason, test.reason)
			}
		})
	}
}

func TestLongReasonIsCut(t *testing.T) {
	fake, p := newFake(t)
	fake.Fail(400, stripeError("invalid_request_error", "amount_too_small", strings.Repeat("ü", maxTextRunes+1)))
	_, err := p.Create(t.Context(), order())
	e, _ := errors.AsType[*Error](err)
	if e == nil || e.Reason != strings.Repeat("ü", maxTextRunes-1)+"…" {
		t.Errorf("error = %+v", e)
	}
}

func TestCauseDescribesRefusal(t *testing.T) {
	_, p := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Request-Id", "req_7")
		w.WriteHeader(400)
		io.WriteString(w, stripeError("invalid_request_error", "url_invalid", "Not a valid URL: t0ken"))
	})
	_, err := p.Create(t.Context(), order())
	want := "stripe: refused: HTTP 400, invalid_request_error, code url_invalid, " +
		"parameter line_items[0][price_data], request req_7"
	if e := fails(t, err, Refused); e.Error() != want {
		t.Errorf("error = %v\n   want %s", e, want)
	}
}

func TestCauseOfWrongKeyHasStripesMessage(t *testing.T) {
	fake := stripetest.New(t, clock)
	p := New(Config{Key: "sk_test_the_wrong_one", API: fake.URL})
	eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
		e := fails(t, call(t.Context(), p), Misconfigured)
		if !strings.HasSuffix(e.Error(), "Invalid API Key provided: sk_test_*********_one") {
			t.Errorf("error = %v", e)
		}
	})
}

func TestErrorsHideSecretKey(t *testing.T) {
	const key = stripetest.DefaultKey
	tests := []struct {
		name   string
		answer http.HandlerFunc
	}{
		{"Refusal", answering(400, stripeError(key, key, key))},
		{"WrongKey", answering(401, stripeError(key, key, "Invalid API Key provided: "+key))},
		{"WrongKeyInPieces", answering(401, stripeError("", "", "sk_test_\x01fake"))},
		{"Page", answering(500, "<html>"+key)},
		{"NoError", answering(400, `{"key":"`+key+`"}`)},
		{"Broken", answering(200, `{"key":"`+key)},
		{"NotHTTP", writing("no HTTP " + key + "\r\n\r\n")},
		{"OddHeader", writing("HTTP/1.1 200 OK\r\n" + key + "\r\n\r\n")},
		{"OddStatus", writing("HTTP/1.1 " + key + "\r\n\r\n")},
		{"Redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+key, http.StatusFound)
		}},
		{"RequestID", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Request-Id", key)
			answering(400, stripeError("", "", ""))(w, r)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
				_, p := newServer(t, test.answer)
				e, ok := errors.AsType[*Error](call(t.Context(), p))
				if !ok {
					t.Fatal("no *Error")
				}
				fails(t, e, e.Kind)
			})
		})
	}
}

func answering(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// writing writes the bytes of an answer and closes the connection.
func writing(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		io.WriteString(conn, answer)
	}
}

func TestIncompleteAnswerIsUnavailable(t *testing.T) {
	const session = `{"id":"cs_test_a1","object":"checkout.session","url":"https://x.example"}`
	tests := []struct{ name, answer string }{
		{"AtOnce", ""},
		{"InTheHeader", "HTTP/1.1 200 OK\r\nContent-Le"},
		{"InTheBody", "HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + session},
		{"InAChunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + session},
		{"InARefusal", "HTTP/1.1 400 Bad Request\r\nContent-Length: 900\r\n\r\n" + stripeError("", "", "")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
				_, p := newServer(t, writing(test.answer))
				fails(t, call(t.Context(), p), Unavailable)
			})
		})
	}
}

func TestAnswerLengthIsBounded(t *testing.T) {
	const session = `{"id":"cs_test_a1","object":"checkout.session","url":"https://x.example"}`
	fits := session + strings.Repeat(" ", maxAnswer-len(session))
	_, p := newServer(t, answering(200, fits))
	if _, err := p.Session(t.Context(), "cs_test_a1"); err != nil {
		t.Errorf("answer of maxAnswer bytes: %v", err)
	}

	_, p = newServer(t, answering(200, fits+" "))
	_, err := p.Session(t.Context(), "cs_test_a1")
	if fails(t, err, Unavailable); !errors.Is(err, errTooLong) {
		t.Errorf("error = %v, want %v", err, errTooLong)
	}
}

func TestRedirectIsNotFollowed(t *testing.T) {
	var followed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { followed.Add(1) }))
	t.Cleanup(elsewhere.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
				_, p := newServer(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Location", elsewhere.URL)
					answering(status, `{"id":"cs_test_a1","object":"checkout.session","url":"https://x.example"}`)(w, r)
				})
				fails(t, call(t.Context(), p), Unavailable)
			})
		})
	}
	if n := followed.Load(); n != 0 {
		t.Errorf("%d requests followed a redirect", n)
	}
}

// Time.

func TestCanceledCallIsUnavailable(t *testing.T) {
	eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
		fake, p := newFake(t)
		arrived := fake.Hang()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-arrived
			cancel()
		}()
		e := fails(t, call(ctx, p), Unavailable)
		if !errors.Is(e, context.Canceled) {
			t.Errorf("error = %v, want one that matches context.Canceled", e)
		}
	})
}

func TestCanceledContextWithCause(t *testing.T) {
	fake, p := newFake(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the appliance shuts down"))
	eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
		e := fails(t, call(ctx, p), Unavailable)
		if !errors.Is(e, context.Canceled) {
			t.Errorf("error = %v, want one that matches context.Canceled", e)
		}
	})
	if n := len(fake.Requests()); n != 0 {
		t.Errorf("%d requests", n)
	}
}

// silent is a transport that never answers, or only with a header.
type silent struct{ header bool }

func (s silent) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.header {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(silentBody{r.Context()})}, nil
	}
	return nil, silentBody{r.Context()}.wait()
}

type silentBody struct{ ctx context.Context }

func (b silentBody) wait() error {
	<-b.ctx.Done()
	return b.ctx.Err()
}

func (b silentBody) Read([]byte) (int, error) { return 0, b.wait() }

func TestCallTimesOut(t *testing.T) {
	tests := []struct {
		name  string
		net   silent
		limit time.Duration // of the caller, 0 for none
		took  time.Duration
	}{
		{"NoHeader", silent{}, 0, 15 * time.Second},
		{"NoBody", silent{header: true}, 0, 15 * time.Second},
		{"CallerIsShorter", silent{}, time.Second, time.Second},
		{"CallerIsShorterThanTheBody", silent{header: true}, time.Second, time.Second},
		{"CallerIsLonger", silent{}, time.Minute, 15 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			eachCall(t, func(t *testing.T, call func(context.Context, Provider) error) {
				synctest.Test(t, func(t *testing.T) {
					ctx := t.Context()
					if test.limit > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, test.limit)
						defer cancel()
					}
					start := time.Now()
					e := fails(t, call(ctx, newClient(Config{Key: stripetest.DefaultKey}, test.net)), Unavailable)
					if took := time.Since(start); took != test.took {
						t.Errorf("took %v, want %v", took, test.took)
					}
					if !errors.Is(e, context.DeadlineExceeded) {
						t.Errorf("cause = %v, want one that matches context.DeadlineExceeded", e.Err)
					}
				})
			})
		})
	}
}

// The library's logging is off.

func TestNothingIsPrinted(t *testing.T) {
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = out, out
	defer func() { os.Stdout, os.Stderr = stdout, stderr }()

	fake, p := newFake(t)
	for _, call := range calls {
		fake.Fail(400, stripeError("invalid_request_error", "", "no"))
		fake.Fail(500, "<html>")
		fake.Fail(200, "{")
		for range 4 {
			call(t.Context(), p)
		}
		fake.Cut()
		call(t.Context(), p)
		fake.Down()
		call(t.Context(), p)
		fake.Up()
	}

	printed, err := os.ReadFile(out.Name())
	if err != nil || len(bytes.TrimSpace(printed)) > 0 {
		t.Errorf("printed: %s (%v)", printed, err)
	}
}
