package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"svc/server/fault"
)

const formLimit = 64 << 10 // bytes, A10

// Form is a posted HTML form.
type Form struct {
	values url.Values
	files  map[string]File // of ReadUpload
}

// ReadForm reads the form in the request's body; the query of its address is ignored.
func ReadForm(w *Response, r *http.Request) (Form, error) {
	body, err := ReadBody(w, r, formLimit)
	if err != nil {
		return Form{}, err
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return Form{}, fault.Invalid("body", "must be a form")
	}
	return Form{values: values}, checkText(values)
}

func checkText(values url.Values) error {
	for name, all := range values {
		for _, value := range all {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return fault.Invalid(cmp.Or(name, "body"), "is not valid text")
			}
		}
	}
	return nil
}

// Value returns a field as it was typed, empty if there is none.
func (f Form) Value(name string) string { return f.values.Get(name) }

// All returns the values of a field that may occur several times, such as checkboxes.
func (f Form) All(name string) []string { return f.values[name] }
