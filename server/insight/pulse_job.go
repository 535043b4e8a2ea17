package insight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"svc/db"
	"svc/db/event"
	"svc/server/ask/compute"
	"svc/server/zone"
)

// pulseBatch bounds the pulses of one sweep.
const pulseBatch = 200

// SweepPulses computes the pulses of accounts whose data or day have changed, each at most
// every 15 minutes, and emits pulse.updated for those in which a figure has changed (K8). Two
// processes may run it.
func (s *Service) SweepPulses(ctx context.Context) error {
	today := func(timezone string) string { return name(s.Clock().In(zone.Of(timezone))) }
	var due []db.PulseClaim
	err := s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		due, err = tx.DuePulses(pulseBatch, today)
		return err
	})
	for _, c := range due {
		if ctx.Err() != nil {
			break
		}
		if one := s.refreshPulse(ctx, c); one != nil {
			err = errors.Join(err, fmt.Errorf("pulse of %s: %w", c.AccountID, one))
		}
	}
	return err
}

// refreshPulse computes one pulse unless another process has it.
func (s *Service) refreshPulse(ctx context.Context, c db.PulseClaim) error {
	var owner db.Account
	err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
		if c, err = tx.ClaimPulse(c); err == nil {
			owner, err = tx.Account(c.AccountID)
		}
		return err
	})
	if err == nil {
		// The score is stored with the stamp of the data, so it must not be that of older ones.
		err = s.refresh(ctx, owner, 0)
	}
	if err == nil {
		var p Pulse
		if p, err = s.Pulse(ctx, owner); err == nil {
			err = s.storePulse(ctx, c, p)
		}
	}
	if errors.Is(err, db.ErrStale) {
		return nil
	}
	return err
}

// lastPulse is what is kept of a pulse to find what changes.
type lastPulse struct {
	Score   *int           `json:"score"`
	Figures []event.Figure `json:"figures"`
}

// storePulse stores the figures of a pulse, and emits an event if any has changed.
func (s *Service) storePulse(ctx context.Context, c db.PulseClaim, p Pulse) error {
	var last lastPulse
	if c.Last != "" {
		if err := json.Unmarshal([]byte(c.Last), &last); err != nil {
			return err
		}
	}
	now := lastPulse{p.Health.Score, figuresOf(p)}
	text, err := json.Marshal(now)
	if err != nil {
		return err
	}
	changed := changes(last.Figures, now.Figures)
	same := len(changed) == 0 && (last.Score == nil) == (now.Score == nil) && (now.Score == nil || *now.Score == *last.Score)
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		if err := tx.FinishPulse(c, string(text)); err != nil || same {
			return err
		}
		_, err := tx.Emit(c.AccountID, event.Pulse{
			AsOf: p.AsOf.UTC(), Currency: p.Currency, Score: p.Health.Score, Band: string(p.Health.Band), Changed: changed,
		})
		return err
	})
}

// figuresOf returns the pulse's figures as events have them: money in minor units.
func figuresOf(p Pulse) []event.Figure {
	all := []event.Figure{}
	for _, k := range p.KPIs {
		f := event.Figure{Key: k.Key, Unit: string(k.Unit)}
		if k.Value != nil {
			decimals := places(k.Unit, p.Currency)
			n := new(big.Rat).SetInt(compute.Rounded(k.Value, decimals))
			if k.Unit != Money {
				n.Quo(n, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
			}
			value, _ := n.Float64()
			f.Value = &value
		}
		all = append(all, f)
	}
	return all
}

// changes returns the figures that differ from those before, with these.
func changes(before, now []event.Figure) []event.Figure {
	known := map[string]*float64{}
	for _, f := range before {
		known[f.Key] = f.Value
	}
	changed := []event.Figure{}
	for _, f := range now {
		f.Previous = known[f.Key]
		same := f.Value == f.Previous || f.Value != nil && f.Previous != nil && *f.Value == *f.Previous
		if !same {
			changed = append(changed, f)
		}
	}
	return changed
}
