package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/server/datatest"
)

// expected is a line of expect.jsonl or messy_expect.jsonl.
type expected struct {
	File       string                     `json:"file"`
	Encoding   *string                    `json:"encoding"`
	Delimiter  string                     `json:"delimiter"`
	HeaderRow  int                        `json:"header_row"`
	DataRows   int                        `json:"data_rows"`
	TotalRows  int                        `json:"total_rows"`
	RowsToDrop int                        `json:"rows_to_drop"`
	BlankRows  int                        `json:"blank_rows"`
	Columns    []string                   `json:"columns"`
	Numbers    map[string]json.RawMessage `json:"numbers"`
	Missing    map[string]int             `json:"missing"`
}

func expectations(t *testing.T, file string) []expected {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []expected
	for line := range bytes.Lines(text) {
		var e expected
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

func openFile(t *testing.T, path string) (*Sheet, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	s, err := openBest(filepath.Base(path), f, info.Size(), Limits{Bytes: 20_000_000, Rows: 200_000})
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

func TestSheetReadsSnippets(t *testing.T) {
	dir := datatest.Path(t, "csv/snippets")
	all := expectations(t, filepath.Join(dir, "expect.jsonl"))
	if len(all) != 11 {
		t.Errorf("got %d files, want 11", len(all))
	}
	for _, e := range all {
		t.Run(e.File, func(t *testing.T) { e.check(t, filepath.Join(dir, e.File)) })
	}
}

func TestSheetReadsMerchantFiles(t *testing.T) {
	datatest.SkipShort(t)
	for _, e := range expectations(t, datatest.Path(t, "ask/messy_expect.jsonl")) {
		file := strings.Replace(e.File, "electronics_keithgalli", "electronics", 1)
		t.Run(filepath.Base(file), func(t *testing.T) { e.check(t, datatest.Path(t, file)) })
	}
}

func (e expected) check(t *testing.T, path string) {
	s, err := openFile(t, path)
	if err != nil {
		t.Fatal(err)
	}
	rows := all(t, s)
	if s.HeadingLine() != e.HeaderRow || len(rows) != e.DataRows {
		t.Errorf("got headings on line %d, %d rows; want %d, %d", s.HeadingLine(), len(rows), e.HeaderRow, e.DataRows)
	}
	if e.Delimiter != "" && string(s.Dialect().Delimiter) != e.Delimiter {
		t.Errorf("got delimiter %q, want %q", s.Dialect().Delimiter, e.Delimiter)
	}
	if e.Encoding != nil {
		want := strings.NewReplacer("latin-1", "windows-1252", "utf-8-sig", "utf-8").Replace(*e.Encoding)
		if got := s.Dialect().Encoding; got != want && got != want+"-bom" {
			t.Errorf("got encoding %s, want %s", got, want)
		}
	}
	if got := s.Skipped(); got.Totals != e.TotalRows || got.Repeated != e.RowsToDrop {
		t.Errorf("got %+v, want %d totals and %d repeated", got, e.TotalRows, e.RowsToDrop)
	}
	for i, want := range e.Columns {
		if got := s.Headings()[i]; got != want {
			t.Errorf("got heading %q, want %q", got, want)
		}
	}
	for heading, raw := range e.Numbers {
		var want struct {
			Sum            *json.Number
			Count, Missing int
		}
		if json.Unmarshal(raw, &want) != nil {
			n := json.Number(raw)
			want.Sum, want.Count = &n, len(rows)
		}
		sum, count := sumOf(t, s, rows, heading)
		// A cell of the Adidas workbook has the value 56250.0000000001.
		gold, _ := new(big.Rat).SetString(want.Sum.String())
		if diff := new(big.Rat).Sub(gold, sum); diff.Abs(diff).Cmp(big.NewRat(1, 1_000_000)) > 0 || count != want.Count && want.Count != len(rows) {
			t.Errorf("%s: got %s in %d cells, want %s in %d", heading, sum.FloatString(4), count, want.Sum, want.Count)
		}
	}
	for heading, want := range e.Missing {
		missing := 0
		for _, row := range rows {
			if row.Cells[column(t, s, heading)] == "" {
				missing++
			}
		}
		if missing != want {
			t.Errorf("%s: got %d blank cells, want %d", heading, missing, want)
		}
	}
}

func column(t *testing.T, s *Sheet, heading string) int {
	t.Helper()
	for i, h := range s.Headings() {
		if h == heading {
			return i
		}
	}
	t.Fatalf("no heading %q in %q", heading, s.Headings())
	return -1
}

// sumOf returns the sum and the number of a column's values. Like dataset, it observes
// all cells before it parses them.
func sumOf(t *testing.T, s *Sheet, rows []Row, heading string) (*big.Rat, int) {
	t.Helper()
	n := Numbers{}
	if s.Dialect().CommaLikely() {
		n.Fallback = ','
	}
	i := column(t, s, heading)
	for _, row := range rows {
		n.Observe(row.Cells[i])
	}
	sum, count := new(big.Rat), 0
	for _, row := range rows {
		if row.Cells[i] == "" {
			continue
		}
		d, err := n.ParseDecimal(row.Cells[i])
		if err != nil {
			t.Errorf("line %d, %s: %v", row.Line, heading, err)
			continue
		}
		sum.Add(sum, rat(d))
		count++
	}
	return sum, count
}

// The CSV has numbers such as "$4,53,375.00", " $-   " and losses in brackets. They must
// equal those of the workbook from which it was made.
func TestNumbersOfCSVAndWorkbookAreEqual(t *testing.T) {
	datatest.SkipShort(t)
	dir := datatest.Path(t, "datasets/financial_sample")
	text, err := openFile(t, filepath.Join(dir, "Financials.csv"))
	if err != nil {
		t.Fatal(err)
	}
	typed, err := openFile(t, filepath.Join(dir, "Financial Sample.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	textRows, typedRows := all(t, text), all(t, typed)
	if len(textRows) != 700 || len(typedRows) != 700 {
		t.Fatalf("got %d and %d rows, want 700", len(textRows), len(typedRows))
	}
	for _, heading := range []string{"Units Sold", "Manufacturing Price", "Sale Price", "Gross Sales", "Discounts", "Sales", "COGS", "Profit"} {
		a, countA := sumOf(t, text, textRows, heading)
		b, countB := sumOf(t, typed, typedRows, heading)
		// The CSV has values rounded to cents, the workbook unrounded ones.
		if diff := new(big.Rat).Sub(a, b); countA != countB || diff.Abs(diff).Cmp(big.NewRat(2, 1)) > 0 {
			t.Errorf("%s: CSV has %s in %d cells, workbook %s in %d", heading, a.FloatString(2), countA, b.FloatString(2), countB)
		}
	}
}

// The files of csv-spectrum have their content as JSON.
func TestSheetReadsSpectrum(t *testing.T) {
	dir := datatest.Path(t, "csv/csv-spectrum")
	files, err := filepath.Glob(filepath.Join(dir, "csvs", "*.csv"))
	if err != nil || len(files) != 12 {
		t.Fatalf("got %d files, %v; want 12", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			compareSpectrum(t, file, filepath.Join(dir, "json", strings.TrimSuffix(name, ".csv")+".json"))
		})
	}
}

// Each workbook of calamine is read to its end or refused with an *Error.
func TestSheetReadsOrRefusesRealWorkbooks(t *testing.T) {
	datatest.SkipShort(t)
	files, err := filepath.Glob(filepath.Join(datatest.Path(t, "csv/xlsx"), "*.xlsx"))
	if err != nil || len(files) < 60 {
		t.Fatalf("got %d files, %v; want at least 60", len(files), err)
	}
	read, refused := 0, 0
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s, err := openFile(t, file)
			if err != nil {
				if _, ok := errors.AsType[*Error](err); !ok {
					t.Error(err)
				}
				refused++
				t.Log("refused:", err)
				return
			}
			rows := 0
			for {
				if _, err := s.Next(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Error(err)
				}
				rows++
			}
			read++
			t.Logf("%s: %d rows under %q", s.Dialect().Worksheet, rows, s.Headings())
		})
	}
	t.Logf("%d workbooks: %d read, %d refused", len(files), read, refused)
}
