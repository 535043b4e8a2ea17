package views

import (
	"slices"
	"strconv"
	"strings"
)

// input is one labelled field of a form, for the template of that name.
type input struct {
	ID, Name, Label, Type, Value, Hint string
	Autocomplete, InputMode            string
	MinLength                          int
	// Verbatim: no spelling or capitals are suggested.
	Verbatim, Autofocus, ReadOnly bool
	// Problem stands beside the field. Wrong is the id of a text elsewhere that
	// says what is wrong.
	Problem, Wrong string
}

// Invalid says that what was typed was refused.
func (in input) Invalid() bool { return in.Problem != "" || in.Wrong != "" }

// DescribedBy are the ids of all that is said about the field.
func (in input) DescribedBy() string {
	var ids []string
	if in.Hint != "" {
		ids = append(ids, in.ID+"-hint")
	}
	if in.Problem != "" {
		ids = append(ids, in.ID+"-problem")
	}
	if in.Wrong != "" {
		ids = append(ids, in.Wrong)
	}
	return strings.Join(ids, " ")
}

// The first argument of each is the form's name, which keeps ids unique where a
// page has several.

func emailInput(form, value string) input {
	return input{
		ID: form + "-email", Name: "email", Label: "E-mail", Type: "email", Value: value,
		Autocomplete: "username", Verbatim: true,
	}
}

func nameInput(form, value string) input {
	return input{
		ID: form + "-name", Name: "name", Label: "Name of your business", Type: "text", Value: value,
		Autocomplete: "organization",
	}
}

// passwordInput is a password that exists; name is "password" or "current".
func passwordInput(form, name, label string) input {
	return input{
		ID: form + "-" + name, Name: name, Label: label, Type: "password",
		Autocomplete: "current-password",
	}
}

func newPassword(form, label string) input {
	return input{
		ID: form + "-password", Name: "password", Label: label, Type: "password",
		Hint: "10 to 200 characters.", Autocomplete: "new-password", MinLength: 10,
	}
}

func codeInput(form string) input {
	return input{
		ID: form + "-code", Name: "code", Label: "Code from the mail", Type: "text",
		Hint: "Six digits.", Autocomplete: "one-time-code", InputMode: "numeric", Verbatim: true,
	}
}

func thresholdInput(value int64) input {
	return input{
		ID: "threshold", Name: "threshold", Label: "Warn me below (US cents)", Type: "text",
		Value: strconv.FormatInt(value, 10), Hint: "A whole number; 100 is US$1.00. 0 turns the warning off.",
		Autocomplete: "off", InputMode: "numeric", Verbatim: true,
	}
}

// The following change an input on its way to the template; it comes last, as a
// pipeline gives it.

func complete(how string, in input) input {
	in.Autocomplete = how
	return in
}

func readOnly(in input) input {
	in.ReadOnly = true
	return in
}

// unnamed is for a field that is there for people and password managers to see,
// and is not posted.
func unnamed(in input) input {
	in.Name, in.ReadOnly = "", true
	return in
}

func focused(focus bool, in input) input {
	in.Autofocus = focus
	return in
}

// withProblem puts a problem beside the field that it is about, which is then the one
// to type in.
func withProblem(field, problem string, in input) input {
	if problem != "" && field != "" && field == in.Name {
		in.Problem, in.Autofocus = problem, true
	}
	return in
}

// blame says that the text with that id, if there is one, is about the field.
func blame(problem, id string, in input) input {
	if problem != "" {
		in.Wrong = id
	}
	return in
}

// elsewhere is the problem if it is about none of these fields: then it stands at
// the top, so that it is never lost.
func elsewhere(problem, field string, fields ...string) string {
	if field != "" && slices.Contains(fields, field) {
		return ""
	}
	return problem
}

// signInForm and accountForm say whether the form is what the page is about, so
// that typing can begin at once.
type signInForm struct {
	SignInForm
	Focus bool
}

type accountForm struct {
	NewAccountForm
	Focus bool
}
