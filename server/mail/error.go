package mail

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"net/url"
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
	Down   bool
	Reason string // a fragment of a sentence with the server as its subject, such as "refused the recipient: …"
	Err    error  // the cause, for the log; nil where Reason already says all
}

// Error returns the reason. The cause is left to the log.
func (e *Error) Error() string { return "mail server: " + e.Reason }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// observer keeps the last error of a command. go-mail hides it in the text of its
// SendError.
type observer struct{ last error }

// HandleError implements smtp.ResponseErrorHandler.
func (o *observer) HandleError(_, command string, _ *textproto.Conn, err error) error {
	if command != "rset" && command != "quit" { // go-mail says them after an error
		o.last = err
	}
	return err
}

// explain turns an error of go-mail into an Error. last is the error of the command
// that failed.
func (s *SMTP) explain(session context.Context, err, last error) *Error {
	e, began := errors.AsType[*gomail.SendError](err)
	if !began {
		return &Error{Down: true, Reason: s.noSession(session, err), Err: s.cause(session, err)}
	}
	step := stepOf(e.Reason)
	atEnd := e.Reason == gomail.ErrSMTPDataClose
	reply, replied := errors.AsType[*textproto.Error](last)
	switch {
	case e.ErrorCode() != 0 && atEnd:
		// The server has seen the mail and may quote it, so only the codes are kept.
		return &Error{Permanent: permanent(e), Reason: "refused the message: " + codes(e)}
	case e.ErrorCode() != 0 && replied:
		return &Error{Permanent: permanent(e), Reason: "refused " + step + ": " + s.words(reply)}
	}

	cut := &Error{Reason: "broke off the connection at " + step + ", or gave no valid answer"}
	if session.Err() != nil {
		cut.Reason = "did not answer " + step + " in time"
	}
	if atEnd {
		cut.Reason += "; the mail may have been sent"
		last = nil // it may quote the mail, too
	}
	cut.Err = s.cause(session, last)
	return cut
}

// cause returns an error as the log may show it. The end of session comes first: the
// connection was closed then, which is all that the conversation noticed.
func (s *SMTP) cause(session context.Context, err error) error {
	if session.Err() != nil || err == nil {
		return session.Err()
	}
	return s.redact.Cause(err)
}

// words returns a reply as the operator may see it.
func (s *SMTP) words(reply *textproto.Error) string {
	return s.redact.Clean(fmt.Sprint(reply.Code, " ", reply.Msg))
}

func stepOf(reason gomail.SendErrReason) string {
	switch reason {
	case gomail.ErrSMTPMailFrom:
		return "the sender"
	case gomail.ErrSMTPRcptTo:
		return "the recipient"
	}
	return "the message"
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

// noSession words an error from before the server was ready for a mail. The
// operator needs the text of what is wrong with a certificate or a password.
func (s *SMTP) noSession(session context.Context, err error) string {
	reply, replied := errors.AsType[*textproto.Error](err)
	dial, dialled := errors.AsType[*net.OpError](err)
	switch {
	case session.Err() != nil:
		return "did not answer in time"
	case replied:
		return "refused the session: " + s.words(reply)
	case neterr.IsUnresolved(err):
		return "could not be reached: its name does not resolve"
	case neterr.IsRefused(err):
		return "could not be reached: connection refused"
	case errors.Is(err, context.Canceled):
		return "could not be reached: the hand-over was given up"
	case neterr.IsTimeout(err):
		return "could not be reached: timed out while connecting"
	case dialled && dial.Op == "dial":
		return "could not be reached"
	}
	return "takes no mail: " + s.redact.Clean(fmt.Sprint(errors.Unwrap(err)))
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
