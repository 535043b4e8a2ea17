package tool

import (
	"fmt"
	"net/url"
	"strconv"

	"svc/server/fault"
)

// Query reads the parameters of a tool. It keeps the first fault, which names its
// parameter, and notes each parameter that was left out and what is assumed for it.
// Parameters of other names are ignored.
type Query struct {
	values  url.Values
	assumed []string
	err     error
}

// ReadQuery reads the query of a URL.
func ReadQuery(raw string) *Query {
	values, err := url.ParseQuery(raw)
	q := &Query{values: values}
	if err != nil {
		q.fail("query", "is not well formed")
	}
	return q
}

func (q *Query) fail(name, problem string) {
	if q.err == nil {
		q.err = fault.Invalid(name, problem)
	}
}

// has reports whether a parameter was given. One that is empty was not.
func (q *Query) has(name string) bool {
	if len(q.values[name]) > 1 {
		q.fail(name, "is given more than once")
	}
	return q.values.Get(name) != ""
}

// text returns a required parameter.
func (q *Query) text(name string) string {
	if !q.has(name) {
		q.fail(name, "is required")
	}
	return q.values.Get(name)
}

// textOr returns a parameter, or a default with a note of what it means.
func (q *Query) textOr(name, otherwise, meaning string) string {
	if !q.has(name) {
		q.assume(fmt.Sprintf("%s: %s, %s", name, otherwise, meaning))
		return otherwise
	}
	return q.values.Get(name)
}

func (q *Query) assume(note string) { q.assumed = append(q.assumed, note) }

// decimal reads a number of at most limit, in units of 10^-places.
func (q *Query) decimal(name, text string, places int, limit int64) int64 {
	n, problem := parseDecimal(text, places)
	if problem == "" && n > limit {
		problem = "is too large"
	}
	if problem != "" {
		q.fail(name, problem)
	}
	return n
}

// integer reads an integer from least to most.
func (q *Query) integer(name, text string, least, most int64) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most || !isDigits(text) {
		q.fail(name, fmt.Sprintf("must be an integer from %d to %d", least, most))
	}
	return n
}
