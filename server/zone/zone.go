// Package zone knows the time zones of accounts. It carries the table of zones, for
// machines and containers that have none.
package zone

import (
	"path"
	"strings"
	"time"
	_ "time/tzdata"

	"svc/server/fault"
)

// Of returns the zone of a name, UTC for a name that is not one.
func Of(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Format writes a time as mails show it.
func Format(t time.Time, zone *time.Location) string { return format(t, zone, "2 January 2006") }

// Brief writes a time as pages show it: Format with a short month.
func Brief(t time.Time, zone *time.Location) string { return format(t, zone, "2 Jan 2006") }

func format(t time.Time, zone *time.Location, day string) string {
	t = t.In(zone)
	if name, _ := t.Zone(); name == "" || name[0] == '+' || name[0] == '-' {
		return t.Format(day + ", 15:04 UTC-07:00") // a zone without letters, like America/Sao_Paulo
	}
	return t.Format(day + ", 15:04 MST")
}

// Check returns a fault.Invalid of the field unless name is an IANA zone.
func Check(field, name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return fault.Invalid(field, "must be an IANA zone, like Europe/London")
	}
	return nil
}

// Find returns the zone that a person means by a name or by its city, in any case: "london"
// and "new york" are Europe/London and America/New_York. It fails as Check does.
func Find(field, text string) (string, error) {
	text = strings.Join(strings.Fields(text), "_")
	if Check(field, text) == nil {
		return text, nil
	}
	for _, name := range Names() {
		if strings.EqualFold(name, text) || strings.EqualFold(path.Base(name), text) {
			return name, nil
		}
	}
	if text == "" {
		return "", fault.Invalid(field, "is required")
	}
	return "", fault.Invalid(field, "must be an IANA zone or its city, like Europe/London")
}
