package web

import (
	"encoding/json"
	"time"
)

// Time is a time in the API: RFC 3339 in UTC with milliseconds (L5).
type Time time.Time

const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time as a string.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format(timeFormat))
}

// NullTime returns nil, which is null in JSON, for the zero time.
func NullTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	wire := Time(t)
	return &wire
}

// NullString returns nil, which is null in JSON, for an empty string.
func NullString(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
