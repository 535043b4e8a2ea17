package ask

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/ask/read"
	"svc/server/catalog"
)

// shelf is what an account can be asked about: its latest dataset, or one that is named,
// and its shop (H3).
type shelf struct {
	sources []catalog.Source
	reader  *read.Reader

	stamp string        // of the data that it was made of
	made  time.Time     // when, by the machine's clock
	took  time.Duration // to make it
	used  uint64
}

// library keeps the shelves that were used last. A shelf is the catalogue alone, never
// rows: figures are always those of now.
type library struct {
	mu     sync.Mutex
	byID   map[string]*shelf // by account and dataset
	number uint64            // of the last use
}

const (
	// maxShelves is how many are kept.
	maxShelves = 16
	// patience is how long making a shelf may take without being spared: one that
	// takes longer is made again only after rest times as long, though its data have
	// changed.
	patience = 250 * time.Millisecond
	rest     = 20
)

func isDataset(s catalog.Source) bool { return strings.HasPrefix(s.ID, "ds_") }

// open returns the account's shelf, made anew when its data have changed.
func (l *library) open(ctx context.Context, data Data, owner db.Account, dataset string) (*shelf, error) {
	stamp, err := data.Stamp(ctx, owner, dataset)
	if err != nil {
		return nil, err
	}
	id := owner.ID + " " + dataset
	if kept := l.find(id, stamp); kept != nil {
		return kept, nil
	}

	began := time.Now()
	made := &shelf{stamp: stamp, made: began}
	latest, err := data.Find(ctx, owner.ID, dataset)
	if err == nil {
		made.sources = append(made.sources, latest)
	} else if dataset != "" || !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	views, err := data.Shop(ctx, owner)
	if err != nil {
		return nil, err
	}
	made.sources = append(made.sources, views...)
	made.reader = read.New(made.sources)
	made.took = time.Since(began)
	l.keep(id, made)
	return made, nil
}

// find returns a shelf that is still good.
func (l *library) find(id, stamp string) *shelf {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.byID[id]
	if kept == nil || kept.stamp != stamp && (kept.took < patience || time.Since(kept.made) > rest*kept.took) {
		return nil
	}
	l.number++
	kept.used = l.number
	return kept
}

func (l *library) keep(id string, made *shelf) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[string]*shelf{}
	}
	l.number++
	made.used = l.number
	l.byID[id] = made
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
