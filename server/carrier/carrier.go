// Package carrier hands a message to an outside messaging provider and reports with
// certainty whether it was sent, was not sent, or may have been sent.
//
// Money and retries depend on that: a message that was not sent may be tried again with
// the same key, a message with an unknown outcome must not (G4). Every error is an
// *Error, and its Unknown is false only if no byte of the request left this process or
// the provider gave a complete refusal.
//
// Three providers are remote (WhatsApp, Twilio, the operator's webhook). They share
// poster, which owns the connections, the limits of time and size and the outcome. The
// file of a provider has only the form of its request and its answer. Outbox and none
// send nothing. provider.go has the table of all providers.
//
// The package knows no database, keys, wallets or statuses of our API. It never retries;
// the caller decides.
package carrier

import "context"

// Message is one text for one recipient.
type Message struct {
	ID       string // our id, msg_…
	Phone    string // E.164 with a leading +
	Template string // "receipt" or "purchase_order"
	Text     string
}

// Carrier hands messages to a provider. Its methods may be called concurrently.
type Carrier interface {
	// Name returns the provider's name, one of Names.
	Name() string
	// Remote reports whether Send has an effect outside this process. If so, the call
	// must be stored as `calling` before Send, and its outcome is unknown after a
	// crash (G4).
	Remote() bool
	// Send returns the provider's message id (G2), or an *Error. It returns when ctx
	// ends, and after 10 s at the latest.
	Send(ctx context.Context, m Message) (providerID string, err error)
}

// Error is why a message is not known to have been sent. Its texts never contain a
// credential or the provider's address; Err may name the host.
type Error struct {
	Provider string // the Carrier's name
	Reason   string // for the caller, the predicate of a sentence about the provider: "refused the message: …"
	Status   int    // the HTTP status of the provider's answer; 0 if there was none
	Unknown  bool   // the provider may have sent the message, so it must not be tried again (G4)
	Err      error  // the cause, for the log; nil if Reason is all there is
}

// Error returns the provider and the reason, without the cause.
func (e *Error) Error() string { return e.Provider + ": " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// local is a carrier without an effect outside this process.
type local struct {
	name string
	send func(Message) (string, error)
}

// NewOutbox returns the carrier of a sandbox. It sends nothing and returns the message's
// own id: the caller stores each message, and the console shows it.
func NewOutbox() Carrier {
	return local{NameOutbox, func(m Message) (string, error) { return m.ID, nil }}
}

// NewNone returns the carrier of a server without a provider. It refuses all messages,
// which are certain not to be sent.
func NewNone() Carrier {
	return local{NameNone, func(Message) (string, error) {
		return "", &Error{Provider: NameNone, Reason: "no messaging provider is configured"}
	}}
}

func (l local) Name() string { return l.name }

func (local) Remote() bool { return false }

// Send implements Carrier.
func (l local) Send(_ context.Context, m Message) (string, error) { return l.send(m) }
