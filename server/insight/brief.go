package insight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Brief is the report on a shop that its owner reads in the morning (J3). It is made of
// computed figures only: no sentence is without one.
type Brief struct {
	ID          *string   `json:"id"`     // null: made for this answer and not stored
	Period      string    `json:"period"` // the day that it reports on, YYYY-MM-DD
	GeneratedAt time.Time `json:"generated_at"`
	Currency    string    `json:"currency"`
	Headline    string    `json:"headline"`
	Sections    []Section `json:"sections"`
	Actions     []string  `json:"actions"` // what the open alerts ask for, the gravest first
	KPIs        []Card    `json:"kpis"`
}

// Section is a part of a brief.
type Section struct {
	Title string `json:"title"`
	Text  string `json:"text"`
}

// Brief returns the brief of today, as it was stored at 07:00, or made now if it is not yet.
func (s *Service) Brief(ctx context.Context, owner db.Account) (b Brief, err error) {
	sh, err := s.lookAt(ctx, owner)
	if err != nil {
		return b, err
	}
	stored, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.Brief, error) { return tx.BriefOf(owner.ID, name(sh.today)) })
	if errors.Is(err, db.ErrNotFound) {
		return s.makeBrief(ctx, owner)
	}
	if err != nil {
		return b, err
	}
	if err := json.Unmarshal(stored.Body, &b); err != nil {
		return b, fmt.Errorf("brief %s: %w", stored.ID, err)
	}
	b.ID = &stored.ID
	return b, nil
}

// Morning is the brief of the day as a person reads it: what was stored in the morning, or
// what it would say now, if data that came since have changed it.
type Morning struct {
	Brief
	Stored  time.Time // when that of the morning was made; zero if it is not yet
	Changed bool      // Brief is of now
}

// Morning returns the brief of today for a person. What was stored, announced and is answered
// by the API stays as it was.
func (s *Service) Morning(ctx context.Context, owner db.Account) (m Morning, err error) {
	if m.Brief, err = s.Brief(ctx, owner); err != nil || m.ID == nil {
		return m, err
	}
	m.Stored = m.GeneratedAt
	now, err := s.makeBrief(ctx, owner)
	if err == nil && !now.says(m.Brief) {
		m.Brief, m.Changed = now, true
	}
	return m, err
}

// says reports whether two briefs have the same sentences.
func (b Brief) says(other Brief) bool {
	return b.Headline == other.Headline && slices.Equal(b.Sections, other.Sections) && slices.Equal(b.Actions, other.Actions)
}

// makeBrief writes a brief from the figures of now. It stores nothing.
func (s *Service) makeBrief(ctx context.Context, owner db.Account) (Brief, error) {
	b, err := s.writeBrief(ctx, owner)
	if errors.Is(err, db.ErrNotFound) { // an import may have exchanged the rows meanwhile
		b, err = s.writeBrief(ctx, owner)
	}
	return b, err
}

func (s *Service) writeBrief(ctx context.Context, owner db.Account) (Brief, error) {
	sh, err := s.lookAt(ctx, owner)
	if err != nil {
		return Brief{}, err
	}
	w := &writer{service: s, ctx: ctx, sources: sh}
	if w.pulse, err = s.pulseOf(ctx, sh); err != nil {
		return Brief{}, err
	}
	b := Brief{
		Period: name(sh.today.AddDate(0, 0, -1)), GeneratedAt: sh.now.UTC(), Currency: w.pulse.Currency,
		Sections: []Section{}, Actions: []string{}, KPIs: w.pulse.Cards(),
	}
	if sh.sales != nil {
		b.Period = name(sh.week().To)
	}
	latest := "Yesterday"
	if sh.freshness.Stale {
		latest = "Newest sale"
	}
	for _, part := range []struct {
		title     string
		sentences func() ([]string, error)
	}{
		{latest, w.yesterday}, {w.weekName(), w.lastWeek}, {"Money", w.finances}, {"Stock", w.inventory}, {"Customers", w.customers},
	} {
		sentences, err := part.sentences()
		if err != nil {
			return Brief{}, err
		}
		if text := joined(sentences); text != "" {
			b.Sections = append(b.Sections, Section{part.title, text})
		}
	}
	for _, a := range w.pulse.Health.Drivers {
		if a.Status == "firing" {
			b.Actions = append(b.Actions, actionOf(a))
		}
	}
	b.Headline = w.headline(len(b.Actions))
	return b, nil
}

// writer is the state of writing one brief.
type writer struct {
	service *Service
	sources
	ctx   context.Context
	pulse Pulse
}

// compute runs plans over a source.
func (w *writer) compute(source schema.Source, plans ...plan.Plan) ([]compute.Result, error) {
	return w.service.Books.Compute(w.ctx, w.owner, source, plans...)
}

// ranking returns a plan for the first groups of the sales by a role's column, and by
// revenue; false if no column has the role.
func (w *writer) ranking(role schema.Role, over Span, limit int) (plan.Plan, bool) {
	c, ok := w.sales.ByRole(role)
	if !ok && role == schema.Product {
		c, ok = w.sales.ByRole(schema.SKU)
	}
	return plan.Plan{
		Source: w.sales.ID, Measures: []plan.Measure{{Metric: plan.Revenue}}, By: []plan.Dimension{{Column: c.Heading}},
		Period: over.period(), Order: plan.Highest, Limit: limit,
	}, ok
}

// joined returns sentences in one text, without those that are empty.
func joined(sentences []string) (text string) {
	for _, s := range sentences {
		if s != "" && text != "" {
			text += " "
		}
		text += s
	}
	return text
}
