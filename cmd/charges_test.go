package cmd_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/server/stripe/stripetest"
)

// These tests run payments as the operator does: a server and commands on one file, with
// a fake Stripe.

const (
	chargeBody    = `{"merchant_email":"merchant@shop.example","amount_cents":1250,"description":"Invoice 17"}`
	webhookSecret = "whsec_of_the_operator"
	completed     = "checkout.session.completed"
)

// till is a server that takes payments, with the live key of its only account.
type till struct {
	*process
	stripe *stripetest.Stripe
	key    string
}

// newTill starts a server in a folder whose variables name the fake Stripe.
func newTill(t *testing.T, args ...string) *till {
	t.Helper()
	stripe := stripetest.New(t, time.Now)
	f := newFolder(t).with("SVC_STRIPE_KEY="+stripe.Key, "SVC_STRIPE_API="+stripe.URL)
	f.account(owner, "growth", "0")
	_, key := f.key("live")
	s := &till{stripe: stripe, key: key}
	s.process = f.with("SVC_STRIPE_WEBHOOK_SECRET=" + webhookSecret).serve(args...)
	return s
}

// restart starts the server again on the same port, so that links stay valid.
func (s *till) restart() {
	s.Helper()
	s.process = s.folder.serve("--addr", strings.TrimPrefix(s.url, "http://"))
}

// charge creates a charge and returns its id and its link.
func (s *till) charge() (id, link string) {
	s.Helper()
	a := s.request(http.MethodPost, s.url+"/api/v1/charges", chargeBody, map[string]string{"x-api-key": s.key})
	var made struct {
		Charge struct{ ID string }
		Link   string `json:"confirmation_url"`
	}
	if err := json.Unmarshal([]byte(a.body), &made); err != nil || a.status != 200 {
		s.Fatalf("charge: %d %s", a.status, a.body)
	}
	return made.Charge.ID, made.Link
}

func (s *till) request(method, url, body string, header map[string]string) answer {
	s.Helper()
	a, err := s.try(method, url, body, header)
	if err != nil {
		s.Fatal(err)
	}
	return a
}

func (s *till) try(method, url, body string, header map[string]string) (answer, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	for name, value := range header {
		r.Header.Set(name, value)
	}
	return roundTrip(r)
}

var sameSite = map[string]string{"Sec-Fetch-Site": "same-origin"}

// pay submits the Pay form and returns the session that it redirects to.
func (s *till) pay(link string) stripetest.Session {
	s.Helper()
	a := s.request(http.MethodPost, link+"/pay", "", sameSite)
	sessions := s.stripe.Sessions()
	if a.status != 200 || len(sessions) == 0 || !strings.Contains(a.body, "Fake Stripe") {
		s.Fatalf("pay: %d %s", a.status, a.body)
	}
	return sessions[len(sessions)-1]
}

func (s *till) event(payload []byte, secret string) answer {
	s.Helper()
	return s.request(http.MethodPost, s.url+"/webhooks/stripe", string(payload), s.signed(payload, secret))
}

func (s *till) signed(payload []byte, secret string) map[string]string {
	return map[string]string{"Stripe-Signature": s.stripe.Sign(payload, secret, time.Now())}
}

// statuses returns the status of each charge by id, as the API lists them.
func (s *till) statuses() map[string]string {
	s.Helper()
	a := s.request(http.MethodGet, s.url+"/api/v1/charges", "", map[string]string{"x-api-key": s.key})
	var list struct {
		Charges []struct{ ID, Status string }
	}
	if err := json.Unmarshal([]byte(a.body), &list); err != nil {
		s.Fatalf("list: %d %s", a.status, a.body)
	}
	all := map[string]string{}
	for _, c := range list.Charges {
		all[c.ID] = c.Status
	}
	return all
}

func (s *till) wantStatus(id, want string) {
	s.Helper()
	if got := s.statuses()[id]; got != want {
		s.Errorf("charge is %q, want %q", got, want)
	}
}

