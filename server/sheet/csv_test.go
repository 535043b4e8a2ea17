package sheet

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

func TestSplitterReadsQuotes(t *testing.T) {
	const head = "Name,Price\n"
	for name, c := range map[string]struct{ in, want string }{
		"Quoted":           {`"Pears, fresh","1"` + "\n", "2 Pears, fresh|1"},
		"Doubled":          {`"12"" TV",1` + "\n", `2 12" TV|1`},
		"Empty":            {`"",1` + "\n", "2 |1"},
		"OnlyAQuote":       {`"""",1` + "\n", `2 "|1`},
		"Newline":          {"\"a\nb\r\nc\",1\nd,2\n", lines("2 a\nb\nc|1", "5 d|2")},
		"BlankLineInside":  {"\"a\n\nb\",1\nd,2\n", lines("2 a\n\nb|1", "5 d|2")},
		"SpaceAround":      {`Tea, "1,50" ` + "\n", "2 Tea|1,50"},
		"QuoteInside":      {`12" TV,1` + "\n", `2 12" TV|1`},
		"NotDoubled":       {`"12" TV",1` + "\n", `2 12" TV|1`},
		"NotDoubledTwice":  {`"a "b" c",1` + "\n", `2 a "b" c|1`},
		"NotDoubledComma":  {`"a "b, c"",1` + "\n", "2 fault: the row has 3 cells, but there are 2 headings; a delimiter or a quote may be wrong"},
		"NotMeant":         {`"Nice" soap,1` + "\n" + "d,2\n", lines(`2 "Nice" soap|1`, "3 d|2")},
		"Backslash":        {`"a \"b\" c",1` + "\n", `2 a \"b\" c|1`},
		"NeverClosed":      {"a,1\n\"b,2\nc,3\nd,4\n", lines("2 a|1", "3 fault: a quoted cell that begins here is not closed properly", "4 c|3", "5 d|4")},
		"ClosedByAnother":  {"\"b,2\n\"c\",3\nd,4\n", lines("2 fault: a quoted cell that begins here is not closed properly", "3 c|3", "4 d|4")},
		"AfterALenientOne": {"\"Nice\" soap,\"x\n\"c\",3\n", lines("2 fault: a quoted cell that begins here is not closed properly", "3 c|3")},
		"ClosedAtTheEnd":   {"d,\"4\"", "2 d|4"},
		"NeverClosedLast":  {"d,\"4", "2 fault: a quoted cell that begins here is not closed properly"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, head+c.in); got != lines("1 Name|Price", c.want) {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestOpenDetectsLineEnds(t *testing.T) {
	want := lines("1 Name|Price", "3 Chai\nhot|18", "6 Chang|19")
	const content = "Name,Price\n\n\"Chai\nhot\",18\n\nChang,19\n"
	for name, in := range map[string]string{
		"LF":     content,
		"CRLF":   strings.ReplaceAll(content, "\n", "\r\n"),
		"CR":     strings.ReplaceAll(content, "\n", "\r"),
		"CRCRLF": strings.ReplaceAll(content, "\n", "\r\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, in); got != want {
				t.Errorf("got %q\nwant %q", got, want)
			}
		})
	}
	if got, want := read(t, "Name,Price\r\"a\r\"b\" c\",1\rd,2\r"), lines("1 Name|Price", "2 fault: a quoted cell that begins here is not closed properly", "3 b\" c|1", "4 d|2"); got != want {
		t.Errorf("put back with CR: got %q\nwant %q", got, want)
	}
}

func TestOpenDetectsDelimiters(t *testing.T) {
	for name, c := range map[string]struct {
		in        string
		delimiter rune
	}{
		"Comma":            {"a,b,c\n1,2,3\n", ','},
		"Semicolon":        {"a;b;c\n1,5;2,5;3,5\n", ';'},
		"Tab":              {"a\tb\n1,5\t2;5\n", '\t'},
		"Bar":              {"a|b|c\n1|2|3\n", '|'},
		"DecimalCommas":    {"Name;Preis\nA;1,50\nB;2,50\nC;3,50\n", ';'},
		"CommaInHeading":   {"Name;Price, net\nA;1,50\nB;2,50\n", ';'},
		"QuotedDelimiters": {"a,b\n\"1;2;3\",4\n\"5;6;7\",8\n", ','},
		"ListsInCells":     {"Name,Tags\nA,x;y\nB,x;z\nC,x;q\n", ','},
		"TitleAbove":       {"Customer: Steel, Ltd\nOrder: 7\nCode;Name;Qty\nA;B;1,5\nC;D;2,5\n", ';'},
		"OneColumn":        {"Name\nChai\nPears, fresh\nChang\n", 0},
		"OneColumnOnce":    {"Name\n", 0},
		"Told":             {"sep=|\na,b|c,d\n1,2|3,4\n", '|'},
		"ToldQuoted":       {"\"sep=;\"\r\na;b\r\n1;2\r\n", ';'},
		"Ragged":           {"a,b,c\n1,2,3\n1\n1,2,3\n1,2\n", ','},
		"HeadingsOnly":     {"a;b;c", ';'},
		"OpenQuote":        {"a;b\n\"1;2\n3;4\n5;6\n", ';'},
	} {
		t.Run(name, func(t *testing.T) {
			s := mustOpen(t, "x", c.in, Limits{})
			if got := s.Dialect().Delimiter; got != c.delimiter {
				t.Errorf("got %q, want %q", got, c.delimiter)
			}
		})
	}
	if got, want := read(t, "sep=;\na;b\n1;2\n"), lines("2 a|b", "3 1|2"); got != want {
		t.Errorf("declared delimiter: got %s", got)
	}
	if s := mustOpen(t, "x.tsv", "a\tb,c\n1\t2,3\n4\n", Limits{}); s.Dialect().Delimiter != '\t' {
		t.Errorf(".tsv file: got delimiter %q, want a tab", s.Dialect().Delimiter)
	}
}

func TestFindDelimiterIgnoresLastRowOfSample(t *testing.T) {
	s := mustOpen(t, "x", "Name;Text\n"+strings.Repeat("A;"+strings.Repeat("word, ", 2000)+"\n", 20), Limits{})
	if s.Dialect().Delimiter != ';' {
		t.Errorf("got delimiter %q", s.Dialect().Delimiter)
	}
}

func TestOpenDetectsEncodings(t *testing.T) {
	const content = "Größe;Preis\nfür 5 €;1,5\n"
	want := lines("1 Größe|Preis", "2 für 5 €|1,5")
	utf16 := func(endian unicode.Endianness, bom unicode.BOMPolicy) string {
		text, err := unicode.UTF16(endian, bom).NewEncoder().String(content)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	latin, err := charmap.Windows1252.NewEncoder().String(content)
	if err != nil {
		t.Fatal(err)
	}
	for encoding, in := range map[string]string{
		"utf-8":        content,
		"utf-8-bom":    bomUTF8 + content,
		"utf-16le":     utf16(unicode.LittleEndian, unicode.UseBOM),
		"utf-16be":     utf16(unicode.BigEndian, unicode.UseBOM),
		"utf-16le ":    utf16(unicode.LittleEndian, unicode.IgnoreBOM),
		"utf-16be ":    utf16(unicode.BigEndian, unicode.IgnoreBOM),
		"windows-1252": latin,
	} {
		t.Run(encoding, func(t *testing.T) {
			s := mustOpen(t, "x", in, Limits{})
			if got := s.Dialect().Encoding; got != strings.TrimSpace(encoding) {
				t.Errorf("got encoding %s", got)
			}
			if got := table(t, s); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// The only umlaut is after more English text than any buffer has, and at each offset
// within a buffer.
func TestOpenDetectsEncodingByTheWholeFile(t *testing.T) {
	for shift := range 4 {
		begin := "Name,Price\n" + strings.Repeat("x", shift) + "\n" + strings.Repeat("Tea,1\n", 30_000)
		for encoding, word := range map[string]string{"utf-8": "Käse €", "windows-1252": "K\xe4se \x80"} {
			s := mustOpen(t, "x", begin+word+",2\n", Limits{})
			rows := all(t, s)
			if last := rows[len(rows)-1]; last.Cells[0] != "Käse €" || s.Dialect().Encoding != encoding {
				t.Errorf("%s: got %q, encoding %s", encoding, last.Cells, s.Dialect().Encoding)
			}
		}
	}
	long := "Name,Price\n" + strings.Repeat("€ü", 40_000) + ",1\n"
	for shift := range 3 {
		s := mustOpen(t, "x", strings.Repeat("\n", shift)+long, Limits{})
		if s.Dialect().Encoding != "utf-8" {
			t.Errorf("shifted by %d: got encoding %s", shift, s.Dialect().Encoding)
		}
	}
}

func TestOpenDecodesMixedEncodings(t *testing.T) {
	in := "Name,Price\n" + strings.Repeat("Käse,1\n", 50) + "K\xe4se,2\nb\xfchne \x93x\x94,3\n"
	s := mustOpen(t, "x", in, Limits{})
	rows := all(t, s)
	if s.Dialect().Encoding != "mixed" || rows[0].Cells[0] != "Käse" || rows[50].Cells[0] != "Käse" || rows[51].Cells[0] != "bühne “x”" {
		t.Errorf("got encoding %s, rows %v", s.Dialect().Encoding, rows[49:])
	}
}

func compareSpectrum(t *testing.T, file, gold string) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(gold)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Base(file) == "location_coordinates.csv" {
		// The JSON is one object, with another telephone number than the CSV.
		text = []byte("[" + strings.Replace(string(text), "1234567890", "2095257564", 1) + "]")
	}
	var want []map[string]string
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}

	s := mustOpen(t, file, string(content), Limits{})
	var got []map[string]string
	for _, row := range all(t, s) {
		object := map[string]string{}
		for i, heading := range s.Headings() {
			object[heading] = row.Cells[i]
		}
		got = append(got, object)
	}
	for _, object := range want {
		for heading, cell := range object {
			object[heading] = strings.ReplaceAll(cell, "\r\n", "\n")
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// split returns all rows of a text; faults are nil.
func split(text string, delimiter byte) [][]string {
	s := newSplitter(strings.NewReader(text), '\n', delimiter, Limits{}.withDefaults())
	var rows [][]string
	for {
		_, cells, err := s.next()
		if errors.Is(err, io.EOF) {
			return rows
		}
		rows = append(rows, cells)
	}
}

// FuzzSplit compares the splitter with encoding/csv for texts that both accept, and
// checks that it returns no more rows than lines.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "\"a\"\"b\",c\n", "\"a\nb\",c\nd,e", "\"a\" b,c\n", "\"a,b\n\"c\",d\n", "a,\"b\n", `"""`, `"",""`, ",\n,,\n",
		"\"a\r\nb\"\r\nc", "x\"y\"z,1", "\"\n\n\n", "\"a\" ,b\n", " \"a\",b", "\"a\"b\"c\"\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := split(text, ',')
		if most := strings.Count(text, "\n") + 1; len(got) > most {
			t.Fatalf("got %d rows from %d lines of %q", len(got), most, text)
		}
		if strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") || strings.Contains(text, "\r\r") {
			return // encoding/csv keeps a single CR
		}
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		want, err := r.ReadAll()
		if err != nil {
			return
		}
		isEmpty := func(cells []string) bool { return len(cells) == 1 && cells[0] == "" }
		got, want = slices.DeleteFunc(got, isEmpty), slices.DeleteFunc(want, isEmpty)
		if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	})
}

// FuzzOpen reads arbitrary bytes to the end, and checks that each row has a cell for each
// heading and a later line than the row before.
func FuzzOpen(f *testing.F) {
	for _, seed := range []string{
		"a,b\n1,2\n", "sep=;\na;b\n", "\xff\xfea\x00,\x00b\x00\n\x00", "K\xe4se;1\n", bomUTF8 + "a\tb\r1\t2\r", "a\n\"\n", "PK\x03\x04", "Total,1\n",
		"Name,Price\nTotal,1\nTotal,2\nx\n", ",\n,a\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		s, err := openBest("x", strings.NewReader(string(content)), int64(len(content)), Limits{Rows: 100})
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatalf("%q: %v", content, err)
			}
			return
		}
		defer s.Close()
		last := s.HeadingLine()
		for n := 0; ; n++ {
			row, err := s.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if n > len(content)+1 {
				t.Fatalf("%q: got no io.EOF", content)
			}
			if _, ok := errors.AsType[*Error](err); err != nil && !ok {
				t.Fatalf("%q: %v", content, err)
			}
			if err == nil && (len(row.Cells) != len(s.Headings()) || row.Line <= last || !utf8.ValidString(strings.Join(row.Cells, ""))) {
				t.Fatalf("%q: got %+v after line %d", content, row, last)
			}
			if err == nil {
				last = row.Line
			}
		}
	})
}

