// Package carrier hands one message to one outside messaging provider and says
// for certain whether it was sent, was not sent, or is unknown.
//
// That answer is the whole point of the package, because money and repetition
// hang on it: a message that was not sent may be tried again under the same
// key, and one whose fate is unknown never may (G4). So every error is an
// *Error, and its Unknown is false only where no byte of the request left this
// process or the provider gave a complete refusal.
//
// Three providers are remote (WhatsApp, Twilio, the operator's webhook) and
// share one poster, which owns the connection, the limits of time and size and
// the classification. A provider's own file holds only the shape of its request
// and of its answer. Outbox and None reach nobody.
//
// The package knows nothing of the database, keys, wallets or the statuses of
// our own API. It never retries; whether to try again is the caller's to decide.
package carrier

import "context"

// Message is one text for one recipient.
type Message struct {
	ID       string // ours, msg_…
	Phone    string // E.164 with leading +
	Template string // "receipt" or "purchase_order"
	Text     string
}

// Carrier hands messages to a provider. Its methods may be called concurrently.
type Carrier interface {
	// Name is the provider's name as the --messaging flag spells it.
	Name() string
	// Remote says whether Send has an effect outside this process, so that the
	// call must be on disk as `calling` first and a crash leaves its outcome
	// unknown (G4).
	Remote() bool
	// Send returns the provider's message id (G2), or an *Error. It gives up
	// when ctx does, and after 10 s at the latest.
	Send(ctx context.Context, m Message) (providerID string, err error)
}

// Error says why a message is not known to have been sent. None of its texts
// holds a credential or the provider's address; Err may name its host.
type Error struct {
	Provider string // the Carrier's name
	Reason   string // a fragment of a sentence for the caller, such as "refused the message: …"
	Status   int    // the HTTP status of the provider's answer; 0: none came
	Unknown  bool   // the provider may have sent the message, so it must not be tried again (G4)
	Err      error  // the cause, for the log; nil where Reason already says all
}

// Error names the provider and the reason, and leaves the cause to the log.
func (e *Error) Error() string { return e.Provider + ": " + e.Reason }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

type outbox struct{}

// NewOutbox returns the carrier for a server that tries things out: the caller
// stores each message anyway, and the console shows it.
func NewOutbox() Carrier { return outbox{} }

func (outbox) Name() string { return NameOutbox }

func (outbox) Remote() bool { return false }

// Send has no effect and confirms the message under its own id.
func (outbox) Send(_ context.Context, m Message) (string, error) { return m.ID, nil }

type none struct{}

// NewNone returns the carrier of a server without a provider, which refuses all.
func NewNone() Carrier { return none{} }

func (none) Name() string { return NameNone }

func (none) Remote() bool { return false }

// Send refuses the message; nothing was sent for certain.
func (none) Send(context.Context, Message) (string, error) {
	return "", &Error{Provider: NameNone, Reason: "no messaging provider is configured"}
}
