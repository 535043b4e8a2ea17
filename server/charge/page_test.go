package charge_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/account"
	"svc/server/servertest"
)

func TestSimulation(t *testing.T) {
	outcomes := map[string]struct{ status, heading, other string }{
		"approve": {"approved", "Approved, as a test", "decline"},
		"decline": {"declined", "Declined, as a test", "approve"},
	}
	for action, want := range outcomes {
		t.Run(action, func(t *testing.T) {
			s, c := newTestCharge(t)
			page := s.Show(t, c, "")
			page.ExpectPage(t, 200, "Test mode: no money moves.", "Simulate approve", "Simulate decline", "£12.50")
			if got, want := page.Forms(), []string{c.Path() + "/approve", c.Path() + "/decline"}; !slices.Equal(got, want) {
				t.Errorf("forms %v, want %v", got, want)
			}

			s.Show(t, c, "/status").ExpectState(t, "simulate")
			s.Show(t, c, "/return").ExpectPage(t, 200, "Simulate approve")

			s.Clock.Advance(time.Minute)
			done := s.Press(t, c, action) // from a browser without a session
			if done.Status != 303 || done.Header.Get("Location") != c.Path() {
				t.Errorf("answer %d to %q", done.Status, done.Header.Get("Location"))
			}
			page = s.Show(t, c, "")
			page.ExpectPage(t, 200, want.heading, "No money has moved.")
			page.ExpectNoForms(t)
			s.ExpectStatus(t, c, db.ChargeStatus(want.status))
			s.Show(t, c, "/status").ExpectState(t, want.status)
			if got := s.StoredCharge(t, c); action == "approve" && !got.ApprovedAt.Equal(s.Clock.Now()) {
				t.Errorf("approved at %v, want now", got.ApprovedAt)
			}

			// The outcome is final.
			before := s.DumpPayments(t)
			s.Clock.Advance(time.Minute)
			for _, again := range []string{action, want.other, "pay"} {
				refused := s.Press(t, c, again)
				refused.ExpectPage(t, 409, want.heading, "Nothing was changed")
				refused.ExpectNoForms(t)
			}
			s.Clock.Advance(8 * 24 * time.Hour)
			s.Show(t, c, "").ExpectPage(t, 200, want.heading)
			s.Sweep(t)
			servertest.ExpectSame(t, before, s.DumpPayments(t))
			s.ExpectTrace(t) // Stripe gets no calls
		})
	}

	t.Run("Expired", func(t *testing.T) {
		s, c := newTestCharge(t)
		s.Clock.Advance(7 * 24 * time.Hour)
		before := s.DumpPayments(t)
		page := s.Show(t, c, "")
		page.ExpectPage(t, 410, "This payment request has ended")
		page.ExpectNoForms(t)
		page.Expect(t, 410, "gone")
		for _, action := range []string{"approve", "decline", "pay"} {
			refused := s.Press(t, c, action)
			refused.ExpectPage(t, 409, "This payment request has ended")
			refused.ExpectNoForms(t)
		}
		s.Show(t, c, "/status").ExpectState(t, "expired")
		servertest.ExpectSame(t, before, s.DumpPayments(t))
	})

	t.Run("JustBeforeItExpires", func(t *testing.T) {
		s, c := newTestCharge(t)
		s.Clock.Advance(7*24*time.Hour - time.Millisecond)
		s.Press(t, c, "approve")
		s.ExpectStatus(t, c, db.ChargeApproved)
	})

	// When both buttons are pressed many times in parallel, one press wins.
	t.Run("InParallel", func(t *testing.T) {
		s, c := newTestCharge(t)
		count := servertest.Parallel(10, func(i int) int { return s.Press(t, c, []string{"approve", "decline"}[i%2]).Status })
		if count[303] != 1 || count[409] != 9 {
			t.Errorf("answers %v, want 1 of 303 and 9 of 409", count)
		}
	})
}

