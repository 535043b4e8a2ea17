package carrier

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"

	"svc/server/neterr"
	"svc/server/redact"
)

const (
	// callTimeout bounds a call from the name look-up to the last byte of the
	// answer (G4).
	callTimeout = 10 * time.Second
	// maxAnswer is how much of an answer is read. No provider needs more.
	maxAnswer = 64 << 10
	// idleTimeout is short, since a connection that the provider has closed in
	// the meantime costs a message.
	idleTimeout = 30 * time.Second

	mayBeSent = "; the message may have been sent"
)

// outgoing is one POST in the shape that a provider wants. Its header must not
// have an Idempotency-Key or X-Idempotency-Key: net/http takes a POST with one
// for repeatable and would send it twice (G1).
type outgoing struct {
	url    *url.URL
	header http.Header
	body   []byte
}

// answer is what a provider's JSON comes down to. Fields that it lacks are empty.
type answer struct {
	id     string // the provider's id of an accepted message
	reason string // the provider's words for a refusal
	code   string // its number for the same
}

// poster makes the one request of a Send and judges its outcome. Each carrier
// owns one, with its connections.
type poster struct {
	provider  string
	redact    redact.Redactor
	dialer    *dialer
	transport *http.Transport
}

func newPoster(provider string, secrets ...string) *poster {
	d := &dialer{dial: new(net.Dialer).DialContext}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)

	return &poster{
		provider: provider,
		redact:   newRedactor(secrets...),
		dialer:   d,
		transport: &http.Transport{
			// No proxy, not even that of the environment: its own failures would
			// read as the provider's, and bytes written to it say nothing about
			// what the provider got.
			Proxy:          nil,
			DialContext:    d.dialPlain,
			DialTLSContext: d.dialTLS,
			Protocols:      protocols,
			// An answer in plain length tells whether its end is missing.
			DisableCompression:     true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxAnswer,
		},
	}
}

// post sends the request once and returns the id that read finds in the answer,
// or an *Error. It goes to the transport and past http.Client, which would follow
// redirects and put the address into its errors. The transport by itself repeats
// a request only if a reused connection took no byte of it.
func (p *poster) post(ctx context.Context, out outgoing, read func([]byte) (answer, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	var w wire
	req, err := newRequest(httptrace.WithClientTrace(ctx, w.trace()), out)
	if err != nil {
		return "", p.misconfigured("its address is not valid")
	}
	resp, err := p.transport.RoundTrip(req)
	if err != nil && w.wrote() {
		return "", p.broken(neterr.Ended(ctx, err))
	}
	if err != nil {
		return "", p.unreached(neterr.Ended(ctx, err))
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", p.broken(neterr.Ended(ctx, err))
	}
	return p.judge(resp.StatusCode, body, read)
}

// newRequest moves user and password from the address into the header, as
// http.Client would have done.
func newRequest(ctx context.Context, out outgoing) (*http.Request, error) {
	bare := *out.url
	bare.User = nil
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, bare.String(), bytes.NewReader(out.body))
	if err != nil {
		return nil, err
	}

	for name, values := range out.header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "svc")
	if user := out.url.User; user != nil && req.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	return req, nil
}

// judge draws the outcome from an answer that was read to its end.
func (p *poster) judge(status int, body []byte, read func([]byte) (answer, error)) (string, error) {
	a, err := read(body)
	if err == nil && a.id != "" && status >= 200 && status <= 299 {
		return a.id, nil
	}
	e := p.refused(status, a, err)
	e.Status = status
	return "", e
}

// refused words an answer that is no confirmation.
func (p *poster) refused(status int, a answer, err error) *Error {
	switch {
	case status >= 200 && status <= 299 && err != nil:
		return p.unknown(fmt.Sprintf("gave an unreadable answer (HTTP %d)", status), err)
	case status >= 200 && status <= 299:
		return p.unknown("gave no message id"+p.because(status, a), nil)
	case status >= 400 && status <= 599:
		return p.notSent("refused the message"+p.because(status, a), nil)
	case status >= 300 && status <= 399:
		return p.unknown(fmt.Sprintf("answered with a redirect (HTTP %d), which is not followed", status), nil)
	}
	return p.unknown(fmt.Sprintf("gave an answer without a meaning (HTTP %d)", status), nil)
}

// because words the provider's own reason with the status and the code.
func (p *poster) because(status int, a answer) string {
	marks := fmt.Sprintf(" (HTTP %d)", status)
	if code := p.redact.Clean(a.code); code != "" {
		marks = fmt.Sprintf(" (HTTP %d, code %s)", status, code)
	}
	reason := p.redact.Clean(a.reason)
	if reason == "" {
		return " and gave no reason" + marks
	}
	return ": " + reason + marks
}

// unreached words an error from before the first byte of the request.
func (p *poster) unreached(err error) *Error {
	why := "could not be reached"
	_, isTLS := errors.AsType[*tlsError](err)
	switch {
	case neterr.IsUnresolved(err):
		why += ": its name does not resolve"
	case neterr.IsTimeout(err):
		why += ": timed out while connecting"
	case errors.Is(err, context.Canceled):
		why += ": the call was given up"
	case isTLS:
		why += ": TLS failed"
	case neterr.IsRefused(err):
		why += ": connection refused"
	}
	return p.notSent(why, err)
}

// broken words an error from after the first byte of the request.
func (p *poster) broken(err error) *Error {
	switch {
	case neterr.IsTimeout(err):
		return p.unknown("did not answer in time", err)
	case errors.Is(err, context.Canceled):
		return p.unknown("had not answered when the call was given up", err)
	}
	return p.unknown("broke off the connection", err)
}

func (p *poster) notSent(reason string, err error) *Error {
	e := &Error{Provider: p.provider, Reason: reason}
	if err != nil {
		e.Err = p.redact.Cause(err)
	}
	return e
}

func (p *poster) unknown(reason string, err error) *Error {
	e := p.notSent(reason+mayBeSent, err)
	e.Unknown = true
	return e
}

// misconfigured blames the settings. The cause is left out: what cannot be parsed
// as an address may be a secret in the wrong place.
func (p *poster) misconfigured(what string) *Error {
	return p.notSent("is not set up: "+what, nil)
}

// parseAddress accepts an absolute http or https address.
func parseAddress(address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, false
	}
	return u, true
}

// endpoint appends path segments to the base address of an API, whose query and
// user stay.
func endpoint(base string, segments ...string) (*url.URL, bool) {
	u, ok := parseAddress(base)
	if !ok {
		return nil, false
	}
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return u.JoinPath(segments...), true
}

// unmarshal reads JSON and forgives fields of another type than expected, which
// stay empty: an odd extra must not hide a message id.
func unmarshal(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// codeText is a provider's error code, which may be a number or a string.
func codeText(code any) string {
	switch code := code.(type) {
	case float64:
		return strconv.FormatFloat(code, 'f', -1, 64)
	case string:
		return code
	}
	return ""
}

// given is a message id as a provider wrote it, or "" if it is blank.
func given(id string) string { return strings.TrimSpace(id) }
