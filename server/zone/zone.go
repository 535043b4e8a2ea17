// Package zone knows the time zones of accounts. It carries the table of zones, for
// machines and containers that have none.
package zone

import (
	"time"
	_ "time/tzdata"

	"svc/db"
	"svc/server/fault"
)

// Of returns the zone in which an account's times are shown; UTC for the zero account.
func Of(a db.Account) *time.Location {
	zone, err := time.LoadLocation(a.Profile.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// Check returns a fault.Invalid of the field unless name is an IANA zone.
func Check(field, name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		return fault.Invalid(field, "must be an IANA zone, like Europe/London")
	}
	return nil
}
