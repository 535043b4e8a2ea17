package stripe

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stripe/stripe-go/v76"
	"github.com/stripe/stripe-go/v76/webhook"
)

// signatureTolerance is the longest time between the signing of an event and now, in
// either direction (E3).
const signatureTolerance = 300 * time.Second

var (
	// ErrNoSecret: no secret is configured.
	ErrNoSecret = errors.New("no webhook secret is configured")
	// ErrSignature: the header has no signature by any of the secrets.
	ErrSignature = errors.New("the signature is not valid")
	// ErrTimestamp: Stripe signed it, but too long ago or in the future.
	ErrTimestamp = errors.New("the signature is too far from now")
	// ErrPayload: Stripe signed it, but it is not an event.
	ErrPayload = errors.New("the payload is not an event")
)

// Event tells which session an event is about. Everything else is looked up, because an
// event may be old, repeated, out of order or in the form of another API version (E3).
type Event struct {
	ID        string // evt_…, the same in each delivery
	Type      string // like checkout.session.completed
	Live      bool
	SessionID string // empty if the event is not about a checkout session
	Reference string // client_reference_id, for the log only
}

// IsCheckout reports whether the event is about a checkout session that was completed,
// paid later, failed or expired.
func (e Event) IsCheckout() bool {
	switch stripe.EventType(e.Type) {
	case stripe.EventTypeCheckoutSessionCompleted,
		stripe.EventTypeCheckoutSessionAsyncPaymentSucceeded,
		stripe.EventTypeCheckoutSessionAsyncPaymentFailed,
		stripe.EventTypeCheckoutSessionExpired:
		return true
	}
	return false
}

// Verify checks the Stripe-Signature header of a raw payload and returns the event. The
// signature must be by any of the secrets, of which there are two during a rotation.
// Errors are ErrNoSecret, ErrSignature, ErrTimestamp and ErrPayload.
func Verify(payload []byte, header string, secrets []string, now time.Time) (Event, error) {
	if err := checkSignature(payload, header, secrets); err != nil {
		return Event{}, err
	}
	signed, err := signedAt(header)
	if err != nil {
		return Event{}, err
	}
	if age := now.Sub(signed); age.Abs() > signatureTolerance {
		return Event{}, fmt.Errorf("%w: signed %v ago", ErrTimestamp, age)
	}
	return readEvent(payload)
}

// checkSignature tries each secret. It ignores empty ones, with which anybody can sign
// and which the library would accept.
func checkSignature(payload []byte, header string, secrets []string) error {
	err := ErrNoSecret
	for _, secret := range secrets {
		if strings.TrimSpace(secret) == "" {
			continue
		}
		wrong := webhook.ValidatePayloadIgnoringTolerance(payload, header, secret)
		if wrong == nil {
			return nil
		}
		err = fmt.Errorf("%w: %w", ErrSignature, wrong)
	}
	return err
}

// signedAt returns the time in a header. A header with several times is refused: the
// library verifies the last, and checking the age of another would allow replays.
func signedAt(header string) (time.Time, error) {
	var times []string
	for pair := range strings.SplitSeq(header, ",") {
		if value, ok := strings.CutPrefix(pair, "t="); ok {
			times = append(times, value)
		}
	}
	if len(times) != 1 {
		return time.Time{}, fmt.Errorf("%w: %d times in the header", ErrSignature, len(times))
	}
	seconds, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: %w", ErrSignature, err)
	}
	return time.Unix(seconds, 0), nil
}

func readEvent(payload []byte) (Event, error) {
	var body struct {
		ID       string          `json:"id"`
		Type     string          `json:"type"`
		Livemode bool            `json:"livemode"`
		Data     json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(payload, &body); err != nil {
		return Event{}, fmt.Errorf("%w: %w", ErrPayload, err)
	}
	if body.ID == "" || body.Type == "" {
		return Event{}, fmt.Errorf("%w: it has no id or no type", ErrPayload)
	}

	event := Event{ID: body.ID, Type: body.Type, Live: body.Livemode}
	event.SessionID, event.Reference = readSession(body.Data)
	return event, nil
}

// readSession returns the session's id and reference in an event's data. Data of another
// form is not an error, since there are events of all kinds: the results are empty.
func readSession(data []byte) (id, reference string) {
	var body struct {
		Object struct {
			Object    string `json:"object"`
			ID        string `json:"id"`
			Reference string `json:"client_reference_id"`
		} `json:"object"`
	}
	_ = json.Unmarshal(data, &body)
	if body.Object.Object != "checkout.session" {
		return "", ""
	}
	return body.Object.ID, body.Object.Reference
}
