package server_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/account"
	"svc/server/carrier"
	"svc/server/servertest"
)

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")

func TestRun(t *testing.T) {
	servertest.Sequential(t)
	t.Run("MakesTheOperatorAndFinishesRunningCalls", func(t *testing.T) {
		provider := &servertest.Carrier{}
		held := provider.Hold(t)
		path := filepath.Join(t.TempDir(), "svc.db")
		r := servertest.Run(t, server.Config{DB: path, Carrier: provider, OperatorEmail: "boss@example.com", OperatorPassword: "correct horse"})
		if a, err := r.App.Accounts.Find(context.Background(), "boss@example.com"); err != nil || !a.Operator || a.PasswordHash == "" {
			t.Errorf("operator %+v, %v", a, err)
		}
		if _, err := r.App.Accounts.Credit(context.Background(), "", 10, ""); err != nil {
			t.Fatal(err)
		}
		_, secret, err := r.App.Accounts.CreateKey(context.Background(), account.NewKey{Env: "live"})
		if err != nil {
			t.Fatal(err)
		}

		status := make(chan int)
		go func() {
			request, err := http.NewRequest("POST", r.URL+servertest.SendPath, strings.NewReader(servertest.SendBody))
			if err != nil {
				t.Error(err)
			}
			request.Header.Set("X-Api-Key", string(secret))
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Errorf("the running call was cut off: %v", err)
				status <- 0
				return
			}
			response.Body.Close()
			status <- response.StatusCode
		}()
		held.Arrived()
		r.Stop()
		servertest.Until(t, "the listener to close", func() bool {
			conn, err := net.Dial("tcp", strings.TrimPrefix(r.URL, "http://"))
			if err == nil {
				conn.Close()
			}
			return err != nil
		})
		held.Answer(nil)
		if got := servertest.Receive(t, status); got != 200 {
			t.Errorf("the running call: %d, want 200", got)
		}
		if err := servertest.Receive(t, r.Ended); err != nil {
			t.Errorf("Run: %v", err)
		}
	})

	t.Run("EndsExpiredLeases", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(15 * time.Second)
		servertest.Run(t, server.Config{DB: s.Path, Clock: s.Clock.Now})
		servertest.Until(t, "the hold to be freed", func() bool { return s.Wallet(t, s.Email).HeldCents == 0 })
	})

	t.Run("EndsWhenTheFileIsNewer", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "svc.db")
		r := servertest.Run(t, server.Config{DB: path, OperatorEmail: "boss@example.com"})
		servertest.SetVersion(t, path, 99)
		// Either this write finds the newer version, or one of the sweep, which closes the
		// store.
		err := r.App.Accounts.SetLowBalance(context.Background(), "", 1)
		if !errors.Is(err, db.ErrNewerSchema) && !errors.Is(err, db.ErrClosed) {
			t.Errorf("a write: %v", err)
		}
		if err := servertest.Receive(t, r.Ended); !errors.Is(err, db.ErrNewerSchema) {
			t.Errorf("Run: %v", err)
		}
	})

	t.Run("EndsWhenTheStartCallbackFails", func(t *testing.T) {
		refused := errors.New("refused")
		err := server.Run(context.Background(), server.Config{DB: filepath.Join(t.TempDir(), "svc.db"), Addr: "127.0.0.1:0"},
			func(*server.App) error { return refused })
		if !errors.Is(err, refused) {
			t.Errorf("Run: %v", err)
		}
	})

	t.Run("RefusesAnAddressInUse", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		err = server.Run(context.Background(), server.Config{DB: filepath.Join(t.TempDir(), "svc.db"), Addr: listener.Addr().String()}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "--addr: listen on "+listener.Addr().String()) {
			t.Errorf("Run: %v", err)
		}
	})

	t.Run("RefusesABadOperator", func(t *testing.T) {
		err := server.Run(context.Background(), server.Config{
			DB: filepath.Join(t.TempDir(), "svc.db"), Addr: "127.0.0.1:0", OperatorEmail: "nobody",
		}, nil)
		if err == nil || !strings.Contains(err.Error(), "email: must be one e-mail address") {
			t.Errorf("Run: %v", err)
		}
	})
}

