package push

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/web"
	"svc/server/zone"
)

// maxRecords bounds the records of a push (seed 8.4).
const maxRecords = 1000

// BodyLimit bounds the body of a push, in bytes (A10).
const BodyLimit = 4 << 20

// API answers POST /data/push and /api/v1/data/push.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API {
	return &API{service: s}
}

// ParseRequest reads and checks the body of a push. Faults of single records are in the
// request; the error is one of the whole.
func ParseRequest(body []byte, owner db.Account, now time.Time) (Request, error) {
	in := web.ReadObject(body)
	if err := in.Err(); err != nil {
		return Request{}, err
	}
	p := &parser{owner: owner, zone: zone.Of(owner.Profile.Timezone), now: now}
	req := Request{Owner: owner}
	decoder := json.NewDecoder(bytes.NewReader(in.Fields["records"]))
	if first, err := decoder.Token(); err != nil || first != json.Delim('[') {
		return Request{}, fault.Invalid("records", "must be an array of objects")
	}
	for decoder.More() {
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return Request{}, fault.Invalid("records", "is not valid JSON")
		}
		if req.Received == maxRecords {
			return Request{}, fault.Invalid("records", fmt.Sprintf("must have at most %d entries", maxRecords))
		}
		if err := p.add(&req, raw); err != nil {
			return Request{}, err
		}
	}
	req.Warnings = p.warnings
	return req, nil
}

// add adds a record or its fault to a request.
func (p *parser) add(req *Request, raw []byte) error {
	rec, err := p.record(req.Received, raw)
	if err == nil {
		req.Records = append(req.Records, rec)
	} else {
		refused, err := refusalOf(req.Received, err)
		if err != nil {
			return err
		}
		req.Errors = append(req.Errors, refused)
	}
	req.Received++
	return nil
}

// answer is the body of I2.
type answer struct {
	SyncID    string        `json:"sync_id"`
	Received  int           `json:"received"`
	Inserted  int           `json:"inserted"`
	Updated   int           `json:"updated"`
	Unchanged int           `json:"unchanged"`
	Rejected  int           `json:"rejected"`
	Errors    []RecordError `json:"errors"`

	Warnings []RecordWarning `json:"warnings,omitempty"`
	DryRun   bool            `json:"dry_run,omitempty"`   // nothing was stored
	TestMode bool            `json:"test_mode,omitempty"` // a test key's records are stored, too (J2)
}

// Push is POST /data/push.
func (a *API) Push(w *web.Response, r *http.Request, c gate.Caller, body []byte) error {
	owner, now, err := a.service.Owner(r.Context(), c.AccountID)
	if err != nil {
		return err
	}
	req, err := a.service.Parse(r.Context(), body, owner, now)
	if err != nil {
		return err
	}
	if req.DryRun, err = isDryRun(r); err != nil {
		return err
	}
	req.Test, req.Actor = c.Test(), c.KeyID

	result, err := a.service.Push(r.Context(), req)
	if err != nil {
		return err
	}
	if n := len(result.Errors); n > 0 && n == result.Received {
		return refusal(result)
	}

	return w.JSON(http.StatusOK, answer{
		SyncID: result.SyncID, Received: result.Received,
		Inserted: result.Inserted, Updated: result.Updated, Unchanged: result.Unchanged,
		Rejected: len(result.Errors), Errors: result.Errors,
		Warnings: req.Warnings, DryRun: req.DryRun, TestMode: req.Test,
	})
}

// isDryRun reports whether the query asks for a dry run.
func isDryRun(r *http.Request) (bool, error) {
	switch r.URL.Query().Get("dry_run") {
	case "", "0", "false":
		return false, nil
	case "1", "true":
		return true, nil
	}
	return false, fault.Invalid("dry_run", "must be 1 or 0")
}

// refusal is the answer if every record is at fault.
func refusal(r Result) error {
	first := r.Errors[0]
	e := fault.Invalid("records", fmt.Sprintf("all records were refused (%d); the first: %s: %s", r.Received, first.Field, first.Error))
	e.Details = map[string]any{"errors": r.Errors}
	return e
}
