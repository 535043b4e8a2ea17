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

// signatureTolerance is how far an event's time of signing may lie from now, to
// either side (E3).
const signatureTolerance = 300 * time.Second

var (
	// ErrNoSecret: there is no secret to check a signature with.
	ErrNoSecret = errors.New("no webhook secret is configured")
	// ErrSignature: no secret made the signature, or there is none to read.
	ErrSignature = errors.New("the signature is not valid")
	// ErrTimestamp: signed by Stripe, but too long ago or in the future.
	ErrTimestamp = errors.New("the signature is too far from now")
	// ErrPayload: signed by Stripe, but not an event.
	ErrPayload = errors.New("the payload is not an event")
)

// Event is what is believed of an event: which session it is about. Everything
// else is looked up again, because an event may be old, repeated, out of order
// or in the shape of another API version (E3).
type Event struct {
	ID        string // evt_…, the same in each delivery of the event
	Type      string // such as checkout.session.completed
	Live      bool
	SessionID string // empty where the event is not about a checkout session
	Reference string // client_reference_id, for the record only
}

// IsCheckout says whether the event may tell of a payment that succeeded, failed
// or can no longer come.
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

// Verify checks the Stripe-Signature header over the raw payload with any of the
// secrets, of which there are two during a rotation, and reads the event. Its
// errors are ErrNoSecret, ErrSignature, ErrTimestamp and ErrPayload.
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

// checkSignature tries each secret. An empty one is left out: anybody can sign
// with it, and the library would accept it.
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

// signedAt reads the time from a header. More than one is refused: the library
// signs with the last, and to look at another would let a replay through.
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

// readSession finds the session in an event's data. Events of all kinds arrive
// here, so data of another shape is no error: what cannot be read stays empty.
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
