package ask

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

// cacheEntry has the reader over an account's latest dataset, or a named one, and its
// shop (H3).
type cacheEntry struct {
	reader  *read.Reader
	sources []schema.Source // the dataset first

	dataset, shop string        // versions of the data that were read
	builtAt       time.Time     // by the machine's clock
	took          time.Duration // to build
	large         bool          // its sources have more than largeShop rows
	lastUse       uint64        // value of uses

	mu   sync.Mutex
	read map[string]*plan.Plan // by day and question, see reads
}

// reads returns the plan of a question asked on a day, or nil if the reader does not understand it. It keeps
// what it found out, since the same few questions are suggested after most answers.
func (e *cacheEntry) reads(ctx context.Context, text string, today time.Time) *plan.Plan {
	key := today.Format(time.DateOnly) + text
	e.mu.Lock()
	known, ok := e.read[key]
	e.mu.Unlock()
	if ok {
		return known
	}
	reading, err := e.reader.ReadContext(ctx, text, today)
	if ctx.Err() != nil {
		return nil
	}
	if err == nil {
		p := reading.Plan // without the rest of the reading
		known = &p
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.read == nil || len(e.read) >= maxReads {
		e.read = map[string]*plan.Plan{}
	}
	e.read[key] = known
	return known
}

// readerCache keeps the readers that were used last. A reader has headings and values of
// the data, but no rows: figures are always current.
type readerCache struct {
	data Data

	mu       sync.Mutex
	entries  map[string]*cacheEntry // by account and dataset
	pending  map[string]*pendingEntry
	uses     uint64
	builders chan struct{}
}

// pendingEntry is an entry that is being built, shared by all who wait for it.
type pendingEntry struct {
	dataset, shop string // versions
	done          chan struct{}
	entry         *cacheEntry
	err           error
}

const (
	maxEntries = 16
	maxReads   = 256 // questions of cacheEntry.reads
	// An entry of more rows than largeShop is rebuilt for a changed shop only after
	// buildRest times as long as its building took. A changed dataset always rebuilds it.
	largeShop = 100_000
	buildRest = 20
	// buildTimeout is longer than a question may take, since listing the values of a
	// large shop is. At most maxBuilds run at once.
	buildTimeout = 2 * time.Minute
	maxBuilds    = 2
)

func newReaderCache(data Data) *readerCache {
	return &readerCache{data: data, entries: map[string]*cacheEntry{}, pending: map[string]*pendingEntry{}, builders: make(chan struct{}, maxBuilds)}
}

func isDataset(s schema.Source) bool { return strings.HasPrefix(s.ID, "ds_") }

// get returns the account's entry, rebuilt if its data have changed; with shop, the one of
// its shop alone. A build that outlasts ctx continues, so that the next question finds the
// entry.
func (c *readerCache) get(ctx context.Context, owner db.Account, dataset string, shop bool) (*cacheEntry, error) {
	data, ownTables, err := c.data.Versions(ctx, owner, dataset)
	if err != nil {
		return nil, err
	}
	id := owner.ID + " " + dataset
	if shop {
		id, data = owner.ID, ""
	}
	kept, pending := c.lookup(id, data, ownTables, func(m *pendingEntry) {
		m.entry, m.err = c.build(context.WithoutCancel(ctx), owner, dataset, shop)
		c.finish(id, m)
	})
	if kept != nil {
		return kept, nil
	}
	select {
	case <-pending.done:
		return pending.entry, pending.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// lookup returns a current entry, or the pending one, for which it starts run if there is
// none.
func (c *readerCache) lookup(id, dataset, shop string, run func(*pendingEntry)) (*cacheEntry, *pendingEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.entries[id]
	if kept != nil && kept.dataset == dataset && (kept.shop == shop || kept.large && time.Since(kept.builtAt) < buildRest*kept.took) {
		c.uses++
		kept.lastUse = c.uses
		return kept, nil
	}
	m := c.pending[id]
	if m == nil || m.dataset != dataset || m.shop != shop {
		m = &pendingEntry{dataset: dataset, shop: shop, done: make(chan struct{})}
		c.pending[id] = m
		go run(m)
	}
	return nil, m
}

// build reads the account's sources and prepares the reader.
func (c *readerCache) build(ctx context.Context, owner db.Account, dataset string, shop bool) (*cacheEntry, error) {
	ctx, cancel := context.WithTimeout(ctx, buildTimeout)
	defer cancel()
	c.builders <- struct{}{}
	defer func() { <-c.builders }()

	began := time.Now()
	var sources []schema.Source
	if !shop {
		latest, err := c.data.Find(ctx, owner.ID, dataset)
		if err == nil {
			sources = append(sources, latest.WithTotals())
		} else if dataset != "" || !errors.Is(err, db.ErrNotFound) {
			return nil, err
		}
	}
	views, err := c.data.Shop(ctx, owner)
	if err != nil {
		return nil, err
	}
	sources = append(sources, views...)
	var rows int64
	for _, s := range sources {
		rows += s.Rows
	}
	reader := read.New(sources)
	if dataset != "" {
		reader.Fix()
	}
	return &cacheEntry{reader: reader, sources: sources, builtAt: began, took: time.Since(began), large: rows > largeShop}, nil
}

// finish ends a build and stores its entry in place of the least recently used.
func (c *readerCache) finish(id string, m *pendingEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(m.done)
	latest := c.pending[id] == m
	if latest {
		delete(c.pending, id)
	}
	if m.err != nil {
		return
	}
	m.entry.dataset, m.entry.shop = m.dataset, m.shop
	if !latest {
		return // the data have changed since; another build runs
	}
	c.uses++
	m.entry.lastUse = c.uses
	c.entries[id] = m.entry
	for len(c.entries) > maxEntries {
		byUse := func(a, b string) int { return cmp.Compare(c.entries[a].lastUse, c.entries[b].lastUse) }
		delete(c.entries, slices.MinFunc(slices.Collect(maps.Keys(c.entries)), byUse))
	}
}
