package gate_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
)

const otherBody = `{"phone":"+447700900124","template":"receipt","text":"Another message"}`

func TestReplay(t *testing.T) {
	t.Run("SameBytesOnceSentOncePaid", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		first := s.Send(t, withKeyK)
		first.ExpectBody(t, 200, servertest.Sent)
		if first.Header.Get("Idempotency-Replayed") != "" {
			t.Error("the first answer says that it is a replay")
		}
		s.Clock.Advance(time.Second)
		again := s.Send(t, withKeyK)
		again.ExpectReplay(t, first)
		if again.Header.Get("Idempotency-Mismatch") != "" {
			t.Error("the same body is called another")
		}
		if again.Remaining() != 3 || again.Header.Get("X-Request-Id") == first.Header.Get("X-Request-Id") {
			t.Errorf("not the headers of now: %v", again.Header)
		}
		s.ExpectSent(t, 1)
		s.ExpectStored(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})

	t.Run("CountsByTheMinute", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for range 5 {
			s.Send(t, withKeyK)
		}
		s.Send(t, withKeyK).Expect(t, 429, "rate_limited")
		if m := s.Meter(t); m.MonthUsed != 1 {
			t.Errorf("the month counts %d", m.MonthUsed)
		}
	})

	t.Run("OtherBodyIsTheFirstOnesAnswerAndSaysSo", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		first := s.Send(t, withKeyK)
		for _, body := range []string{otherBody, servertest.SendBody + " ", "nonsense", "", strings.Repeat(" ", 70<<10)} {
			a := s.Post(t, body, withKeyK)
			a.ExpectReplay(t, first)
			if a.Header.Get("Idempotency-Mismatch") != "true" {
				t.Errorf("no Idempotency-Mismatch for %.20q", body)
			}
		}
		s.ExpectSent(t, 1)
	})

	t.Run("OfAnotherEndpoint", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_scan", Endpoint: "/api/v1/scan", State: db.Running}, `{"found":true}`)
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, `{"found":true}`)
		if a.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("no Idempotency-Replayed")
		}
		s.ExpectSent(t, 0)
	})

	t.Run("NotOfAnotherAPIKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		_, second := s.Key(t, s.Email, db.Live, db.AccountMode)
		for _, secret := range []string{s.Secret, second} {
			if a := s.Send(t, withKeyK, servertest.WithKey(secret)); a.Header.Get("Idempotency-Replayed") != "" {
				t.Error("a key got another key's answer")
			}
		}
		s.ExpectSent(t, 2)
	})

	t.Run("OfATestKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 0)
		_, secret := s.TestKey(t)
		first := s.Send(t, withKeyK, servertest.WithKey(secret))
		first.ExpectBody(t, 200, servertest.SentAsTest)
		a := s.Post(t, otherBody, withKeyK, servertest.WithKey(secret))
		a.ExpectReplay(t, first)
		if a.Header.Get("Idempotency-Mismatch") != "true" {
			t.Error("no Idempotency-Mismatch")
		}
	})

	t.Run("OnAnotherAppliance", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		first := s.Send(t, withKeyK)
		s.again(t).Send(t, withKeyK).ExpectReplay(t, first)
		s.ExpectSent(t, 1)
	})

	t.Run("AfterTheWalletRanDry", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		first := s.Send(t, withKeyK)
		s.Send(t).Expect(t, 402, "insufficient_funds")
		s.Send(t, withKeyK).ExpectReplay(t, first)
	})

	t.Run("NotOfADisabledKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Send(t, withKeyK)
		s.SetKeyEnabled(t, false)
		s.Send(t, withKeyK).Expect(t, 403, "key_disabled")
	})
}

