package insight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/db/event"
	"svc/server/zone"
)

const (
	briefHour = 7 // in the account's zone (K8)
	// oldBriefs bounds the briefs that one sweep removes.
	oldBriefs = 1000
)

// SweepBriefs stores the brief of today of each account that has data, from 07:00 in its
// zone on, and emits brief.ready in the same transaction. A server that was off at 07:00
// does so when it starts. Two processes may run it. It also removes old briefs.
func (s *Service) SweepBriefs(ctx context.Context) error {
	var due []db.DailyState
	err := s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		due, err = tx.DailyStates(db.DailyBrief)
		return err
	})
	for _, state := range due {
		if ctx.Err() != nil {
			break
		}
		day, past := dailyDay(s.Clock(), state.Timezone, briefHour)
		if !past || !state.Waits(day) {
			continue
		}
		if one := s.deliver(ctx, state.AccountID, day); one != nil {
			err = errors.Join(err, fmt.Errorf("brief of %s: %w", state.AccountID, one))
		}
	}
	return errors.Join(err, s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		_, err := tx.DropOldBriefs(oldBriefs)
		return err
	}))
}

// dailyDay returns the day of a moment in a zone, YYYY-MM-DD, and whether its hour has
// come. If a change of clocks skips the hour, the time after the gap counts.
func dailyDay(now time.Time, zoneName string, hour int) (day string, past bool) {
	local := now.In(zone.Of(zoneName))
	begins := time.Date(local.Year(), local.Month(), local.Day(), hour, 0, 0, 0, local.Location())
	return local.Format(time.DateOnly), !now.Before(begins)
}

// deliver makes and stores the brief of a day unless another process has it.
func (s *Service) deliver(ctx context.Context, accountID, day string) error {
	var claim db.Daily
	var owner db.Account
	err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
		if claim, err = tx.ClaimDaily(accountID, db.DailyBrief, day); err == nil {
			owner, err = tx.Account(accountID)
		}
		return err
	})
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	if err != nil {
		return err
	}
	b, err := s.makeBrief(ctx, owner)
	if err != nil {
		return err
	}
	body, err := json.Marshal(b)
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		stored, err := tx.PutBrief(db.Brief{AccountID: accountID, Day: day, Body: body})
		if err != nil {
			return err
		}
		_, err = tx.Emit(accountID, event.Brief{ID: stored.ID, Period: b.Period, GeneratedAt: b.GeneratedAt, Headline: b.Headline})
		return errors.Join(err, tx.FinishDaily(claim))
	})
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	return err
}
