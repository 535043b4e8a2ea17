package when

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/plan"
	"svc/server/editdistance"
	"svc/server/english"
)

// monthNames has the months by name, also cut to three letters, and with the s of a possessive: septembers.
var monthNames = func() map[string]time.Month {
	names := map[string]time.Month{"sept": time.September}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		names[name], names[name[:3]] = m, m
		if m != time.May {
			names[name+"s"] = m
		}
	}
	return names
}()

// weekdayNames has the days of the week by name, also cut short.
var weekdayNames = func() map[string]time.Weekday {
	names := map[string]time.Weekday{"tues": time.Tuesday, "weds": time.Wednesday, "thur": time.Thursday, "thurs": time.Thursday}
	for d := time.Sunday; d <= time.Saturday; d++ {
		name := strings.ToLower(d.String())
		names[name], names[name[:3]] = d, d
	}
	return names
}()

// IsDay reports whether a word is the name of a weekday or a month, or short for one.
func IsDay(word string) bool {
	word = strings.ToLower(word)
	_, isWeekday := weekdayNames[word]
	return isWeekday || monthNames[word] != 0
}

var numbers = map[string]int{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90,
}

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "final": 4, "last": 4}

var units = map[string]plan.Part{
	"day": plan.Day, "days": plan.Day, "week": plan.Week, "weeks": plan.Week, "month": plan.Month, "months": plan.Month,
	"quarter": plan.Quarter, "quarters": plan.Quarter, "year": plan.Year, "years": plan.Year,
	"yr": plan.Year, "yrs": plan.Year, "mth": plan.Month, "mths": plan.Month, "wk": plan.Week, "wks": plan.Week, "qtr": plan.Quarter,
}

// adverbs group by a unit.
var adverbs = map[string]plan.Part{
	"daily": plan.Day, "weekly": plan.Week, "monthly": plan.Month, "quarterly": plan.Quarter,
	"yearly": plan.Year, "annual": plan.Year, "annually": plan.Year, "hourly": plan.Hour,
}

// seasons are those of the northern hemisphere, by their first month.
var seasons = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

// dayparts are the hours of parts of a day, the last included.
var dayparts = map[string][2]int{
	"morning": {5, 11}, "afternoon": {12, 16}, "evening": {17, 21}, "night": {20, 23},
	"lunchtime": {12, 13}, "lunch": {12, 13}, "breakfast": {6, 10},
}

// holiday returns the date of a named day in a year.
type holiday func(year int) time.Time

func fixed(m time.Month, d int) holiday { return func(y int) time.Time { return date(y, m, d) } }

// nth returns the holiday that is plus days after the nth weekday of a month.
func nth(n int, w time.Weekday, m time.Month, plus int) holiday {
	return func(y int) time.Time {
		first := date(y, m, 1)
		skip := (int(w) - int(first.Weekday()) + 7) % 7
		return first.AddDate(0, 0, skip+7*(n-1)+plus)
	}
}

// easter returns Easter Sunday by the Gregorian calendar (algorithm of Gauss, by Meeus and
// Jones).
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 19*l) / 433
	month := (h + l - 7*m + 90) / 25
	return date(y, time.Month(month), (h+l-7*m+33*month+19)%32)
}

func afterEaster(days int) holiday {
	return func(y int) time.Time { return easter(y).AddDate(0, 0, days) }
}

var holidays = map[string]holiday{
	"christmas": fixed(12, 25), "christmas day": fixed(12, 25), "christmas eve": fixed(12, 24),
	"boxing day": fixed(12, 26), "new years eve": fixed(12, 31), "new years day": fixed(1, 1), "new year": fixed(1, 1),
	"valentines day": fixed(2, 14), "valentines": fixed(2, 14), "halloween": fixed(10, 31), "independence day": fixed(7, 4),
	"st patricks day": fixed(3, 17), "thanksgiving": nth(4, time.Thursday, 11, 0), "black friday": nth(4, time.Thursday, 11, 1),
	"cyber monday": nth(4, time.Thursday, 11, 4), "easter": easter, "easter sunday": easter, "good friday": afterEaster(-2),
	"easter monday": afterEaster(1), "mothers day": nth(2, time.Sunday, 5, 0), "memorial day": nth(5, time.Monday, 5, 0),
	"labor day": nth(1, time.Monday, 9, 0),
}

// named are the long words that a typing error is corrected to.
var named = func() (out []string) {
	for _, names := range [][]string{
		slices.Collect(maps.Keys(monthNames)), slices.Collect(maps.Keys(weekdayNames)), slices.Collect(maps.Keys(adverbs)),
		slices.Collect(maps.Keys(units)), {"yesterday", "today", "weekend", "weekends", "christmas"},
	} {
		for _, n := range names {
			if len(n) >= 5 {
				out = append(out, n)
			}
		}
	}
	slices.Sort(out)
	return out
}()

// corrected returns words with typing errors in the names of days, months and units mended.
// An English word is left as it is.
func corrected(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if len(w) < 5 || english.Known(w) || slices.Contains(named, w) || strings.ContainsAny(w, "0123456789") {
			continue
		}
		if stem, ok := strings.CutSuffix(w, "s"); ok && (slices.Contains(named, stem) || stem == "today") {
			continue
		}
		for _, n := range named {
			if w[0] == n[0] && editdistance.Bytes(w, n, 1+len(n)/8) <= 1+len(n)/8 {
				out[i] = n
				break
			}
		}
	}
	return out
}

func atoi(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && s[0] >= '0' && s[0] <= '9'
}
