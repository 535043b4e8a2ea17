package views

import (
	"unicode"
	"unicode/utf8"

	"svc/server/fault"
)

// Sentence returns an error as a page shows it: "The password must have…".
func Sentence(e *fault.Error) string {
	message := e.Message
	if e.Field != "" {
		name, ok := fieldNames[e.Field]
		if !ok {
			name = e.Field
		}
		message = "the " + name + " " + message
	}
	first, size := utf8.DecodeRuneInString(message)
	return string(unicode.ToUpper(first)) + message[size:] + "."
}

// fieldNames are the names that people have for fields.
var fieldNames = map[string]string{
	"email": "e-mail", "current": "current password", "name": "name of the business", "body": "form",
}