func TestIdempotencyKeyValues(t *testing.T) {
	t.Run("EmptyIsAbsent", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		for _, value := range []string{"", "  "} {
			for range 2 {
				if a := s.Send(t, servertest.WithIdempotencyKey(value)); a.Header.Get("Idempotency-Replayed") != "" {
					t.Errorf("%q was obeyed", value)
				}
			}
		}
		s.ExpectSent(t, 4)
		s.ExpectWallet(t, 1000-4*servertest.SendPrice, 0)
	})

	t.Run("EveryByteCounts", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		long := strings.Repeat("x", 15<<10)
		values := []string{"a", "A", "a b", "ключ", `"quoted"`, long + "1", long + "2"}
		for _, value := range values {
			if a := s.Send(t, servertest.WithIdempotencyKey(value)); a.Header.Get("Idempotency-Replayed") != "" {
				t.Errorf("%.20q is taken for another", value)
			}
		}
		for _, value := range values {
			if a := s.Send(t, servertest.WithIdempotencyKey(value)); a.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%.20q is not known again", value)
			}
		}
		s.ExpectSent(t, len(values))
	})

	t.Run("BeyondTheHeaderCapIsRefused", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		request, err := http.NewRequest("POST", s.URL+servertest.SendPath, strings.NewReader(servertest.SendBody))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("X-Api-Key", s.Secret)
		request.Header.Set("Idempotency-Key", strings.Repeat("x", 32<<10))
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("status %d", response.StatusCode)
		}
		s.ExpectSent(t, 0)
	})
}

func TestAnswersExpire(t *testing.T) {
	for name, row := range map[string]struct {
		keep   time.Duration // 0: the default
		expect time.Duration
	}{
		"AfterADayByDefault": {0, 24 * time.Hour},
		"AsConfigured":       {time.Hour, time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t, db.Growth, 1000, func(c *server.Config) { c.KeepAnswers = row.keep })
			first := s.Send(t, withKeyK)
			s.Clock.Advance(row.expect - time.Millisecond)
			s.Sweep(t)
			s.Send(t, withKeyK).ExpectReplay(t, first) // which does not keep it longer
			s.Clock.Advance(time.Millisecond)
			a := s.Send(t, withKeyK)
			a.ExpectBody(t, 200, servertest.Sent)
			if a.Header.Get("Idempotency-Replayed") != "" {
				t.Error("an expired answer was replayed")
			}
			s.ExpectSent(t, 2)
			s.ExpectWallet(t, 1000-2*servertest.SendPrice, 0)
		})
	}

	t.Run("SweptAwayToo", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a := s.Send(t, withKeyK)
		s.Clock.Advance(24 * time.Hour)
		s.Sweep(t)
		err := s.Store.View(context.Background(), func(tx *db.Tx) error {
			_, err := tx.Call(a.Header.Get("X-Request-Id"))
			return err
		})
		if err != db.ErrNotFound {
			t.Errorf("the row of an expired answer: %v", err)
		}
	})
}

// A failed call frees its Idempotency-Key: the same key may try again (B2).
func TestFailureFreesTheKey(t *testing.T) {
	t.Run("BadRequestThenMended", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Post(t, `{"phone":"1"}`, withKeyK).Expect(t, 400, "invalid_request")
		s.expectFirstTry(t, withKeyK)
	})
	t.Run("InsufficientFundsThenTopUp", func(t *testing.T) {
		s := newShop(t, db.Growth, 1)
		s.Send(t, withKeyK).Expect(t, 402, "insufficient_funds")
		s.Credit(t, 1000)
		s.expectFirstTry(t, withKeyK)
	})
	t.Run("RateLimitedThenLater", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		for range 5 {
			s.Post(t, `{}`)
		}
		s.Send(t, withKeyK).Expect(t, 429, "rate_limited")
		s.Clock.Advance(time.Minute)
		s.expectFirstTry(t, withKeyK)
	})
	t.Run("QuotaExceededThenNextMonth", func(t *testing.T) {
		s := newShop(t, db.Free, 1000)
		s.PlantCalls(t, 100)
		s.Send(t, withKeyK).Expect(t, 429, "quota_exceeded")
		s.Clock.Set(time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC))
		s.expectFirstTry(t, withKeyK)
	})
	t.Run("DisabledThenEnabled", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.SetKeyEnabled(t, false)
		s.Send(t, withKeyK).Expect(t, 403, "key_disabled")
		s.SetKeyEnabled(t, true)
		s.expectFirstTry(t, withKeyK)
	})
	t.Run("ProviderFailedThenWorks", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Provider.OnSend = failFirst(1)
		s.Send(t, withKeyK).Expect(t, 502, "provider_failed")
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, servertest.Sent)
		s.Send(t, withKeyK).ExpectReplay(t, a)
		s.ExpectSent(t, 2)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})
	t.Run("ProviderMissingOnATestKeyIsNoFailure", func(t *testing.T) {
		s := newShop(t, db.Growth, 0, func(c *server.Config) { c.Carrier = carrier.NewNone() })
		_, secret := s.TestKey(t)
		s.Send(t, withKeyK, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
	})
}

