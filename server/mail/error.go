package mail

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/textproto"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"svc/server/neterr"

	gomail "github.com/wneessen/go-mail"
)

// maxReplyRunes bounds what is kept of a reply.
const maxReplyRunes = 200

// Error is why a mail is not known to have been sent. None of its texts holds the
// password or a word of the mail.
type Error struct {
	// Permanent: the server will never take this mail for this recipient. Any other
	// mail is sent again.
	Permanent bool
	// Down: the server was not reached or refused the session, so that it takes no
	// other mail now either.
	Down bool
	// InDoubt: the mail was written to its end, and no valid answer came. The server may
	// have taken it.
	InDoubt bool
	Reason  string // a fragment of a sentence with the server as its subject, such as "refused the recipient: …"
	Err     error  // the cause, for the log; nil where Reason already says all
}

// Error returns the reason. The cause is left to the log.
func (e *Error) Error() string { return "mail server: " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// outcome says in a few words how a try ended; nil is a success.
func (e *Error) outcome() string {
	switch {
	case e == nil:
		return "ok"
	case e.Permanent:
		return "refused"
	case e.Down:
		return "down"
	case e.InDoubt:
		return "in doubt"
	}
	return "failed"
}

// confirmation is the text of an error that go-mail makes of a reply 251 to 299 to the
// message, as it takes 250 alone for a success.
var confirmation = regexp.MustCompile("^" + gomail.ErrSMTPDataClose.String() + `: 2\d\d `)

// confirmed reports whether the server has taken the mail: any 2xx is a confirmation
// (RFC 5321, 4.2.1).
func confirmed(e *gomail.SendError) bool { return confirmation.MatchString(e.Error()) }

// explain turns an error of go-mail into an Error.
func (s *SMTP) explain(c *session, e *gomail.SendError) *Error {
	step := cmp.Or(steps[e.Reason], "the message")
	atEnd := e.Reason == gomail.ErrSMTPDataClose
	reply, replied := errors.AsType[*textproto.Error](c.last)
	switch {
	case e.ErrorCode() != 0 && atEnd:
		// The server has seen the mail and may quote it, so only the codes are kept.
		return &Error{Permanent: permanent(e), Reason: "refused the message: " + codes(e)}
	case e.ErrorCode() != 0 && replied:
		return &Error{Permanent: permanent(e), Reason: "refused " + step + ": " + s.words(reply)}
	}

	fault := &Error{InDoubt: atEnd && !c.conn.short, Err: context.Cause(c)}
	switch {
	case errors.Is(fault.Err, context.Canceled):
		fault.Reason = "had not answered " + step + " when the hand-over was given up"
	case fault.Err != nil:
		fault.Reason = "did not answer " + step + " in time"
	default:
		fault.Reason = "broke off the connection at " + step + ", or gave no valid answer"
		if c.last != nil && !atEnd { // at the end it may quote the mail, too
			fault.Err = s.redact.Cause(c.last)
		}
	}
	return fault
}

// words returns a reply as the operator may see it.
func (s *SMTP) words(reply *textproto.Error) string {
	return s.redact.Clean(fmt.Sprint(reply.Code, " ", reply.Msg))
}

// steps are the steps that fail for another reason than the message.
var steps = map[gomail.SendErrReason]string{
	gomail.ErrConnCheck: "the sender", gomail.ErrSMTPMailFrom: "the sender", gomail.ErrSMTPRcptTo: "the recipient",
}

// permanent reports whether the server will never take this mail for this
// recipient: go-mail calls the reply not temporary, and the reply is about the
// recipient or the message. A reply to the sender is about our settings, as are
// those that want us to sign in, to use TLS or to speak otherwise.
func permanent(e *gomail.SendError) bool {
	switch e.ErrorCode() {
	case 502, 503, 504, 530, 534, 535, 538:
		return false
	}
	return !e.IsTemp() && e.Reason != gomail.ErrSMTPMailFrom
}

// statusSubjects are the meanings of the second number of an enhanced status code
// (RFC 3463).
var statusSubjects = map[string]string{
	"1": "the address", "2": "the mailbox", "3": "the mail system", "4": "the network",
	"5": "the protocol", "6": "the content", "7": "security or policy",
}

// codes returns the numbers of a reply, like "554 5.7.1 (security or policy)".
func codes(e *gomail.SendError) string {
	text := strconv.Itoa(e.ErrorCode())
	if status := e.EnhancedStatusCode(); status != "" {
		text += " " + status
		if subject := statusSubjects[strings.Split(status, ".")[1]]; subject != "" {
			text += " (" + subject + ")"
		}
	}
	return text
}

// noSession words an error from before the server was ready for a mail. The operator
// needs the text of what is wrong with a certificate or a password.
func (s *SMTP) noSession(c *session, err error) *Error {
	if cause := context.Cause(c); cause != nil {
		err = fmt.Errorf("%w: %w", cause, err) // the conversation noticed only the closed connection
	}
	fault := &Error{Down: true, Err: s.redact.Cause(err)}
	reply, replied := errors.AsType[*textproto.Error](err)
	_, odd := errors.AsType[textproto.ProtocolError](err)
	switch text := err.Error(); {
	case c.conn == nil:
		fault.Reason = "could not be reached" + unreached(err)
	case neterr.IsTimeout(err):
		fault.Reason = "did not answer in time"
	case errors.Is(err, context.Canceled):
		fault.Reason = "had not answered when the hand-over was given up"
	case replied:
		fault.Reason = "refused the session: " + s.words(reply)
	case odd:
		fault.Reason = "gave an answer that is not SMTP"
	case neterr.IsBroken(err) && !strings.Contains(text, "tls: "): // which an alert of TLS is too
		fault.Reason = "broke off the connection before it was ready for a mail"
	case strings.Contains(text, "not support STARTTLS"):
		fault.Reason = "does not offer STARTTLS, without which nothing is sent to another host"
	case errors.Is(err, gomail.ErrNoSupportedAuthDiscovered), strings.Contains(text, "not support SMTP AUTH"):
		fault.Reason = "does not offer to sign in by PLAIN or LOGIN"
	default:
		fault.Reason = "takes no mail: " + s.redact.Clean(text)
	}
	return fault
}

func unreached(err error) string {
	switch {
	case neterr.IsUnresolved(err):
		return ": its name does not resolve"
	case neterr.IsRefused(err):
		return ": connection refused"
	case errors.Is(err, context.Canceled):
		return ": the hand-over was given up"
	case neterr.IsTimeout(err):
		return ": timed out while connecting"
	}
	return ""
}

// passwordForms returns the password as a reply may echo it: bare, escaped as in an
// address or in an error of textproto, which quotes the reply, and as PLAIN and
// LOGIN write it, with and without padding.
func passwordForms(user, password string) []string {
	if password == "" {
		return nil
	}
	quoted := strconv.Quote(password)
	forms := []string{password, url.QueryEscape(password), url.PathEscape(password), quoted[1 : len(quoted)-1]}
	for _, text := range []string{password, "\x00" + user + "\x00" + password} {
		forms = append(forms, base64.StdEncoding.EncodeToString([]byte(text)), base64.RawStdEncoding.EncodeToString([]byte(text)))
	}
	return forms
}
