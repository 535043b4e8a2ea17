package scan

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/photo"
	"svc/server/web"
)

// Step is one step of a recognition, for people.
type Step struct {
	Name  string
	Took  time.Duration
	Score float64 // of a match, 0 to 1; 0: none
	Text  string  // what came of it
}

// observer is told of each step; nil: nobody is.
type observer func(Step)

func (o observer) note(name string, began time.Time, score float64, text string) {
	if o != nil {
		o(Step{Name: name, Took: time.Since(began), Score: score, Text: text})
	}
}

// identify is climb, with a word for the caller where ctx ends it.
func (s *Service) identify(ctx context.Context, u *photo.Upload, owner string, o observer) (found, error) {
	f, err := s.climb(ctx, u, owner, o)
	var sorted *web.Error
	if err != nil && ctx.Err() != nil && !errors.As(err, &sorted) {
		err = errBusy(err)
	}
	return f, err
}

// climb climbs the ladder until something is seen that stands in the owner's
// inventory (F2). Otherwise the last recognizer that knows what it saw has the word: a
// model tells more of a product than its barcode does.
func (s *Service) climb(ctx context.Context, u *photo.Upload, owner string, o observer) (found, error) {
	seen := found{owner: owner}
	p, err := s.decode(ctx, u, o)
	if err != nil {
		return found{}, err
	}
	for _, rung := range s.ladder {
		all, err := s.see(ctx, rung, p, o)
		if err != nil {
			return found{}, err
		}
		named := false
		for _, sighting := range all {
			id, err := s.shelves.find(ctx, owner, sighting, o)
			if err != nil {
				return found{}, err
			}
			if id != "" {
				seen.itemID = id
				return seen, nil
			}
			if !named && sighting.calls != "" {
				seen.name, named = sighting.calls, true
			}
		}
	}
	if seen.name == "" {
		return found{}, s.notIdentified()
	}
	return seen, nil
}

func (s *Service) decode(ctx context.Context, u *photo.Upload, o observer) (*photo.Photo, error) {
	done, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	defer done()

	began := time.Now()
	p, err := u.Decode(ctx)
	if err != nil {
		return nil, invalidImage(err)
	}
	size := p.Luminance().Rect.Size()
	o.note("photo", began, 0, fmt.Sprintf("%d x %d pixels", size.X, size.Y))
	return p, nil
}

func (s *Service) see(ctx context.Context, r rung, p *photo.Photo, o observer) ([]sighting, error) {
	if r.heavy {
		done, err := s.take(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	began := time.Now()
	all, err := r.see(ctx, p)
	if len(all) == 0 && err == nil {
		o.note(r.name, began, 0, "nothing")
	}
	for _, sighting := range all {
		o.note(r.name, began, 0, sighting.words)
	}
	return all, err
}

// take waits for a slot, and returns how it is given back.
func (s *Service) take(ctx context.Context) (done func(), err error) {
	select {
	case s.slots <- struct{}{}:
		return func() { <-s.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// errBusy: more photos came than could be looked at in time.
func errBusy(cause error) error {
	return &web.Error{
		Code: web.Unavailable, Message: "too many photos at once; nothing was charged, try again",
		Err: cause, RetryAfter: time.Second,
	}
}

// Report is how a photo was recognized.
type Report struct {
	Steps  []Step
	ItemID string // empty: it does not stand in the inventory
	Name   string // of the item, or else of what was identified
}

// Explain identifies the product on a photo for the owner of an inventory, and tells
// each step. It costs nothing and stores nothing. What a caller of the API would get as
// an error it returns, with the steps until then.
func (s *Service) Explain(ctx context.Context, accountID string, file []byte) (r Report, err error) {
	upload, err := photo.Open(file)
	if err != nil {
		return r, invalidImage(err)
	}
	f, err := s.identify(ctx, upload, accountID, func(step Step) { r.Steps = append(r.Steps, step) })
	if err != nil || f.itemID == "" {
		r.Name = f.name
		return r, err
	}
	r.ItemID = f.itemID
	return r, s.store.View(ctx, func(tx *db.Tx) error {
		item, err := tx.Item(accountID, f.itemID)
		r.Name = item.Name
		return err
	})
}
