package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/photo"
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

// look is one photo on its way up the ladder.
type look struct {
	upload *photo.Upload
	payer  string // account that waits in turn with others
	owner  string // of the inventory; empty: none
	observer
}

// identify is climb, with a word for the caller where the time was over.
func (s *Service) identify(ctx context.Context, l look) (found, error) {
	f, err := s.climb(ctx, l)
	var sorted *fault.Error
	if err != nil && ctx.Err() != nil && !errors.As(err, &sorted) {
		err = &fault.Error{
			Code: fault.Unavailable, Message: "the photo could not be looked at in time; nothing was charged, try again",
			Err: err, RetryAfter: time.Second,
		}
	}
	return f, err
}

// climb climbs the ladder until something is seen that stands in the owner's
// inventory (F2). Otherwise the last recognizer that knows what it saw has the word: a
// model tells more of a product than its barcode does.
func (s *Service) climb(ctx context.Context, l look) (found, error) {
	done, err := s.turns.Acquire(ctx, l.payer)
	if err != nil {
		return found{}, err
	}
	release := sync.OnceFunc(done)
	defer release()

	p, err := l.decode(ctx)
	if err != nil {
		return found{}, err
	}
	seen := found{owner: l.owner}
	for _, rung := range s.ladder {
		if !rung.heavy {
			release() // it waits for others, and others need not wait for it
		}
		all, err := l.see(ctx, rung, p)
		if err != nil {
			return found{}, err
		}
		name := ""
		for _, sighting := range all {
			if seen.itemID, err = s.shelves.find(ctx, l.owner, sighting, l.observer); err != nil || seen.itemID != "" {
				return seen, err
			}
			name = cmp.Or(name, sighting.calls)
		}
		seen.name = cmp.Or(name, seen.name)
	}
	if seen.name == "" {
		return found{}, s.notIdentified()
	}
	return seen, nil
}

func (l look) decode(ctx context.Context) (*photo.Photo, error) {
	began := time.Now()
	p, err := l.upload.Decode(ctx)
	if err != nil {
		return nil, invalidImage(err)
	}
	size := p.Luminance().Rect.Size()
	l.note("photo", began, 0, fmt.Sprintf("%d x %d pixels", size.X, size.Y))
	return p, nil
}

func (l look) see(ctx context.Context, r rung, p *photo.Photo) ([]sighting, error) {
	began := time.Now()
	all, err := r.see(ctx, p)
	if len(all) == 0 && err == nil {
		l.note(r.name, began, 0, "nothing")
	}
	for _, sighting := range all {
		l.note(r.name, began, 0, sighting.words)
	}
	return all, err
}

// Report is how a photo was recognized.
type Report struct {
	Answer // as the API gives it
	Steps  []Step
}

// Explain identifies the product on a photo for the owner of an inventory, and tells
// each step. It costs nothing and stores nothing. What a caller of the API would get as
// an error it returns, with the steps until then.
func (s *Service) Explain(ctx context.Context, accountID string, file []byte) (r Report, err error) {
	upload, err := photo.Open(file)
	if err != nil {
		return r, invalidImage(err)
	}
	f, err := s.identify(ctx, look{
		upload: upload, payer: accountID, owner: accountID,
		observer: func(step Step) { r.Steps = append(r.Steps, step) },
	})
	if err != nil {
		return r, err
	}
	return r, s.store.View(ctx, func(tx *db.Tx) error {
		r.Answer, err = f.answer(tx)
		return err
	})
}
