package when

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/plan"
)

// weekdays reads Mondays, weekends, weekdays, every Friday, and "saturday" as any Saturday.
func (r reader) weekdays(i int) []Mention {
	w := r.at(i)
	each := r.is(i-1, "on", "every", "each", "average", "typical", "a", "usual", "all")
	switch w {
	case "weekend", "weekends":
		likely := 1.0
		if r.is(i-1, "last", "this", "past") {
			likely = 0.2
		}
		return []Mention{{To: i + 1, Kind: Days, Part: plan.Weekday, Values: []string{"Saturday", "Sunday"}, Likely: likely}}
	case "weekdays", "workdays", "midweek":
		return []Mention{{To: i + 1, Kind: Days, Part: plan.Weekday, Values: slices.Clone(plan.Weekdays[:5]), Likely: 0.9}}
	case "week":
		if r.is(i-1, "the") && r.is(i-2, "in", "during", "through") && r.namesWeekend() {
			return []Mention{{To: i + 1, Kind: Days, Part: plan.Weekday, Values: slices.Clone(plan.Weekdays[:5]), Likely: 1}}
		}
		return nil
	}
	name, plural := strings.CutSuffix(w, "s")
	day, ok := weekdayNames[name]
	if !ok {
		name, plural = w, false
		day, ok = weekdayNames[name]
	}
	isVerb := w == "sat" && r.is(i-1, "been", "is", "are", "was", "were", "got", "anything", "still", "just") // and waits
	if !ok || isVerb {
		return nil
	}
	if last, ok := weekdayNames[strings.TrimSuffix(r.at(i+2), "s")]; ok && r.is(i+1, "to", "through", "thru", "till", "until") {
		return []Mention{{To: i + 3, Kind: Days, Part: plan.Weekday, Values: weekdaysFrom(day, last), Likely: 1}}
	}
	likely := 0.5
	switch {
	case plural || each && !r.is(i-1, "on"):
		likely = 1
	case r.is(i-1, "last", "this", "past"):
		return nil
	case len(name) <= 4:
		likely = 0.2
	}
	return []Mention{{To: i + 1, Kind: Days, Part: plan.Weekday, Values: []string{day.String()}, Likely: likely}}
}

// namesWeekend reports whether days of a weekend are named, beside which those in the week are the others.
func (r reader) namesWeekend() bool {
	return slices.ContainsFunc(r.words, func(w string) bool {
		return slices.Contains([]string{"saturday", "sunday", "weekend"}, strings.TrimSuffix(w, "s"))
	})
}

// weekdaysFrom returns the days of the week from one to another, in the order of plan.Weekdays.
func weekdaysFrom(first, last time.Weekday) []string {
	n := (last - first + 7) % 7
	return slices.DeleteFunc(slices.Clone(plan.Weekdays), func(name string) bool {
		return (weekdayNames[strings.ToLower(name)]-first+7)%7 > n
	})
}

// hours reads mornings, before noon, after 5pm, at 8am, between 9 and 11 in the morning.
func (r reader) hours(i int) []Mention {
	found := func(from, to, n int) []Mention {
		return []Mention{{To: i + n, Kind: Days, Part: plan.Hour, Values: hoursFrom(from, to), Likely: 1}}
	}
	if p, ok := dayparts[strings.TrimSuffix(r.at(i), "s")]; ok {
		return found(p[0], p[1], 1)
	}
	if r.is(i, "before", "after", "from", "until", "since") {
		if h, n := r.clock(i+1, ""); n > 0 {
			switch {
			case r.is(i, "before", "until"):
				return found(0, h-1, 1+n)
			case h == 24:
				return found(0, 5, 1+n) // after midnight
			}
			n++
			if r.is(i+n, "onwards", "onward", "on") {
				n++
			}
			return found(h, 23, n)
		}
	}
	j := i
	if r.is(i, "between", "from") {
		j++
	}
	if from, to, n := r.clockRange(j); n > 0 {
		return found(from, to-1, j-i+n)
	}
	if from, to, ok := r.pastNoon(j); ok && j > i {
		return found(from, to-1, 4)
	}
	h, n := r.clock(i, "")
	switch {
	case n == 0 || h >= 24:
	case r.is(i+n, "onwards", "onward", "on"):
		return found(h, 23, n+1)
	case r.is(i+n, "or") && r.is(i+n+1, "later", "after"):
		return found(h, 23, n+2)
	case r.is(i-1, "at", "around") || r.isOpposed(i, n):
		return found(h, h, n)
	}
	return nil
}

