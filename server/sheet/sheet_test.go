package sheet

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// mustOpen opens a file; it fails the test on an error.
func mustOpen(t *testing.T, name, content string, limits Limits) *Sheet {
	t.Helper()
	s, err := openBest(name, strings.NewReader(content), int64(len(content)), limits)
	if err != nil {
		t.Fatalf("%.200q: %v", content, err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// all reads to the end; each fault becomes a row with its text.
func all(t *testing.T, s *Sheet) []Row {
	t.Helper()
	var rows []Row
	for range 1_000_000 {
		row, err := s.Next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		if fault, ok := errors.AsType[*Error](err); ok {
			row = Row{Line: fault.Line, Cells: []string{"fault: " + fault.Reason}}
		} else if err != nil {
			t.Fatal(err)
		} else if len(row.Cells) != len(s.Headings()) {
			t.Fatalf("line %d: got %d cells, want %d", row.Line, len(row.Cells), len(s.Headings()))
		}
		rows = append(rows, row)
	}
	t.Fatal("got a million rows without io.EOF")
	return nil
}

// table returns the headings and rows as text, one per line, with bars between cells.
func table(t *testing.T, s *Sheet) string {
	t.Helper()
	lines := []string{fmt.Sprintf("%d %s", s.HeadingLine(), strings.Join(s.Headings(), "|"))}
	for _, row := range all(t, s) {
		lines = append(lines, fmt.Sprintf("%d %s", row.Line, strings.Join(row.Cells, "|")))
	}
	return strings.Join(lines, "\n")
}

func read(t *testing.T, content string) string {
	t.Helper()
	return table(t, mustOpen(t, "x.csv", content, Limits{}))
}

// refusal returns the text of the *Error with which Open refuses a file.
func refusal(t *testing.T, content string, limits Limits) string {
	t.Helper()
	s, err := openBest("x", strings.NewReader(content), int64(len(content)), limits)
	if err == nil {
		s.Close()
		t.Fatalf("%.100q: Open succeeded, want an *Error", content)
	}
	if _, ok := errors.AsType[*Error](err); !ok {
		t.Fatalf("%.100q: got %v, want an *Error", content, err)
	}
	return err.Error()
}

func expectRefusal(t *testing.T, content string, limits Limits, want string) {
	t.Helper()
	if got := refusal(t, content, limits); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func lines(all ...string) string { return strings.Join(all, "\n") }

func TestSheetReturnsHeadingsAndRows(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"Plain":          {"Name,Price\nChai,18\nChang,19\n", lines("1 Name|Price", "2 Chai|18", "3 Chang|19")},
		"NoLineEnd":      {"Name,Price\nChai,18", lines("1 Name|Price", "2 Chai|18")},
		"Padded":         {" Name , Unit  Price \n Chai , 18 \n", lines("1 Name|Unit Price", "2 Chai|18")},
		"Wide spaces":    {"\u00a0Name\u00a0,Price\n\u2003Chai,18\u200b\n", lines("1 Name|Price", "2 Chai|18")},
		"BrokenHeading":  {"Name,\"Unit\nprice\"\nChai,18\n", lines("1 Name|Unit price", "3 Chai|18")},
		"Duplicates":     {"Price,price,Price,Price (2)\n1,2,3,4\n", lines("1 Price|price (2)|Price (3)|Price (2) (2)", "2 1|2|3|4")},
		"NoHeading":      {"Name,,Price\nChai,x,18\n", lines("1 Name|Column 2|Price", "2 Chai|x|18")},
		"TrailingMarks":  {"Name,Price,,\nChai,18,,\n", lines("1 Name|Price", "2 Chai|18")},
		"LateNote":       {"Name,Price,,\nChang,19,,\nChai,18,,note\n", lines("1 Name|Price|Column 3|Column 4", "2 Chang|19||", "3 Chai|18||note")},
		"Short":          {"Name,Price,Stock\nChai\nChang,19\n", lines("1 Name|Price|Stock", "2 Chai||", "3 Chang|19|")},
		"BlankRows":      {"\n,,\nName,Price\n\nChai,18\n , \n\n", lines("3 Name|Price", "5 Chai|18")},
		"Repeated":       {"Name,Price\nChai,18\nName,Price\n Name , Price,\nChang,19\n", lines("1 Name|Price", "2 Chai|18", "5 Chang|19")},
		"AlmostRepeated": {"Name,Price\nName,18\n", lines("1 Name|Price", "2 Name|18")},
		"Title":          {"Price list 2026\nBakery Ltd,Leeds\n\nName,Price,Stock,Unit\nChai,18,2,kg\nChang,19,1,kg\n", lines("4 Name|Price|Stock|Unit", "5 Chai|18|2|kg", "6 Chang|19|1|kg")},
		"LongTitle":      {"Price list\nSpring\nBakery\nName;Price;Stock\nChai;18;2\n", lines("4 Name|Price|Stock", "5 Chai|18|2")},
		"GroupHeadings":  {"Product,,Money,,\nName,SKU,Price,Cost,Stock\nChai,c,18,9,1\n", lines("2 Name|SKU|Price|Cost|Stock", "3 Chai|c|18|9|1")},
		"Years":          {"Region,2024,2025\nNorth,10,12\n", lines("1 Region|2024|2025", "2 North|10|12")},
		"DataAbove":      {"2026-01-01,12:30,5,7\nDay,Time,A,B\n2026-01-02,9:15,6,8\n", lines("2 Day|Time|A|B", "3 2026-01-02|9:15|6|8")},
		"OneColumn":      {"Name\nChai\nChang\n", lines("1 Name", "2 Chai", "3 Chang")},
		"OnlyHeadings":   {"Name,Price\n", "1 Name|Price"},
		"TooWide":        {"Name,Price\nPears, fresh,18\nChai,18,,\n", lines("1 Name|Price", "2 fault: the row has 3 cells, but there are 2 headings; a delimiter or a quote may be wrong", "3 Chai|18")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, c.in); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestNextSkipsTotalsAtTheEnd(t *testing.T) {
	const head = "Name,SKU,Price,Stock\nChai,c,1,10\n"
	for name, c := range map[string]struct {
		in     string
		lines  []int
		totals int
	}{
		"Total":         {head + "Total,,,10\n", []int{2}, 1},
		"Colon":         {head + "TOTAL:,,\"1,000.00\",10\n", []int{2}, 1},
		"LaterCell":     {head + ",,Gesamt,10\n", []int{2}, 1},
		"Several":       {head + "Subtotal,,,10\nTotal,,,12\n", []int{2}, 2},
		"BlankAndNotes": {head + "\nTotal,,,10\n\nExported by a program\n", []int{2}, 2},
		"NoteOnly":      {head + "Exported by a program\n", []int{2, 3}, 0},
		"InTheMiddle":   {head + "Total,,,10\nChang,d,2,11\n", []int{2, 3, 4}, 0},
		"AProduct":      {head + "Total,tot-1,3,10\n", []int{2, 3}, 0},
		"LongerName":    {head + "Total Cereal,,3,10\n", []int{2, 3}, 0},
		"NoNumber":      {head + "Total,,,\n", []int{2, 3}, 0},
		"French":        {head + "Total général,,,\"10,00 €\"\n", []int{2}, 1},
		"Portuguese":    {head + "Soma,,,10\n", []int{2}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, "x.csv", c.in, Limits{})
			var got []int
			for _, row := range all(t, s) {
				got = append(got, row.Line)
			}
			if !slices.Equal(got, c.lines) || s.Skipped().Totals != c.totals {
				t.Errorf("got lines %v, %d totals; want %v, %d", got, s.Skipped().Totals, c.lines, c.totals)
			}
		})
	}
}

// A row with a cell in an identifying column is not a total.
func TestIdentifyKeepsProductsCalledTotal(t *testing.T) {
	for content, want := range map[string]string{
		"Name,SKU,Price,Stock\nTea,1,4.50,3\nTotal,12345,4.50,10\n": lines("1 Name|SKU|Price|Stock", "2 Tea|1|4.50|3", "3 Total|12345|4.50|10"),
		"SKU,Name,Price,Stock\n1,Tea,4.50,3\nTotal,,4.50,3\n":       lines("1 SKU|Name|Price|Stock", "2 1|Tea|4.50|3"),
		"Name,SKU,Price,Stock\nTea,1,4.50,3\nTotal,,,3\n":           lines("1 Name|SKU|Price|Stock", "2 Tea|1|4.50|3"),
	} {
		s := mustOpen(t, "x.csv", content, Limits{})
		s.Identify(slices.Index(s.Headings(), "SKU"))
		if got := table(t, s); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestNextBoundsHeldTotals(t *testing.T) {
	s := mustOpen(t, "x.csv", "Name,SKU,Price\nChai,c,1\n"+strings.Repeat("Total,,7\n", 3*maxHeld+2), Limits{})
	if rows := all(t, s); len(rows) != 1+3*maxHeld || s.Skipped().Totals != 2 {
		t.Errorf("got %d rows, %d totals; want %d, 2", len(rows), s.Skipped().Totals, 1+3*maxHeld)
	}
}

func TestSkippedCounts(t *testing.T) {
	s := mustOpen(t, "x.csv", "My shop\n\nName,Price,Stock\n\nChai,1,2\nName,Price,Stock\nTotal,,2\n", Limits{})
	all(t, s)
	if got, want := s.Skipped(), (Skipped{Before: 1, Blank: 2, Repeated: 1, Totals: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRowsAreNotReused(t *testing.T) {
	s := mustOpen(t, "x.csv", "Name,Price\nChai,18\nChang,19\n", Limits{})
	first, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	kept := slices.Clone(first.Cells)
	all(t, s)
	if !reflect.DeepEqual(first.Cells, kept) {
		t.Errorf("Next changed an earlier row: got %q, want %q", first.Cells, kept)
	}
	s.Headings()[0] = "changed"
	if s.Headings()[0] != "Name" {
		t.Error("Headings returns the sheet's own slice, want a copy")
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"Empty":          {"", "the file is empty"},
		"Blank":          {"\n \n,,\n", "the file has no rows"},
		"OneOfNumbers":   {"1,2", "no row of headings was found in the first row"},
		"OnlyNumbers":    {"1,2\n3,4\n", "no row of headings was found in the first 2 rows"},
		"Binary":         {"Name,Price\n\x00\x01\x02,1\n", "the file is neither CSV nor XLSX: it is not text"},
		"PDF":            {"%PDF-1.7 …", "the file is neither CSV nor XLSX: it is a PDF"},
		"Picture":        {"\x89PNG\r\n\x1a\n", "the file is neither CSV nor XLSX: it is a picture"},
		"WebPage":        {"\ufeff\n<HTML><table>", "the file is neither CSV nor XLSX: it is a web page, which some programs call .xls; open it in a spreadsheet and save it as XLSX"},
		"OldExcel":       {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more", "the file is in the old Excel format (.xls); save it as XLSX or CSV"},
		"Password":       {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat(".", 70_000-9) + string(utf16le("EncryptedPackage")), "the workbook is protected with a password; save it without one"},
		"PasswordAtEdge": {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat(".", 65536-8-16) + string(utf16le("EncryptedPackage")), "the workbook is protected with a password; save it without one"},
		"FaultyHeadings": {"\"Name,Price\nChai,1\n", "line 1: a quoted cell that begins here is not closed properly"},
	} {
		t.Run(name, func(t *testing.T) {
			expectRefusal(t, c.in, Limits{}, c.want)
		})
	}
}

func TestSheetKeepsLimits(t *testing.T) {
	t.Run("Bytes", func(t *testing.T) {
		const content = "Name,Price\nChai,18\n"
		mustOpen(t, "x", content, Limits{Bytes: int64(len(content))})
		expectRefusal(t, content, Limits{Bytes: int64(len(content)) - 1}, "the file is larger than 18 bytes")
		expectRefusal(t, strings.Repeat("x", 21_000_000), Limits{Bytes: 20_000_000}, "the file is larger than 20 MB")
	})
	t.Run("Rows", func(t *testing.T) {
		const content = "Name,Price\nChai,18\n\nChang,19\nTotal,37\n"
		if got, want := table(t, mustOpen(t, "x", content, Limits{Rows: 2})), lines("1 Name|Price", "2 Chai|18", "4 Chang|19"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if got, want := table(t, mustOpen(t, "x", content, Limits{Rows: 1})), lines("1 Name|Price", "2 Chai|18", "4 fault: the file has more than 1 rows"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("Columns", func(t *testing.T) {
		const content = "a,b,c\n1,2,3\n1,2,3,4\n1,2,3\n"
		if got, want := table(t, mustOpen(t, "x", content, Limits{Columns: 3})), lines("1 a|b|c", "2 1|2|3", "3 fault: the row has more than 3 cells"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("OneLine", func(t *testing.T) {
		expectRefusal(t, strings.Repeat("Name,", 4_000_000), Limits{}, "line 1: the line is longer than 1 MiB")
		content := "Name,Price\n" + strings.Repeat("x", 99) + "\n" + strings.Repeat("x", 40_000) + "\nChai,18\n"
		if got, want := table(t, mustOpen(t, "x", content, Limits{RowBytes: 39_999})), lines("1 Name|Price", "2 "+strings.Repeat("x", 99)+"|", "3 fault: the line is longer than 39999 bytes"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		mustOpen(t, "x", content, Limits{RowBytes: 50_000})
	})
	t.Run("OneRow", func(t *testing.T) {
		content := "Name,Price\n\"" + strings.Repeat("12345678\n", 10) + "\",1\nChai,18\n"
		if got, want := table(t, mustOpen(t, "x", content, Limits{RowBytes: 95})), lines("1 Name|Price", "2 "+strings.Repeat("12345678\n", 9)+"12345678|1", "13 Chai|18"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		if got, want := table(t, mustOpen(t, "x", content, Limits{RowBytes: 80})), "2 fault: a quoted cell that begins here is not closed properly"; !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
		expectRefusal(t, "Name,Price\n", Limits{RowBytes: 10}, "line 1: the line is longer than 10 bytes")
	})
}

func TestReadErrorIsReturned(t *testing.T) {
	broken := errors.New("disk on fire")
	text := "Name,Price\n" + strings.Repeat("Chai,18\n", 30_000)
	for after, content := range map[int]string{0: text, 100: text, 70_000: text, 140_000: text, 5000: plainWorkbook(t)} {
		s, err := openBest("x", failing{strings.NewReader(content), int64(after), broken}, int64(len(content)), Limits{})
		for err == nil {
			_, err = s.Next()
		}
		if _, ok := errors.AsType[*Error](err); ok || !errors.Is(err, broken) {
			t.Errorf("reads fail after %d bytes: got %v, want the read error", after, err)
		}
	}
}

// failing returns an error for reads beyond an offset.
type failing struct {
	io.ReaderAt
	after int64
	err   error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.after {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(p, off)
}

func utf16le(ascii string) []byte {
	var b []byte
	for i := range len(ascii) {
		b = append(b, ascii[i], 0)
	}
	return b
}
