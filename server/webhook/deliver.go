package webhook

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"time"

	"svc/db"
	"svc/server/mail"
	"svc/server/outbound"
)

const (
	// maxFlying bounds the deliveries that a process sends at once, and those of one account
	// and one webhook: slow receivers of one account do not hold up those of others.
	maxFlying     = 64
	maxPerAccount = 8
	maxPerWebhook = 4
	// turn is how many deliveries a worker sends before webhooks without one get its place,
	// and turnTime how long it goes on.
	turn     = 20
	turnTime = 2 * time.Second
	// lease is longer than a try and the storing of its outcome, so that no other process
	// takes the delivery for abandoned meanwhile.
	lease = 2 * time.Minute
	// sealPause is the wait after a secret could not be opened.
	sealPause = time.Minute
)

// pauses are the waits before the tries after the first, each ±10 % (K5).
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

// Pauses returns the waits before the tries after the first, without their jitter.
func Pauses() []time.Duration { return slices.Clone(pauses) }

const (
	jitter        = 0.1
	maxRetryAfter = 24 * time.Hour // of what a receiver asks for

	// A webhook is disabled after failingTime without a success and failingTries failures.
	failingTime  = 5 * 24 * time.Hour
	failingTries = 20

	codeGone = 410 // disables at once

	userAgent = "svc-webhook/1"
	mailLife  = 7 * 24 * time.Hour
)

// The problems of tries whose owner stored no outcome.
const (
	interruptedOnce = "svc ended while it sent this; it may have arrived, and is not sent again"
	interrupted     = "svc ended while it sent this; it may have arrived, and is sent again"
)

// Deliver sends all deliveries that are due, until none is left or ctx ends; then it waits for
// the tries that have begun. It sweeps at first and, as slow receivers can keep it busy for
// hours, at each interval. Several processes may deliver from one file.
func (s *Service) Deliver(ctx context.Context) error {
	if err := s.sweep(ctx); err != nil {
		return err
	}
	sweeps := time.NewTicker(s.Sweep)
	defer sweeps.Stop()
	r := newRound(s)
	for {
		if ctx.Err() == nil && r.err == nil {
			r.err = r.start(ctx)
		}
		if r.flying == 0 {
			return r.err
		}
		stop, wake, sweep := ctx.Done(), s.wake, sweeps.C
		if ctx.Err() != nil || r.err != nil {
			stop, wake, sweep = nil, nil, nil // only the tries that have begun are waited for
		}
		select {
		case e := <-r.ended:
			r.end(e)
		case <-sweep:
			r.err = s.sweep(ctx)
		case <-wake:
		case <-stop:
		}
	}
}

// sweep ends abandoned claims, removes what is kept no longer, and drops what an interrupted
// disabling or deletion has left in a queue.
func (s *Service) sweep(ctx context.Context) error {
	err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		abandoned, err := tx.EndDeliveryLeases(interruptedOnce, interrupted)
		if err != nil {
			return err
		}
		if abandoned > 0 {
			s.Log.Warn("deliveries were interrupted", "count", abandoned)
		}
		_, err = tx.DropOldDeliveries(chunk)
		if err == nil {
			_, err = tx.DropOldEvents(chunk)
		}
		return errors.Join(err, tx.ForgetOldSecrets())
	})
	if err != nil {
		return err
	}
	idle, err := db.Read(ctx, s.Store, (*db.Tx).IdleQueues)
	if err != nil {
		return err
	}
	for _, w := range idle {
		if err := s.dropQueued(ctx, w.AccountID, w.ID); err != nil {
			return err
		}
	}
	return nil
}

// round is one run of Deliver. Only its goroutine uses the fields; workers report to ended.
type round struct {
	*Service
	flying    int // workers
	byAccount map[string]int
	byWebhook map[string]int
	begun     int            // workers, ever
	lastBegun map[string]int // of each webhook, begun as of its last worker
	ended     chan ended
	err       error // the first; no worker is started after it
}

func newRound(s *Service) *round {
	return &round{
		Service: s, byAccount: map[string]int{}, byWebhook: map[string]int{}, lastBegun: map[string]int{}, ended: make(chan ended),
	}
}

// ended is the end of a worker.
type ended struct {
	webhook db.DueWebhook
	err     error
}

// start starts workers for webhooks with due deliveries: for those with the fewest first, and
// among these for those that have waited longest, so that a place goes to each in turn.
func (r *round) start(ctx context.Context) error {
	due, err := db.Read(ctx, r.Store, func(tx *db.Tx) ([]db.DueWebhook, error) { return tx.DueWebhooks(maxPerWebhook) })
	if err != nil {
		return err
	}
	for i := range due {
		due[i].Due += r.byWebhook[due[i].ID] // how many workers it can use
	}
	slices.SortStableFunc(due, func(a, b db.DueWebhook) int { return cmp.Compare(r.lastBegun[a.ID], r.lastBegun[b.ID]) })
	for n := range maxPerWebhook {
		for _, w := range due {
			if r.byWebhook[w.ID] == n && n < w.Due && r.byAccount[w.AccountID] < maxPerAccount && r.flying < maxFlying {
				r.begin(ctx, w)
			}
		}
	}
	return nil
}

