package outbound

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/neterr"
)

const (
	defaultTimeout = 10 * time.Second
	dialTime       = 3 * time.Second // of one address
	// maxAnswer is what is kept of an answer, in bytes (K7).
	maxAnswer  = 1024
	maxHeaders = 2048
	maxHeader  = 16 << 10
)

// Config names what a Client works with.
type Config struct {
	Allow    Allow
	Resolver Resolver // nil: the system's
	Clock    func() time.Time
	// Roots are the certificates that are trusted; nil: the system's.
	Roots *x509.CertPool
	// Timeout bounds a try, from the look-up to the end of what is read of the answer.
	Timeout time.Duration // default 10 s
}

// Client posts. It may be used concurrently. Each post has a connection of its own: on a
// kept one that the other side closes meanwhile, nobody could tell whether a request has
// arrived. It follows no redirect and uses no proxy.
type Client struct {
	config        Config
	secure, plain *http.Client
}

// New returns a client.
func New(c Config) *Client {
	if c.Resolver == nil {
		c.Resolver = net.DefaultResolver
	}
	c.Timeout = cmp.Or(c.Timeout, defaultTimeout)
	return &Client{config: c, secure: c.client(false), plain: c.client(true)}
}

func (c Config) client(plain bool) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            c.Allow.dialer(c.Resolver, plain),
			TLSClientConfig:        &tls.Config{RootCAs: c.Roots, MinVersion: tls.VersionTLS12},
			DisableKeepAlives:      true,
			DisableCompression:     true, // the answer is shown as it came, and cannot grow
			MaxResponseHeaderBytes: maxHeader,
		},
	}
}

// CheckURL checks an address that is to be posted to later; see Allow.CheckURL.
func (c *Client) CheckURL(text string) (*url.URL, error) { return c.config.Allow.CheckURL(text) }

// Answer is what came of a post.
type Answer struct {
	Code       int    // 0: there was no answer
	Body       string // its beginning, at most 1 kB
	Headers    string // a line each, at most 2 kB
	RetryAfter time.Duration
	Duration   time.Duration // of the try
	Problem    string        // why there was no answer; without secrets
	Err        error         // its cause, for the log; without the URL
}

// Header is one header of a post.
type Header struct{ Name, Value string }

// Post sends one request and never repeats it. An answer that ends too early or comes too
// slowly counts by its status alone.
func (c *Client) Post(ctx context.Context, address string, headers []Header, body []byte) (a Answer) {
	began := time.Now() // a duration is measured by the monotonic clock
	defer func() { a.Duration = time.Since(began) }()
	u, err := c.config.Allow.CheckURL(address)
	if err != nil {
		return Answer{Problem: "the URL " + err.Error(), Err: err}
	}
	ctx, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(body))
	if err != nil {
		return Answer{Problem: "the URL " + ErrAddress.Error(), Err: withoutURL(err)}
	}
	request.GetBody = nil // nothing repeats it
	for _, h := range headers {
		request.Header.Set(h.Name, h.Value)
	}

	client := c.secure
	if u.Scheme == "http" {
		client = c.plain
	}
	response, err := client.Do(request)
	if err != nil {
		err = withoutURL(err)
		return Answer{Problem: problem(neterr.Ended(ctx, err)), Err: err}
	}
	defer response.Body.Close()
	beginning, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer)) // the status is what counts
	return Answer{
		Code:       response.StatusCode,
		Body:       clean(string(beginning)),
		Headers:    headerLines(response.Header),
		RetryAfter: c.retryAfter(response.Header.Get("Retry-After")),
	}
}

// headerLines writes the headers of an answer, a line each, in the order of their names. What
// an answer sets as a cookie is the receiver's secret.
func headerLines(all http.Header) string {
	var lines []string
	length := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, value := range all[name] {
			if name == "Set-Cookie" {
				value = "(not kept)"
			}
			line := strings.ToLower(name) + ": " + clean(value)
			if length += len(line) + 1; length > maxHeaders {
				return strings.Join(append(lines, "…"), "\n")
			}
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// clean makes text that others have sent one that can be stored and shown.
func clean(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "\uFFFD")
}

// withoutURL returns the cause of an error that names the URL, whose path and query may have
// a token.
func withoutURL(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// retryAfter parses the header of that name, seconds or a date. It is zero without one.
func (c *Client) retryAfter(text string) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(at.Sub(c.config.Clock()), 0)
}

// problem says in words for the receiver's owner why there was no answer.
func problem(err error) string {
	_, isHost := errors.AsType[x509.HostnameError](err)
	_, isVerify := errors.AsType[*tls.CertificateVerificationError](err)
	_, isRecord := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case errors.Is(err, ErrBlocked):
		return "the host leads to an address that is not public"
	case errors.Is(err, ErrPort):
		return "the URL " + ErrPort.Error()
	case neterr.IsTimeout(err):
		return "there was no answer in time"
	case neterr.IsUnresolved(err):
		return "the host has no address"
	case isHost || isVerify:
		return "the certificate is not valid"
	case isRecord:
		return "the port does not speak TLS"
	case neterr.IsRefused(err):
		return "the connection was refused"
	case neterr.IsBroken(err):
		return "the connection broke off before the answer"
	}
	return "there was no valid answer"
}
