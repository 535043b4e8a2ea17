package stripe

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/checkout/session"

	"svc/server/neterr"
)

const (
	// tryTimeout bounds a call, from the name look-up to the last byte.
	tryTimeout = 15 * time.Second
	// maxAnswer bounds the body of an answer. A session has about 5 kB.
	maxAnswer = 1 << 20
	// maxHeader bounds the header of an answer.
	maxHeader = 64 << 10
	// idleTimeout closes unused connections.
	idleTimeout = 90 * time.Second
	// maxIdempotencyKey is the longest that Stripe accepts.
	maxIdempotencyKey = 255
	// maxNameRunes is the longest name of a product at Stripe.
	maxNameRunes = 250
)

var (
	// sessionID refuses ids that would lead to another path of the API.
	sessionID = regexp.MustCompile(`^cs_[A-Za-z0-9_]+$`)
	// inHeader is a key that a header can contain.
	inHeader = regexp.MustCompile(`^[!-~]+$`)
)

// Config says how to reach an account at Stripe.
type Config struct {
	Key string // secret or restricted key; its prefix tells the mode
	API string // base address; empty: Stripe's own
}

// Client is the Provider that calls Stripe's API.
type Client struct {
	redactor redactor
	sessions session.Client
}

var _ Provider = (*Client)(nil)

// New returns a client with its own connections. It does not use the library's global
// state.
func New(config Config) *Client {
	return newClient(config, &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeader,
	})
}

func newClient(config Config, base http.RoundTripper) *Client {
	client := &http.Client{
		Timeout:       tryTimeout,
		Transport:     &transport{base},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	backend := stripe.GetBackendWithConfig(stripe.APIBackend, &stripe.BackendConfig{
		URL:             stripe.String(cmp.Or(config.API, stripe.APIURL)),
		HTTPClient:      client,
		EnableTelemetry: stripe.Bool(false),
		LeveledLogger:   &stripe.LeveledLogger{Level: stripe.LevelNull},
		// The library would sleep between tries even after the context ended.
		MaxNetworkRetries: stripe.Int64(0),
	})
	return &Client{redactor: newRedactor(config.Key), sessions: session.Client{B: backend, Key: config.Key}}
}

// Live implements Provider by the key's prefix.
func (s *Client) Live() bool {
	return strings.HasPrefix(s.sessions.Key, "sk_live_") || strings.HasPrefix(s.sessions.Key, "rk_live_")
}

// Create implements Provider.
func (s *Client) Create(ctx context.Context, o Order) (Session, error) {
	if len(o.IdempotencyKey) > maxIdempotencyKey || !inHeader.MatchString(o.IdempotencyKey) {
		return Session{}, newError(Refused, errors.New("the order has no usable idempotency key"))
	}

	created, err := s.call(ctx, func(p stripe.Params) (*stripe.CheckoutSession, error) {
		p.IdempotencyKey = stripe.String(o.IdempotencyKey)
		return s.sessions.New(orderParams(p, o))
	})
	if err != nil {
		return Session{}, err
	}
	if created.URL == "" {
		return Session{}, newError(Unavailable, errors.New("the new session has no URL"))
	}
	return created, nil
}

// Session implements Provider. Its answer decides about money, so an answer about
// another session is an error.
func (s *Client) Session(ctx context.Context, id string) (Session, error) {
	found, err := s.callSession(ctx, id, func(p stripe.Params) (*stripe.CheckoutSession, error) {
		params := &stripe.CheckoutSessionParams{Params: p}
		params.AddExpand("payment_intent")
		return s.sessions.Get(id, params)
	})
	if err != nil {
		return Session{}, err
	}
	if found.ID != id {
		return Session{}, newError(Unavailable, errors.New("the answer is about another session"))
	}
	return found, nil
}

// Expire implements Provider. Each try has a new idempotency key, made by the library:
// expiring twice does no harm.
func (s *Client) Expire(ctx context.Context, id string) (Session, error) {
	return s.callSession(ctx, id, func(p stripe.Params) (*stripe.CheckoutSession, error) {
		return s.sessions.Expire(id, &stripe.CheckoutSessionExpireParams{Params: p})
	})
}

// orderParams returns the parameters of Create.
func orderParams(p stripe.Params, o Order) *stripe.CheckoutSessionParams {
	reference := map[string]string{"reference": o.Reference}
	return &stripe.CheckoutSessionParams{
		Params:            p,
		Mode:              stripe.String(string(stripe.CheckoutSessionModePayment)),
		ClientReferenceID: stripe.String(o.Reference),
		Metadata:          reference,
		PaymentIntentData: &stripe.CheckoutSessionPaymentIntentDataParams{Metadata: reference},
		LineItems: []*stripe.CheckoutSessionLineItemParams{{
			Quantity: stripe.Int64(1),
			PriceData: &stripe.CheckoutSessionLineItemPriceDataParams{
				Currency:    stripe.String(o.Currency),
				UnitAmount:  stripe.Int64(o.Amount),
				ProductData: product(o.Description),
			},
		}},
		SuccessURL: stripe.String(o.SuccessURL),
		CancelURL:  stripe.String(o.CancelURL),
		ExpiresAt:  stripe.Int64(o.ExpiresAt.Unix()),
	}
}

// product returns the name of what is paid for. A description that is too long for the
// name is cut there and shown in full below it.
func product(description string) *stripe.CheckoutSessionLineItemPriceDataProductDataParams {
	p := &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: stripe.String(description)}
	if runes := []rune(description); len(runes) > maxNameRunes {
		p.Name, p.Description = stripe.String(string(runes[:maxNameRunes-1])+"…"), p.Name
	}
	return p
}

