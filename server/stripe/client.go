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
	// tryTimeout bounds a call from the name look-up to the last byte.
	tryTimeout = 15 * time.Second
	// maxAnswer is how much of an answer is read. A session has about 5 kB.
	maxAnswer = 1 << 20
	// maxHeader bounds the head of an answer.
	maxHeader = 64 << 10
	// idleTimeout ends connections that nobody has used for a while.
	idleTimeout = 90 * time.Second
	// maxNameRunes is how much of a description fits a product's name.
	maxNameRunes = 250
)

var (
	// sessionID keeps an id from outside from turning into another path.
	sessionID = regexp.MustCompile(`^cs_[A-Za-z0-9_]+$`)
	// idempotencyKey is what Stripe and a header line can carry.
	idempotencyKey = regexp.MustCompile(`^[!-~]{1,255}$`)
	// secretKey is what an Authorization header can carry.
	secretKey = regexp.MustCompile(`^[!-~]+$`)
)

// Config is the access to an account at Stripe.
type Config struct {
	Key string // secret or restricted; its prefix tells its mode
	API string // base address; empty for Stripe's own
}

// Client is the Provider that asks Stripe.
type Client struct {
	redactor redactor
	sessions session.Client
}

var _ Provider = (*Client)(nil)

// New returns the provider for one key. It has its own connections and
// touches none of the library's global state.
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
		// The library sleeps between its tries, whatever the context says.
		MaxNetworkRetries: stripe.Int64(0),
	})
	return &Client{
		redactor: newRedactor(config.Key),
		sessions: session.Client{B: backend, Key: config.Key},
	}
}

// Live goes by the key's prefix.
func (s *Client) Live() bool {
	return strings.HasPrefix(s.sessions.Key, "sk_live_") || strings.HasPrefix(s.sessions.Key, "rk_live_")
}

// Create implements Provider.
func (s *Client) Create(ctx context.Context, o Order) (Session, error) {
	if !idempotencyKey.MatchString(o.IdempotencyKey) {
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

// Session implements Provider. Money is believed on the strength of its answer,
// so one about another session is none.
func (s *Client) Session(ctx context.Context, id string) (Session, error) {
	found, err := s.known(ctx, id, func(p stripe.Params) (*stripe.CheckoutSession, error) {
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

// Expire implements Provider. Each try has an idempotency key of its own, which
// the library makes: expiring twice does no harm.
func (s *Client) Expire(ctx context.Context, id string) (Session, error) {
	return s.known(ctx, id, func(p stripe.Params) (*stripe.CheckoutSession, error) {
		return s.sessions.Expire(id, &stripe.CheckoutSessionExpireParams{Params: p})
	})
}

// orderParams is the request of a Create.
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

// product names what is paid for. What does not fit the name stands in full
// below it.
func product(description string) *stripe.CheckoutSessionLineItemPriceDataProductDataParams {
	runes := []rune(description)
	if len(runes) <= maxNameRunes {
		return &stripe.CheckoutSessionLineItemPriceDataProductDataParams{Name: stripe.String(description)}
	}
	return &stripe.CheckoutSessionLineItemPriceDataProductDataParams{
		Name:        stripe.String(string(runes[:maxNameRunes-1]) + "…"),
		Description: stripe.String(description),
	}
}

// known makes a call about a session that exists. What cannot be the id of one
// is unknown without asking.
func (s *Client) known(ctx context.Context, id string, do func(stripe.Params) (*stripe.CheckoutSession, error)) (Session, error) {
	if !sessionID.MatchString(id) {
		return Session{}, newError(NotFound, errors.New("not the id of a checkout session"))
	}
	return s.call(ctx, do)
}

// call makes one request and judges its outcome.
func (s *Client) call(ctx context.Context, do func(stripe.Params) (*stripe.CheckoutSession, error)) (Session, error) {
	if !secretKey.MatchString(s.sessions.Key) {
		return Session{}, newError(Misconfigured, errors.New("the key is empty or has characters that no key has"))
	}

	seen := &answer{}
	got, err := do(stripe.Params{Context: context.WithValue(ctx, answerKey{}, seen)})
	if refusal, ok := errors.AsType[*stripe.Error](err); ok {
		return Session{}, s.redactor.refused(refusal)
	}
	if broken, ok := errors.AsType[*url.Error](err); ok {
		return Session{}, newError(Unavailable, s.redactor.Cause(neterr.Ended(ctx, broken)))
	}
	// Any other error of the library quotes the body that it could not read, so
	// nothing is taken of it.
	if err != nil || !seen.success() || got.Object != "checkout.session" || !sessionID.MatchString(got.ID) {
		return Session{}, newError(Unavailable, fmt.Errorf("HTTP %d without a checkout session", seen.status))
	}
	return Session{
		ID:            got.ID,
		URL:           got.URL,
		Status:        string(got.Status),
		PaymentStatus: string(got.PaymentStatus),
		Reference:     got.ClientReferenceID,
		Currency:      string(got.Currency),
		AmountTotal:   got.AmountTotal,
		Live:          got.Livemode,
		Failed:        failed(got),
	}, nil
}

// failed: a slow payment did not come. The session does not tell, but its payment
// does, where it came with it (Session).
func failed(c *stripe.CheckoutSession) bool {
	if c.Status != stripe.CheckoutSessionStatusComplete || c.PaymentStatus != stripe.CheckoutSessionPaymentStatusUnpaid || c.PaymentIntent == nil {
		return false
	}
	return c.PaymentIntent.Status == stripe.PaymentIntentStatusRequiresPaymentMethod ||
		c.PaymentIntent.Status == stripe.PaymentIntentStatusCanceled
}

// answer is what the transport notes of an answer, because the library takes a
// redirect for a success and names no status in some of its errors.
type answer struct{ status int }

type answerKey struct{}

func (a *answer) success() bool { return a.status >= 200 && a.status <= 299 }

var errTooLong = errors.New("the answer is too long")

// transport stands between the library and the wire. It keeps the name and the
// kernel of this machine to itself, and reads each answer to its end within
// bounds, so that one that breaks off is an error of the transport.
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
	if seen, ok := r.Context().Value(answerKey{}).(*answer); ok {
		seen.status = resp.StatusCode
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}
