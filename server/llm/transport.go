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
	// maxAnswer bounds the body of an answer. 512 tokens are a few kilobytes; the
	// answer of /api/show includes the model's licence.
	maxAnswer = 4 << 20
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// dialTimeout bounds the connecting, and the TLS handshake.
	dialTimeout = 5 * time.Second
	// idleTimeout closes unused connections.
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

// response is the HTTP response as the transport saw it. The library reports neither
// the status of a success nor whether an error came from Ollama.
type response struct {
	status int // 0 unless the response arrived completely
	body   []byte
}

type responseKey struct{}

// errorText returns Ollama's error message, or "". A response of any status may have
// one, on any of its lines.
func (a *response) errorText() string {
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
	errBroken  = errors.New("the connection broke during the answer")
)

// transport reads each response to its end, within bounds, before the library sees it:
// the library accepts one that breaks off as complete.
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
	if got, ok := r.Context().Value(responseKey{}).(*response); ok {
		*got = response{resp.StatusCode, body}
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

// transportError returns the *Error for a call without a complete response.
func (c *Client) transportError(ctx context.Context, r Request, err error) error {
	// The text of the outer error has the address, with the user name.
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err
	}
	switch {
	case ctx.Err() != nil:
		return c.contextError(ctx, r, err)
	case errors.Is(err, errTooLong):
		return c.redactor.newError(Malformed, r, err)
	case errors.Is(err, errBroken):
		return c.redactor.newError(CutOff, r, err)
	case neterr.IsBroken(err):
		return c.redactor.newError(Down, r, err)
	}
	return c.redactor.newError(Failed, r, cmp.Or(err, errors.New("no response")))
}

// contextError returns the *Error of a question that its context ended. err is what
// failed then; if Ollama was busy until the end, err is returned.
func (c *Client) contextError(ctx context.Context, r Request, err error) error {
	cause := neterr.Ended(ctx, err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return c.redactor.newError(Canceled, r, cause)
	case KindOf(err) == Busy:
		return err
	}
	return c.redactor.newError(Slow, r, cause)
}