// Simulation is refused on a live charge, and payment on a test charge, with and without
// Stripe.
func TestActionsOfTheOtherEnvironmentAreRefused(t *testing.T) {
	for name, change := range map[string]func(*server.Config){"WithStripe": func(*server.Config) {}, "WithoutStripe": servertest.WithoutStripe} {
		t.Run(name, func(t *testing.T) {
			s := newCashier(t, change)
			live, test := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Test)
			before := s.DumpPayments(t)
			for _, refused := range []servertest.Answer{s.Press(t, live, "approve"), s.Press(t, live, "decline"), s.Press(t, test, "pay")} {
				refused.ExpectPage(t, 409, "Nothing was changed")
				refused.Expect(t, 409, "conflict")
			}
			servertest.ExpectSame(t, before, s.DumpPayments(t))
			s.ExpectStatus(t, live, db.ChargePending)
			s.ExpectStatus(t, test, db.ChargePending)
			s.ExpectTrace(t)
		})
	}
}

func TestLivePageWithoutStripe(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t, servertest.WithoutStripe)
	c := s.MakeCharge(t, s.Live)
	before := s.DumpPayments(t)
	page := s.Show(t, c, "")
	page.ExpectPage(t, 200, "Payments are not set up on this server", "£12.50")
	page.ExpectNoForms(t)
	s.Show(t, c, "/status").ExpectState(t, "unavailable")
	s.Show(t, c, "/return").ExpectPage(t, 200, "Payments are not set up on this server")
	refused := s.Press(t, c, "pay")
	refused.ExpectPage(t, 409, "Payments are not set up here yet; nothing was paid.", "Payments are not set up on this server")
	refused.ExpectNoForms(t)
	servertest.ExpectSame(t, before, s.DumpPayments(t))
	s.ExpectStatus(t, c, db.ChargePending)
}

func TestChargePage(t *testing.T) {
	t.Run("ShowsAmountAndReceiver", func(t *testing.T) {
		s := newCashier(t)
		app, err := s.App.Accounts.CreateApp(t.Context(), account.NewApp{Account: s.Email, Name: "Till & Co"})
		if err != nil {
			t.Fatal(err)
		}
		_, secret, err := s.App.Accounts.CreateKey(t.Context(), account.NewKey{Account: s.Email, Env: "live", Mode: "account", App: app.Name})
		if err != nil {
			t.Fatal(err)
		}
		c := s.MakeCharge(t, string(secret), "description", `"<script>alert(1)</script>"`)
		page := s.Show(t, c, "")
		page.ExpectPage(t, 200, "£12.50", "Pay £12.50", "&lt;script&gt;alert(1)", "Till &amp; Co", "m…@shop.example",
			"It is not passed on to", "automatically")
		if page.Says("merchant@shop.example") || page.Says("<script>alert") {
			t.Errorf("the page shows too much: %s", page.Body)
		}
		if got, want := page.Forms(), []string{c.Path() + "/pay"}; !slices.Equal(got, want) {
			t.Errorf("forms %v, want %v", got, want)
		}
	})

	t.Run("Decimals", func(t *testing.T) {
		s := newCashier(t)
		for currency, want := range map[string]string{
			"jpy": "¥1,234,567", "kwd": "KWD 1,234.567", "usd": "$12,345.67", "UGX": "UGX 12,345.67", "clp": "CLP 1,234,567",
		} {
			c := s.MakeCharge(t, s.Live, "currency", `"`+currency+`"`, "amount_cents", "1234567")
			s.Show(t, c, "").ExpectPage(t, 200, want)
		}
	})

	// GET and HEAD change nothing and do not call Stripe.
	t.Run("GetChangesNothing", func(t *testing.T) {
		s := newCashier(t)
		for _, c := range []servertest.Charge{s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Test)} {
			before := s.DumpPayments(t)
			for _, tail := range []string{"", "/return", "/status"} {
				s.Show(t, c, tail)
				a := s.Call(t, http.MethodHead, c.Path()+tail, nil)
				if a.Status != 200 || len(a.Body) != 0 {
					t.Errorf("HEAD %s: %d, %d bytes", tail, a.Status, len(a.Body))
				}
			}
			for _, action := range []string{"pay", "approve", "decline"} {
				page := s.Show(t, c, "/"+action)
				page.ExpectPage(t, 405, "Nothing is lost", `href="`+c.Path()+`"`)
				page.ExpectNoForms(t)
			}
			servertest.ExpectSame(t, before, s.DumpPayments(t))
		}
		s.ExpectTrace(t)
	})

	// The token in the path is the proof if the browser sends no origin. Forms that name
	// another site are refused.
	t.Run("FormsOfOtherSites", func(t *testing.T) {
		s := newCashier(t)
		for _, c := range []servertest.Charge{s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Test)} {
			before := s.DumpPayments(t)
			for _, action := range []string{"pay", "approve", "decline"} {
				for _, site := range []servertest.Option{
					servertest.WithHeader("Sec-Fetch-Site", "cross-site"), servertest.WithHeader("Origin", "https://evil.example"),
				} {
					s.Call(t, "POST", c.Path()+"/"+action, nil, site).Expect(t, 403, "cross_origin")
				}
			}
			servertest.ExpectSame(t, before, s.DumpPayments(t))
		}
		s.ExpectTrace(t)
		c := s.MakeCharge(t, s.Test)
		s.Call(t, "POST", c.Path()+"/approve", nil, servertest.WithHeader("Origin", "null"))
		s.ExpectStatus(t, c, db.ChargeApproved)
	})
}

