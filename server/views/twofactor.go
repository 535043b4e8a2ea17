package views

import (
	"html/template"
	"net/url"
	"strings"
	"time"
)

// SignInCode is `/signin/code`: the second step of a sign-in. Its forms post `code` and `next`
// to the same address, and `with` if the code is a recovery code.
type SignInCode struct {
	Frame
	Email    string // whose password was typed
	Staff    bool   // they are staff, whose owner can turn the codes off
	Next     string
	Recovery bool   // the last try was a recovery code
	Field    string // that Problem is about; may be empty
}

// TwoFactor is `/console/settings/two-factor`. Its forms post below that address: `ticket` and
// `current` to /begin, `ticket` and `code` to /confirm, `code` to /codes, and `current` and
// `code` to /off.
type TwoFactor struct {
	Frame
	Email   string
	On      bool
	Since   time.Time
	Left    int64           // recovery codes
	Ticket  string          // of the form that begins
	Setup   *TwoFactorSetup // it is begun, and waits for a code
	Codes   []string        // new recovery codes, shown once
	Renewed bool            // Codes take the place of others
	Form    string          // that Problem is about: begin, confirm, codes or off; may be empty
	Field   string          // likewise
	Zone    *time.Location
}

// TwoFactorSetup is a secret that an app is to read.
type TwoFactorSetup struct {
	Ticket  string
	Secret  string       // in groups
	Address template.URL // otpauth://…, which a phone opens in its app
	// Path and Box are the QR code of Address, as data of an SVG path with its viewBox; empty if
	// it could not be drawn.
	Path, Box string
}

// ProblemAt returns the problem if it is of the form.
func (p TwoFactor) ProblemAt(form string) string {
	if p.Form != form {
		return ""
	}
	return p.Problem
}

// Download returns the address of a file with the recovery codes: their text itself, so that
// the server needs not keep them.
func (p TwoFactor) Download() template.URL {
	text := "Recovery codes of " + p.Email + "\r\nEach works once in place of a code of the app.\r\n\r\n" + strings.Join(p.Codes, "\r\n") + "\r\n"
	return template.URL("data:text/plain;charset=utf-8," + url.PathEscape(text))
}

// CodeText returns the recovery codes, one a line.
func (p TwoFactor) CodeText() string { return strings.Join(p.Codes, "\n") }

func (SignInCode) template() string { return "signin_code" }
func (TwoFactor) template() string  { return "console_two_factor" }

// recoveryInput is the field of a recovery code.
func recoveryInput(form string) input {
	return input{
		ID: form + "-recovery", Name: "code", Label: "Recovery code", Type: "text",
		Hint: "16 letters and digits, like 2k7m-x9qd-vv41-h0rt.", Autocomplete: "off", Verbatim: true,
	}
}

// eitherCodeInput is the field of a code of the app or a recovery code.
func eitherCodeInput(form string) input {
	return input{
		ID: form + "-code", Name: "code", Label: "Code", Type: "text",
		Hint: "The six digits that your app shows, or a recovery code.", Autocomplete: "one-time-code", Verbatim: true,
	}
}