// expectFirstTry sends and expects an answer that is no replay, then its replay.
func (s *shop) expectFirstTry(t *testing.T, option servertest.Option) {
	t.Helper()
	a := s.Send(t, option)
	a.ExpectBody(t, 200, servertest.Sent)
	if a.Header.Get("Idempotency-Replayed") != "" {
		t.Error("a failure was replayed")
	}
	s.Send(t, option).ExpectReplay(t, a)
	s.ExpectSent(t, 1)
}

// failFirst is a provider that refuses the first n sends and confirms the rest.
func failFirst(n int) func(context.Context, carrier.Message) (string, error) {
	left := make(chan struct{}, n)
	for range n {
		left <- struct{}{}
	}
	return func(context.Context, carrier.Message) (string, error) {
		select {
		case <-left:
			return "", servertest.Refusal("not now")
		default:
			return "id", nil
		}
	}
}

// Calls with one Idempotency-Key that run at once are one call (B4).
func TestTwins(t *testing.T) {
	const n = 20
	for _, appliances := range []int{1, 2} {
		t.Run(fmt.Sprintf("On%dAppliances", appliances), func(t *testing.T) {
			s := newShop(t, db.Business, 1000)
			provider := s.Provider.Hold(t)
			doors := []*shop{s}
			if appliances == 2 {
				doors = append(doors, s.again(t))
			}
			answers := make([]servertest.Answer, n)
			finished := make(chan map[int]int)
			go func() {
				finished <- servertest.Parallel(n, func(i int) int {
					answers[i] = doors[i%len(doors)].Send(t, withKeyK)
					return answers[i].Status
				})
			}()
			provider.Arrived()
			s.UntilCounted(t, n)
			provider.Answer(nil)
			if count := servertest.Receive(t, finished); count[200] != n {
				t.Errorf("answers %v", count)
			}

			replays := 0
			for _, a := range answers {
				a.ExpectBody(t, 200, servertest.Sent)
				if a.Header.Get("Idempotency-Replayed") == "true" {
					replays++
				}
			}
			if replays != n-1 {
				t.Errorf("%d replays, want %d", replays, n-1)
			}
			s.ExpectSent(t, 1)
			s.ExpectStored(t, 1)
			s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
			if m := s.Meter(t); m.MonthUsed != 1 {
				t.Errorf("the month counts %d", m.MonthUsed)
			}
		})

		t.Run(fmt.Sprintf("FirstFailsOn%dAppliances", appliances), func(t *testing.T) {
			s := newShop(t, db.Business, 1000)
			provider := s.Provider.Hold(t)
			other := s
			if appliances == 2 {
				other = s.again(t)
			}
			first, firstDone := s.SendAside(t, withKeyK)
			provider.Arrived()
			twin, twinDone := other.SendAside(t, withKeyK)
			s.UntilCounted(t, 2)

			provider.Answer(servertest.Refusal("not now"))
			servertest.Receive(t, firstDone)
			first.Expect(t, 502, "provider_failed")
			provider.Arrived() // the twin has become the next try
			if m := s.Meter(t); m.WindowUsed != 2 || m.MonthUsed != 1 {
				t.Errorf("meter %+v, want both in the minute and the second in the month", m)
			}
			provider.Answer(nil)
			servertest.Receive(t, twinDone)
			twin.ExpectBody(t, 200, servertest.Sent)
			if twin.Header.Get("Idempotency-Replayed") != "" {
				t.Error("the second try says that it is a replay")
			}
			s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
		})
	}

	t.Run("EachFailureHandsOnToOneTwin", func(t *testing.T) {
		s := newShop(t, db.Business, 1000)
		provider := s.Provider.Hold(t)
		finished := make(chan map[int]int)
		go func() {
			finished <- servertest.Parallel(5, func(int) int { return s.Send(t, withKeyK).Status })
		}()
		provider.Arrived()
		s.UntilCounted(t, 5)
		for range 3 {
			provider.Answer(servertest.Refusal("not now"))
			provider.Arrived()
		}
		provider.Answer(nil)
		if count := servertest.Receive(t, finished); count[502] != 3 || count[200] != 2 {
			t.Errorf("answers %v, want 3 failures and 2 successes", count)
		}
		s.ExpectSent(t, 4)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})

	t.Run("NextTryPassesEveryCheckAgain", func(t *testing.T) {
		for _, row := range []struct {
			name   string
			change func(s *shop)
			status int
			code   string
		}{
			{"Month", func(s *shop) { s.useMonth(t) }, 429, "quota_exceeded"},
			{"Key", func(s *shop) { s.SetKeyEnabled(t, false) }, 403, "key_disabled"},
		} {
			t.Run(row.name, func(t *testing.T) {
				s := newShop(t, db.Free, 2*servertest.SendPrice)
				provider := s.Provider.Hold(t)
				_, firstDone := s.SendAside(t, withKeyK)
				provider.Arrived()
				twin, twinDone := s.SendAside(t, withKeyK)
				s.UntilCounted(t, 2)
				row.change(s)
				provider.Answer(servertest.Refusal("not now"))
				servertest.Receive(t, firstDone)
				servertest.Receive(t, twinDone)
				twin.Expect(t, row.status, row.code)
				s.ExpectSent(t, 1)
			})
		}
	})

	t.Run("OtherBodyWaitsToo", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		first, firstDone := s.SendAside(t, withKeyK)
		provider.Arrived()
		twin := make(chan servertest.Answer)
		go func() { twin <- s.Post(t, otherBody, withKeyK) }()
		s.UntilCounted(t, 2)
		provider.Answer(nil)
		servertest.Receive(t, firstDone)
		a := servertest.Receive(t, twin)
		a.ExpectReplay(t, *first)
		if a.Header.Get("Idempotency-Mismatch") != "true" {
			t.Error("no Idempotency-Mismatch")
		}
	})

	t.Run("StillRunningAfterHalfAMinute", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_slow", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice,
			LeaseUntil: s.Clock.Now().Add(45 * time.Second)}, "")
		twin, done := s.SendAside(t, withKeyK)
		s.UntilCounted(t, 1)
		s.Clock.Advance(30 * time.Second)
		servertest.Receive(t, done)
		twin.Expect(t, 502, "in_progress")
		twin.ExpectBody(t, 502, `{"error":"a call with this Idempotency-Key is still running"}`+"\n")
		if twin.Header.Get("Retry-After") != "15" || twin.Remaining() != 59 {
			t.Errorf("headers %v", twin.Header)
		}
		if m := s.Meter(t); m.MonthUsed != 0 {
			t.Errorf("the month counts %d", m.MonthUsed)
		}
		s.Clock.Advance(15 * time.Second)
		s.Send(t, withKeyK).Expect(t, 502, "outcome_unknown")
		s.ExpectSent(t, 0)
	})
}