// A closed appliance refuses only calls that need the store.
func TestClosed(t *testing.T) {
	s := servertest.New(t)
	s.Account(t, "shop@example.com", "growth", 0)
	_, secret := s.Key(t, "shop@example.com", db.Test, db.AccountMode)
	send := func(key string) servertest.Answer {
		return s.Call(t, "POST", servertest.SendPath, servertest.SendBody, servertest.WithKey(key))
	}
	send(secret).ExpectBody(t, 200, servertest.SentAsTest)
	if err := s.App.Close(); err != nil {
		t.Fatal(err)
	}
	a := send(secret)
	a.Expect(t, 503, "unavailable")
	if a.Header.Get("Retry-After") != "1" {
		t.Errorf("headers %v", a.Header)
	}
	send(secret[:len(secret)-1]+"!").Expect(t, 401, "invalid_key") // which reads no file
	if a := s.Call(t, "GET", "/api/v1/pricing", nil); a.Status != 200 {
		t.Errorf("pricing: %d", a.Status)
	}
}

// A file with a newer schema is not written to.
func TestNewerFile(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	servertest.SetVersion(t, s.Path, 99)
	s.Send(t, withKeyK).Expect(t, 503, "unavailable")
	s.ExpectSent(t, 0)
	servertest.SetVersion(t, s.Path, 1)
	s.Send(t, withKeyK).ExpectBody(t, 200, servertest.Sent)
}

func TestConfig(t *testing.T) {
	servertest.Sequential(t)
	webhook := carrier.Settings{Provider: "webhook", Webhook: carrier.Webhook{URL: "http://x", Secret: "s"}}
	for _, row := range []struct {
		name    string
		config  server.Config
		problem string
	}{
		{"AnswersKeptTooShort", server.Config{KeepAnswers: time.Hour - 1}, "--idempotency-ttl: must be from 1h to 720h"},
		{"AnswersKeptTooLong", server.Config{KeepAnswers: 720*time.Hour + 1}, "--idempotency-ttl: must be from 1h to 720h"},
		{"BaseURLWithoutScheme", server.Config{BaseURL: "api.example.com"}, "--base-url: must be like https://api.example.com, with no path"},
		{"BaseURLWithPath", server.Config{BaseURL: "https://api.example.com/v1"}, "--base-url: must be like https://api.example.com, with no path"},
		{"BaseURLOfAnotherScheme", server.Config{BaseURL: "ftp://api.example.com"}, "--base-url: must be like https://api.example.com, with no path"},
		{"ConsoleURLWithQuery", server.Config{ConsoleURL: "https://x?a=b"}, "--console-url: must be like https://api.example.com, with no path"},
		{"OperatorNameOfTwoLines", server.Config{OperatorName: "Tally\n& Sons"}, "--operator-name: must be one line of at most 100 characters"},
		{"OperatorContactTooLong", server.Config{OperatorContact: strings.Repeat("é", 101)}, "--operator-contact: must be one line of at most 100 characters"},
		{"UnknownProvider", server.Config{Messaging: carrier.Settings{Provider: "pigeon"}}, "--messaging: must be one of none, outbox, whatsapp, twilio, webhook"},
		{"WhatsAppWithoutToken", server.Config{Messaging: carrier.Settings{Provider: "whatsapp"}}, "--whatsapp-token: is required for --messaging whatsapp"},
		{"TwilioWithoutSID", server.Config{Messaging: carrier.Settings{Provider: "twilio"}}, "--twilio-sid: is required for --messaging twilio"},
		{"WebhookWithoutSecret", server.Config{Messaging: carrier.Settings{Provider: "webhook", Webhook: carrier.Webhook{URL: "http://x"}}},
			"--messaging-secret: is required for --messaging webhook"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.config.DB = filepath.Join(t.TempDir(), "svc.db")
			_, err := server.Open(context.Background(), row.config)
			var e *server.ConfigError
			if !errors.As(err, &e) || e.Problem != row.problem {
				t.Errorf("%v, want %s", err, row.problem)
			}
		})
	}

	for _, row := range []struct {
		name   string
		config server.Config
		want   string
	}{
		{"OutboxByDefault", server.Config{}, "outbox"},
		{"OutboxOnLocalhost", server.Config{BaseURL: "http://localhost:9"}, "outbox"},
		{"OutboxOnIPv6Loopback", server.Config{BaseURL: "http://[::1]:9"}, "outbox"},
		{"OutboxOnLoopbackWithASlash", server.Config{BaseURL: "http://127.0.0.1:9/"}, "outbox"},
		{"NoneOnAPublicAddress", server.Config{BaseURL: "https://api.example.com"}, "none"},
		{"NoneOnTheNetwork", server.Config{BaseURL: "http://192.168.1.2"}, "none"},
		{"OutboxIfConfigured", server.Config{BaseURL: "https://api.example.com", Messaging: carrier.Settings{Provider: "outbox"}}, "outbox"},
		{"WebhookWhenNamed", server.Config{Messaging: webhook}, "webhook"},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.config.DB = filepath.Join(t.TempDir(), "svc.db")
			app, err := server.Open(context.Background(), row.config)
			if err != nil {
				t.Fatal(err)
			}
			defer app.Close()
			if app.Carrier() != row.want {
				t.Errorf("carrier %s, want %s", app.Carrier(), row.want)
			}
		})
	}

	t.Run("MissingFileIsNotCreated", func(t *testing.T) {
		_, err := server.Open(context.Background(), server.Config{DB: filepath.Join(t.TempDir(), "svc.db"), MustExist: true})
		if !errors.Is(err, db.ErrNotFound) {
			t.Errorf("%v", err)
		}
	})
}

