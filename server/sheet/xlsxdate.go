package sheet

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// A worksheet stores a date as a number and tells it from others by its number
// format alone, which the stream of rows does not give away. So the formats are
// rewritten in memory: those of dates to a mark and the plain number, those of
// others to none. The library's own writing of a date takes 75 µs for a cell.
const (
	stampMark = "\ue0d5" // private characters of Unicode
	timeMark  = "\ue0d6"
	lapseMark = "\ue0d7"

	markBytes  = len(stampMark)
	dayDigits  = 9
	dayPattern = "0.000000000"
)

// plainStyles rewrites the number formats of the workbook.
func plainStyles(file *excelize.File) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = faulty(0, damaged)
		}
		if err != nil {
			file.Close()
		}
	}()
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
	for _, mark := range []string{stampMark, timeMark, lapseMark} {
		if ids[mark], err = addFormat(file, `"`+mark+`"`+dayPattern); err != nil {
			return faulty(0, damaged)
		}
	}

	none := 1 << 20 // no number format has it: the stored value
	for i := range file.Styles.CellXfs.Xf {
		xf := &file.Styles.CellXfs.Xf[i]
		if xf.NumFmtID == nil || isPadding(codes[*xf.NumFmtID]) {
			continue
		}
		if id := ids[dateMark(*xf.NumFmtID, codes[*xf.NumFmtID])]; id != nil {
			xf.NumFmtID = id
		} else {
			xf.NumFmtID = &none
		}
	}
	return nil
}

// addFormat makes the library accept a number format and returns its id.
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

// isPadding knows the format of codes that begin with zeros, such as 00000.
func isPadding(code string) bool { return len(code) > 1 && strings.Trim(code, "0") == "" }

// dateMark says what the cells of a number format are: a date, a time of the day,
// a lapse of time, or "" for anything else. Without a code the id is one of those
// that every spreadsheet knows.
func dateMark(id int, code string) string {
	switch {
	case code != "":
		return markOfCode(code)
	case id >= 14 && id <= 17, id == 22, id >= 27 && id <= 31, id == 36, id >= 50 && id <= 58:
		return stampMark
	case id >= 18 && id <= 21, id >= 32 && id <= 35, id == 45, id == 47:
		return timeMark
	case id == 46:
		return lapseMark
	}
	return ""
}

// markOfCode reads a code as Excel does: what is in quotes, behind a backslash or
// in brackets is no part of the pattern, but [h] is a lapse of time.
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
				return lapseMark
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
		return stampMark
	case strings.ContainsAny(found, "hs"):
		return timeMark
	}
	return ""
}

// plainText turns a marked number into a date in ISO form, without the time where
// it is midnight, or into a time like 14:05:00. What is no date of ours stays a
// number: one below zero, which the library marks behind the sign, or one after
// the year 9999.
func plainText(text string, from1904 bool) string {
	number, isBelow := strings.CutPrefix(text, "-")
	if len(number) <= markBytes || number[0] != stampMark[0] {
		return text
	}
	mark, number := number[:markBytes], number[markBytes:]
	whole, fraction, _ := strings.Cut(number, ".")
	days, err := strconv.Atoi(whole)
	part, err2 := strconv.ParseInt(fraction, 10, 64)
	if err != nil || err2 != nil || len(fraction) != dayDigits || mark != stampMark && mark != timeMark && mark != lapseMark {
		return text
	}
	if isBelow || days > lastDay {
		return sign(isBelow) + strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}

	seconds := int((part*86400 + 500_000_000) / 1_000_000_000)
	switch clock := time.Unix(int64(seconds), 0).UTC(); {
	case mark == lapseMark:
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

// lastDay is 9999-12-31, after which no spreadsheet counts.
const lastDay = 2958465

// day is the date of a number. Up to 1900-02-28 the numbers are one too low,
// since the first spreadsheets took 1900 for a leap year.
func day(n int, from1904 bool) time.Time {
	switch {
	case from1904:
		return time.Date(1904, 1, 1+n, 0, 0, 0, 0, time.UTC)
	case n < 60:
		n++
	}
	return time.Date(1899, 12, 30+n, 0, 0, 0, 0, time.UTC)
}

func sign(isBelow bool) string {
	if isBelow {
		return "-"
	}
	return ""
}