// isOpposed reports whether n words at word i are set against others: 7am vs 6pm.
func (r reader) isOpposed(i, n int) bool {
	against := []string{"vs", "versus", "v", "against", "or"}
	return r.is(i-1, against...) || r.is(i+n, against...)
}

// clockRange reads 9 to 11am, 17:00 and 19:00, 9 and 11 in the morning. The end is
// excluded.
func (r reader) clockRange(i int) (from, to, n int) {
	for k := i + 1; k < min(len(r.words), i+3); k++ {
		if !r.is(k, "and", "to", "until", "till", "-") {
			continue
		}
		half, tail := r.halfAfter(k + 2)
		end, m := r.clock(k+1, half)
		if m == 0 {
			return 0, 0, 0
		}
		if m > 1 {
			tail = 0
		}
		if end == 0 {
			end = 24 // midnight
		}
		if half == "" && end <= 12 {
			half = "am"
		} else if half == "" {
			half = "pm"
		}
		head := reader{words: r.words[:k], now: r.now}
		start, m2 := head.clock(i, half)
		if start >= end && half == "pm" {
			start, m2 = head.clock(i, "am")
		}
		if _, own := head.clock(i, ""); start > end && own == m2 {
			end += 24 // 10pm to 2am
		}
		if m2 != k-i || start >= end {
			return 0, 0, 0
		}
		return start, end, k + 1 + m + tail - i
	}
	return 0, 0, 0
}

// pastNoon reads 12 and 2, and 10 to 4: numbers up to 12 of which the second is the lower are hours.
func (r reader) pastNoon(i int) (from, to int, ok bool) {
	from, isFrom := r.number(i)
	to, isTo := r.number(i + 2)
	return from, to + 12, r.now.Time && isFrom && isTo && r.is(i+1, "and", "to") && to <= earliest && to < from && from <= 12 && from >= earliest && units[r.at(i+3)] == plan.Whole
}

// halfAfter reads the half of a day after a range of hours: in the morning.
func (r reader) halfAfter(i int) (half string, n int) {
	for words, half := range map[string]string{"in the morning": "am", "in the afternoon": "pm", "in the evening": "pm", "at night": "pm"} {
		if n := r.has(i, words); n > 0 {
			return half, n
		}
	}
	return "", 0
}

// earliest is the first hour that by itself is one of the morning.
const earliest = 6

// clock reads 5pm, 9 am, 17:00, noon, 12 noon, midnight, 5 oclock, 10 in the morning. A bare number needs half, am or
// pm.
func (r reader) clock(i int, half string) (hour, n int) {
	w := r.at(i)
	if w == "12" && r.is(i+1, "noon", "midday", "midnight") {
		hour, n = r.clock(i+1, half)
		return hour, n + 1
	}
	switch w {
	case "":
		return 0, 0
	case "noon", "midday":
		return 12, 1
	case "midnight":
		return 24, 1
	}
	n = 1
	for _, suffix := range []string{"am", "pm"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && rest != "" {
			w, half = rest, suffix
		} else if r.is(i+1, suffix) {
			half, n = suffix, 2
		}
	}
	if r.is(i+1, "oclock") {
		n = 2
		if half == "" {
			half = "am"
			if h, err := strconv.Atoi(w); err == nil && h < earliest && r.has(i+2, "in the morning") == 0 && r.has(i+2, "at night") == 0 {
				half = "pm" // a shop is open at 4 in the afternoon
			}
		}
	}
	if half == "" {
		var tail int
		half, tail = r.halfAfter(i + 1)
		n += tail
	}
	h, minutes, colon := strings.Cut(w, ":")
	hour, err := strconv.Atoi(h)
	if err != nil || hour < 0 || hour > 24 || half == "" && (!colon || len(minutes) != 2) {
		return 0, 0
	}
	if half == "pm" && hour < 12 {
		hour += 12
	}
	if half == "am" && hour == 12 {
		hour = 0
	}
	return hour, n
}

// hoursFrom returns the hours of a range, which may pass midnight.
func hoursFrom(from, to int) []string {
	var out []string
	for h := from % 24; ; h = (h + 1) % 24 {
		out = append(out, strconv.Itoa(h))
		if h == (to+24)%24 {
			return out
		}
	}
}

