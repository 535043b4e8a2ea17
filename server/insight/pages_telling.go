package insight

import (
	"context"
	"fmt"
	"maps"
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
	chart                      *views.Chart // shared by all who read it
}

const (
	// toldFor is for how long a telling is of the present: until then only the hour that it
	// compares today with is too early.
	toldFor = 2 * time.Minute
	// maxTold bounds the shops of which a telling is kept.
	maxTold = 1000
)

// tellings keeps what was told of shops that have not changed since. Its zero value is empty.
type tellings struct {
	mu   sync.Mutex
	kept map[string]keptTelling // by account
}

type keptTelling struct {
	stamp string
	at    time.Time
	telling
}

func (t *tellings) get(account, stamp string, now time.Time) (telling, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k, ok := t.kept[account]
	age := now.Sub(k.at)
	return k.telling, ok && k.stamp == stamp && age >= 0 && age < toldFor
}

func (t *tellings) put(account, stamp string, now time.Time, told telling) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.kept) >= maxTold {
		maps.DeleteFunc(t.kept, func(string, keptTelling) bool { return true })
	}
	if t.kept == nil {
		t.kept = map[string]keptTelling{}
	}
	t.kept[account] = keptTelling{stamp, now, told}
}

// tell returns what there is to tell of a shop. It computes the figures if the shop, its
// profile or the day have changed since the last time, or toldFor is over.
func (p *Pages) tell(ctx context.Context, owner db.Account) (told telling, err error) {
	now := p.service.Clock()
	// The stamp is read before the figures, so that it is never newer than they are.
	stamp, err := db.Read(ctx, p.service.Store, func(tx *db.Tx) (string, error) { return tx.PulseStamp(owner.ID) })
	if err != nil {
		return told, err
	}
	stamp = fmt.Sprint(stamp, " ", name(p.service.today(owner)), " ", owner.Profile)
	if told, ok := p.told.get(owner.ID, stamp, now); ok {
		return told, nil
	}
	sh, err := p.service.lookAt(ctx, owner)
	if err != nil {
		return told, err
	}
	told = telling{stock: sh.stock != nil, sales: sh.sales != nil || sh.unused != nil, sells: sh.sells()}
	if told.known = told.stock || told.sales; told.known {
		pulse, err := p.service.figures(ctx, sh)
		if err != nil {
			return told, err
		}
		told.sentence, told.more = pulse.morning(sh)
		told.figures = pulse.shown()
		if told.chart, err = p.service.chart(ctx, sh, pulse); err != nil {
			return told, err
		}
	}
	p.told.put(owner.ID, stamp, now, told)
	return told, nil
}
