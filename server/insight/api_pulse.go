package insight

import (
	"context"
	"net/http"

	"svc/db"
	"svc/server/gate"
	"svc/server/web"
)

// pulseAnswer is the body of GET /pulse (J3).
type pulseAnswer struct {
	AsOf      web.Time        `json:"as_of"`
	Currency  string          `json:"currency"`
	Period    *spanAnswer     `json:"period"`
	Health    healthAnswer    `json:"health"`
	KPIs      []Card          `json:"kpis"`
	Freshness freshnessAnswer `json:"freshness"`
}

type spanAnswer struct {
	From string `json:"from"`
	To   string `json:"to"`
}

type healthAnswer struct {
	Score   *int           `json:"score"`
	Band    Band           `json:"band"`
	Drivers []driverAnswer `json:"drivers"`
}

// driverAnswer is an open alert with what it takes off the score.
type driverAnswer struct {
	AlertID string `json:"alert_id"`
	Kind    string `json:"kind"`
	Verdict string `json:"verdict"`
	Title   string `json:"title"`
	Points  int    `json:"points"`
	Figure  string `json:"figure"`
	Rule    string `json:"rule"`
}

type freshnessAnswer struct {
	Source     *string   `json:"source"`
	NewestSale *web.Time `json:"newest_sale"`
	NewestDay  *string   `json:"newest_day"`
	AgeDays    *int      `json:"age_days"`
	StaleAfter *int      `json:"stale_after_days"`
	Stale      *bool     `json:"stale"`
}

// PulseAnswer returns a pulse as the API writes it.
func PulseAnswer(p Pulse) any {
	a := pulseAnswer{AsOf: web.Time(p.AsOf), Currency: p.Currency, KPIs: p.Cards()}
	if p.Period != nil {
		a.Period = &spanAnswer{name(p.Period.From), name(p.Period.To)}
	}
	a.Health = healthAnswer{Score: p.Health.Score, Band: p.Health.Band, Drivers: []driverAnswer{}}
	for _, d := range p.Health.Drivers {
		a.Health.Drivers = append(a.Health.Drivers, driverAnswer{d.ID, d.Kind, d.Verdict, d.Title, d.Points, d.Figure, d.Rule})
	}
	if f := p.Freshness; f.NewestDay != "" {
		a.Freshness = freshnessAnswer{
			Source: &f.Source, NewestSale: web.NullTime(f.NewestAt), NewestDay: &f.NewestDay, AgeDays: &f.AgeDays,
			StaleAfter: &f.StaleAfter, Stale: &f.Stale,
		}
	}
	return a
}

// briefAnswer is the body of GET /brief (J3).
type briefAnswer struct {
	Brief
	GeneratedAt web.Time `json:"generated_at"`
}

// BriefAnswer returns a brief as the API writes it.
func BriefAnswer(b Brief) any { return briefAnswer{b, web.Time(b.GeneratedAt)} }

// Pulse is GET /pulse.
func (a *API) Pulse(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
	return answerWith(w, r, a.service, c, (*Service).Pulse, PulseAnswer)
}

// Brief is GET /brief.
func (a *API) Brief(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
	return answerWith(w, r, a.service, c, (*Service).Brief, BriefAnswer)
}

// answerWith answers with what a method returns for the caller's account.
func answerWith[T any](
	w *web.Response, r *http.Request, s *Service, c gate.Caller, get func(*Service, context.Context, db.Account) (T, error), form func(T) any,
) error {
	owner, err := s.owner(r.Context(), c.AccountID)
	if err != nil {
		return err
	}
	found, err := get(s, r.Context(), owner)
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, form(found))
}
