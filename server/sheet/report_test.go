package sheet

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// tablesText describes the tables of a file: name, rows, headings; * is taken.
func tablesText(s *Sheet) string {
	var all []string
	for _, t := range s.Tables() {
		mark := ""
		if t.Taken {
			mark = "*"
		}
		all = append(all, fmt.Sprintf("%s%s %d %s%s", mark, t.Name(), t.Rows, strings.Join(t.Headings, "|"), t.Problem))
	}
	return strings.Join(all, "\n")
}

// choose opens a file with a choice.
func choose(t *testing.T, name, content string, choice Choice) (*Sheet, error) {
	t.Helper()
	s, err := Open(name, strings.NewReader(content), int64(len(content)), Limits{}, choice)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// TestReports reads files with several tables under one another: each is one by itself.
func TestReports(t *testing.T) {
	const trends = "Sales trends\n2024-01-01 - 2024-01-03\n\nDate,Gross Sales,Orders\n2024-01-01,$10.00,1\n2024-01-02,$20.00,2\n2024-01-03,$30.00,3\n\n" +
		"By hour\nHour,Sales\n09:00,5\n10:00,6\n"
	for name, c := range map[string]struct{ in, tables, rows string }{
		"BlankRowBetween": {trends, "*4 3 Date|Gross Sales|Orders\n10 2 Hour|Sales", lines("4 Date|Gross Sales|Orders", "5 2024-01-01|$10.00|1", "6 2024-01-02|$20.00|2", "7 2024-01-03|$30.00|3")},
		"SmallOneFirst": {"Method,Amount\nCash,5\nCard,6\n\nDate,Item,Qty,Total\n2024-01-01,Tea,1,2\n2024-01-02,Bun,1,2\n2024-01-03,Bun,1,2\n",
			"1 2 Method|Amount\n*5 3 Date|Item|Qty|Total", lines("5 Date|Item|Qty|Total", "6 2024-01-01|Tea|1|2", "7 2024-01-02|Bun|1|2", "8 2024-01-03|Bun|1|2")},
		"NothingBetween": {"Item,Qty,Total\nTea,1,2\nBun,2,3\nJam,2,3\nMethod,Count,Amount\nCash,1,5\n", "*1 3 Item|Qty|Total\n5 1 Method|Count|Amount", ""},
		"Totals":         {"Item,Qty,Total\nTea,1,2\nBun,2,3\nTotal,3,5\n\nMethod,Amount\nCash,5\nTotal,5\n", "*1 2 Item|Qty|Total\n6 1 Method|Amount", ""},
		"EqualHeadings":  {"Item,Total\nTea,1\n\nMonth 2\nItem,Total\nBun,2\n\nRegion,Sum\nNorth,3\n", "*1 3 Item|Total\n8 1 Region|Sum", ""},
		"ThreeTables":    {"Item,Total\nTea,1\nBun,2\n\nRegion,Sum\nNorth,3\n\nStaff,Hours\nAnn,3\n", "*1 2 Item|Total\n5 1 Region|Sum\n8 1 Staff|Hours", ""},

		// Not tables of their own:
		"TextInFigures": {"Item,Total\nTea,1\nBun,none yet\nJam,2\n", "*1 3 Item|Total", ""},
		"AllText":       {"Date,Note,Qty,Total\n2024-01-01,ok,1,2\nClosed,Holiday,,\n2024-01-03,ok,5,6\n", "*1 3 Date|Note|Qty|Total", ""},
		"Notes":         {"Item,Total\nTea,1\n\nThanks\nSee you,soon\n", "*1 3 Item|Total", ""},
		"GroupTitles":   {"Item,Qty,Total\nHot drinks\nTea,1,2\n\nCakes\nBun,1,2\n", "*1 4 Item|Qty|Total", ""},
		"Metadata":      {"Shop,Corner Shop\nPeriod,all\n\nItem,Qty,Total\nTea,1,2\nBun,2,3\n", "1 1 Shop|Corner Shop\n*4 2 Item|Qty|Total", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, "x.csv", c.in, Limits{})
			if got := tablesText(s); got != c.tables {
				t.Errorf("got tables\n%s\nwant\n%s", got, c.tables)
			}
			if got := table(t, s); c.rows != "" && got != c.rows {
				t.Errorf("got\n%s\nwant\n%s", got, c.rows)
			}
		})
	}

	t.Run("ChosenByLine", func(t *testing.T) {
		s, err := choose(t, "x.csv", trends, Choice{Name: "10"})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := table(t, s), lines("10 Hour|Sales", "11 09:00|5", "12 10:00|6"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
	t.Run("ChosenByFit", func(t *testing.T) {
		s, err := choose(t, "x.csv", trends, Choice{Fit: func(headings []string) int { return -len(headings) }})
		if err != nil || s.HeadingLine() != 10 {
			t.Errorf("got %+v, %v", s, err)
		}
	})
	t.Run("NoSuchTable", func(t *testing.T) {
		_, err := choose(t, "x.csv", trends, Choice{Name: "Hours"})
		if err == nil || err.Error() != `a text file has no worksheet "Hours"; its tables begin in the lines 4, 10` {
			t.Errorf("got %v", err)
		}
	})
	t.Run("NoSuchTableOfOne", func(t *testing.T) {
		_, err := choose(t, "x.csv", "Item,Total\nTea,1\n", Choice{Name: "Hours"})
		if err == nil || err.Error() != `a text file has no worksheet "Hours"; its table begins in line 1` {
			t.Errorf("got %v", err)
		}
	})
	t.Run("BelowALongTable", func(t *testing.T) {
		s := mustOpen(t, "x.csv", "Item,Total\n"+strings.Repeat("Tea,1\n", surveyRows)+"\nRegion,Sum\nNorth,3\n", Limits{})
		for {
			_, err := s.Next()
			if fault, ok := errors.AsType[*Error](err); ok && fault.Line == surveyRows+3 && strings.HasPrefix(fault.Reason, `a second table begins here, with the headings "Region", "Sum"`) {
				break
			}
			if err != nil {
				t.Fatalf("got %v, want a fault", err)
			}
		}
	})
}

// TestWorksheets reads worksheets with equal headings as one table.
func TestWorksheets(t *testing.T) {
	in := workbook(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "Summary")
		f.SetSheetRow("Summary", "A1", &[]any{"Month", "Takings"})
		f.SetSheetRow("Summary", "A2", &[]any{"January", 7})
		f.NewSheet("January")
		f.SetSheetRow("January", "A1", &[]any{"Item", "Qty", "Total"})
		f.SetSheetRow("January", "A2", &[]any{"Tea", 1, 2})
		f.SetSheetRow("January", "A3", &[]any{"Bun", 1, 3, "late"})
		f.NewSheet("February")
		f.SetSheetRow("February", "B3", &[]any{"qty", "item", "Total "})
		f.SetSheetRow("February", "B4", &[]any{2, "Jam", 4})
		f.NewSheet("Empty")
		f.NewSheet("Notes")
		f.SetSheetRow("Notes", "A1", &[]any{5})
		f.NewSheet("March")
		f.SetSheetRow("March", "A1", &[]any{"Item", "Qty", "Total"})
		f.SetSheetRow("March", "A2", &[]any{"Hat", 1, 9})
		f.SetSheetVisible("March", false)
	})
	s := mustOpen(t, "x", in, Limits{})
	want := "Summary 1 Month|Takings\n*January 2 Item|Qty|Total|Column 4\n*February 1 Column 1|qty|item|Total\nNotes 0 no row of headings was found in the first row\nMarch 1 Item|Qty|Total"
	if got := tablesText(s); got != want {
		t.Errorf("got tables\n%s\nwant\n%s", got, want)
	}
	if got, want := table(t, s), lines("1 Item|Qty|Total|Column 4|Column 1", "2 Tea|1|2||", "3 Bun|1|3|late|", "4 Jam|2|4||"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	skipped := s.Skipped()
	if err := s.Rewind(); err != nil {
		t.Fatal(err)
	}
	if rows := all(t, s); len(rows) != 3 || rows[2].Worksheet != "February" || s.Skipped() != skipped {
		t.Errorf("read again: %+v, %+v", rows, s.Skipped())
	}

	for name, want := range map[string]string{
		"february": lines("3 Column 1|qty|item|Total", "4 |2|Jam|4"),
		"March":    lines("1 Item|Qty|Total", "2 Hat|1|9"),
		"Summary":  lines("1 Month|Takings", "2 January|7"),
	} {
		s, err := choose(t, "x", in, Choice{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		if got := table(t, s); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
	for name, want := range map[string]string{
		"April": `the workbook has no worksheet "April"; it has "Summary", "January", "February", "March"`,
		"Notes": `the worksheet "Notes" holds no table: no row of headings was found in the first row`,
	} {
		if _, err := choose(t, "x", in, Choice{Name: name}); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestLongCopies tells a copy of a long worksheet from one that only begins alike.
func TestLongCopies(t *testing.T) {
	in := workbook(t, func(f *excelize.File) {
		f.SetSheetName("Sheet1", "January")
		for name, last := range map[string]string{"January": "Tea", "Copy": "Tea", "Until February": "Jam"} {
			if _, err := f.NewSheet(name); err != nil {
				t.Fatal(err)
			}
			w, err := f.NewStreamWriter(name)
			if err != nil {
				t.Fatal(err)
			}
			rows := [][]any{{"Item", "Qty"}}
			for len(rows) <= surveyRows {
				rows = append(rows, []any{"Tea", len(rows)})
			}
			for i, row := range append(rows, []any{last, 1}) {
				if err := w.SetRow(fmt.Sprintf("A%d", i+1), row); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	})
	s := mustOpen(t, "x", in, Limits{})
	taken := map[string]bool{}
	for _, table := range s.Tables() {
		taken[table.Worksheet] = table.Taken
	}
	if taken["January"] == taken["Copy"] || !taken["Until February"] {
		t.Errorf("taken %v", taken)
	}
}
