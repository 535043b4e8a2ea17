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

// cacheEntry is what an account can be asked about: its latest dataset, or one that is named,
// and its shop (H3).
type cacheEntry struct {
	sources []schema.Source
	reader  *read.Reader

	dataset, shop string        // stamps of the data that it was made of
	builtAt       time.Time     // when, by the machine's clock
	took          time.Duration // to make it
	lastUse       uint64
}

// readerCache keeps the shelves that were used last. A shelf is the catalogue alone, never
// rows: figures are always those of now.
type readerCache struct {
	data Data

	mu       sync.Mutex
	entries  map[string]*cacheEntry // by account and dataset
	pending  map[string]*pendingEntry
	uses     uint64 // of the last use
	builders chan struct{}
}

// pendingEntry is a shelf that is being made, for all who wait for it.
type pendingEntry struct {
	dataset, shop string // stamps
	done          chan struct{}
	entry         *cacheEntry
	err           error
}

const (
	// maxEntries is how many are kept.
	maxEntries = 16
	// slowBuild is how long making a shelf may take without being spared: one that
	// takes longer is made again only after rest times as long, though the shop has
	// changed. Another dataset is never waited for.
	slowBuild     = 250 * time.Millisecond
	slowBuildRest = 20
	// buildTimeout bounds the making of one, and makers how many are made at once: the
	// values of a large shop take longer to list than a question may.
	buildTimeout = 2 * time.Minute
	maxBuilds    = 2
)

func newReaderCache(data Data) *readerCache {
	return &readerCache{data: data, entries: map[string]*cacheEntry{}, pending: map[string]*pendingEntry{}, builders: make(chan struct{}, maxBuilds)}
}

func isDataset(s schema.Source) bool { return strings.HasPrefix(s.ID, "ds_") }

// get returns the account's shelf, made anew when its data have changed. One that takes
// longer than ctx lasts goes on being made, so that it is there when it is asked for again.
func (l *readerCache) get(ctx context.Context, owner db.Account, dataset string) (*cacheEntry, error) {
	data, shop, err := l.data.Versions(ctx, owner, dataset)
	if err != nil {
		return nil, err
	}
	id := owner.ID + " " + dataset
	kept, made := l.lookup(id, data, shop, func(m *pendingEntry) {
		m.entry, m.err = l.build(context.WithoutCancel(ctx), owner, dataset)
		l.finish(id, m)
	})
	if kept != nil {
		return kept, nil
	}
	select {
	case <-made.done:
		return made.entry, made.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lookup returns a shelf that is still good, or one that is being made.
func (l *readerCache) lookup(id, dataset, shop string, run func(*pendingEntry)) (*cacheEntry, *pendingEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.entries[id]
	if kept != nil && kept.dataset == dataset && (kept.shop == shop || kept.took > slowBuild && time.Since(kept.builtAt) < slowBuildRest*kept.took) {
		l.uses++
		kept.lastUse = l.uses
		return kept, nil
	}
	m := l.pending[id]
	if m == nil || m.dataset != dataset || m.shop != shop {
		m = &pendingEntry{dataset: dataset, shop: shop, done: make(chan struct{})}
		l.pending[id] = m
		go run(m)
	}
	return nil, m
}

// build lists what there is.
func (l *readerCache) build(ctx context.Context, owner db.Account, dataset string) (*cacheEntry, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	l.builders <- struct{}{}
	defer func() { <-l.builders }()

	began := time.Now()
	made := &cacheEntry{builtAt: began}
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

// finish ends a making, and makes room for its shelf.
func (l *readerCache) finish(id string, m *pendingEntry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(m.done)
	latest := l.pending[id] == m
	if latest {
		delete(l.pending, id)
	}
	if m.err != nil {
		return
	}
	m.entry.dataset, m.entry.shop = m.dataset, m.shop
	if !latest {
		return // the data have changed since, and another is being made
	}
	l.uses++
	m.entry.lastUse = l.uses
	l.entries[id] = m.entry
	for len(l.entries) > maxEntries {
		oldest := ""
		for id, one := range l.entries {
			if oldest == "" || one.lastUse < l.entries[oldest].lastUse {
				oldest = id
			}
		}
		delete(l.entries, oldest)
	}
}
