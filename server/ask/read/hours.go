package read

import (
	"strconv"
	"strings"

	"svc/server/ask/plan"
)

// weekdaysAt reads Mondays, weekends, weekdays and "Saturday" after "on a".
func weekdaysAt(ts []token, i int) ([]string, int) {
	j := i
	for wordIs(ts, j, "on", "at", "the", "during", "over", "a", "in") {
		j++
	}
	if j >= len(ts) {
		return nil, 0
	}
	switch ts[j].text {
	case "weekend", "weekends":
		return []string{"Saturday", "Sunday"}, j - i + 1
	case "weekdays", "workdays":
		if wordIs(ts, i-1, "by", "which", "per", "busiest", "best", "across") {
			return nil, 0
		}
		return plan.Weekdays[:5], j - i + 1
	}
	if j == i+1 && wordIs(ts, i, "on") && !strings.HasSuffix(ts[j].text, "s") && wordIs(ts, 0, "how", "what") && (wordIs(ts, 1, "did") || wordIs(ts, 2, "did")) {
		return nil, 0 // the last such day
	}
	name := strings.TrimSuffix(ts[j].text, "s")
	w, ok := weekdayNames[name]
	if !ok || len(name) < 6 {
		return nil, 0
	}
	return []string{w.String()}, j - i + 1
}

var hoursOfDaypart = map[string][2]int{
	"morning": {5, 11}, "afternoon": {12, 16}, "evening": {17, 21}, "night": {20, 23},
	"lunchtime": {12, 13}, "lunch": {12, 13}, "breakfast": {6, 10},
}

// hoursAt reads mornings, before noon, after 5pm, between 9 and 11 am.
func hoursAt(ts []token, i int) ([]string, int) {
	j := i
	for wordIs(ts, j, "in", "at", "the", "during", "over") {
		j++
	}
	if j >= len(ts) {
		return nil, 0
	}
	if p, ok := hoursOfDaypart[ts[j].stem]; ok {
		return hours(p[0], p[1]), j - i + 1
	}
	if wordIs(ts, j, "before", "after", "from", "until") {
		if h, n := clock(ts, j+1, ""); n > 0 {
			if wordIs(ts, j, "before", "until") {
				return hours(0, h-1), j - i + 1 + n
			}
			if h == 24 {
				return hours(0, 5), j - i + 1 + n // after midnight
			}
			return hours(h, 23), j - i + 1 + n
		}
	}
	if wordIs(ts, j, "between") {
		j++
	}
	if h, m, n := clockRange(ts, j); n > 0 {
		return hours(h, m-1), j - i + n
	}
	if h, n := clock(ts, j, ""); n > 0 && wordIs(ts, j-1, "at") {
		return hours(h, h), j - i + n
	}
	return nil, 0
}

func clockRange(ts []token, i int) (from, to, n int) {
	for k := i + 1; k < len(ts) && k < i+4; k++ {
		if !wordIs(ts, k, "and", "to", "until", "till") {
			continue
		}
		end, m := clock(ts, k+1, "")
		if m == 0 {
			return 0, 0, 0
		}
		if end == 0 {
			end = 24 // midnight
		}
		half := ""
		if end <= 12 || strings.HasSuffix(textOf(ts[k+1:k+1+m]), "am") {
			half = "am"
		}
		start, m2 := clock(ts[:k], i, half)
		if m2 == 0 {
			if start, m2 = clock(ts[:k], i, "pm"); m2 == 0 || start >= end {
				return 0, 0, 0
			}
		}
		if end == 24 && half == "am" && start == 12 && wordIs(ts, i, "12") {
			start = 0
		}
		return start, end, k + 1 + m - i
	}
	return 0, 0, 0
}

// clock reads 5pm, 9 am, 17:00, noon and midnight. A bare number needs half, the am or pm
// that comes later in the text.
func clock(ts []token, i int, half string) (hour, n int) {
	if i >= len(ts) {
		return 0, 0
	}
	w := ts[i].text
	switch {
	case w == "noon" || w == "midday":
		return 12, 1
	case w == "midnight":
		return 24, 1
	}
	n = 1
	for _, suffix := range []string{"am", "pm"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && rest != "" {
			w, half = rest, suffix
		} else if wordIs(ts, i+1, suffix) {
			half, n = suffix, 2
		}
	}
	h, minutes, colon := strings.Cut(w, ":")
	hour, err := strconv.Atoi(h)
	if err != nil || hour > 24 || half == "" && (!colon || len(minutes) != 2) {
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

// hours returns the hours of a range, which may pass midnight.
func hours(from, to int) []string {
	var out []string
	for h := from % 24; ; h = (h + 1) % 24 {
		out = append(out, strconv.Itoa(h))
		if h == (to+24)%24 {
			return out
		}
	}
}