// TestChargesReconcile misses every webhook; one command settles all payments.
func TestChargesReconcile(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	want := map[string]string{} // outcome by subject
	status := map[string]string{}
	var odd stripetest.Session
	for _, outcome := range []string{"open", "paid", "processing", "over", "odd", "untouched"} {
		id, link := s.charge()
		status[id] = "pending"
		if outcome == "untouched" {
			continue
		}
		session := s.pay(link)
		want[id] = outcome
		switch outcome {
		case "paid":
			s.stripe.Pay(session.ID)
			status[id] = "approved"
		case "processing":
			s.stripe.PayDelayed(session.ID)
		case "over":
			s.stripe.Expire(session.ID)
		case "odd":
			s.stripe.Pay(session.ID)
			s.stripe.Alter(session.ID, func(c *stripetest.Session) { c.Reference = "a\tb\n\x1b[31mc" })
			odd = session
			want[id] = `the session refers to "a\tb\n\x1b[31mc", not to ` + id
		}
	}

	reconcile := func() map[string]string {
		t.Helper()
		got := map[string]string{}
		for _, o := range s.objects(s.ok("charges", "reconcile", "--json")) {
			if fields := slices.Sorted(maps.Keys(o)); !slices.Equal(fields, []string{"outcome", "session_id", "subject"}) {
				t.Errorf("fields %v", fields)
			}
			got[o["subject"].(string)] = o["outcome"].(string)
		}
		return got
	}
	if got := reconcile(); !maps.Equal(got, want) {
		t.Errorf("reconciled %v, want %v", got, want)
	}
	if got := s.statuses(); !maps.Equal(got, status) {
		t.Errorf("statuses %v, want %v", got, status)
	}

	// The second time only open payments are left, printed as text with a row each.
	maps.DeleteFunc(want, func(_, outcome string) bool { return outcome == "paid" || outcome == "over" })
	if got := reconcile(); !maps.Equal(got, want) {
		t.Errorf("reconciled again %v, want %v", got, want)
	}
	out := s.ok("charges", "reconcile")
	contains(t, out, "SUBJECT", "SESSION", "OUTCOME", "processing", "open")
	if strings.Count(out, "\n") != 1+len(want) || strings.ContainsAny(out, "\t\x1b") {
		t.Errorf("want a header and %d rows: %q", len(want), out)
	}

	// The mismatch is listed once.
	all := s.objects(s.ok("charges", "mismatches", "--json"))
	if len(all) != 1 {
		t.Fatalf("mismatches %v", all)
	}
	created, err := time.Parse(time.RFC3339, all[0]["created_at"].(string))
	if err != nil || time.Since(created).Abs() > time.Hour {
		t.Errorf("created at %v, %v", created, err)
	}
	delete(all[0], "created_at")
	id := strings.TrimSuffix(odd.IdempotencyKey, "-1")
	wanted := map[string]any{
		"event_id": "asked:" + odd.ID, "type": "asked", "session_id": odd.ID, "reference": "a\tb\n\x1b[31mc",
		"problem": `the session refers to "a\tb\n\x1b[31mc", not to ` + id,
	}
	if !maps.Equal(all[0], wanted) {
		t.Errorf("mismatch %v, want %v", all[0], wanted)
	}
	out = s.ok("charges", "mismatches")
	contains(t, out, "TIME", "PROBLEM", "asked:"+odd.ID)
	if strings.Count(out, "\n") != 2 || strings.ContainsAny(out, "\t\x1b") {
		t.Errorf("want a header and a row: %q", out)
	}

	s.stop()
	contains(t, s.ok("charges", "reconcile"), "processing") // without a server, too
	s.ok("wallet", "verify")
}

func TestChargesCommands(t *testing.T) {
	t.Parallel()
	t.Run("Usage", func(t *testing.T) {
		f := newFolder(t)
		contains(t, f.fails(2, "charges", "reconcile"), "--stripe-key is required")
		contains(t, f.fails(2, "charges", "reconcile", "extra", "--stripe-key", "sk_test_x"), "usage: svc charges reconcile")
		contains(t, f.fails(2, "charges", "mismatches", "extra"), "usage: svc charges mismatches")
		contains(t, f.fails(2, "charges", "nonsense"), `unknown command "nonsense"`)
		contains(t, f.fails(1, "charges", "reconcile", "--stripe-key", "sk_test_x"), "no database at svc.db")
		contains(t, f.fails(1, "charges", "mismatches"), "no database at svc.db")
		contains(t, f.fails(2, "serve", "--addr", "127.0.0.1:0", "--stripe-webhook-secret", "whsec_x"), "--stripe-webhook-secret: needs --stripe-key")
		if entries, err := os.ReadDir(f.dir); err != nil || len(entries) > 0 {
			t.Errorf("the folder has %v (%v), want nothing", entries, err)
		}
	})

	t.Run("EmptyLists", func(t *testing.T) {
		f := newFolder(t)
		f.account(owner, "free", "0")
		for _, line := range []string{"charges reconcile --stripe-key sk_test_x --stripe-api http://127.0.0.1:1", "charges mismatches"} {
			if out := f.ok(words(line + " --json")...); out != "" {
				t.Errorf("svc %s printed %q", line, out)
			}
			if out := f.ok(words(line)...); strings.Count(out, "\n") != 1 {
				t.Errorf("svc %s printed %q, want a header", line, out)
			}
		}
	})

	t.Run("KeyFromAFile", func(t *testing.T) {
		s := newTill(t)
		id, link := s.charge()
		s.stripe.Pay(s.pay(link).ID)
		plain := *s.folder
		plain.env = []string{"SVC_STRIPE_API=" + s.stripe.URL, "SVC_STRIPE_KEY_FILE=" + s.write("key", s.stripe.Key+"\n")}
		if got := plain.object("charges", "reconcile"); got["subject"] != id || got["outcome"] != "paid" {
			t.Errorf("reconciled %v", got)
		}
		s.wantStatus(id, "approved")
	})

	// Each problem is reported, and never with the key.
	t.Run("StripeFails", func(t *testing.T) {
		const wrong = "sk_test_wrong_and_in_confidence"
		s := newTill(t)
		id, link := s.charge()
		s.stripe.Pay(s.pay(link).ID)
		for key, says := range map[string]string{wrong: "stripe: misconfigured", s.stripe.Key: "stripe: unavailable"} {
			if key != wrong {
				s.stripe.Down()
			}
			r := s.run("", "charges", "reconcile", "--json", "--stripe-key", key)
			if r.status != 1 || strings.Contains(r.out+r.err, key) || !strings.Contains(r.out, id) || !strings.Contains(r.out, says) {
				t.Errorf("status %d, %q, %q", r.status, r.out, r.err)
			}
			s.stripe.Up()
		}
		s.wantStatus(id, "pending")
		s.stop()
		if strings.Contains(s.out.String()+s.err.String(), s.stripe.Key) {
			t.Error("the server's output has the key")
		}
	})
}

