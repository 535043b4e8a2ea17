package plan

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// PartLabel returns the label of the group that a day belongs to: 2024-03-05, 2024-03,
// 2024-Q1 or 2024; the label of a week is its Monday.
func PartLabel(p Part, day time.Time) string {
	switch p {
	case Week:
		return day.AddDate(0, 0, -(int(day.Weekday())+6)%7).Format(time.DateOnly)
	case Month:
		return day.Format("2006-01")
	case Quarter:
		return fmt.Sprintf("%d-Q%d", day.Year(), (int(day.Month())+2)/3)
	case Year:
		return day.Format("2006")
	}
	return day.Format(time.DateOnly)
}

// PartDays returns the first and the last day of the group that a label names; false if
// the label is none of the part.
func PartDays(p Part, label string) (from, to time.Time, ok bool) {
	var err error
	switch p {
	case Day:
		from, err = time.Parse(time.DateOnly, label)
		return from, from, err == nil
	case Week:
		from, err = time.Parse(time.DateOnly, label)
		return from, from.AddDate(0, 0, 6), err == nil
	case Month:
		from, err = time.Parse("2006-01", label)
		return from, from.AddDate(0, 1, -1), err == nil
	case Quarter:
		year, quarter, _ := strings.Cut(label, "-Q")
		n, failed := strconv.Atoi(quarter)
		from, err = time.Parse("2006", year)
		from = from.AddDate(0, 3*(n-1), 0)
		return from, from.AddDate(0, 3, -1), err == nil && failed == nil
	case Year:
		from, err = time.Parse("2006", label)
		return from, from.AddDate(1, 0, -1), err == nil
	}
	return from, to, false
}