// months reads a month or a season of any year: every December, in summer.
func (r reader) months(i int) []Mention {
	w := r.at(i)
	var values []string
	if m, ok := monthNames[w]; ok && len(w) > 3 {
		values = []string{strconv.Itoa(int(m))}
	} else if first, ok := seasons[strings.TrimSuffix(w, "s")]; ok {
		for k := range 3 {
			values = append(values, strconv.Itoa(int(first-1+time.Month(k))%12+1))
		}
	} else {
		return nil
	}
	likely := 0.3
	if r.is(i-1, "every", "each", "all", "any") || strings.HasSuffix(w, "summers") || strings.HasSuffix(w, "winters") {
		likely = 1
	}
	if _, n := r.yearAfter(i + 1); n > 0 {
		return nil
	}
	return []Mention{{To: i + 1, Kind: Days, Part: plan.Month, Values: values, Likely: likely}}
}

// phrases are groups of more than one word.
var phrases = map[string]plan.Part{
	"day of the week": plan.Weekday, "day of week": plan.Weekday, "days of the week": plan.Weekday, "weekday": plan.Weekday,
	"time of day": plan.Hour, "time of the day": plan.Hour, "hour of the day": plan.Hour, "hour of day": plan.Hour, "hour": plan.Hour, "hours": plan.Hour,
	"calendar month": plan.Month, "calendar year": plan.Year, "calendar week": plan.Week,
	"weekend or weekday": plan.Daytype, "weekday or weekend": plan.Daytype, "weekends and weekdays": plan.Daytype, "weekdays and weekends": plan.Daytype,
	"month of the year": plan.Month,
}

// series are phrases that group whatever is before them.
var series = map[string]plan.Part{
	"over time": plan.Whole, "through time": plan.Whole, "over the years": plan.Year, "across the years": plan.Year, "over the months": plan.Month,
	"through the years": plan.Year, "over the weeks": plan.Week, "hour by hour": plan.Hour,
}

// groups reads monthly, month by month, each on its own; and the bare name of a unit.
func (r reader) groups(i int) []Mention {
	var out []Mention
	if part, ok := adverbs[r.at(i)]; ok {
		out = append(out, Mention{To: i + 1, Kind: Group, Part: part, Likely: 1})
	}
	for phrase, part := range series {
		if n := r.has(i, phrase); n > 0 {
			out = append(out, Mention{To: i + n, Kind: Group, Part: part, Likely: 1})
		}
	}
	unit, ok := units[r.at(i)]
	if ok && r.is(i+1, "by", "after", "for") && units[r.at(i+2)] == unit {
		out = append(out, Mention{To: i + 3, Kind: Group, Part: unit, Likely: 1})
	}
	if ok {
		out = append(out, Mention{To: i + 1, Kind: Group, Part: unit, Bare: true, Likely: 0.8})
	}
	for phrase, part := range phrases {
		if n := r.has(i, phrase); n > 0 {
			out = append(out, Mention{To: i + n, Kind: Group, Part: part, Bare: true, Likely: 0.9})
		}
	}
	slices.SortStableFunc(out, func(a, b Mention) int { return b.To - a.To })
	return out
}

// steps reads month on month, year over year, yoy.
func (r reader) steps(i int) []Mention {
	if part, ok := map[string]plan.Part{"yoy": plan.Year, "mom": plan.Month, "wow": plan.Week, "qoq": plan.Quarter}[r.at(i)]; ok {
		return []Mention{{To: i + 1, Kind: Steps, Part: part, Likely: 0.9}}
	}
	part, ok := units[r.at(i)]
	if !ok || !r.is(i+1, "on", "over", "to") || units[r.at(i+2)] != part {
		return nil
	}
	return []Mention{{To: i + 3, Kind: Steps, Part: part, Likely: 1}}
}

// vague reads recently, lately, these days.
func (r reader) vague(i int) []Mention {
	if r.is(i, "recently", "lately", "nowadays") {
		return []Mention{{To: i + 1, Kind: Vague, Likely: 1}}
	}
	for _, phrase := range []string{"these days", "of late", "in the past", "some time ago"} {
		if n := r.has(i, phrase); n > 0 {
			return []Mention{{To: i + n, Kind: Vague, Likely: 0.8}}
		}
	}
	return nil
}
