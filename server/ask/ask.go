// Package ask answers business questions with figures that are computed from the
// account's own rows: POST /api/v1/ask (seed 4.1).
//
// A question becomes a plan (package read, or a model under the same rules), the plan
// becomes SQL and exact figures (compute), and the figures become an answer (tell). This
// package brings them together: whose data there are (library.go), what a request may
// say (api.go), and what a model may do, which is to choose what is computed and to word
// it, and never to change a number (H1, model.go).
package ask

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/catalog"
)

// Service answers questions.
type Service struct {
	Store *db.DB
	Data  Data
	Clock func() time.Time
	// Model helps to understand and to word; the zero value is none (H2).
	Model Model

	library library
}

// Data is what accounts can be asked about, and where it stands.
type Data interface {
	// Stamp is another one whenever what Find and Shop would say may be another.
	Stamp(ctx context.Context, owner db.Account, id string) (string, error)
	// Find is one of the account's datasets, or the latest where id is empty, else
	// db.ErrNotFound.
	Find(ctx context.Context, accountID, id string) (catalog.Source, error)
	// Shop is what the account's own tables hold; their rows are asked of the store.
	Shop(ctx context.Context, owner db.Account) ([]catalog.Source, error)
	// Open opens the rows of a dataset. Who opens it closes it.
	Open(source catalog.Source) (*db.DataFile, error)
}

// ComputeTime bounds the work on one question, a model's answers aside.
const ComputeTime = 15 * time.Second

// Question is what is asked.
type Question struct {
	Text     string
	CFO      bool      // words for a finance department (H6)
	Simulate bool      // the change that the question states is a simulation (H6)
	Explain  bool      // with plan, SQL and rows (H10)
	Today    time.Time // zero: the day it is in the account's zone (H8)
	Dataset  string    // id; empty: the latest (H3)
}

// Answer answers a question from the account's data. That it cannot be answered is an
// answer, too (H5). db.ErrNotFound: the account has no such dataset.
func (s *Service) Answer(ctx context.Context, owner db.Account, q Question) (tell.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, ComputeTime+s.Model.Timeout)
	defer cancel()

	shelf, err := s.library.open(ctx, s.Data, owner, q.Dataset)
	if err != nil {
		return tell.Answer{}, err
	}
	o := s.options(owner, q)
	o.Reads = func(text string) bool {
		_, err := shelf.reader.Read(text, o.Today)
		return err == nil
	}
	reading, err := s.read(ctx, shelf, q, o.Today)
	var refusal *read.Refusal
	if errors.As(err, &refusal) {
		return tell.Refuse(refusal, o), nil
	}
	if err != nil {
		return tell.Answer{}, err
	}
	result, err := s.compute(ctx, reading)
	if err != nil {
		return tell.Answer{}, err
	}
	return s.Model.word(ctx, q, tell.Tell(result, reading, o), result), nil
}

// options are those of the teller. The day is the account's own.
func (s *Service) options(owner db.Account, q Question) tell.Options {
	o := tell.Options{
		Today: q.Today, Currency: owner.Profile.Currency, CFO: q.CFO, Simulate: q.Simulate, Explain: q.Explain,
	}
	if o.Today.IsZero() {
		zone, err := time.LoadLocation(owner.Profile.Timezone)
		if err != nil {
			zone = time.UTC
		}
		o.Today = s.Clock().In(zone)
	}
	return o
}

// read understands the question, with the model's help where it does not (H2).
func (s *Service) read(ctx context.Context, shelf *shelf, q Question, today time.Time) (read.Reading, error) {
	reading, err := shelf.reader.Read(q.Text, today)
	if guess, ok := s.Model.read(ctx, q, today, err); ok {
		return guess, nil
	}
	return reading, err
}

// compute asks the rows: of a dataset its file, of the shop the store.
func (s *Service) compute(ctx context.Context, reading read.Reading) (r compute.Result, err error) {
	if !isDataset(reading.Source) {
		return compute.Run(ctx, s.Store, reading.Source, reading.Plan)
	}
	file, err := s.Data.Open(reading.Source)
	if err != nil {
		return r, err
	}
	r, err = compute.Run(ctx, file, reading.Source, reading.Plan)
	return r, errors.Join(err, file.Close())
}
