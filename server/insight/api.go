package insight

import (
	"encoding/json"
	"net/http"

	"svc/server/gate"
	"svc/server/web"
)

// API answers GET /alerts, /pulse and /brief.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }

// listedAlert is an alert of GET /alerts (J3).
type listedAlert struct {
	ID        string          `json:"id"`
	Kind      string          `json:"kind"`
	Verdict   string          `json:"verdict"`
	Status    string          `json:"status"`
	Title     string          `json:"title"`
	Detail    string          `json:"detail"`
	Evidence  json.RawMessage `json:"evidence"`
	FirstSeen web.Time        `json:"first_seen"`
	LastSeen  web.Time        `json:"last_seen"`
}

type alertsAnswer struct {
	Alerts []listedAlert `json:"alerts"`
}

// Alerts is GET /alerts.
func (a *API) Alerts(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
	owner, err := a.service.owner(r.Context(), c.AccountID)
	if err != nil {
		return err
	}

	all, err := a.service.Alerts(r.Context(), owner)
	if err != nil {
		return err
	}

	answer := alertsAnswer{Alerts: []listedAlert{}}
	for _, one := range all {
		answer.Alerts = append(answer.Alerts, listedAlert{
			ID: one.ID, Kind: one.Kind, Verdict: one.Verdict, Status: one.Status, Title: one.Title, Detail: one.Detail,
			Evidence: one.Evidence, FirstSeen: web.Time(one.FirstSeen), LastSeen: web.Time(one.LastSeen),
		})
	}
	return w.JSON(http.StatusOK, answer)
}
