package dataset

import (
	"strings"
	"time"

	"svc/db"
	"svc/server/zone"
)

// The orders of day and month that File.Dates may choose.
const (
	DayFirst   = "day"
	MonthFirst = "month"
)

// locale is what is known of an account that tells how its open dates are meant. The zero value
// is of none.
type locale struct {
	isKnown bool
	order   dateOrder // in which its country writes dates
	latest  int       // the last day that is not ahead, see dayNumber; 0: not known
	chosen  string    // DayFirst or MonthFirst; empty: nobody chose
}

// longestAhead is how far a day may be ahead of the clock: shops are in several zones (I2).
const longestAhead = 24 * time.Hour

func localeOf(account db.Account, now time.Time) locale {
	ahead := now.In(zone.Of(account.Profile.Timezone)).Add(longestAhead)
	return locale{
		isKnown: true,
		order:   dateOrderIf(account.Profile.Currency == "usd" && !isOverseas(account.Profile.Timezone)),
		latest:  dayNumber(ahead.Year(), int(ahead.Month()), ahead.Day()),
	}
}

// isOverseas reports whether a time zone is on a continent where the day comes first.
func isOverseas(timezone string) bool {
	continent, _, _ := strings.Cut(timezone, "/")
	switch continent {
	case "Africa", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian":
		return true
	}
	return false
}

// orderOf returns the order of a column whose days leave it open, or show it but faintly: the
// one in which no day is ahead, unless they tell what is due or booked, else that of the country.
func (l locale) orderOf(d *dates, own dateOrder, sure evidence, isPlanned bool) dateOrder {
	byDay, byMonth := d.paths[dayFirst].to > l.latest, d.paths[monthFirst].to > l.latest
	switch {
	case l.latest > 0 && byDay != byMonth && !isPlanned:
		return dateOrderIf(byDay)
	case sure == faint && !l.isKnown:
		return own
	}
	return l.order
}

// plannedWords are in the headings of days that may be ahead.
var plannedWords = wordSet(`due expiry expires expiration until renewal renews renew next delivery deliver eta expected booking booked appointment event arrival
	checkin departure checkout start end valid ends starts reminder followup fallig faellig ablauf echeance vencimiento vencimento`)
