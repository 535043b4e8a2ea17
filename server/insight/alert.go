package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/zone"
)

// Alert is what one rule has found in an account's shop. It has one id from the moment it
// fires until it is resolved, whatever its figures do meanwhile.
type Alert struct {
	ID       string
	Kind     string // stock_out, sales_drop, …
	Verdict  string // act, watch or problem, as in ask (H9)
	Status   string // firing, acknowledged or resolved
	Title    string // one line with the figure
	Detail   string // how the figure compares, and with what
	Evidence json.RawMessage

	Points int    // off the health score while the alert is not resolved
	Figure string // the figure that fired, in words: "3 products", "-24 %"
	Rule   string // the rule in a sentence

	FirstSeen time.Time
	LastSeen  time.Time // when an evaluation last found it
	// SnoozedUntil is when an acknowledged alert fires again; zero: it does not by time.
	SnoozedUntil time.Time
}

// evidence are the rows that an alert is about, at most 20 of all. Money is in units of the
// currency.
type evidence struct {
	Currency string `json:"currency"`
	Total    int    `json:"total"`
	Rows     []any  `json:"rows"`
}

// Open returns the account's alerts that are not resolved, the gravest first. The health
// score is 100 less their points; an acknowledged alert still counts, because the shop is no
// healthier for it. They are as new as those of Alerts.
func (s *Service) Open(ctx context.Context, owner db.Account) ([]Alert, error) {
	all, err := s.Alerts(ctx, owner)
	return slices.DeleteFunc(all, func(a Alert) bool { return a.Status == string(db.Resolved) }), err
}

// Alerts returns the account's alerts: those that are not resolved, the gravest first, then
// those that were resolved in the last 30 days. It evaluates the rules if the shop has
// changed since the last time, unless that was less than 5 s ago or another process
// does so already.
func (s *Service) Alerts(ctx context.Context, owner db.Account) ([]Alert, error) {
	if err := s.refresh(ctx, owner, servedFor); err != nil {
		return nil, err
	}
	var all []Alert
	err := s.Store.View(ctx, func(tx *db.Tx) error {
		stored, err := tx.Alerts(owner.ID)
		for _, a := range stored {
			all = append(all, alertOf(a, tx.Now()))
		}
		return err
	})
	slices.SortStableFunc(all, func(a, b Alert) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), b.LastSeen.Compare(a.LastSeen))
	})
	return all, err
}

// Current is Alerts of the shop as it is now, for the operator.
func (s *Service) Current(ctx context.Context, owner db.Account) ([]Alert, error) {
	if err := s.refresh(ctx, owner, 0); err != nil {
		return nil, err
	}
	return s.Alerts(ctx, owner)
}

// rank orders alerts: resolved ones last, others by their rule.
func rank(a Alert) int {
	if a.Status == string(db.Resolved) {
		return len(rules)
	}
	return slices.IndexFunc(rules, func(r rule) bool { return r.kind == a.Kind })
}

func alertOf(a db.Alert, now time.Time) Alert {
	r := ruleOf(a.Kind)
	return Alert{
		ID: a.ID, Kind: a.Kind, Verdict: a.Verdict, Status: string(a.StatusAt(now)), Title: a.Title, Detail: a.Detail,
		Evidence: a.Evidence, Points: r.points, Figure: a.Figure, Rule: r.text,
		FirstSeen: a.FirstSeen, LastSeen: a.LastSeen, SnoozedUntil: a.SnoozedUntil,
	}
}

// Acknowledge marks one of the account's alerts as known, until it concerns something new or
// is resolved.
func (s *Service) Acknowledge(ctx context.Context, owner db.Account, id string) (Alert, error) {
	return s.acknowledge(ctx, owner, id, 0)
}

// Snooze marks one of the account's alerts as known for a time, whatever it comes to concern
// meanwhile.
func (s *Service) Snooze(ctx context.Context, owner db.Account, id string, length time.Duration) (Alert, error) {
	if length <= 0 || length > maxSnooze {
		return Alert{}, fault.Invalid("for", fmt.Sprintf("must be from a moment to %d days", int(maxSnooze.Hours()/24)))
	}
	return s.acknowledge(ctx, owner, id, length)
}

// OwnerOf finds the account of an alert by its id, for the operator.
func (s *Service) OwnerOf(ctx context.Context, id string) (db.Account, error) {
	owner, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return tx.AlertOwner(id) })
	if errors.Is(err, db.ErrNotFound) {
		err = noAlert(id, err)
	}
	return owner, err
}

func noAlert(id string, err error) error {
	return &fault.Error{Code: fault.NotFound, Message: "no alert " + id, Err: err}
}

// maxSnooze bounds a snooze.
const maxSnooze = 90 * 24 * time.Hour