// A call whose process died is over when its lease is (B5).
func TestLeases(t *testing.T) {
	t.Run("LastFifteenSeconds", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		_, done := s.SendAside(t, withKeyK)
		provider.Arrived()
		idem := sha256.Sum256([]byte("k"))
		dbtest.View(t, s.Store, func(tx *db.Tx) error {
			c, err := tx.PeekCall(s.LiveKey.ID, idem[:])
			if err == nil && (c.State != db.Calling || c.LeaseUntil != tx.Now().Add(15*time.Second) || c.HoldCents != servertest.SendPrice) {
				t.Errorf("stored before the provider is called: %+v", c)
			}
			return err
		})
		provider.Answer(nil)
		servertest.Receive(t, done)
	})

	t.Run("CallThatMayHaveSentIsUnknownForEver", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.ExpectWallet(t, servertest.SendPrice, servertest.SendPrice)
		s.Send(t).Expect(t, 402, "insufficient_funds") // the hold is not to be had

		s.Clock.Advance(15 * time.Second)
		first := s.Send(t, withKeyK)
		first.Expect(t, 502, "outcome_unknown")
		first.ExpectBody(t, 502, `{"error":"it is not known whether this call had its effect; nothing was charged, `+
			`and it will not be tried again under this Idempotency-Key"}`+"\n")
		s.ExpectWallet(t, servertest.SendPrice, 0)
		for range 3 {
			s.Clock.Advance(20 * 24 * time.Hour)
			s.Sweep(t)
			a := s.Send(t, withKeyK)
			a.ExpectReplay(t, first)
			a.Expect(t, 502, "outcome_unknown")
		}
		s.ExpectSent(t, 0)
		s.ExpectWallet(t, servertest.SendPrice, 0)
		dbtest.View(t, s.Store, func(tx *db.Tx) error {
			unknown, err := tx.UnknownCalls(s.LiveKey.AccountID, 10)
			if err == nil && (len(unknown) != 1 || unknown[0].ID != "req_dead") {
				t.Errorf("the console would show %+v", unknown)
			}
			return err
		})
	})

	t.Run("CallWithoutAnEffectRunsAgain", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Running, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(15 * time.Second)
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, servertest.Sent)
		s.ExpectSent(t, 1)
	})

	t.Run("SweepFreesHoldAndMonth", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(15*time.Second - time.Millisecond)
		s.Sweep(t)
		s.ExpectWallet(t, 1000, servertest.SendPrice)
		s.Clock.Advance(time.Millisecond)
		s.Sweep(t)
		s.ExpectWallet(t, 1000, 0)
	})

	t.Run("EndWhenTheClockIsSetBack", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		s.Clock.Advance(-time.Hour)
		s.Send(t, withKeyK).Expect(t, 502, "outcome_unknown")
		s.ExpectWallet(t, 1000, 0)
	})

	t.Run("WaitingTwinLearnsOfTheEnd", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Calling, HoldCents: servertest.SendPrice}, "")
		twin, done := s.SendAside(t, withKeyK)
		s.UntilCounted(t, 1)
		s.Clock.Advance(15 * time.Second)
		servertest.Receive(t, done)
		twin.Expect(t, 502, "outcome_unknown")
	})
}

