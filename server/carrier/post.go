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
	"time"

	"svc/server/neterr"
	"svc/server/redact"
)

const (
	// callTimeout bounds a call, from the name look-up to the last byte of the answer
	// (G4).
	callTimeout = 10 * time.Second
	// maxAnswer bounds what is read of an answer. No provider needs more.
	maxAnswer = 64 << 10
	// idleTimeout is short, since a message is lost on a connection that the provider
	// has closed in the meantime.
	idleTimeout = 30 * time.Second

	mayBeSent = "; the message may have been sent"
)

// postRequest is a POST in the form of a provider. Its header must not have an
// Idempotency-Key or X-Idempotency-Key: net/http considers a POST with one repeatable and
// might send it twice (G1).
type postRequest struct {
	url    *url.URL
	header http.Header
	body   []byte
}

// answer is the content of a provider's JSON. Missing fields are empty.
type answer struct {
	id     string // the provider's id of an accepted message
	reason string // the provider's text about a refusal
	code   string // the provider's code of a refusal
}

// poster makes the one request of a Send and determines its outcome. Each carrier owns
// one, with its connections.
type poster struct {
	provider  string
	wanted    string // how an answer that confirms looks; "" for a provider that knows
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
			// No proxy, not even that of the environment: its failures would look
			// like the provider's, and bytes written to it would not tell what the
			// provider got.
			Proxy:          nil,
			DialContext:    d.dialPlain,
			DialTLSContext: d.dialTLS,
			Protocols:      protocols,
			// The length of an uncompressed answer shows whether it is complete.
			DisableCompression:     true,
			MaxIdleConnsPerHost:    8,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxAnswer,
		},
	}
}

// Name returns the provider's name.
func (p *poster) Name() string { return p.provider }

// Remote is true: post has an effect outside this process.
func (p *poster) Remote() bool { return true }

// post sends the request once and returns the id that read finds in the answer, or an
// *Error. It does not use http.Client, which follows redirects and puts the address into
// its errors. The transport repeats a request only if a reused connection accepted no
// byte of it.
func (p *poster) post(ctx context.Context, out postRequest, read func([]byte) (answer, error)) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	var w writeTracker
	req, err := newRequest(httptrace.WithClientTrace(ctx, w.trace()), out)
	if err != nil {
		return "", p.misconfigured("its address is not valid")
	}
	resp, err := p.transport.RoundTrip(req)
	if err != nil && w.wrote() {
		return "", p.failedAfterWrite(neterr.Ended(ctx, err))
	}
	if err != nil {
		return "", p.failedBeforeWrite(neterr.Ended(ctx, err))
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", p.failedAfterWrite(neterr.Ended(ctx, err))
	}
	return p.outcome(resp.StatusCode, body, read)
}

// newRequest moves user and password from the address into the header, as http.Client
// does.
func newRequest(ctx context.Context, out postRequest) (*http.Request, error) {
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

// outcome returns the message id in a complete answer, or an *Error.
func (p *poster) outcome(status int, body []byte, read func([]byte) (answer, error)) (string, error) {
	a, err := read(body)
	if err == nil && a.id != "" && status >= 200 && status <= 299 {
		return a.id, nil
	}
	e := p.unconfirmed(status, a, err)
	e.Status = status
	return "", e
}

// unconfirmed returns the error of an answer that does not confirm the message.
func (p *poster) unconfirmed(status int, a answer, err error) *Error {
	switch {
	case status >= 200 && status <= 299 && err != nil:
		return p.unknown(fmt.Sprintf("gave an unreadable answer (HTTP %d)", status)+p.wanted, err)
	case status >= 200 && status <= 299:
		return p.unknown("gave no message id"+p.reason(status, a)+p.wanted, nil)
	case status >= 400 && status <= 599:
		return p.notSent("refused the message"+p.reason(status, a), nil)
	case status >= 300 && status <= 399:
		return p.unknown(fmt.Sprintf("answered with a redirect (HTTP %d), which is not followed", status), nil)
	}
	return p.unknown(fmt.Sprintf("gave an answer without a meaning (HTTP %d)", status), nil)
}

// reason returns the provider's own reason with the status and the code, as the end of a
// sentence.
func (p *poster) reason(status int, a answer) string {
	suffix := fmt.Sprintf(" (HTTP %d)", status)
	if code := p.redact.Clean(a.code); code != "" {
		suffix = fmt.Sprintf(" (HTTP %d, code %s)", status, code)
	}
	text := p.redact.Clean(a.reason)
	if text == "" {
		return " and gave no reason" + suffix
	}
	return ": " + text + suffix
}

// failedBeforeWrite returns the error of a call of which no byte was written.
func (p *poster) failedBeforeWrite(err error) *Error {
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

// failedAfterWrite returns the error of a call of which a byte may have been written.
func (p *poster) failedAfterWrite(err error) *Error {
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

// misconfigured returns the error of wrong settings, without a cause: what cannot be
// parsed as an address may be a secret in the wrong place.
func (p *poster) misconfigured(what string) *Error {
	return p.notSent("is not set up: "+what, nil)
}

// parseAddress parses an absolute http or https address.
func parseAddress(address string) (*url.URL, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, false
	}
	return u, true
}

// endpoint appends path segments to the base address of an API and keeps its query and
// user.
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

// unmarshal parses JSON. Fields of another type than expected stay empty: a message id
// counts even if another field is odd.
func unmarshal(body []byte, v any) error {
	err := json.Unmarshal(body, v)
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// codeText returns a provider's error code, which may be a number or a string.
func codeText(code any) string {
	switch code := code.(type) {
	case float64:
		return strconv.FormatFloat(code, 'f', -1, 64)
	case string:
		return code
	}
	return ""
}
