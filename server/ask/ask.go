// Package ask answers business questions with figures that are computed from the
// account's own rows: POST /api/v1/ask (seed 4.1).
//
// A question becomes a plan (package read, or a model under the same rules), the plan
// becomes SQL and exact figures (compute), and the figures become an answer (tell). This
// package joins them: which data an account has (readers.go), the request and the answer
// over HTTP (api.go), and the model (model.go), which may choose what is computed and word
// the answer, but never change a number (H1).
package ask

import (
	"context"
	"errors"
	"slices"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/fairqueue"
	"svc/server/schema"
	"svc/server/zone"
)

// Service answers questions.
type Service struct {
	store   *db.DB
	data    Data
	clock   func() time.Time
	model   Model
	readers *readerCache
	queue   *fairqueue.Queue // a computation keeps a core busy
	own     own
}

// Config are the dependencies of a Service.
type Config struct {
	Store *db.DB
	Data  Data
	Clock func() time.Time
	Model Model            // the zero value: no model (H2)
	Queue *fairqueue.Queue // of all heavy work
}

// New returns a service.
func New(c Config) *Service {
	return &Service{
		store: c.Store, data: c.Data, clock: c.Clock, model: c.Model,
		readers: newReaderCache(c.Data),
		queue:   c.Queue,
		own:     newOwn(),
	}
}

// Data is the source of what accounts can be asked about.
type Data interface {
	// Versions returns version tokens; when one changes, cached results of Find and Shop
	// are stale.
	Versions(ctx context.Context, owner db.Account, id string) (dataset, shop string, err error)
	// Find returns one of the account's datasets, or the one in use if id is empty; else
	// db.ErrNotFound.
	Find(ctx context.Context, accountID, id string) (schema.Source, error)
	// Shop describes the account's own tables; their rows are queried from the store.
	Shop(ctx context.Context, owner db.Account) ([]schema.Source, error)
	// Open opens the rows of a dataset. The caller closes it.
	Open(source schema.Source) (*db.DataFile, error)
}

// ComputeTime bounds the work on one question, without a model's time.
const ComputeTime = 15 * time.Second

// Question is a question with its options.
type Question struct {
	Text     string
	CFO      bool      // wording for a finance department (H6)
	Simulate bool      // the question's change is a simulation (H6)
	Explain  bool      // answer with plan, SQL and rows (H10)
	Today    time.Time // zero: today in the account's time zone (H8)
	Dataset  string    // id or name; empty: the one in use, else the newest (H3)
	Shop     bool      // of the shop's own tables alone
	Alone    bool      // without a model
}

// Metrics returns the names of the figures that a whole source has, which a word may be
// taught to mean (schema.Word).
func Metrics() (names []string) {
	for _, m := range plan.Metrics {
		if !m.OfColumn() {
			names = append(names, string(m))
		}
	}
	return names
}

// Answer answers a question from the account's data. A question that cannot be answered
// gets an answer that says so (H5). The error is db.ErrNotFound if the account has no such
// dataset.
func (s *Service) Answer(ctx context.Context, owner db.Account, q Question) (tell.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, ComputeTime+s.model.Timeout)
	defer cancel()

	told, err := s.answer(ctx, owner, q)
	if errors.Is(err, db.ErrNotFound) { // an import may have exchanged the rows meanwhile
		told, err = s.answer(ctx, owner, q)
	}
	return told, err
}

