package tool

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
)

// File is a file of the ECB's euro reference rates: eurofxref-hist.csv has all days,
// eurofxref.csv has one. Either may be in a ZIP archive.
type File struct {
	Name    string
	Content io.ReaderAt
	Size    int64
}

const (
	// maxFile bounds a file and what is in an archive, in bytes. The ECB's file of all days
	// since 1999 has about 2 MB.
	maxFile = 16 << 20
	// ratePlaces are the digits of a stored rate after its point.
	ratePlaces = 6
	// maxRate bounds a rate for one euro. The Turkish lira of 2004, near 2,000,000, is below.
	maxRate = 10_000_000
)

// formerCurrencies are those that the ECB's file has, that have ended, and that package
// money does not know.
var formerCurrencies = strings.Fields("cyp eek hrk ltl lvl mtl rol sit skk trl")

var errFile = errors.New("the file is no valid file of reference rates")

// fileFault is a fault of a file in a line, or in the whole file if line is 0.
func fileFault(line int, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	if line > 0 {
		text = fmt.Sprintf("line %d: %s", line, text)
	}
	return fault.Invalid("file", text).Because(errFile)
}

// dayLine has the rates of a day and where the file has them.
type dayLine struct {
	db.RateDay
	line int
}

// readFile returns the days of a file in order. It reads the whole file or none of it. A day
// after latest is at fault; the zero time allows all.
func readFile(f File, latest time.Time) ([]dayLine, error) {
	if f.Size > maxFile {
		return nil, fileFault(0, "has more than %d MiB", maxFile>>20)
	}
	content, err := io.ReadAll(io.NewSectionReader(f.Content, 0, f.Size))
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(content, []byte("PK")) {
		if content, err = unzip(content); err != nil {
			return nil, err
		}
	}
	return parseECB(bytes.TrimPrefix(content, []byte("\ufeff")), latest)
}

// unzip returns the one CSV file of an archive.
func unzip(content []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fileFault(0, "is a damaged ZIP archive")
	}
	files := slices.DeleteFunc(archive.File, func(f *zip.File) bool { return !strings.EqualFold(path.Ext(f.Name), ".csv") })
	if len(files) != 1 {
		return nil, fileFault(0, "must have one CSV file in the archive, not %d", len(files))
	}
	in, err := files[0].Open()
	if err != nil {
		return nil, fileFault(0, "is a damaged ZIP archive")
	}
	defer in.Close() // it is only read
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, fileFault(0, "is a damaged ZIP archive")
	}
	if len(text) > maxFile {
		return nil, fileFault(0, "has more than %d MiB in the archive", maxFile>>20)
	}
	return text, nil
}

func parseECB(content []byte, latest time.Time) (days []dayLine, err error) {
	reader := csv.NewReader(bytes.NewReader(content))
	reader.FieldsPerRecord, reader.TrimLeadingSpace = -1, true
	rows, lines, err := readRows(reader)
	if err != nil {
		return nil, err
	}
	if len(rows) < 2 {
		return nil, fileFault(0, "must have a line of headings and a line of rates")
	}
	columns, err := readColumns(rows[0], lines[0])
	if err != nil {
		return nil, err
	}
	seen := map[string]int{}
	for i, row := range rows[1:] {
		day, err := readDay(columns, row, lines[i+1], latest)
		if err != nil {
			return nil, err
		}
		if first, twice := seen[day.Day]; twice {
			return nil, fileFault(day.line, "%s is in line %d, too", day.Day, first)
		}
		seen[day.Day] = day.line
		days = append(days, day)
	}
	slices.SortFunc(days, func(a, b dayLine) int { return strings.Compare(a.Day, b.Day) })
	return days, nil
}

// readRows reads all rows with their lines. White space around cells is dropped.
func readRows(reader *csv.Reader) (rows [][]string, lines []int, err error) {
	for {
		row, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, lines, nil
		}
		if bad, ok := errors.AsType[*csv.ParseError](err); ok {
			return nil, nil, fileFault(bad.Line, "%v", bad.Err)
		}
		if err != nil {
			return nil, nil, err
		}
		line, _ := reader.FieldPos(0)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		rows, lines = append(rows, row), append(lines, line)
	}
}

// readColumns returns the currency of each column, "" for the day's and for an empty last
// one, which the ECB's lines have.
func readColumns(headings []string, line int) (codes []string, err error) {
	if headings[0] != "Date" {
		return nil, fileFault(line, "the first heading must be Date, as in the ECB's eurofxref-hist.csv and eurofxref.csv")
	}
	codes = []string{""}
	for i, heading := range headings[1:] {
		if heading == "" && i+2 == len(headings) {
			return append(codes, ""), nil
		}
		code, known := money.Known(heading)
		known = known && code != euro || slices.Contains(formerCurrencies, code)
		if !known || strings.ToUpper(code) != heading {
			return nil, fileFault(line, "the heading %q is no code of a currency", heading)
		}
		if slices.Contains(codes, code) {
			return nil, fileFault(line, "the heading %s is there twice", heading)
		}
		codes = append(codes, code)
	}
	return codes, nil
}

func readDay(columns, row []string, line int, latest time.Time) (day dayLine, err error) {
	if len(row) != len(columns) {
		return day, fileFault(line, "has %d cells, but the headings are %d", len(row), len(columns))
	}
	date, err := readDate(row[0])
	if err != nil {
		return day, fileFault(line, "%q is no date like 2026-11-20 or 20 November 2026", row[0])
	}
	if !latest.IsZero() && date.After(latest) {
		return day, fileFault(line, "%s is in the future", date.Format(time.DateOnly))
	}
	day = dayLine{db.RateDay{Day: date.Format(time.DateOnly), PerEuro: map[string]int64{}}, line}
	for i, cell := range row[1:] {
		code := columns[i+1]
		if cell == "N/A" && code != "" || cell == "" && code == "" {
			continue
		}
		rate, problem := parseDecimal(cell, ratePlaces)
		switch {
		case code == "":
			problem = "there is a rate without a heading"
		case problem == "" && rate == 0:
			problem = "is zero"
		case problem == "" && rate > maxRate*1e6:
			problem = "is too large"
		}
		if problem != "" {
			return day, fileFault(line, "%s: %s", strings.ToUpper(code), problem)
		}
		day.PerEuro[code] = rate
	}
	if len(day.PerEuro) == 0 {
		return day, fileFault(line, "has no rates")
	}
	return day, nil
}

func readDate(text string) (time.Time, error) {
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		date, err = time.Parse("2 January 2006", text)
	}
	return date, err
}
