package views

import (
	"slices"
	"strings"
	"time"

	"svc/server/sheet"
	"svc/server/zone"
)

// input is a field of a form with its label, for the template "input".
type input struct {
	ID, Name, Label, Type, Value, Hint string
	Autocomplete, InputMode            string
	MinLength                          int
	Rows                               int      // a text of several lines has so many instead of Type
	Options                            []Option // a select has these instead of Type
	List                               []string // that a text is chosen from, or that help to type it
	ListID                             string   // of a list that several fields share, instead of List
	Optional                           bool
	// Verbatim turns off capitalization and spell checking.
	Verbatim, Autofocus, ReadOnly bool
	// Guess: a script may fill it in (setup.js).
	Guess bool
	// Problem is shown beside the field. ProblemID is the id of a problem that is shown
	// elsewhere on the page.
	Problem, ProblemID string
}

// Secret reports whether the field hides what is typed, and so has a button that shows it.
func (in input) Secret() bool { return in.Type == "password" }

// Invalid reports whether the value was refused.
func (in input) Invalid() bool { return in.Problem != "" || in.ProblemID != "" }

// DescribedBy returns the ids of the texts about the field, with spaces between.
func (in input) DescribedBy() string {
	var ids []string
	if in.Hint != "" {
		ids = append(ids, in.ID+"-hint")
	}
	if in.Problem != "" {
		ids = append(ids, in.ID+"-problem")
	}
	if in.ProblemID != "" {
		ids = append(ids, in.ProblemID)
	}
	return strings.Join(ids, " ")
}

// The first argument of the following is the form's name, which makes the ids unique on
// a page with several forms.

func emailInput(form, value string) input {
	return input{
		ID: form + "-email", Name: "email", Label: "E-mail", Type: "email", Value: value,
		Autocomplete: "username", Verbatim: true,
	}
}

func inviteInput(value string) input {
	return input{ID: "invite-email", Name: "email", Label: "E-mail of somebody new", Type: "email", Value: value, Autocomplete: "off", Verbatim: true}
}

func nameInput(form, value string) input {
	return input{ID: form + "-name", Name: "name", Label: "Name of your business", Type: "text", Value: value, Autocomplete: "organization"}
}

// passwordInput is the field of the present password; name is "password" or "current".
func passwordInput(form, name, label string) input {
	return input{ID: form + "-" + name, Name: name, Label: label, Type: "password", Autocomplete: "current-password"}
}

func newPassword(form, label string) input {
	return input{
		ID: form + "-password", Name: "password", Label: label, Type: "password",
		Hint: "10 to 200 characters.", Autocomplete: "new-password", MinLength: 10,
	}
}

func codeInput(form, label, value string) input {
	return input{
		ID: form + "-code", Name: "code", Label: label, Type: "text", Value: value,
		Hint: "Six digits.", Autocomplete: "one-time-code", InputMode: "numeric", Verbatim: true,
	}
}

func thresholdInput(value string) input {
	return input{
		ID: "threshold", Name: "threshold", Label: "Warn me below (US dollars)", Type: "text",
		Value: value, Hint: "Like 12.50; 0 turns the warning off.",
		Autocomplete: "off", InputMode: "decimal", Verbatim: true,
	}
}

func creditInput(form, value string) input {
	return input{
		ID: form + "-amount", Name: "amount", Label: "Amount in US dollars", Type: "text", Value: value,
		Hint: "Like 12.50; -5 takes $5 back.", Autocomplete: "off", Verbatim: true,
	}
}

// guessed marks the field of something that a script fills in as long as nobody has typed it.
func guessed(in input) input {
	in.Guess = true
	return in
}

// linesInput is a text of several lines.
func linesInput(form, name, label, hint, value string) input {
	return input{ID: form + "-" + name, Name: name, Label: label, Value: value, Hint: hint, Rows: 5, Autocomplete: "off"}
}

func phoneInput(form, value string) input {
	return input{
		ID: form + "-phone", Name: "phone", Label: "Phone number", Type: "tel", Value: value,
		Hint: "With + and the code of the country, like +44 7700 900123.", Autocomplete: "off", Verbatim: true,
	}
}

