package insight

import (
	"context"
	"fmt"
	"sync"
	"time"

	"svc/db"
	"svc/server/views"
)

// telling is what the overview tells of a shop's figures. It has no alerts, which people
// answer without a change of the shop.
type telling struct {
	known, stock, sales, sells bool // as of sources
	sentence, more             string
	figures                    []views.ShopFigure
	checks                     []views.Attention // what to look at if no alert is about it
	chart                      *views.Chart      // shared by all who read it
}

const (
	// toldFor is for how long a telling is of the present: until then only the hour that it
	// compares today with is too early.
	toldFor = 2 * time.Minute
	// maxTold bounds the shops of which a telling is kept.
	maxTold = 1000
)

// recent keeps what was told of shops that have not changed since. Its zero value is empty.
type recent[T any] struct {
	mu   sync.Mutex
	kept map[string]remembered[T] // by account
}

type remembered[T any] struct {
	stamp string
	at    time.Time
	told  T
}

func (t *recent[T]) get(account, stamp string, now time.Time) (T, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok := t.kept[account]
	age := now.Sub(k.at)
	return k.told, ok && k.stamp == stamp && age >= 0 && age < toldFor
}

func (t *recent[T]) put(account, stamp string, now time.Time, told T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) >= maxTold {
		clear(t.kept)
	}
	if t.kept == nil {
		t.kept = map[string]remembered[T]{}
	}
	t.kept[account] = remembered[T]{stamp, now, told}
}

// stamp returns a token of the shop's data, its profile and the day. It is read before the
// figures, so that it is never newer than they are.
func (p *Pages) stamp(ctx context.Context, owner db.Account) (string, error) {
	stamp, err := db.Read(ctx, p.service.Store, func(tx *db.Tx) (string, error) { return tx.PulseStamp(owner.ID) })
	return fmt.Sprint(stamp, " ", name(p.service.today(owner)), " ", owner.Profile), err
}

// morning is Morning, as it was a moment ago if the shop has not changed since.
func (p *Pages) morning(ctx context.Context, owner db.Account) (m Morning, err error) {
	now := p.service.Clock()
	stamp, err := p.stamp(ctx, owner)
	if err != nil {
		return m, err
	}
	if m, ok := p.mornings.get(owner.ID, stamp, now); ok {
		return m, nil
	}
	if m, err = p.service.Morning(ctx, owner); err == nil {
		p.mornings.put(owner.ID, stamp, now, m)
	}
	return m, err
}

// tell returns what there is to tell of a shop. It computes the figures if the shop, its
// profile or the day have changed since the last time, or toldFor is over.
func (p *Pages) tell(ctx context.Context, owner db.Account) (told telling, err error) {
	now := p.service.Clock()
	stamp, err := p.stamp(ctx, owner)
	if err != nil {
		return told, err
	}
	if told, ok := p.told.get(owner.ID, stamp, now); ok {
		return told, nil
	}
	sh, err := p.service.lookAt(ctx, owner)
	if err != nil {
		return told, err
	}
	told = telling{stock: sh.stocked, sales: sh.sales != nil || sh.unused != nil, sells: sh.sells()}
	if told.known = told.stock || told.sales; told.known {
		pulse, err := p.service.figures(ctx, sh)
		if err != nil {
			return told, err
		}
		told.sentence, told.more = pulse.morning(sh)
		low, err := (&writer{service: p.service, ctx: ctx, sources: sh, pulse: pulse}).lowProducts()
		if err != nil {
			return told, err
		}
		told.figures = pulse.shown(overviewKPIs, sh, low)
		told.checks = pulse.stockChecks(sh)
		if told.chart, err = p.service.chart(ctx, sh, pulse); err != nil {
			return told, err
		}
	}
	p.told.put(owner.ID, stamp, now, told)
	return told, nil
}
