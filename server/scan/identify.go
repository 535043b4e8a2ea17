package scan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/photo"
)

// Step is one step of a recognition, to be shown to people.
type Step struct {
	Name  string
	Took  time.Duration
	Score float64 // of a match, from 0 to 1; 0 if the step matches nothing
	Text  string  // the outcome
}

// observer receives each step; it may be nil.
type observer func(Step)

func (o observer) note(name string, began time.Time, score float64, text string) {
	if o != nil {
		o(Step{Name: name, Took: time.Since(began), Score: score, Text: text})
	}
}

// task is one photo to identify.
type task struct {
	upload *photo.Upload
	payer  string // account, for fair queueing
	owner  string // of the inventory; empty: none
	observer
}

// identify is recognize, with an error for the caller if the time is over.
func (s *Service) identify(ctx context.Context, t task) (found, error) {
	f, err := s.recognize(ctx, t)
	var sorted *fault.Error
	if err != nil && ctx.Err() != nil && !errors.As(err, &sorted) {
		err = &fault.Error{
			Code: fault.Unavailable, Message: "the photo could not be looked at in time; nothing was charged, try again",
			Err: err, RetryAfter: time.Second,
		}
	}
	return f, err
}

// recognize runs the recognizers until one detects an item of the owner's inventory
// (F2). If none does, the last one that can name the product counts: a model's name says
// more than a barcode. The photo is decoded and read by the heavy ones in a turn; others use
// no core, so other photos need not wait for them.
func (s *Service) recognize(ctx context.Context, t task) (found, error) {
	var p *photo.Photo
	result := found{owner: t.owner}
	rest := s.recognizers
	err := s.queue.Do(ctx, fairqueue.Photos, t.payer, func(ctx context.Context) (err error) {
		if p, err = s.decode(ctx, t); err != nil {
			return err
		}
		for ; len(rest) > 0 && rest[0].heavy && result.itemID == "" && err == nil; rest = rest[1:] {
			err = s.apply(ctx, t, rest[0], p, &result)
		}
		return err
	})
	for ; len(rest) > 0 && result.itemID == "" && err == nil; rest = rest[1:] {
		err = s.apply(ctx, t, rest[0], p, &result)
	}
	if err == nil && result.itemID == "" && result.name == "" {
		err = s.notIdentified()
	}
	if err != nil {
		return found{}, err
	}
	return result, nil
}

// apply adds what a recognizer detects to a result.
func (s *Service) apply(ctx context.Context, t task, r recognizer, p *photo.Photo, result *found) error {
	all, err := t.detect(ctx, r, p)
	if err != nil {
		return err
	}
	name := ""
	for _, d := range all {
		result.note(d)
		if result.itemID, err = s.inventories.find(ctx, t.owner, d, t.observer); err != nil || result.itemID != "" {
			return err
		}
		name = cmp.Or(name, d.label)
	}
	result.name = cmp.Or(name, result.name)
	return nil
}

// freeAbove is the memory of a decoding, in bytes, that is given back to the system at once:
// the garbage collector would keep it for minutes in case it is needed again.
const freeAbove = 64 << 20

func (s *Service) decode(ctx context.Context, t task) (*photo.Photo, error) {
	began, needed := time.Now(), t.upload.Memory()
	if err := s.memory.Acquire(ctx, needed); err != nil {
		return nil, err
	}
	defer s.memory.Release(needed)
	if needed > freeAbove {
		defer debug.FreeOSMemory()
	}
	p, err := t.upload.Decode(ctx)
	if err != nil {
		return nil, invalidImage(err)
	}
	size := p.Luminance().Rect.Size()
	t.note("photo", began, 0, fmt.Sprintf("%d x %d pixels", size.X, size.Y))
	return p, nil
}

func (t task) detect(ctx context.Context, r recognizer, p *photo.Photo) ([]detection, error) {
	began := time.Now()
	all, err := r.detect(ctx, p)
	if len(all) == 0 && err == nil {
		t.note(r.name, began, 0, "nothing")
	}
	for _, d := range all {
		t.note(r.name, began, 0, d.summary)
	}
	return all, err
}

// note keeps what a detection has read, for a correction.
func (f *found) note(d detection) {
	f.read = cmp.Or(d.name, f.read)
	if d.label != "" && d.name == "" {
		f.code = cmp.Or(f.code, d.text)
	}
}

// Report tells how a photo was recognized.
type Report struct {
	Answer // as in the API
	Steps  []Step
	Read   string // the name that was read off the photo, if any
	Code   string // the barcode that was read off it, if it is sure
}

// Explain identifies the product on a photo for the owner of an inventory, and reports
// each step. It costs nothing and stores nothing. Its error is the one that a caller of
// the API would get; the report then has the steps so far.
func (s *Service) Explain(ctx context.Context, accountID string, file []byte) (r Report, err error) {
	upload, err := photo.Open(file)
	if err != nil {
		return r, invalidImage(err)
	}
	f, err := s.identify(ctx, task{
		upload: upload, payer: accountID, owner: accountID,
		observer: func(step Step) { r.Steps = append(r.Steps, step) },
	})
	if err != nil {
		return r, err
	}
	r.Read, r.Code = f.read, f.code
	return r, s.store.View(ctx, func(tx *db.Tx) error {
		r.Answer, err = f.answer(tx)
		return err
	})
}
