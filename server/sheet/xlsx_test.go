package sheet

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"svc/server/datatest"
)

// workbook returns a workbook that the library has made.
func workbook(t *testing.T, fill func(*excelize.File)) string {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	fill(f)
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func set(t *testing.T, f *excelize.File, sheet, cell string, value any, format string) {
	t.Helper()
	if err := f.SetCellValue(sheet, cell, value); err != nil {
		t.Fatal(err)
	}
	if format == "" {
		return
	}
	style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.SetCellStyle(sheet, cell, cell, style); err != nil {
		t.Fatal(err)
	}
}

// parts returns an archive of the given parts.
func parts(t *testing.T, content map[string]string) string {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for name, text := range content {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate}
		if len(text) < 100 {
			header.Method = zip.Store
		}
		part, err := w.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// withParts returns the archive with some parts replaced; "" removes a part.
func withParts(t *testing.T, archive string, with map[string]string) string {
	t.Helper()
	r, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for _, part := range r.File {
		in, err := part.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		content[part.Name] = string(text)
	}
	for name, text := range with {
		if content[name] = text; text == "" {
			delete(content, name)
		}
	}
	return parts(t, content)
}

// worksheet returns the XML of a worksheet; rows are the contents of row elements.
func worksheet(rows ...string) string {
	var b strings.Builder
	b.WriteString(`<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for i, row := range rows {
		fmt.Fprintf(&b, `<row r="%d">%s</row>`, i+1, row)
	}
	return b.String() + `</sheetData></worksheet>`
}

const firstSheet = "xl/worksheets/sheet1.xml"

func plainWorkbook(t *testing.T) string {
	return workbook(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Price"})
		f.SetSheetRow("Sheet1", "A2", &[]any{"Chai", 18})
		f.SetSheetRow("Sheet1", "A3", &[]any{"Chang", 19.5})
	})
}

func TestOpenReadsWorkbook(t *testing.T) {
	s := mustOpen(t, "x.csv", plainWorkbook(t), Limits{})
	if got, want := table(t, s), lines("1 Name|Price", "2 Chai|18", "3 Chang|19.5"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := s.Dialect(), (Dialect{Format: "xlsx", Worksheet: "Sheet1"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Cells have their stored values, not the formatted ones.
func TestNextReturnsStoredValues(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 30, 15, 0, time.UTC)
	cells := []struct {
		value  any
		format string
		want   string
	}{
		{4.499, "0.00", "4.499"},
		{4.35, "#,##0.00 [$€-407]", "4.35"},
		{0.1 + 0.2, "", "0.3"},
		{1e15 + 1, "", "1E+15"},
		{-1234.5, `#,##0.00;[Red]-#,##0.00`, "-1234.5"},
		{0.35, "0%", "0.35"},
		{5012345678900, "", "5012345678900"},
		{5012345678900, "0.00E+00", "5012345678900"},
		{712345678911, "0000000000000", "0712345678911"},
		{42, "00000", "00042"},
		{42, "0", "42"},
		{12.5, `0.0 "kg dry"`, "12.5"},
		{12, `General" days"`, "12"},
		{3, `0 \d`, "3"},
		{"007", "", "007"},
		{"  padded ", "", "padded"},
		{true, "", "TRUE"},
		{noon, "dd/mm/yyyy hh:mm", "2026-01-31T12:30:15"},
		{noon.Truncate(24 * time.Hour), "d.m.yy", "2026-01-31"},
		{noon.Truncate(24 * time.Hour), "[$-407]mmmm yyyy;@", "2026-01-31"},
		{noon.Truncate(24 * time.Hour), "mmm", "2026-01-31"},
		{46053.99998, "yyyy-mm-dd", "2026-01-31T23:59:58"},
		{46053.999999, "yyyy-mm-dd", "2026-02-01"},
		{1, "yyyy-mm-dd", "1900-01-01"},
		{59, "yyyy-mm-dd", "1900-02-28"},
		{61, "yyyy-mm-dd", "1900-03-01"},
		{2958465, "yyyy-mm-dd", "9999-12-31"},
		{2958466, "yyyy-mm-dd", "2958466"},
		{-5, "yyyy-mm-dd", "-5"},
		{0.25, "yyyy-mm-dd hh:mm", "06:00:00"},
		{0.25, "h:mm AM/PM", "06:00:00"},
		{0.0, "h:mm", "00:00:00"},
		{1.5, "[h]:mm", "36:00:00"},
		{"2026-01-31T00:00:00", "", "2026-01-31T00:00:00"},
		{dateMark + "x", "", dateMark + "x"},
	}
	in := workbook(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Value"})
		for i, c := range cells {
			set(t, f, "Sheet1", fmt.Sprintf("A%d", i+2), fmt.Sprintf("row %d", i), "")
			set(t, f, "Sheet1", fmt.Sprintf("B%d", i+2), c.value, c.format)
		}
	})
	rows := all(t, mustOpen(t, "x", in, Limits{}))
	if len(rows) != len(cells) {
		t.Fatalf("got %d rows, want %d", len(rows), len(cells))
	}
	for i, c := range cells {
		if got := rows[i].Cells[1]; got != c.want {
			t.Errorf("%v as %q: got %q, want %q", c.value, c.format, got, c.want)
		}
	}
}

// Built-in formats have an id and no code.
func TestNextDecodesBuiltInDateFormats(t *testing.T) {
	want := map[int]string{
		0: "46053.25", 1: "46053.25", 2: "46053.25", 9: "46053.25", 11: "46053.25", 37: "46053.25", 44: "46053.25", 48: "46053.25", 49: "46053.25",
		14: "2026-01-31T06:00:00", 15: "2026-01-31T06:00:00", 17: "2026-01-31T06:00:00", 22: "2026-01-31T06:00:00",
		18: "06:00:00", 20: "06:00:00", 21: "06:00:00", 45: "06:00:00", 46: "1105278:00:00", 47: "06:00:00",
	}
	in := workbook(t, func(f *excelize.File) {
		f.SetSheetRow("Sheet1", "A1", &[]any{"Format", "Value"})
		for id := range 50 {
			style, err := f.NewStyle(&excelize.Style{NumFmt: id})
			if err != nil {
				t.Fatal(err)
			}
			f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", id+2), &[]any{fmt.Sprint("f", id), 46053.25})
			f.SetCellStyle("Sheet1", fmt.Sprintf("B%d", id+2), fmt.Sprintf("B%d", id+2), style)
		}
	})
	rows := all(t, mustOpen(t, "x", in, Limits{}))
	for id, text := range want {
		if got := rows[id].Cells[1]; got != text {
			t.Errorf("format %d: got %q, want %q", id, got, text)
		}
	}
}

func TestOpenChoosesFirstFilledWorksheet(t *testing.T) {
	in := workbook(t, func(f *excelize.File) {
		f.NewSheet("Lists")
		f.SetSheetRow("Lists", "A1", &[]any{"Hidden", "Lists"})
		f.SetSheetVisible("Lists", false)
		f.NewSheet("Products")
		f.SetSheetRow("Products", "B3", &[]any{"Name", "Price"})
		f.SetSheetRow("Products", "B5", &[]any{"Chai", 18})
		f.SetSheetRow("Sheet1", "A1", &[]any{" ", ""})
	})
	s := mustOpen(t, "x", in, Limits{})
	if got, want := table(t, s), lines("3 Column 1|Name|Price", "5 |Chai|18"); got != want || s.Dialect().Worksheet != "Products" {
		t.Errorf("got worksheet %s\n%s\nwant Products\n%s", s.Dialect().Worksheet, got, want)
	}
	hidden := workbook(t, func(f *excelize.File) {
		f.NewSheet("Lists")
		f.SetSheetRow("Lists", "A1", &[]any{"Name", "Price"})
		f.SetSheetVisible("Lists", false)
	})
	if s := mustOpen(t, "x", hidden, Limits{}); s.Dialect().Worksheet != "Lists" {
		t.Errorf("got worksheet %s, want Lists", s.Dialect().Worksheet)
	}
	empty := workbook(t, func(*excelize.File) {})
	expectRefusal(t, empty, Limits{}, "the workbook has no worksheet with anything in it")
}

func TestOpenRefusesPasswords(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	f.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Price"})
	var buf bytes.Buffer
	if err := f.Write(&buf, excelize.Options{Password: "secret"}); err != nil {
		t.Fatal(err)
	}
	calamine, err := os.ReadFile(datatest.Path(t, "csv/xlsx/pass_protected.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range []string{buf.String(), string(calamine)} {
		expectRefusal(t, in, Limits{}, "the workbook is protected with a password; save it without one")
	}
}

// The names of the workbooks of calamine tell what is unusual about them.
func TestSheetReadsUnusualWorkbooks(t *testing.T) {
	for name, want := range map[string]string{
		"date_iso.xlsx":                  lines("4 This workbook contains datetime in ISO 8601", "5 Please, check source code of the file, if you resave it", "6 Created with openpyxl, see https://openpyxl.readthedocs.io/en/latest/datetime.html#using-the-iso-8601-format"),
		"nonstandard-xml-ns-prefix.xlsx": lines("1 a|b", "2 1|3", "3 2|4"),
		"has_x000D_.xlsx":                "1 ABC DEF",
		"empty_shared_string_value.xlsx": lines("1 Name|City|Status", "2 Alice||Active", "3 |Berlin|"),
		"temperature-in-middle.xlsx":     lines("4 Column 1|label|value", "5 |celsius|22.2222", "6 |fahrenheit|72"),
	} {
		content, err := os.ReadFile(datatest.Path(t, "csv/xlsx/"+name))
		if err != nil {
			t.Fatal(err)
		}
		if got := table(t, mustOpen(t, name, string(content), Limits{})); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
	content, err := os.ReadFile(datatest.Path(t, "csv/xlsx/date_1904.xlsx"))
	if err != nil {
		t.Fatal(err)
	}
	book, _, err := openXLSX(bytes.NewReader(content), int64(len(content)), Limits{}.withDefaults())
	if err != nil {
		t.Fatal(err)
	}
	defer book.close()
	src, err := book.open(book.worksheets()[0].name)
	if err != nil {
		t.Fatal(err)
	}
	defer src.close()
	for _, want := range []string{"2021-01-01", "2021-01-02", "255:10:10"} {
		if _, cells, err := src.next(); err != nil || cells[0] != want {
			t.Errorf("got %q, %v; want %s", cells, err, want)
		}
	}
	if _, _, err := src.next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: got %v, want io.EOF", err)
	}
}

// The library unpacks a large workbook to temporary files.
func TestCloseRemovesTemporaryFiles(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	in := withParts(t, plainWorkbook(t), map[string]string{
		firstSheet: worksheet(`<c t="s"><v>0</v></c><c t="s"><v>1</v></c>`+strings.Repeat(" ", 1<<20), `<c t="s"><v>2</v></c><c><v>18</v></c>`),
	})
	limits := Limits{Unzipped: 4 << 20}
	s, err := openBest("x", strings.NewReader(in), int64(len(in)), limits)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := table(t, s), lines("1 Name|Price", "2 Chai|18"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if files, _ := os.ReadDir(dir); len(files) == 0 {
		t.Error("no temporary files were made, so the test proves nothing")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	bad := withParts(t, in, map[string]string{firstSheet: worksheet(`<c><v>1</v></c>` + strings.Repeat(" ", 1<<20))})
	refusal(t, bad, limits)
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("%d temporary files are left", len(files))
	}
}

func TestOpenIgnoresUnknownParts(t *testing.T) {
	in := withParts(t, plainWorkbook(t), map[string]string{"customXml/item1.xml": "\xff\xfe<\x00a\x00", "docProps/app.xml": "<oops", "xl/media/x.png": "\x89PNG"})
	if got := table(t, mustOpen(t, "x", in, Limits{})); !strings.HasPrefix(got, "1 Name|Price") {
		t.Errorf("got\n%s\nwant the rows of plainWorkbook", got)
	}
}

// FuzzWorkbook opens workbooks with arbitrary worksheets, shared texts and styles, and
// reads them to the end.
func FuzzWorkbook(f *testing.F) {
	f.Add(worksheet(`<c r="A1" t="s"><v>0</v></c>`), `<sst><si><t>x</t></si></sst>`, `<styleSheet><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`)
	f.Add(worksheet(`<c r="ZZZZ9" t="s"><v>-1</v></c>`, `<c s="-1" t="d"><v>x</v></c>`), ``, `<styleSheet/>`)
	f.Add(worksheet(`<c s="99"><f>1+1</f></c><c t="b"><v>1</v></c><c t="e"><v>#N/A</v></c>`), `<sst count="-5"/>`, `<styleSheet><numFmts><numFmt numFmtId="14" formatCode="["/></numFmts><cellXfs><xf numFmtId="14"/></cellXfs></styleSheet>`)
	f.Add(`<worksheet><sheetData><row r="1048577"/><row r="-1"><c/></row></sheetData></worksheet>`, ``, ``)
	f.Fuzz(func(t *testing.T, sheet, texts, styles string) {
		in := withParts(t, minimal(t), map[string]string{firstSheet: sheet, "xl/sharedStrings.xml": texts, "xl/styles.xml": styles})
		s, err := openBest("x", strings.NewReader(in), int64(len(in)), Limits{Rows: 1000})
		if err != nil {
			if _, ok := errors.AsType[*Error](err); !ok {
				t.Fatal(err)
			}
			return
		}
		defer s.Close()
		for {
			_, err := s.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			if _, ok := errors.AsType[*Error](err); err != nil && !ok {
				t.Fatal(err)
			}
		}
	})
}

// minimal returns the smallest workbook that the library opens.
func minimal(t *testing.T) string {
	return parts(t, map[string]string{
		"[Content_Types].xml":        `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>`,
		"_rels/.rels":                `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml":            `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
	})
}

func BenchmarkXLSX(b *testing.B) {
	f := excelize.NewFile()
	defer f.Close()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		b.Fatal(err)
	}
	w.SetRow("A1", []any{"Name", "SKU", "Price", "Stock", "Barcode", "Category"})
	for i := range b.N {
		w.SetRow(fmt.Sprintf("A%d", i+2), []any{fmt.Sprint("Product ", i), fmt.Sprint("sku-", i), 4.35, i, 5012345678900, "Tea"})
	}
	w.Flush()
	buf, err := f.WriteToBuffer()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	s, err := openBest("x", bytes.NewReader(buf.Bytes()), int64(buf.Len()), Limits{Unzipped: 4 << 30})
	for err == nil {
		_, err = s.Next()
	}
	if !errors.Is(err, io.EOF) {
		b.Fatal(err)
	}
	s.Close()
}