// endless is a CSV of any length that needs no memory.
type endless struct {
	head, row string
	rows      int
}

func (e endless) size() int64 { return int64(len(e.head) + e.rows*len(e.row)) }

func (e endless) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < e.size() {
		part := e.head
		at := off
		if off >= int64(len(e.head)) {
			part, at = e.row, (off-int64(len(e.head)))%int64(len(e.row))
		}
		k := copy(p[n:], part[at:])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// 200,000 rows, 20 MB, are read with a few hundred kilobytes of memory and three
// allocations per row.
func TestNextBoundsMemory(t *testing.T) {
	const rows = 200_000
	e := endless{"Handle,Title,SKU,Price,Stock,Text\n", "chai,\"Chai, hot\",sku-1,\"1,234.50\",7," + strings.Repeat("text ", 13) + "\n", rows}
	s, err := openBest("x.csv", e, e.size(), Limits{Bytes: 30_000_000, Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()

	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, most := 0, uint64(0)
	for {
		if _, err := s.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if n++; n%50_000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc)
		}
	}
	runtime.ReadMemStats(&after)
	if n != rows {
		t.Errorf("got %d rows", n)
	}
	if perRow := float64(after.Mallocs-before.Mallocs) / rows; perRow > 4 {
		t.Errorf("got %.1f allocations per row", perRow)
	}
	if grown := int64(most) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func BenchmarkCSV(b *testing.B) {
	e := endless{"Handle,Title,SKU,Price,Stock,Text\n", "chai,\"Chai, hot\",sku-1,\"1,234.50\",7," + strings.Repeat("text ", 13) + "\n", b.N}
	b.SetBytes(int64(len(e.row)))
	b.ReportAllocs()
	s, err := openBest("x.csv", e, e.size(), Limits{})
	for err == nil {
		_, err = s.Next()
	}
	if !errors.Is(err, io.EOF) {
		b.Fatal(err)
	}
}

// FuzzWriter checks that a row is read as it was written, and that no spreadsheet takes a cell for
// a formula.
func FuzzWriter(f *testing.F) {
	for _, cell := range []string{
		"=1+1", "'=1", "''=1", "'", "''", "'tis", "-", "-2.50", "+44 7700 900123", "-2+3", "+x", "@a", "\t=1", "＝1", "'\t",
		"a=b", "", "-x", "£-5", "-£5",
	} {
		f.Add(cell)
	}
	f.Fuzz(func(t *testing.T, cell string) {
		guarded := guard(cell)
		if Unguard(guarded) != cell {
			t.Fatalf("%q is written as %q and read as %q", cell, guarded, Unguard(guarded))
		}
		if isFormula(guarded) {
			t.Fatalf("%q is written as the formula %q", cell, guarded)
		}
		if strings.ContainsAny(cell, "\r\n\x00") || !utf8.ValidString(cell) {
			return // what a text does not keep
		}
		var out bytes.Buffer
		w := NewWriter(&out)
		if err := w.Write([]string{cell, "1"}); err != nil {
			t.Fatal(err)
		}
		if w.Flush(); w.Error() != nil {
			t.Fatal(w.Error())
		}
		_, cells, err := newSplitter(&out, '\n', ',', Limits{}.withDefaults()).next()
		if err != nil || !slices.Equal(cells, []string{cell, "1"}) {
			t.Fatalf("%q is read as %q, %v", cell, cells, err)
		}
	})
}

// A number with its sign stays one, and so does a telephone number.
func TestWriterLeavesNumbers(t *testing.T) {
	for _, cell := range []string{"-2.50", "+5", "-1,234.50", "-5%", "-£5.00", "+447700900123", "+44 (0)7700 900123", "-", "", "a", "1=1"} {
		if got := guard(cell); got != cell {
			t.Errorf("%q is written as %q", cell, got)
		}
	}
}