// TestServeWebhookSecrets accepts events signed with either of two secrets. Without a
// secret, events are refused and the server says so at its start.
func TestServeWebhookSecrets(t *testing.T) {
	t.Parallel()
	s := newTill(t, "--stripe-webhook-secret", "whsec_old, whsec_new")
	for _, secret := range []string{"whsec_old", "whsec_new"} {
		id, link := s.charge()
		session := s.pay(link)
		s.stripe.Pay(session.ID)
		payload := s.stripe.Event(session.ID, completed)
		for _, wrong := range []string{"", "whsec_old, whsec_new", " whsec_new", webhookSecret} {
			if a := s.event(payload, wrong); a.status != 400 {
				t.Errorf("signed with %q: %d %s", wrong, a.status, a.body)
			}
		}
		s.wantStatus(id, "pending")
		if a := s.event(payload, secret); a.status != 200 {
			t.Errorf("signed with %q: %d %s", secret, a.status, a.body)
		}
		s.wantStatus(id, "approved")
	}
	if out := s.out.String(); strings.Contains(out, "--stripe-webhook-secret") {
		t.Errorf("the greeting asks for a secret: %s", out)
	}
	s.stop()

	none := s.folder.serve("--stripe-webhook-secret", " , ")
	contains(t, none.until("svc charges reconcile"), "--stripe-webhook-secret is set")
	payload := s.stripe.Event(s.stripe.Sessions()[0].ID, completed)
	a := s.request(http.MethodPost, none.url+"/webhooks/stripe", string(payload), s.signed(payload, ""))
	if a.status != 503 {
		t.Errorf("without a secret: %d %s", a.status, a.body)
	}
}

// TestPaymentsSurviveAKill kills the server while it calls Stripe. The retry uses the
// same idempotency key, and an event that got no answer takes effect once when Stripe
// sends it again.
func TestPaymentsSurviveAKill(t *testing.T) {
	t.Parallel()
	s := newTill(t)
	s.folder = s.with("SVC_STRIPE_WEBHOOK_SECRET=" + webhookSecret)
	killed := func(method, url, body string, header map[string]string) {
		t.Helper()
		arrived := s.stripe.Hang()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if a, err := s.try(method, url, body, header); err == nil {
				t.Errorf("a killed server answered %d %s", a.status, a.body)
			}
		}()
		<-arrived
		s.kill()
		<-s.exited
		<-ended
		s.stripe.Up()
		s.restart()
	}

	id, link := s.charge()
	killed(http.MethodPost, link+"/pay", "", sameSite)
	s.wantStatus(id, "pending")
	session := s.pay(link)
	if session.IdempotencyKey != id+"-1" || len(s.stripe.Sessions()) != 1 {
		t.Errorf("the retry's key is %q, and %d sessions were made", session.IdempotencyKey, len(s.stripe.Sessions()))
	}

	killed(http.MethodPost, link+"/pay", "", sameSite) // while the first session is being ended
	second := s.pay(link)
	if second.IdempotencyKey != id+"-2" || s.stripe.Sessions()[0].Status != "expired" {
		t.Errorf("sessions %+v", s.stripe.Sessions())
	}

	s.stripe.Pay(second.ID)
	payload := s.stripe.Event(second.ID, completed)
	killed(http.MethodPost, s.url+"/webhooks/stripe", string(payload), s.signed(payload, webhookSecret))
	s.wantStatus(id, "pending")
	for range 2 {
		if a := s.event(payload, webhookSecret); a.status != 200 {
			t.Errorf("the event sent again: %d %s", a.status, a.body)
		}
		s.wantStatus(id, "approved")
	}
	if out := s.ok("charges", "mismatches", "--json"); out != "" {
		t.Errorf("mismatches %s", out)
	}
}