// answer is one try of Answer. The error is db.ErrNotFound also if the rows are exchanged
// after the question was read.
func (s *Service) answer(ctx context.Context, owner db.Account, q Question) (tell.Answer, error) {
	o := s.options(owner, q)
	entry, err := s.readers.get(ctx, owner, q.Dataset, q.Shop)
	if errors.Is(err, context.DeadlineExceeded) {
		return tell.Refuse(tooSlow("Your data are still being read. Please ask again in a minute."), o), nil
	}
	if err != nil {
		return tell.Answer{}, err
	}
	var told tell.Answer
	err = s.queue.Do(ctx, fairqueue.Questions, owner.ID, func(ctx context.Context) (err error) {
		told, err = s.answerWith(ctx, owner, entry, q, o)
		return err
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return tell.Refuse(tooSlow(tooLong), o), nil
	}
	return told, err
}

// answerWith reads the question, computes and words the answer, in a turn of ctx.
func (s *Service) answerWith(ctx context.Context, owner db.Account, entry *cacheEntry, q Question, o tell.Options) (tell.Answer, error) {
	o.Reads = func(text string) bool { return entry.reads(ctx, text, o.Today) != nil }
	reading, model, err := s.read(ctx, entry, q, o.Today)
	var refusal *read.Refusal
	if errors.As(err, &refusal) {
		return tell.Refuse(refusal, o), nil
	}
	if err != nil {
		return tell.Answer{}, err
	}
	o.Reads = func(text string) bool { // and asks for something else
		p := entry.reads(ctx, text, o.Today)
		return p != nil && !plan.Same(*p, reading.Plan, reading.Source)
	}
	o.Loses = func(g compute.Group) bool { return s.loses(ctx, owner, reading, g) }
	result, err := s.compute(ctx, owner, reading)
	if err != nil {
		return tell.Answer{}, err
	}
	told := tell.Tell(result, reading, o)
	if reading.Next == nil {
		return model.reword(ctx, q, told, result), nil
	}
	next, err := s.compute(ctx, owner, *reading.Next)
	if err != nil {
		return tell.Answer{}, err
	}
	return tell.Join(told, tell.Tell(next, *reading.Next, o)), nil
}

// options returns the options of the wording. The day is in the account's time zone.
func (s *Service) options(owner db.Account, q Question) tell.Options {
	o := tell.Options{Today: q.Today, Currency: owner.Profile.Currency, CFO: q.CFO, Simulate: q.Simulate, Explain: q.Explain}
	if o.Today.IsZero() {
		o.Today = s.clock().In(zone.Of(owner.Profile.Timezone))
	}
	return o
}

// read understands the question, with the model's help if the built-in reader is not sure
// (H2). The returned model words the answer.
func (s *Service) read(ctx context.Context, entry *cacheEntry, q Question, today time.Time) (read.Reading, Model, error) {
	own, failed := entry.reader.ReadContext(ctx, q.Text, today)
	if ctx.Err() != nil {
		return own, Model{}, ctx.Err()
	}
	if failed == nil && own.Next != nil { // two questions, of which a model makes one plan
		return own, Model{}, errors.Join(checkOneCurrency(own), checkOneCurrency(*own.Next))
	}
	helper := s.model
	if q.Alone {
		helper = Model{}
	}
	reading, model, err := helper.help(ctx, entry.reader, q, today, own, failed)
	if err != nil {
		return reading, model, err
	}
	return reading, model, checkOneCurrency(reading)
}

// compute runs a reading's plan.
func (s *Service) compute(ctx context.Context, owner db.Account, reading read.Reading) (r compute.Result, err error) {
	err = s.over(ctx, owner, reading.Source, func(ctx context.Context, t compute.Table) (err error) {
		r, err = compute.Run(ctx, t, reading.Source, reading.Plan)
		return err
	})
	return r, err
}

// loses reports whether a group of a reading's ranking makes a loss, as far as the data tell.
func (s *Service) loses(ctx context.Context, owner db.Account, reading read.Reading, g compute.Group) bool {
	p, profit := reading.Plan, plan.Measure{Metric: plan.Profit}
	if _, err := plan.FormulaOf(reading.Source, profit); err != nil || len(p.By) != 1 || p.By[0].Part != plan.Whole {
		return false
	}
	ofGroup := plan.Filter{Column: p.By[0].Column, Op: plan.In, Values: g.Labels}
	reading.Plan = plan.Plan{
		Source: p.Source, Measures: []plan.Measure{profit}, Where: append(slices.Clone(p.Where), ofGroup), Period: p.Period, On: p.On, Day: p.Day,
	}
	r, err := s.compute(ctx, owner, reading)
	return err == nil && r.Total.Now[0] != nil && r.Total.Now[0].Sign() < 0
}

// over runs fn over one state of a source's rows: a dataset's file, or the store for the
// shop's tables. Accounts take turns.
func (s *Service) over(ctx context.Context, owner db.Account, source schema.Source, fn func(context.Context, compute.Table) error) error {
	ctx, cancel := context.WithTimeout(ctx, ComputeTime)
	defer cancel()
	return s.queue.Do(ctx, fairqueue.Questions, owner.ID, func(ctx context.Context) error {
		if !isDataset(source) {
			return s.store.Snapshot(ctx, func(shop db.Querier) error { return fn(ctx, shop) })
		}
		file, err := s.data.Open(source)
		if err != nil {
			return err
		}
		return errors.Join(fn(ctx, file), file.Close())
	})
}

const tooLong = "This takes too long to compute. Please ask about a shorter time, or for fewer groups."

// tooSlow returns the refusal of a question that cannot be answered in time.
func tooSlow(sentence string) *read.Refusal {
	return &read.Refusal{Reason: read.NoData, Sentence: sentence}
}

// checkOneCurrency refuses to add up amounts of several currencies.
func checkOneCurrency(reading read.Reading) error {
	if !reading.Source.Mixed {
		return nil
	}
	for _, m := range reading.Plan.Measures {
		if f, err := plan.FormulaOf(reading.Source, m); err == nil && f.Unit == schema.Money {
			return &read.Refusal{Reason: read.Missing, Source: reading.Source, Sentence: "The amounts in " + reading.Source.Name +
				" are in several currencies, which cannot be added up. Import each currency as a file of its own."}
		}
	}
	return nil
}