func noteInput(form, value string) input {
	return input{ID: form + "-note", Name: "note", Label: "Note for the ledger", Type: "text", Value: value, Autocomplete: "off", Optional: true}
}

func timezoneInput(form, value string) input {
	return input{
		ID: form + "-timezone", Name: "timezone", Label: "Time zone", Type: "text", Value: value,
		Hint: "Type a city, like London, and choose.", Autocomplete: "off", Verbatim: true, List: zone.Names(),
	}
}

func regionInput(form, value string) input {
	return input{
		ID: form + "-region", Name: "region", Label: "Region", Type: "text", Value: value,
		Hint: "In your own words, like Scotland; may be empty.", Autocomplete: "off", Optional: true,
	}
}

// currencyInput warns that a new currency would convert none of the stored prices.
func currencyInput(form string, options []Option, priced int64) input {
	in := selectInput(form, "currency", "Currency", options)
	if priced > 0 {
		in.Hint = "If you change it, nothing is converted: the figures of the prices of " + count(priced, "item", "items") + " stay as they are."
	}
	return in
}

// dateInput is the field of a day, which may be empty. Browsers drop a value that is not a
// day, so that the field is a text with it.
func dateInput(form, name, label, value string) input {
	in := input{ID: form + "-" + name, Name: name, Label: label, Type: "date", Value: value, Autocomplete: "off", Optional: true}
	if _, err := time.Parse(time.DateOnly, value); value != "" && err != nil {
		in.Type = "text"
	}
	return in
}

// requestInput is the field of a request's id, which may be empty.
func requestInput(form, value string) input {
	return input{
		ID: form + "-id", Name: "id", Label: "Request id, or your own", Type: "search", Value: value, Autocomplete: "off",
		Optional: true, Verbatim: true,
	}
}

// SheetOptions are the tables of a file to choose from; none if there is one at most. Chosen is
// the name of the one that was chosen; empty: none was.
func SheetOptions(all []sheet.Brief, chosen string) (options []Option) {
	if len(all) < 2 {
		return nil
	}
	shown := sheet.Shown(all, chosen)
	options = []Option{{Text: "What fits best", Chosen: shown == ""}}
	for _, b := range all {
		if b.Problem == "" {
			options = append(options, Option{Value: b.Name, Text: b.Text(), Chosen: b.Name == shown})
		}
	}
	return options
}

// selectInput is a choice of one of several values.
func selectInput(form, name, label string, options []Option) input {
	return input{ID: form + "-" + name, Name: name, Label: label, Options: options, Autocomplete: "off", Optional: true}
}

// The following change an input in a pipeline of a template, where it is the last
// argument.

func autocomplete(value string, in input) input {
	in.Autocomplete = value
	return in
}

func hinted(hint string, in input) input {
	in.Hint = hint
	return in
}

func readOnly(in input) input {
	in.ReadOnly = true
	return in
}

// displayOnly makes a field that people and password managers see, but that is not posted.
func displayOnly(in input) input {
	in.Name, in.ReadOnly = "", true
	return in
}

func focused(focus bool, in input) input {
	in.Autofocus = focus
	return in
}

// withProblem shows a problem beside the field that it is about, and focuses that field.
func withProblem(field, problem string, in input) input {
	if problem != "" && field != "" && field == in.Name {
		in.Problem, in.Autofocus = problem, true
	}
	return in
}

// withOthers shows what is wrong with the field if a form's problems are known by field; the first
// of them, which has the focus, is there already.
func withOthers(wrong map[string]string, in input) input {
	if in.Problem == "" {
		in.Problem = wrong[in.Name]
	}
	return in
}

// withProblemID marks the field as invalid if there is a problem, which is shown in the
// element with that id.
func withProblemID(problem, id string, in input) input {
	if problem != "" {
		in.ProblemID = id
	}
	return in
}

// problemOutside returns the problem unless it is about one of the fields. It is then
// shown at the top.
func problemOutside(problem, field string, fields ...string) string {
	if field != "" && slices.Contains(fields, field) {
		return ""
	}
	return problem
}

// signInForm and accountForm focus their first field if the form is the purpose of the
// page.
type signInForm struct {
	SignInForm
	Focus bool
}

type accountForm struct {
	NewAccountForm
	Host  Host
	Focus bool
}
