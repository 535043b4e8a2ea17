package insight

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/db/event"
	"svc/server/zone"
)

// churnHour is when the night's scan begins, in the account's zone: the day's sales are in.
const churnHour = 2

// SweepChurn scans the customers of each account with sales, once a night from 02:00 in its
// zone on, and emits churn.scan.completed in the transaction that ends the night's job (K8).
// A server that was off at that hour does so when it starts. Two processes may run it.
func (s *Service) SweepChurn(ctx context.Context) (all error) {
	var due []db.DailyState
	err := s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		due, err = tx.DailyStates(db.ChurnScan)
		return err
	})
	if err != nil {
		return err
	}
	for _, state := range due {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		day, past := dailyDay(s.Clock(), state.Timezone, churnHour)
		if !past || !state.Waits(day) {
			continue
		}
		if err := s.scanChurn(ctx, state.AccountID, day); err != nil {
			all = errors.Join(all, fmt.Errorf("churn of %s: %w", state.AccountID, err))
		}
	}
	return all
}

// scanChurn scans the customers of an account unless another process does so.
func (s *Service) scanChurn(ctx context.Context, accountID, day string) error {
	var claim db.Daily
	var owner db.Account
	err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
		if claim, err = tx.ClaimDaily(accountID, db.ChurnScan, day); err == nil {
			owner, err = tx.Account(accountID)
		}
		return err
	})
	var scan event.ChurnScan
	var sells bool
	if err == nil {
		scan, sells, err = s.silent(ctx, owner, parseDay(day))
	}
	if err == nil {
		err = s.Store.Update(ctx, func(tx *db.Tx) error {
			if sells {
				scan.ScannedAt = tx.Now()
				if _, err := tx.Emit(accountID, scan); err != nil {
					return err
				}
			}
			return tx.FinishDaily(claim)
		})
	}
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	return err
}

// silent returns the customers who are silent on a day, whatever the alert has found. It
// reports false for a shop without sales.
func (s *Service) silent(ctx context.Context, owner db.Account, today time.Time) (scan event.ChurnScan, sells bool, err error) {
	scan.Silent = []event.Customer{}
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		memories, err := openMemories(tx, owner.ID)
		if err != nil {
			return err
		}
		facts, err := readFacts(tx, owner, today, memories)
		if err != nil {
			return err
		}
		all, err := facts.rhythms(leastPurchases)
		if err != nil {
			return err
		}
		var silent []rhythm
		for _, c := range all {
			if c.isSilent() {
				silent = append(silent, c)
			}
		}
		rows, err := facts.silentCustomers(silent)
		for _, c := range rows {
			scan.Silent = append(scan.Silent, event.Customer{
				CustomerID: c.CustomerID, Name: c.Name, SilentDays: c.silent, LimitDays: c.limit, Purchases: c.purchases,
				LastPurchase: midnight(c.last, owner.Profile.Timezone),
			})
		}
		scan.Customers, scan.CustomerCount, sells = len(all), len(rows), !facts.first.IsZero()
		return err
	})
	return scan, sells, err
}

// midnight returns the moment at which a day begins in a zone.
func midnight(day time.Time, timezone string) time.Time {
	return time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, zone.Of(timezone)).UTC()
}