func (r *round) begin(ctx context.Context, w db.DueWebhook) {
	r.begun++
	r.lastBegun[w.ID] = r.begun
	r.flying++
	r.byAccount[w.AccountID]++
	r.byWebhook[w.ID]++
	go func() { r.ended <- ended{w, r.work(ctx, w)} }()
}

func (r *round) end(e ended) {
	r.flying--
	r.byAccount[e.webhook.AccountID]--
	r.byWebhook[e.webhook.ID]--
	if r.err == nil {
		r.err = e.err
	}
}

// work sends deliveries of one webhook, for a turn at most.
func (s *Service) work(ctx context.Context, w db.DueWebhook) error {
	began := time.Now()
	for range turn {
		more, err := s.deliverNext(ctx, w)
		if err != nil || !more || ctx.Err() != nil || time.Since(began) > turnTime {
			return err
		}
	}
	return nil
}

// parcel is a claimed delivery with what is needed to send it.
type parcel struct {
	db.Delivery
	webhook db.Webhook
	body    []byte // nil: its event is not kept any more
}

// deliverNext claims the next due delivery, tries it and stores the outcome. It reports
// whether there may be more.
func (s *Service) deliverNext(ctx context.Context, w db.DueWebhook) (more bool, err error) {
	p, err := s.claim(ctx, w)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// From here on the outcome is stored even while svc stops.
	lasting := context.WithoutCancel(ctx)
	if p.body == nil {
		return true, s.Store.Update(lasting, func(tx *db.Tx) error {
			return tx.EndDelivery(p.Delivery, db.DeliveryFailed, time.Time{}, db.Attempt{Problem: "the event is not kept any more"})
		})
	}
	headers, err := s.headers(p)
	if err != nil {
		s.Log.Error("webhook not signed", "webhook", p.WebhookID, "delivery", p.ID, "cause", err)
		return false, s.putBack(lasting, p.Delivery)
	}
	disabled, err := s.settle(lasting, p, headers, s.Client.Post(lasting, p.webhook.URL, headers, p.body))
	if err == nil && disabled {
		if err = s.dropQueued(ctx, w.AccountID, w.ID); ctx.Err() != nil {
			err = nil // the next sweep goes on
		}
	}
	return !disabled, err
}

// claim takes the next due delivery. The claim is on disk before the request is made.
func (s *Service) claim(ctx context.Context, w db.DueWebhook) (p parcel, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		if p.Delivery, err = tx.ClaimDelivery(w, lease); err != nil {
			return err
		}
		if p.webhook, err = tx.Webhook(w.AccountID, w.ID); err != nil {
			return err
		}
		p.body, err = tx.DeliveryBody(p.Delivery)
		if errors.Is(err, db.ErrNotFound) {
			err = nil
		}
		return err
	})
	return p, err
}

// headers signs a delivery.
func (s *Service) headers(p parcel) (headers, error) {
	now := s.Clock()
	current, err := s.Seal.Open(p.webhook.Secret, p.WebhookID)
	if err != nil {
		return nil, err
	}
	secrets := Secrets{Current: current}
	if p.webhook.OldSecretEndsAt.After(now) {
		if secrets.Old, err = s.Seal.Open(p.webhook.OldSecret, p.WebhookID); err != nil {
			return nil, err
		}
	}
	return headersOf(secrets, p.EventID, now, p.body)
}

// headersOf returns all headers of a request with an event's body.
func headersOf(secrets Secrets, eventID string, at time.Time, body []byte) (headers, error) {
	signed, err := Sign(secrets, eventID, at, body)
	all := headers(signed)
	all.add("Content-Type", "application/json")
	all.add("User-Agent", userAgent)
	return all, err
}

// putBack returns a delivery that cannot be signed now: nothing is sent unsigned.
func (s *Service) putBack(ctx context.Context, d db.Delivery) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		return tx.ReturnDelivery(d, tx.Now().Add(sealPause), "waits for the signing secret, which cannot be opened")
	})
}

