package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"svc/server/neterr"
)

const (
	// maxAnswer is how much of an answer is read. One of 512 tokens has a few
	// kilobytes; what Ollama knows of a model includes its licence.
	maxAnswer = 4 << 20
	// maxHeader bounds the head of an answer.
	maxHeader = 64 << 10
	// dialTimeout is the time to find out that there is nobody.
	dialTimeout = 5 * time.Second
	// idleTimeout ends connections that nobody has used for a while.
	idleTimeout = 90 * time.Second
)

func newTransport() http.RoundTripper {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// answer is what the transport notes of an answer, because the library tells
// neither the status of a good one nor whether an error is Ollama's.
type answer struct {
	status int // 0 unless the whole of it arrived
	body   []byte
}

type answerKey struct{}

// errorText is what Ollama gives for a reason, in an answer of any status and on
// any of its lines. Empty if it gives none.
func (a *answer) errorText() string {
	lines := json.NewDecoder(bytes.NewReader(a.body))
	for {
		var line struct {
			Error string `json:"error"`
		}
		if err := lines.Decode(&line); err != nil {
			return ""
		}
		if line.Error != "" {
			return line.Error
		}
	}
}

var (
	errTooLong = errors.New("the answer is too long")
	errBroken  = errors.New("the line broke amid the answer")
)

// transport stands between the library and the wire. It reads each answer to its
// end within bounds: the library takes one that breaks off for a whole one.
type transport struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("%w (HTTP %d): %w", errBroken, resp.StatusCode, err)
	}
	if len(body) > maxAnswer {
		return nil, errTooLong
	}
	if seen, ok := r.Context().Value(answerKey{}).(*answer); ok {
		*seen = answer{resp.StatusCode, body}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// unanswered judges a call that brought no whole answer.
func (c *Client) unanswered(ctx context.Context, r Request, err error) error {
	// The outer error has the address in its text, with the name in it.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	switch {
	case ctx.Err() != nil:
		return c.ended(ctx, r, err)
	case errors.Is(err, errTooLong):
		return c.redactor.newError(Malformed, r, err)
	case errors.Is(err, errBroken):
		return c.redactor.newError(CutOff, r, err)
	case neterr.IsBroken(err):
		return c.redactor.newError(Down, r, err)
	}
	return c.redactor.newError(Failed, r, cmp.Or(err, errors.New("nothing came back")))
}

// ended is the error of a question that its context ended. What was under way
// then goes into the cause; if Ollama was busy to the end, that is the reason.
func (c *Client) ended(ctx context.Context, r Request, err error) error {
	cause := neterr.Ended(ctx, err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return c.redactor.newError(Canceled, r, cause)
	case KindOf(err) == Busy:
		return err
	}
	return c.redactor.newError(Slow, r, cause)
}