// Every page of a wrong link is a 404 without forms.
func TestBadChargeLinks(t *testing.T) {
	s := newCashier(t)
	c := s.MakeCharge(t, s.Live)
	s.Pay(t, c)
	token := strings.TrimPrefix(c.Path(), "/charges/")
	connection := s.Call(t, "POST", "/api/v1/connections", `{"merchant_email":"merchant@shop.example"}`, servertest.WithKey(s.Live))
	connection.Expect(t, 200, "")
	link := connection.Field(t, "confirmation_url").(string)
	other := newCashier(t)

	before, trace := s.DumpPayments(t), s.Trace()
	for name, bad := range map[string]string{
		"FirstCharacter": swap(token, 0), "Middle": swap(token, 20), "LastCharacter": swap(token, len(token)-1),
		"OfAConnection": strings.TrimPrefix(servertest.Path(link), "/connect/"),
		"OfAnother":     strings.TrimPrefix(other.MakeCharge(t, other.Live).Path(), "/charges/"),
		"Short":         token[:len(token)-1], "Long": token + "A", "Half": token[:20], "One": "A", "Padded": token + "=",
		"TheID": c.ID, "Spaces": "%20", "OtherAlphabet": strings.Repeat("%2B", 43), "Doubled": token + token, "NUL": "%00",
	} {
		t.Run(name, func(t *testing.T) {
			b := s.Browser(t)
			for _, tail := range []string{"", "/return", "/status"} {
				page := b.Get(t, "/charges/"+bad+tail)
				page.Expect(t, 404, "not_found")
				page.ExpectNoForms(t)
			}
			for _, action := range []string{"pay", "approve", "decline"} {
				page := b.Post(t, "/charges/"+bad+"/"+action, nil)
				page.ExpectErrorPage(t, 404, "not_found", "This link does not work")
				page.ExpectNoForms(t)
			}
		})
	}
	servertest.ExpectSame(t, before, s.DumpPayments(t))
	s.ExpectTrace(t, trace...)
	if strings.Contains(s.Log.String(), token[1:20]) {
		t.Error("the log contains a link's token")
	}
}

// swap returns a token with one character changed.
func swap(token string, i int) string {
	other := byte('A')
	if token[i] == other {
		other = 'B'
	}
	return token[:i] + string(other) + token[i+1:]
}

// The page says to whom the money goes, and how to reach them.
func TestPageNamesTheOperator(t *testing.T) {
	s := newCashier(t, func(c *server.Config) { c.OperatorName, c.OperatorContact = "Tally & Sons", "help@tally.example" })
	page := s.Show(t, s.MakeCharge(t, s.Live), "")
	page.ExpectPage(t, 200,
		"The money goes to the service, that is, to <bdi>Tally &amp; Sons</bdi>, the operator of this server.",
		"run by <bdi>Tally &amp; Sons</bdi>, the operator of this server. Contact: <bdi>help@tally.example</bdi>.")
}
