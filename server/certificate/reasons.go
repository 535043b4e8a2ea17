package certificate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"

	"svc/server/redact"
)

// maxAnswer bounds what is read of an answer, in bytes. A chain of certificates takes about 6 KB.
const maxAnswer = 1 << 20

// clean makes the words of a CA fit for a log and a page.
var clean = redact.New(500)

// reasons reads the answers of the CA on their way to autocert, which drops why a challenge or a
// renewal failed. It logs each reason, and knows the last ones of each domain.
type reasons struct {
	log *slog.Logger

	mu sync.Mutex
	of map[string][]string // by domain
}

func newReasons(log *slog.Logger) *reasons { return &reasons{log: log, of: map[string][]string{}} }

// problem is a problem document of a CA (RFC 8555, 6.7).
type problem struct {
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// badNonce is answered in the ordinary course, and the call is made again.
const badNonce = "urn:ietf:params:acme:error:badNonce"

// authorization is a domain with its challenges, some of which may have failed (RFC 8555, 7.1.4).
type authorization struct {
	Identifier struct{ Value string }
	Challenges []struct {
		Type  string
		Error *problem
	}
}

// RoundTrip implements http.RoundTripper.
func (r *reasons) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		r.log.Warn("the CA was not reached", "host", request.URL.Host, "cause", err)
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	r.read(response.StatusCode, body)
	return response, nil
}

// read notes what an answer says of failures. Answers that are no JSON say nothing.
func (r *reasons) read(status int, body []byte) {
	if status >= http.StatusBadRequest {
		var p problem
		if json.Unmarshal(body, &p) == nil && p.Type != badNonce {
			r.log.Warn("the CA refused", "status", status, "type", clean.Clean(p.Type), "cause", clean.Clean(p.Detail))
		}
		return
	}
	var a authorization
	if json.Unmarshal(body, &a) != nil {
		return
	}
	for _, c := range a.Challenges {
		if c.Error != nil {
			r.note(a.Identifier.Value, clean.Clean(c.Type+": "+c.Error.Detail))
		}
	}
}

// note stores why a challenge failed. The CA says so as often as it is asked.
func (r *reasons) note(domain, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.of[domain], reason) {
		return
	}
	r.log.Warn("the CA could not check a domain", "domain", clean.Clean(domain), "cause", reason)
	if domain != "" && len(r.of[domain]) < 4 {
		r.of[domain] = append(r.of[domain], reason)
	}
}

func (r *reasons) forget(domain string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.of, domain)
}

// explain puts the reasons of a domain, if there are any, before an error.
func (r *reasons) explain(domain string, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.of[domain]) == 0 {
		return err
	}
	return fmt.Errorf("%s (%w)", strings.Join(r.of[domain], "; "), err)
}