// A provider may confirm after the lease has ended.
func TestLateConfirmation(t *testing.T) {
	// late is a send in the provider whose lease a twin has seen end.
	late := func(t *testing.T, s *shop) (a, twin *servertest.Answer, done <-chan struct{}, provider *servertest.Held) {
		t.Helper()
		provider = s.Provider.Hold(t)
		a, done = s.SendAside(t, withKeyK)
		provider.Arrived()
		s.Clock.Advance(15 * time.Second)
		answer := s.Send(t, withKeyK)
		answer.Expect(t, 502, "outcome_unknown")
		s.ExpectWallet(t, s.Wallet(t, s.Email).BalanceCents, 0)
		return a, &answer, done, provider
	}

	t.Run("IsDoneAndDebited", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		a, _, done, provider := late(t, s)
		provider.Answer(nil)
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
		if m := s.Meter(t); m.MonthUsed != 1 {
			t.Errorf("the month counts %d for a success", m.MonthUsed)
		}
		s.Send(t, withKeyK).ExpectReplay(t, *a)
		s.ExpectSent(t, 1)
		s.ExpectStored(t, 1)
	})

	t.Run("InTheNextMonthIsNotCountedThere", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.Clock.Set(time.Date(2026, 3, 31, 23, 59, 50, 0, time.UTC))
		a, _, done, provider := late(t, s)
		s.Post(t, `{}`).Expect(t, 400, "invalid_request") // April's first
		provider.Answer(nil)
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		if m := s.Meter(t); m.MonthUsed != 1 {
			t.Errorf("April counts %d, want its own 1", m.MonthUsed)
		}
	})

	t.Run("IsFreeWhenTheBalanceDoesNotCoverIt", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		a, _, done, provider := late(t, s)
		s.Credit(t, -1)
		provider.Answer(nil)
		servertest.Receive(t, done)
		a.ExpectBody(t, 200, servertest.Sent)
		s.ExpectWallet(t, servertest.SendPrice-1, 0)
		s.Send(t, withKeyK).ExpectReplay(t, *a)
		if s.Debits(t) != 0 {
			t.Error("debited what the balance did not cover")
		}
	})

	t.Run("LeavesTheHoldsOfOthersAlone", func(t *testing.T) {
		s := newShop(t, db.Growth, servertest.SendPrice)
		a, _, done, provider := late(t, s)
		other, otherDone := s.SendAside(t)
		provider.Arrived()
		provider.Answer(nil) // one of the two, whichever
		provider.Answer(nil)
		servertest.Receive(t, done)
		servertest.Receive(t, otherDone)
		for _, answer := range []*servertest.Answer{a, other} {
			if answer.Status != 200 {
				t.Errorf("answer %d %s", answer.Status, answer.Body)
			}
		}
		if s.Debits(t) != 1 {
			t.Errorf("%d debits, the wallet covered one", s.Debits(t))
		}
		s.ExpectWallet(t, 0, 0)
	})

	t.Run("FailureStaysUnknown", func(t *testing.T) {
		for _, err := range []error{servertest.Refusal("no such number"), servertest.Doubt("no answer")} {
			s := newShop(t, db.Growth, 1000)
			a, twin, done, provider := late(t, s)
			provider.Answer(err)
			servertest.Receive(t, done)
			a.Expect(t, 502, "outcome_unknown")
			s.Send(t, withKeyK).ExpectReplay(t, *twin)
			if string(a.Body) != string(twin.Body) {
				t.Errorf("two answers for one key: %s and %s", a.Body, twin.Body)
			}
			s.ExpectWallet(t, 1000, 0)
		}
	})
}

