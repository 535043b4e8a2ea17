package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"syscall"
)

// Verdict is what is certain about a mail that was not confirmed.
type Verdict int

const (
	// NotSent: the server certainly did not take the mail, and another try may succeed.
	NotSent Verdict = iota
	// Refused: the server will never take this mail for this recipient.
	Refused
	// Unknown: the mail was written to its end and no answer came, so that only the
	// server knows. To try again may send it twice.
	Unknown
)

func (v Verdict) String() string {
	switch v {
	case NotSent:
		return "not sent"
	case Refused:
		return "refused"
	}
	return "unknown"
}

// Error says why a mail is not known to have been sent. None of its texts holds
// the password or a word of the mail.
type Error struct {
	Verdict Verdict
	Reason  string // a fragment of a sentence with the server as its subject, such as "refused the recipient: …"
	Err     error  // the cause, for the log; nil where Reason already says all
}

// Error gives the reason, and leaves the cause to the log.
func (e *Error) Error() string { return "mail server: " + e.Reason }

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// verdict judges an answer to the recipient, or to the message. A 5xx is for
// good, but for those that say that we must sign in, use TLS, or speak otherwise.
func verdict(err error) Verdict {
	reply, ok := errors.AsType[*textproto.Error](err)
	if !ok || reply.Code < 500 || reply.Code > 599 {
		return NotSent
	}
	switch reply.Code {
	case 502, 503, 504, 530, 534, 535, 538:
		return NotSent
	}
	return Refused
}

// fault words an error from before the end of the mail. What the server says here
// cannot quote the mail, which it has not seen.
func (s *SMTP) fault(step string, err error) *Error {
	e := &Error{Verdict: NotSent, Err: s.redact.Cause(err)}
	reply, replied := errors.AsType[*textproto.Error](err)
	switch {
	case replied:
		e.Reason = "refused " + step + ": " + s.redact.Clean(fmt.Sprint(reply.Code, " ", reply.Msg))
	case isTimeout(err):
		e.Reason = "did not answer " + step + " in time"
	case errors.Is(err, context.Canceled):
		e.Reason = "had not answered " + step + " when the hand-over was given up"
	case isA[textproto.ProtocolError](err):
		e.Reason = "gave an answer without a meaning to " + step
	default:
		e.Reason = "broke off the connection at " + step
	}
	return e
}

// unreached words an error from before there was a connection.
func (s *SMTP) unreached(err error) *Error {
	e := &Error{Verdict: NotSent, Reason: "could not be reached", Err: s.redact.Cause(err)}
	switch {
	case isA[*net.DNSError](err):
		e.Reason += ": its name does not resolve"
	case isTimeout(err):
		e.Reason += ": timed out while connecting"
	case errors.Is(err, context.Canceled):
		e.Reason += ": the hand-over was given up"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Reason += ": connection refused"
	}
	return e
}

// tlsFailed words an error of the handshake. The operator needs its text, to see
// what is wrong with a certificate.
func (s *SMTP) tlsFailed(err error) *Error {
	if isTimeout(err) || errors.Is(err, context.Canceled) {
		return s.fault("the TLS handshake", err)
	}
	return &Error{Verdict: NotSent, Reason: "failed at TLS: " + s.redact.Clean(err.Error()), Err: s.redact.Cause(err)}
}

// unconfirmed judges what came in place of a confirmation, after the mail was
// written to its end. The words of an answer are left out, since they may quote
// the mail; its codes stay.
func (s *SMTP) unconfirmed(err error) *Error {
	reply, replied := errors.AsType[*textproto.Error](err)
	switch {
	case replied && reply.Code >= 400 && reply.Code <= 599:
		return &Error{Verdict: verdict(err), Reason: "refused the message: " + codes(reply)}
	case replied || isA[textproto.ProtocolError](err):
		return &Error{Verdict: Unknown, Reason: "gave an answer without a meaning to the message" + mayBeSent}
	}
	return s.inDoubt(err)
}

// inDoubt words an error from the moment on at which the end may have left.
func (s *SMTP) inDoubt(err error) *Error {
	e := s.fault("the message", err)
	e.Verdict = Unknown
	e.Reason += mayBeSent
	return e
}

var enhancedCode = regexp.MustCompile(`^[45]\.(\d)\.\d{1,3}\b`)

// enhancedSubjects is what the second number of an enhanced code is about (RFC 3463).
var enhancedSubjects = map[string]string{
	"1": "the address",
	"2": "the mailbox",
	"3": "the mail system",
	"4": "the network",
	"5": "the protocol",
	"6": "the content",
	"7": "security or policy",
}

// codes words the numbers of a reply, like "554 5.7.1 (security or policy)".
func codes(reply *textproto.Error) string {
	text := strconv.Itoa(reply.Code)
	if found := enhancedCode.FindStringSubmatch(reply.Msg); found != nil {
		text += " " + found[0]
		if subject := enhancedSubjects[found[1]]; subject != "" {
			text += " (" + subject + ")"
		}
	}
	return text
}

// ended names the end of ctx in an error that came of it: the connection was
// closed under the conversation, which is all that it noticed.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ctx.Err(), err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// passwordForms gives the password as it may be echoed: bare, escaped as in an
// address or in an error of textproto, which quotes the reply, and as PLAIN and
// LOGIN write it, with and without padding.
func passwordForms(user, password string) []string {
	if password == "" {
		return nil
	}
	quoted := strconv.Quote(password)
	forms := []string{password, url.QueryEscape(password), url.PathEscape(password), quoted[1 : len(quoted)-1]}
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding} {
		forms = append(forms,
			encoding.EncodeToString([]byte(password)),
			encoding.EncodeToString([]byte("\x00"+user+"\x00"+password)))
	}
	return forms
}