func TestDemo(t *testing.T) {
	servertest.Sequential(t)
	t.Run("SecondStartReusesTheShop", func(t *testing.T) {
		s := servertest.New(t)
		first, err := s.App.FillDemo(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		send := func(key db.Secret) servertest.Answer {
			return s.Call(t, "POST", servertest.SendPath, servertest.SendBody, servertest.WithKey(string(key)))
		}
		send(first.LiveKey).ExpectBody(t, 200, servertest.Sent)
		send(first.TestKey).ExpectBody(t, 200, servertest.SentAsTest)
		if w := s.Wallet(t, first.Email); w.BalanceCents != 1000-servertest.SendPrice {
			t.Errorf("wallet %+v", w)
		}

		second, err := s.App.FillDemo(context.Background())
		if err != nil || second.Email != first.Email || second.LiveKey == first.LiveKey {
			t.Fatalf("%+v, %v", second, err)
		}
		send(second.LiveKey).ExpectBody(t, 200, servertest.Sent)
		send(first.LiveKey).Expect(t, 403, "key_disabled")
		send(first.TestKey).Expect(t, 403, "key_disabled")
		s.VerifyWallets(t)
	})

	for _, daysLater := range []int{0, 5, 10} { // the orders depend on the weekday
		t.Run(fmt.Sprintf("AddsUp%dDaysLater", daysLater), func(t *testing.T) {
			s := servertest.New(t)
			s.Clock.Advance(time.Duration(daysLater) * 24 * time.Hour)
			for range 2 { // a second start changes nothing
				if _, err := s.App.FillDemo(context.Background()); err != nil {
					t.Fatal(err)
				}
				expectDemoAddsUp(t, s)
			}
		})
	}

	t.Run("TopsUpAnEmptyWallet", func(t *testing.T) {
		s := servertest.New(t)
		d, err := s.App.FillDemo(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.App.Accounts.Credit(context.Background(), d.Email, -999, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := s.App.FillDemo(context.Background()); err != nil {
			t.Fatal(err)
		}
		if w := s.Wallet(t, d.Email); w.BalanceCents != 1000 {
			t.Errorf("wallet %+v", w)
		}
	})

	t.Run("ReportsWhetherTheFileIsTheDemos", func(t *testing.T) {
		ctx := context.Background()
		if err := server.CheckDemo(ctx, filepath.Join(t.TempDir(), "none.db")); err != nil {
			t.Errorf("no file: %v", err)
		}
		s := servertest.New(t)
		if err := server.CheckDemo(ctx, s.Path); err != nil {
			t.Errorf("a file without accounts: %v", err)
		}
		if _, err := s.App.FillDemo(ctx); err != nil {
			t.Fatal(err)
		}
		if err := server.CheckDemo(ctx, s.Path); err != nil {
			t.Errorf("the demo's own file: %v", err)
		}
		if err := server.CheckDemo(ctx, servertest.NewShop(t, db.Free, 0).Path); !errors.Is(err, server.ErrNotDemo) {
			t.Errorf("another's file: %v", err)
		}
	})

	t.Run("RefusesAnotherFile", func(t *testing.T) {
		s := servertest.NewShop(t, db.Free, 0)
		if _, err := s.App.FillDemo(context.Background()); !errors.Is(err, server.ErrNotDemo) {
			t.Errorf("%v", err)
		}
		if all, err := s.App.Accounts.List(context.Background()); err != nil || len(all) != 1 {
			t.Errorf("%d accounts, %v", len(all), err)
		}
	})
}

// expectDemoAddsUp checks that the demo's records agree: received less sold is left, for
// each item and never below zero, and of the open orders one is late.
func expectDemoAddsUp(t *testing.T, s *servertest.Server) {
	t.Helper()
	stocks := s.Query(t, `
		SELECT i.sku || ' ' || i.stock_milli || ' ' || (
		  (SELECT sum(l.quantity_milli) FROM purchase_order_lines l JOIN purchase_orders p ON p.id = l.purchase_order_id
		   WHERE l.item_id = i.id AND p.status = 'received')
		  - (SELECT sum(quantity_milli) FROM sale_lines WHERE item_id = i.id))
		FROM items i ORDER BY i.sku`)
	want := []string{
		"COF-250 24000 24000", "CRO-ALM 12000 12000", "ESP-1KG 9000 9000", "FIL-100 3000 3000", "OAT-1L 60000 60000", "TEA-ASM 4250 4250",
	}
	if !slices.Equal(stocks, want) {
		t.Errorf("stock, and received less sold: %q, want %q", stocks, want)
	}
	lowest := s.Query(t, `
		SELECT min(left) FROM (
		  SELECT sum(milli) OVER (PARTITION BY item_id ORDER BY at) AS left FROM (
		    SELECT l.item_id, p.received_at AS at, l.quantity_milli AS milli
		    FROM purchase_order_lines l JOIN purchase_orders p ON p.id = l.purchase_order_id WHERE p.status = 'received'
		    UNION ALL
		    SELECT l.item_id, s.sold_at, -l.quantity_milli FROM sale_lines l JOIN sales s ON s.id = l.sale_id))`)
	if len(lowest) != 1 || strings.HasPrefix(lowest[0], "-") {
		t.Errorf("the least stock of all times is %q: more was sold than had arrived", lowest)
	}
	if returns := s.Query(t, `SELECT count(*) FROM sale_lines WHERE quantity_milli < 0 AND amount < 0`); !slices.Equal(returns, []string{"9"}) {
		t.Errorf("%q returns, want 9", returns)
	}
	const day = 24 * 60 * 60 * 1000
	now := s.Clock.Now().UnixMilli()
	open := s.Query(t, `SELECT count(*) || ' open, ' || sum(ordered_at < `+strconv.FormatInt(now-14*day, 10)+`) || ' late' FROM purchase_orders WHERE status = 'ordered'`)
	longest := s.Query(t, `SELECT max(received_at - ordered_at) < `+strconv.Itoa(5*day)+` FROM purchase_orders`)
	if !slices.Equal(open, []string{"3 open, 1 late"}) || !slices.Equal(longest, []string{"1"}) {
		t.Errorf("orders: %q; all others took less than five days: %q", open, longest)
	}
}
