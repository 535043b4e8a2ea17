package checkout_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// However many Pays run in parallel, the payer is sent to the one session that can be paid.
func TestPayAtOnce(t *testing.T) {
	for round := range 6 {
		t.Run(fmt.Sprint("Round", round), func(t *testing.T) {
			s := newCashier(t)
			other := s.again(t, func(c *server.Config) {
				if round < 4 { // otherwise the two make different requests under one key
					c.ConsoleURL = s.URL
				}
			})
			c := s.MakeCharge(t, s.Live)
			if round%2 == 1 {
				s.Pay(t, c)
			}
			servertest.Parallel(8, func(i int) int { return []*cashier{s, other}[i%2].Press(t, c, "pay").Status })
			s.Pay(t, c)
			s.expectOpen(t, 1)
			s.expectPaidOnce(t, c)
		})
	}

	// A second Pay calls Stripe while the first call runs, and Stripe answers that the
	// key is in use. The first Pay has sent the payer to Stripe's page by then. Its
	// session must stay known, or the next Pay would leave it open beside a new one.
	for name, refusal := range map[string]struct {
		status int
		body   string
	}{
		"KeyInUse": {409, `{"error":{"type":"idempotency_error"}}`}, "Refused": {400, `{"error":{"type":"idempotency_error"}}`},
		"Fault": {500, `{"error":{"type":"api_error"}}`},
	} {
		t.Run("SecondFailsLate"+name, func(t *testing.T) {
			s, calls := newTappedCashier(t)
			c := s.MakeCharge(t, s.Live)
			first, second := make(chan struct{}), make(chan struct{})
			arrived := make(chan int, 10)
			calls.intercept(func(n int, _ *http.Request) (int, string) {
				arrived <- n
				switch n {
				case 1:
					<-first
				case 2:
					<-second
					return refusal.status, refusal.body
				}
				return 0, ""
			})
			pressed := func() <-chan servertest.Answer {
				answer := make(chan servertest.Answer, 1)
				go func() { answer <- s.Press(t, c, "pay") }()
				servertest.Receive(t, arrived)
				return answer
			}
			one, two := pressed(), pressed()
			close(first)
			if a := servertest.Receive(t, one); a.Status != 303 {
				t.Fatalf("first answer %d, want 303", a.Status)
			}
			close(second)
			servertest.Receive(t, two)
			s.Pay(t, c)
			s.expectOpen(t, 1)
			s.expectPaidOnce(t, c)
		})
	}

	// A retry is refused late. By then another retry has sent the payer to Stripe, where
	// the payment was completed and the money has not come yet.
	t.Run("RetryFailsWhileItIsBeingPaid", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Stripe.Fail(500, `{"error":{"type":"api_error"}}`)
		s.Press(t, c, "pay")
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.intercept(func(n int, _ *http.Request) (int, string) {
			if n > 1 {
				return 0, ""
			}
			close(arrived)
			<-release
			return 400, `{"error":{"type":"idempotency_error"}}`
		})
		answer := make(chan servertest.Answer, 1)
		go func() { answer <- s.Press(t, c, "pay") }()
		servertest.Receive(t, arrived)
		session := s.Pay(t, c)
		s.completeDelayed(t, session.ID)
		close(release)
		servertest.Receive(t, answer).ExpectPage(t, 409, "This is being paid already", "Please do not pay again")
		s.expectAttempts(t, c.ID, "1 processing")
		if got := len(s.Stripe.Sessions()); got != 1 {
			t.Errorf("%d sessions were made, want 1", got)
		}
	})

	// The sweep ends an attempt whose session is just being made.
	t.Run("SweepDuringPay", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		c := s.MakeCharge(t, s.Live)
		s.Clock.Advance(week - time.Minute)
		arrived, release := make(chan struct{}), make(chan struct{})
		calls.intercept(func(n int, _ *http.Request) (int, string) {
			if n == 1 {
				close(arrived)
				<-release
			}
			return 0, ""
		})
		answer := make(chan servertest.Answer, 1)
		go func() { answer <- s.Press(t, c, "pay") }()
		servertest.Receive(t, arrived)
		s.Clock.Advance(time.Minute)
		s.Sweep(t)
		close(release)
		servertest.Receive(t, answer).ExpectPage(t, 409, "This payment request has ended")
		s.expectAttempts(t, c.ID, "1 over")
		s.expectOpen(t, 0)
		s.ExpectStatus(t, c, db.ChargeExpired)
	})

	// The first session is paid while the second Pay ends it.
	t.Run("PaidDuringPay", func(t *testing.T) {
		s, calls := newTappedCashier(t)
		c := s.MakeCharge(t, s.Live)
		session := s.Pay(t, c)
		calls.intercept(func(_ int, r *http.Request) (int, string) {
			if strings.HasSuffix(r.URL.Path, "/expire") {
				s.complete(t, session.ID)
			}
			return 0, ""
		})
		s.Press(t, c, "pay").ExpectPage(t, 409, "Paid")
		s.ExpectStatus(t, c, db.ChargeApproved)
		s.expectAttempts(t, c.ID, "1 paid")
	})
}

// expectPaidOnce pays the open session, delivers an event about each session, and checks
// that the charge is approved without a mismatch.
func (s *cashier) expectPaidOnce(t *testing.T, c servertest.Charge) {
	t.Helper()
	for _, session := range s.Stripe.Sessions() {
		if session.Status == "open" {
			s.Stripe.Pay(session.ID)
		}
		s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
	}
	s.ExpectStatus(t, c, db.ChargeApproved)
	s.expectMismatches(t)
}

// tap is a proxy between the appliance and Stripe, with which a test can hold one of
// several calls or answer it in Stripe's place.
type tap struct {
	calls atomic.Int64
	hook  atomic.Pointer[func(n int, r *http.Request) (status int, body string)]
}

// intercept sees every call from now on, numbered from 1; status 0 passes it on.
func (w *tap) intercept(hook func(n int, r *http.Request) (status int, body string)) {
	w.calls.Store(0)
	w.hook.Store(&hook)
}

func newTappedCashier(t *testing.T, change ...func(*server.Config)) (*cashier, *tap) {
	t.Helper()
	w := &tap{}
	var through http.Handler
	between := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		n := int(w.calls.Add(1))
		if hook := w.hook.Load(); hook != nil {
			if status, body := (*hook)(n, r); status != 0 {
				out.WriteHeader(status)
				fmt.Fprint(out, body)
				return
			}
		}
		through.ServeHTTP(out, r)
	}))
	t.Cleanup(between.Close)
	s := newCashier(t, append(change, func(c *server.Config) { c.Stripe.API = between.URL })...)
	target, err := url.Parse(s.Stripe.URL)
	if err != nil {
		t.Fatal(err)
	}
	through = httputil.NewSingleHostReverseProxy(target)
	return s, w
}