// callSession makes a call about an existing session. It returns NotFound without a call
// for what cannot be a session's id.
func (s *Client) callSession(ctx context.Context, id string, do func(stripe.Params) (*stripe.CheckoutSession, error)) (Session, error) {
	if !sessionID.MatchString(id) {
		return Session{}, newError(NotFound, errors.New("not the id of a checkout session"))
	}
	return s.call(ctx, do)
}

// call makes one request and returns the session, or an *Error.
func (s *Client) call(ctx context.Context, do func(stripe.Params) (*stripe.CheckoutSession, error)) (Session, error) {
	if !inHeader.MatchString(s.sessions.Key) {
		return Session{}, newError(Misconfigured, errors.New("the key is empty or has characters that no key has"))
	}

	seen := &response{}
	got, err := do(stripe.Params{Context: context.WithValue(ctx, responseKey{}, seen)})
	if refusal, ok := errors.AsType[*stripe.Error](err); ok {
		return Session{}, s.redactor.stripeError(refusal)
	}
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return Session{}, newError(Unavailable, s.redactor.Cause(neterr.Ended(ctx, broken)))
	}
	// Any other error of the library quotes the body that it could not read, so its text
	// is not used.
	if err != nil || !seen.success() || got.Object != "checkout.session" || !sessionID.MatchString(got.ID) {
		return Session{}, newError(Unavailable, fmt.Errorf("HTTP %d without a checkout session", seen.status))
	}
	return Session{
		ID: got.ID, URL: got.URL, Status: string(got.Status), PaymentStatus: string(got.PaymentStatus),
		Reference: got.ClientReferenceID, Currency: string(got.Currency), AmountTotal: got.AmountTotal,
		Live: got.Livemode, Failed: paymentFailed(got),
	}, nil
}

// paymentFailed reports whether a slow payment failed. The session alone does not tell;
// its payment does, if the answer includes it, as that of Session does.
func paymentFailed(c *stripe.CheckoutSession) bool {
	if c.Status != stripe.CheckoutSessionStatusComplete || c.PaymentStatus != stripe.CheckoutSessionPaymentStatusUnpaid || c.PaymentIntent == nil {
		return false
	}
	return c.PaymentIntent.Status == stripe.PaymentIntentStatusRequiresPaymentMethod ||
		c.PaymentIntent.Status == stripe.PaymentIntentStatusCanceled
}

// response is the HTTP response as the transport saw it. The library takes a redirect
// for a success, and some of its errors lack the status.
type response struct{ status int }

type responseKey struct{}

func (a *response) success() bool { return a.status >= 200 && a.status <= 299 }

var errTooLong = errors.New("the answer is too long")

// transport removes the header with the host name and the kernel of this machine, and
// reads each response to its end, within bounds, before the library sees it: one that
// breaks off is an error of the transport.
type transport struct{ base http.RoundTripper }

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Del("X-Stripe-Client-User-Agent")
	resp, err := t.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()

	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("read answer (HTTP %d): %w", resp.StatusCode, err)
	}
	if len(body) > maxAnswer {
		return nil, errTooLong
	}
	if seen, ok := r.Context().Value(responseKey{}).(*response); ok {
		seen.status = resp.StatusCode
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
