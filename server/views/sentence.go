package views

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/server/fault"
	"svc/server/web"
)

// Report records the problem of a visitor's last action, nil for none. It returns the
// status of the page that shows the problem, its sentence, and the field at fault if
// there is one.
func Report(w *web.Response, problem *fault.Error) (status int, sentence, field string) {
	if problem == nil {
		return http.StatusOK, "", ""
	}
	w.Record(problem)
	return web.Status(problem), Sentence(problem), problem.Field
}

// Wrong returns what is wrong with each of several fields, as sentences by their names. A page
// with it shows all problems of a form at once.
func Wrong(problems ...error) map[string]string {
	all := map[string]string{}
	for _, err := range problems {
		var e *fault.Error
		if errors.As(err, &e) && e.Field != "" && all[e.Field] == "" {
			all[e.Field] = Sentence(e)
		}
	}
	return all
}

// Sentence returns an error as a page shows it: "The password must have…".
func Sentence(e *fault.Error) string {
	message := e.Message
	if e.Field != "" {
		message = "the " + fieldName(e.Field) + " " + message
	}
	first, size := utf8.DecodeRuneInString(message)
	return string(unicode.ToUpper(first)) + message[size:] + "."
}

// fieldName names a field to people; one of a line of a list by its part, as with "price".
func fieldName(field string) string {
	if rest, ok := strings.CutPrefix(field, "line-"); ok {
		if _, part, ok := strings.Cut(rest, "-"); ok {
			field = part
		}
	}
	return cmp.Or(fieldNames[field], field)
}

// fieldNames are the names that people have for fields.
var fieldNames = map[string]string{
	"email": "e-mail", "current": "current password", "name": "name of the business", "body": "form",
	"biz-type": "type of business", "env": "environment", "app-name": "name of the app", "timezone": "time zone", "from": "first day", "to": "last day",
	"item-name": "name", "cost": "cost price", "reorder-point": "reorder point", "sku": "SKU", "alias": "name",
	"item": "product", "lines": "list of goods", "by": "day", "phone": "phone number", "dataset-name": "name", "url": "address", "since": "day",
}