// settle stores the outcome of a try, and disables the webhook if it is time to (K5). It
// reports whether it did; what is queued is then to be dropped.
func (s *Service) settle(ctx context.Context, p parcel, sent headers, a outbound.Answer) (disabled bool, err error) {
	problem := a.Problem
	if problem == "" {
		problem = statusProblem(a.Code)
	}
	attempt := db.Attempt{Code: a.Code, Duration: a.Duration, Answer: a.Body, Problem: problem, SentHeaders: sent.lines(), AnswerHeaders: a.Headers}
	s.Log.Info("webhook", "webhook", p.WebhookID, "delivery", p.ID, "event", p.EventID, "attempt", p.Attempts, "code", a.Code,
		"ms", a.Duration.Milliseconds(), "problem", problem, "cause", a.Err)

	var next time.Time
	err = s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		if problem == "" {
			return errors.Join(tx.EndDelivery(p.Delivery, db.DeliverySent, time.Time{}, attempt), tx.ClearWebhookFailures(p.AccountID, p.WebhookID))
		}
		next, disabled, err = s.fail(tx, p.Delivery, attempt, a.RetryAfter)
		return err
	})
	s.count(problem == "", err != nil || !next.IsZero(), a.Duration)
	if errors.Is(err, db.ErrStale) {
		s.Log.Warn("webhook delivery outlived its lease", "delivery", p.ID)
		return false, nil
	}
	if disabled {
		s.Mails.Wake()
	}
	if wait := next.Sub(s.Clock()); err == nil && !next.IsZero() && wait < s.Sweep {
		time.AfterFunc(wait, s.Wake) // a later one is the sweep's
	}
	return disabled, err
}

// count tells Tried of a try that succeeded, or that another one follows or none.
func (s *Service) count(succeeded, again bool, took time.Duration) {
	outcome := "failed"
	switch {
	case s.Tried == nil:
		return
	case succeeded:
		outcome = "ok"
	case again:
		outcome = "retry"
	}
	s.Tried(outcome, took)
}

// statusProblem words a status that is no success.
func statusProblem(code int) string {
	switch {
	case code >= 200 && code < 300:
		return ""
	case code >= 300 && code < 400:
		return fmt.Sprintf("answered %d; redirects are not followed", code)
	}
	return fmt.Sprintf("answered %d", code)
}

// fail stores a failed try. It returns the time of the next one, zero if there is none, and
// whether the webhook is disabled by this, with a mail.
func (s *Service) fail(tx *db.Tx, d db.Delivery, a db.Attempt, retryAfter time.Duration) (next time.Time, disabled bool, err error) {
	w, err := tx.CountWebhookFailure(d.AccountID, d.WebhookID)
	deleted := errors.Is(err, db.ErrNotFound)
	if err != nil && !deleted {
		return next, false, err
	}
	reason := reasonToDisable(tx.Now(), w, a.Code)
	state := db.DeliveryFailed
	if next = nextTry(tx.Now(), d, retryAfter); !next.IsZero() && reason == db.NotDisabled {
		state = db.DeliveryQueued
	}
	if state == db.DeliveryQueued && !w.Enabled {
		state = db.DeliveryDropped
	}
	if state != db.DeliveryQueued {
		next = time.Time{}
	}
	if err := tx.EndDelivery(d, state, next, a); err != nil || reason == db.NotDisabled || !w.Enabled {
		return next, false, err
	}
	return next, true, s.disable(tx, w, reason)
}

// reasonToDisable returns why a webhook is disabled after a failure.
func reasonToDisable(now time.Time, w db.Webhook, code int) db.DisabledReason {
	switch {
	case code == codeGone:
		return db.DisabledGone
	case w.Failures >= failingTries && now.Sub(w.FailingSince) >= failingTime:
		return db.DisabledFailing
	}
	return db.NotDisabled
}

// nextTry returns when a failed delivery is tried again, the zero time if it is not.
func nextTry(now time.Time, d db.Delivery, retryAfter time.Duration) time.Time {
	if d.Once || d.Attempts > len(pauses) {
		return time.Time{}
	}
	pause := float64(pauses[d.Attempts-1]) * (1 - jitter + 2*jitter*rand.Float64())
	return now.Add(max(time.Duration(pause), min(retryAfter, maxRetryAfter)))
}

// disable disables a webhook and mails its owner.
func (s *Service) disable(tx *db.Tx, w db.Webhook, reason db.DisabledReason) error {
	if err := tx.DisableWebhook(w.AccountID, w.ID, reason); err != nil {
		return err
	}
	account, err := tx.Account(w.AccountID)
	if err != nil || !account.WebhookMails {
		return err
	}
	host := w.URL
	if u, err := url.Parse(w.URL); err == nil {
		host = u.Host // the path may have a token
	}
	return s.Mails.Queue(tx, account.Email, mailLife, mail.WebhookDisabled{
		ID: w.ID, Host: host, Gone: reason == db.DisabledGone, Failures: w.Failures, Since: w.FailingSince,
		Link: s.ConsoleURL + "/console/webhooks",
	})
}
