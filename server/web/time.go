package web

import (
	"encoding/json"
	"time"
)

// Time is a time as the API writes it: RFC 3339 in UTC, to the millisecond (L5).
type Time time.Time

const timeFormat = "2006-01-02T15:04:05.000Z"

// MarshalJSON writes the time as a string.
func (t Time) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Time(t).UTC().Format(timeFormat))
}

// NullTime is nil, and so null, for a time that is not set.
func NullTime(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	wire := Time(t)
	return &wire
}

// NullString is nil, and so null, for an empty string.
func NullString(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