func TestClientHangsUp(t *testing.T) {
	t.Run("DuringTheProvidersCall", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		ctx, hangUp := context.WithCancel(context.Background())
		_, done := s.SendAside(t, withKeyK, servertest.WithContext(ctx))
		provider.Arrived()
		hangUp()
		servertest.Receive(t, done)
		provider.Answer(nil)
		servertest.Until(t, "the debit", func() bool { return s.Debits(t) == 1 })
		a := s.Send(t, withKeyK)
		a.ExpectBody(t, 200, servertest.Sent)
		if a.Header.Get("Idempotency-Replayed") != "true" {
			t.Error("sent again")
		}
		s.ExpectSent(t, 1)
		s.ExpectWallet(t, 1000-servertest.SendPrice, 0)
	})

	t.Run("WhileWaitingForItsTwin", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		provider := s.Provider.Hold(t)
		first, firstDone := s.SendAside(t, withKeyK)
		provider.Arrived()
		ctx, hangUp := context.WithCancel(context.Background())
		_, twinDone := s.SendAside(t, withKeyK, servertest.WithContext(ctx))
		s.UntilCounted(t, 2)
		hangUp()
		servertest.Receive(t, twinDone)
		provider.Answer(nil)
		servertest.Receive(t, firstDone)
		first.ExpectBody(t, 200, servertest.Sent)
		s.ExpectSent(t, 1)
	})
}

// useMonth uses up what the shop's key has left of the free plan's month, but
// for one call: that of a failure is given back.
func (s *shop) useMonth(t *testing.T) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for {
			_, over, err := tx.CountMonth(s.LiveKey.ID, db.Limits{Month: 101, Minute: 5})
			if over == db.OverMonth || err != nil {
				return err
			}
		}
	})
}