func (s *Service) acknowledge(ctx context.Context, owner db.Account, id string, length time.Duration) (out Alert, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		until := time.Time{}
		if length > 0 {
			until = tx.Now().Add(length)
		}
		a, err := tx.AcknowledgeAlert(owner.ID, id, until)
		out = alertOf(a, tx.Now())
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return Alert{}, noAlert(id, err)
	}
	if errors.Is(err, db.ErrStale) {
		return Alert{}, &fault.Error{Code: fault.Conflict, Message: "alert " + id + " is resolved", Err: err}
	}
	return out, err
}

// today returns the midnight, in UTC, of the day that it is in the account's zone.
func (s *Service) today(owner db.Account) time.Time {
	return parseDay(name(s.Clock().In(zone.Of(owner.Profile.Timezone))))
}

// servedFor is how old the alerts of a shop that has changed may be when they are asked for:
// a shop that sells all day is not evaluated at each call.
const servedFor = 5 * time.Second

// refresh evaluates the account's rules unless the stored alerts are of the same data and
// day, they are younger than age, or another process evaluates them. Accounts take turns.
func (s *Service) refresh(ctx context.Context, owner db.Account, age time.Duration) error {
	today := s.today(owner)
	if fresh, err := s.isFresh(ctx, owner, today, age); err != nil || fresh {
		return err
	}
	return s.Queue.Do(ctx, fairqueue.Insights, owner.ID, func(ctx context.Context) error {
		// The call before this one may have evaluated the same data.
		if fresh, err := s.isFresh(ctx, owner, today, age); err != nil || fresh {
			return err
		}
		return s.evaluate(ctx, owner, today)
	})
}

// isFresh reports whether the stored alerts are of the shop as it is, or younger than age.
func (s *Service) isFresh(ctx context.Context, owner db.Account, today time.Time, age time.Duration) (fresh bool, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) error {
		seen, at, err := tx.AlertsSeen(owner.ID)
		if err != nil {
			return err
		}
		now, err := token(tx, owner, today)
		passed := tx.Now().Sub(at)
		fresh = seen == now || seen != "" && passed >= 0 && passed < age
		return err
	})
	return fresh, err
}

// evaluate reads the shop, applies the rules, and stores what they find if no later claim
// was made meanwhile.
func (s *Service) evaluate(ctx context.Context, owner db.Account, today time.Time) error {
	var claim db.AlertScan
	err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
		claim, err = tx.ClaimAlertScan(owner.ID)
		return err
	})
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	seen, found, err := s.find(ctx, owner, today)
	if err == nil {
		err = s.Store.Update(ctx, func(tx *db.Tx) error { return tx.StoreAlerts(claim, seen, found) })
	}
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	if err != nil {
		release := func(tx *db.Tx) error { return tx.ReleaseAlertScan(claim) }
		return errors.Join(err, s.Store.RelaxedUpdate(context.WithoutCancel(ctx), release))
	}
	return nil
}

// find applies the rules to one state of the shop, which seen identifies.
func (s *Service) find(ctx context.Context, owner db.Account, today time.Time) (seen string, found []db.Alert, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		if seen, err = token(tx, owner, today); err != nil {
			return err
		}
		memories, err := openMemories(tx, owner.ID)
		if err != nil {
			return err
		}
		facts, err := readFacts(tx, owner, today, memories)
		if err != nil {
			return err
		}
		for _, r := range rules {
			if err := ctx.Err(); err != nil {
				return err
			}
			f, err := r.find(r, facts, memories[r.kind])
			if err != nil {
				return fmt.Errorf("rule %s: %w", r.kind, err)
			}
			if len(f.subjects) == 0 {
				continue
			}
			a, err := r.alert(f, owner.Profile.Currency)
			if err != nil {
				return err
			}
			found = append(found, a)
		}
		return nil
	})
	return seen, found, err
}

// openMemories returns the subjects of the account's open alerts, by kind.
func openMemories(tx *db.Tx, accountID string) (map[string]memory, error) {
	open, err := tx.OpenAlerts(accountID)
	all := map[string]memory{}
	for _, a := range open {
		all[a.Kind] = memory{}
		for _, subject := range a.Subjects {
			all[a.Kind][subject] = true
		}
	}
	return all, err
}

// alert returns the row to store of a finding.
func (r rule) alert(f finding, currency string) (db.Alert, error) {
	rows, err := json.Marshal(evidence{Currency: currency, Total: max(f.total, len(f.rows)), Rows: append([]any{}, f.rows...)})
	return db.Alert{
		Kind: r.kind, Verdict: r.verdict, Title: f.title, Detail: f.detail, Figure: f.figure, Subjects: f.subjects, Evidence: rows,
	}, err
}

// Sweep evaluates the rules of every account whose shop has changed since the last time, or
// whose day has. It goes on with the next account if one fails.
func (s *Service) Sweep(ctx context.Context) (all error) {
	var owners []db.Account
	err := s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		owners, err = tx.ShopOwners()
		return err
	})
	if err != nil {
		return err
	}
	for _, owner := range owners {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := s.refresh(ctx, owner, 0); err != nil {
			all = errors.Join(all, fmt.Errorf("alerts of %s: %w", owner.ID, err))
		}
	}
	return all
}
