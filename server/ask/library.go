package ask

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/ask/read"
	"svc/server/schema"
)

// shelf is what an account can be asked about: its latest dataset, or one that is named,
// and its shop (H3).
type shelf struct {
	sources []schema.Source
	reader  *read.Reader

	dataset, shop string        // stamps of the data that it was made of
	made          time.Time     // when, by the machine's clock
	took          time.Duration // to make it
	used          uint64
}

// library keeps the shelves that were used last. A shelf is the catalogue alone, never
// rows: figures are always those of now.
type library struct {
	data Data

	mu      sync.Mutex
	byID    map[string]*shelf // by account and dataset
	making  map[string]*making
	number  uint64 // of the last use
	workers chan struct{}
}

// making is a shelf that is being made, for all who wait for it.
type making struct {
	dataset, shop string // stamps
	done          chan struct{}
	shelf         *shelf
	err           error
}

const (
	// maxShelves is how many are kept.
	maxShelves = 16
	// patience is how long making a shelf may take without being spared: one that
	// takes longer is made again only after rest times as long, though the shop has
	// changed. Another dataset is never waited for.
	patience = 250 * time.Millisecond
	rest     = 20
	// makeTime bounds the making of one, and makers how many are made at once: the
	// values of a large shop take longer to list than a question may.
	makeTime = 2 * time.Minute
	makers   = 2
)

func newLibrary(data Data) *library {
	return &library{data: data, byID: map[string]*shelf{}, making: map[string]*making{}, workers: make(chan struct{}, makers)}
}

func isDataset(s schema.Source) bool { return strings.HasPrefix(s.ID, "ds_") }

// open returns the account's shelf, made anew when its data have changed. One that takes
// longer than ctx lasts goes on being made, so that it is there when it is asked for again.
func (l *library) open(ctx context.Context, owner db.Account, dataset string) (*shelf, error) {
	data, shop, err := l.data.Stamps(ctx, owner, dataset)
	if err != nil {
		return nil, err
	}
	id := owner.ID + " " + dataset
	kept, made := l.find(id, data, shop, func(m *making) {
		m.shelf, m.err = l.make(context.WithoutCancel(ctx), owner, dataset)
		l.keep(id, m)
	})
	if kept != nil {
		return kept, nil
	}
	select {
	case <-made.done:
		return made.shelf, made.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// find returns a shelf that is still good, or one that is being made.
func (l *library) find(id, dataset, shop string, run func(*making)) (*shelf, *making) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.byID[id]
	if kept != nil && kept.dataset == dataset && (kept.shop == shop || kept.took > patience && time.Since(kept.made) < rest*kept.took) {
		l.number++
		kept.used = l.number
		return kept, nil
	}
	m := l.making[id]
	if m == nil || m.dataset != dataset || m.shop != shop {
		m = &making{dataset: dataset, shop: shop, done: make(chan struct{})}
		l.making[id] = m
		go run(m)
	}
	return nil, m
}

// make lists what there is.
func (l *library) make(ctx context.Context, owner db.Account, dataset string) (*shelf, error) {
	ctx, cancel := context.WithTimeout(ctx, makeTime)
	defer cancel()
	l.workers <- struct{}{}
	defer func() { <-l.workers }()

	began := time.Now()
	made := &shelf{made: began}
	latest, err := l.data.Find(ctx, owner.ID, dataset)
	if err == nil {
		made.sources = append(made.sources, latest)
	} else if dataset != "" || !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	views, err := l.data.Shop(ctx, owner)
	if err != nil {
		return nil, err
	}
	made.sources = append(made.sources, views...)
	made.reader = read.New(made.sources)
	made.took = time.Since(began)
	return made, nil
}

// keep ends a making, and makes room for its shelf.
func (l *library) keep(id string, m *making) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(m.done)
	latest := l.making[id] == m
	if latest {
		delete(l.making, id)
	}
	if m.err != nil {
		return
	}
	m.shelf.dataset, m.shelf.shop = m.dataset, m.shop
	if !latest {
		return // the data have changed since, and another is being made
	}
	l.number++
	m.shelf.used = l.number
	l.byID[id] = m.shelf
	for len(l.byID) > maxShelves {
		oldest := ""
		for id, one := range l.byID {
			if oldest == "" || one.used < l.byID[oldest].used {
				oldest = id
			}
		}
		delete(l.byID, oldest)
	}
}
