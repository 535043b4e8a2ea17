package sheet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// A worksheet stores a date as a number, which only its number format distinguishes from
// other numbers, and excelize's stream of rows does not include the formats. So
// markDates rewrites the formats in memory: those of dates to a mark and the plain
// number, others to none. The library's own formatting takes 75 µs per date.
const (
	dateMark     = "\ue0d5" // private-use characters of Unicode
	timeMark     = "\ue0d6"
	durationMark = "\ue0d7"

	markBytes  = len(dateMark)
	dayDigits  = 9
	dayPattern = "0.000000000"
)

// markDates rewrites the number formats of the workbook.
func markDates(file *excelize.File) (err error) {
	if file.Styles == nil || file.Styles.CellXfs == nil {
		return nil
	}
	codes := map[int]string{}
	if file.Styles.NumFmts != nil {
		for _, f := range file.Styles.NumFmts.NumFmt {
			codes[f.NumFmtID] = f.FormatCode
		}
	}
	ids := map[string]*int{}
	for _, mark := range []string{dateMark, timeMark, durationMark} {
		if ids[mark], err = addFormat(file, `"`+mark+`"`+dayPattern); err != nil {
			return errorAt(0, damaged)
		}
	}

	none := 1 << 20 // no format has this id, so the library returns the stored value
	for i := range file.Styles.CellXfs.Xf {
		xf := &file.Styles.CellXfs.Xf[i]
		if xf.NumFmtID == nil || isPadding(codes[*xf.NumFmtID]) {
			continue
		}
		if id := ids[markOfFormat(*xf.NumFmtID, codes[*xf.NumFmtID])]; id != nil {
			xf.NumFmtID = id
		} else {
			xf.NumFmtID = &none
		}
	}
	return nil
}

// addFormat adds a number format to the workbook and returns its id.
func addFormat(file *excelize.File, format string) (*int, error) {
	style, err := file.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		return nil, err
	}
	if style >= len(file.Styles.CellXfs.Xf) || file.Styles.CellXfs.Xf[style].NumFmtID == nil {
		return nil, errors.New("the style was not added")
	}
	id := *file.Styles.CellXfs.Xf[style].NumFmtID
	return &id, nil
}

// isPadding reports whether a format pads codes with zeros, such as 00000.
func isPadding(code string) bool { return len(code) > 1 && strings.Trim(code, "0") == "" }

// markOfFormat returns the mark of a number format: that of a date, a time of day, a
// duration, or "" for other numbers. A format without a code is a built-in one.
func markOfFormat(id int, code string) string {
	switch {
	case code != "":
		return markOfCode(code)
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 58:
		return dateMark
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47:
		return timeMark
	case id == 46:
		return durationMark
	}
	return ""
}

// markOfCode parses a format code as Excel does: text in quotes, after a backslash or in
// brackets is not part of the pattern, but [h] means a duration.
func markOfCode(code string) string {
	var letters strings.Builder
	for i := 0; i < len(code) && code[i] != ';'; i++ {
		switch c := code[i] | 0x20; {
		case code[i] == '\\' || code[i] == '_' || code[i] == '*':
			i++
		case code[i] == '"':
			i += 1 + strings.IndexByte(code[i+1:]+`"`, '"')
		case code[i] == '[':
			inside, _, _ := strings.Cut(code[i+1:], "]")
			if inside != "" && strings.Trim(strings.ToLower(inside), "hms") == "" {
				return durationMark
			}
			i += len(inside) + 1
		case c == 'g' && len(code) >= i+7 && strings.EqualFold(code[i:i+7], "general"):
			return ""
		case c >= 'a' && c <= 'z':
			letters.WriteByte(c)
		}
	}
	switch found := letters.String(); {
	case strings.ContainsAny(found, "yd"), strings.Contains(found, "m") && !strings.ContainsAny(found, "hs"):
		return dateMark
	case strings.ContainsAny(found, "hs"):
		return timeMark
	}
	return ""
}

// decodeDate converts a marked number to a date in ISO form, without the time at midnight,
// or to a time like 14:05:00. Numbers that are no date stay numbers: those below zero,
// which have the mark after the sign, and those after the year 9999. Text without a mark
// is returned as it is.
func decodeDate(text string, from1904 bool) string {
	number, negative := strings.CutPrefix(text, "-")
	if len(number) <= markBytes || number[0] != dateMark[0] {
		return text
	}
	mark, number := number[:markBytes], number[markBytes:]
	whole, fraction, _ := strings.Cut(number, ".")
	days, err := strconv.Atoi(whole)
	part, err2 := strconv.ParseInt(fraction, 10, 64)
	if err != nil || err2 != nil || len(fraction) != dayDigits || mark != dateMark && mark != timeMark && mark != durationMark {
		return text
	}
	if negative || days > lastDay {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
		if negative {
			return "-" + number
		}
		return number
	}

	seconds := int((part*86400 + 500_000_000) / 1_000_000_000)
	switch clock := time.Unix(int64(seconds), 0).UTC(); {
	case mark == durationMark:
		seconds += days * 86400
		return fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	case mark == timeMark, days == 0 && seconds > 0 && !from1904:
		return clock.Format("15:04:05")
	}
	date := day(days, from1904).Add(time.Duration(seconds) * time.Second)
	if seconds%86400 == 0 {
		return date.Format("2006-01-02")
	}
	return date.Format("2006-01-02T15:04:05")
}

// lastDay is 9999-12-31, the last date of spreadsheets.
const lastDay = 2958465

// day returns the date of a number. Up to 1900-02-28 the numbers are one too low, because
// the first spreadsheets treated 1900 as a leap year.
func day(n int, from1904 bool) time.Time {
	switch {
	case from1904:
		return time.Date(1904, 1, 1+n, 0, 0, 0, 0, time.UTC)
	case n < 60:
		n++
	}
	return time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC)
}
