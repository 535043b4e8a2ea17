package ask

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"svc/db"
	"svc/server/ask/tell"
	"svc/server/gate"
	"svc/server/web"
)

// maxQuestion is in code points (seed 8.2).
const maxQuestion = 2000

// Request is a checked request.
type Request struct {
	Question Question
	// Context has the pairs that a generic-mode key is answered from (seed 2.4a).
	Context map[string]json.RawMessage
}

// CheckQuestion returns the question, or the error that the API would answer with.
func CheckQuestion(text string) (string, error) {
	body, err := json.Marshal(map[string]string{"question": text})
	if err != nil {
		return "", err
	}
	in := web.ReadObject(body)
	return in.Text("question", maxQuestion), in.Err()
}

// ParseRequest reads and checks the body. Errors name their field. The context of an
// account-mode key is ignored, valid or not (H3).
func ParseRequest(c gate.Caller, body []byte) (req Request, err error) {
	in, q := web.ReadObject(body), &req.Question
	q.Text = in.Text("question", maxQuestion)
	if c.Mode == db.GenericMode {
		req.Context = in.Object("context").Fields
	}
	options := in.Object("options")
	q.CFO, q.Simulate, q.Explain = options.Flag("cfo_mode"), options.Flag("simulate_mode"), options.Flag("explain")
	return req, in.Err()
}

// answer is the body of seed 2.4.
type answer struct {
	tell.Answer
	Meta meta `json:"meta"`
}

type meta struct {
	Model             string `json:"model"`
	LatencyMs         int64  `json:"latency_ms"`
	RequestsRemaining any    `json:"requests_remaining"`
}

// modelName is the model in meta, whatever engine answered (H3).
const modelName = "askbiz-v1"

// API is the service's front end over HTTP.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{service: s} }

// Ask handles POST /api/v1/ask and /ask, which differ in their limits (J1). Test keys get real answers (seed 5.6).
func (a *API) Ask(w *web.Response, r *http.Request, c gate.Caller, body []byte) error {
	began := time.Now()
	req, err := ParseRequest(c, body)
	if err != nil {
		return err
	}

	var answered tell.Answer
	if c.Mode == db.GenericMode {
		answered, err = a.service.fromContext(r.Context(), c.AccountID, req)
	} else {
		answered, err = a.service.ofAccount(r.Context(), c.AccountID, req.Question)
	}
	if err != nil {
		return err
	}

	return w.JSON(http.StatusOK, answer{answered, meta{
		Model: modelName, LatencyMs: int64(math.Ceil(float64(time.Since(began)) / 1e6)), RequestsRemaining: remaining(c),
	}})
}

// remaining returns what the key has left this month, after this call (H3).
func remaining(c gate.Caller) any {
	if c.Left == db.Unlimited {
		return "unlimited"
	}
	return c.Left
}

// ofAccount answers from the data of the key's account.
func (s *Service) ofAccount(ctx context.Context, accountID string, q Question) (tell.Answer, error) {
	owner, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.Account, error) { return tx.Account(accountID) })
	if err != nil {
		return tell.Answer{}, err
	}
	return s.Answer(ctx, owner, q)
}
