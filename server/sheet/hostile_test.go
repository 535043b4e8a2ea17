package sheet

import (
	"fmt"
	"strings"
	"testing"
)

// withSheets is a workbook with one worksheet for each text of XML.
func withSheets(t *testing.T, shared string, sheets ...string) string {
	t.Helper()
	var names, targets strings.Builder
	with := map[string]string{"xl/sharedStrings.xml": shared}
	for i, xml := range sheets {
		fmt.Fprintf(&names, `<sheet name="S%d" sheetId="%d" r:id="r%d"/>`, i, i+1, i)
		fmt.Fprintf(&targets, `<Relationship Id="r%d" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet%d.xml"/>`, i, i+1)
		with[fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1)] = xml
	}
	with["xl/workbook.xml"] = `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>` + names.String() + `</sheets></workbook>`
	with["xl/_rels/workbook.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + targets.String() + `</Relationships>`
	return changed(t, minimal(t), with)
}

// sharedTexts is the part that cells refer to by number.
func sharedTexts(texts ...string) string {
	return `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>` + strings.Join(texts, `</t></si><si><t>`) + `</t></si></sst>`
}

// TestOneTokenIsBounded: the decoder holds a token, and the library a cell, as a
// whole, so that half a megabyte of a file could take gigabytes.
func TestOneTokenIsBounded(t *testing.T) {
	half := strings.Repeat("a", maxToken/2)
	long, inParts := strings.Repeat("a", maxToken+8<<10), half+"<!---->"+half+"<!---->"+half
	cell := func(inside string) string { return `<c t="inlineStr"><is><t>` + inside + `</t></is></c>` }
	for name, c := range map[string]struct{ sheet, shared string }{
		"Text":         {worksheet(cell(long)), ""},
		"Comment":      {worksheet("<!--"+long+"-->", cell("Name")), ""},
		"Attribute":    {worksheet(`<c r="` + long + `"/>`), ""},
		"Prolog":       {"<!--" + long + "-->" + worksheet(cell("Name")), ""},
		"InParts":      {worksheet(cell(inParts)), ""},
		"Nested":       {worksheet(cell(half + "<c/>" + half + "<si/>" + half)), ""},
		"Value":        {worksheet(`<c><v>` + inParts + `</v></c>`), ""},
		"Shared":       {worksheet(`<c t="s"><v>0</v></c>`), sharedTexts(long)},
		"SharedInRuns": {worksheet(`<c t="s"><v>0</v></c>`), `<sst><si>` + strings.Repeat("<r><t>"+half+"</t></r>", 3) + `</si></sst>`},
	} {
		t.Run(name, func(t *testing.T) {
			part := firstSheet
			if c.shared != "" {
				part = "xl/sharedStrings.xml"
			}
			want := "the workbook is too complex: a text in " + part + " is larger than 1 MiB"
			if got := refusal(t, withSheets(t, c.shared, c.sheet), Limits{}); got != want {
				t.Error(got)
			}
		})
	}
	many := worksheet(cell("Name"), strings.Repeat(cell(strings.Repeat("a", 10_000)), 200))
	if got, want := table(t, opened(t, "x", withSheets(t, "", many), Limits{})), "1 Name"; !strings.HasPrefix(got, want) {
		t.Errorf("%.200s", got)
	}
}

// TestSharedTextsAreBounded: each cell with a shared text is a copy of it.
func TestSharedTextsAreBounded(t *testing.T) {
	const name, longest, tooLong = `<c t="s"><v>0</v></c>`, `<c t="s"><v>1</v></c>`, `<c t="s"><v>2</v></c>`
	shared := sharedTexts("Name", strings.Repeat("ä", maxCell), strings.Repeat("a", maxCell+1))
	full := strings.Repeat("ä", maxCell)
	for what, c := range map[string]struct {
		limits Limits
		rows   []string
		want   string
	}{
		"Cell": {Limits{}, []string{name + name, longest, tooLong, name}, lines(
			"1 Name|Name (2)", "2 "+full+"|", "3 fault: a cell has more than 32,767 characters", "4 Name|")},
		"Row": {Limits{RowBytes: 100_000}, []string{name + name, longest, longest + longest, longest}, lines(
			"1 Name|Name (2)", "2 "+full+"|", "3 fault: the row is longer than 100000 bytes", "4 "+full+"|")},
		"All": {Limits{Unzipped: 200_000}, []string{name, longest, longest, longest, longest, longest}, lines(
			"1 Name", "2 "+full, "3 "+full, "4 "+full, "5 fault: the cells of the workbook hold more than 200000 bytes")},
	} {
		t.Run(what, func(t *testing.T) {
			if got := table(t, opened(t, "x", withSheets(t, shared, worksheet(c.rows...)), c.limits)); got != c.want {
				t.Errorf("%d bytes, want %d: %s", len(got), len(c.want), strings.NewReplacer(full, "(long)").Replace(got))
			}
		})
	}
}

// TestOneRowIsBounded: the library makes all the cells of a row before it gives any.
func TestOneRowIsBounded(t *testing.T) {
	const want = "the workbook is too complex: its longest row and its longest text are too long beside one another"
	shared := sharedTexts("Name", strings.Repeat("a", maxCell))
	copies := strings.Repeat(`<c t="s"><v>1</v></c>`, maxRow/maxCell+1)
	if got := refusal(t, withSheets(t, shared, worksheet(copies)), Limits{}); got != want {
		t.Error(got)
	}
	if got := refusal(t, withSheets(t, shared, worksheet(strings.Repeat(`<c t="s"><v>1</v></c>`, 1001))), Limits{}); got != "line 1: the row has more than 1000 cells" {
		t.Error(got)
	}
}

// TestEscapesAreBounded: the library copies a text once for each of its _x000D_.
func TestEscapesAreBounded(t *testing.T) {
	const want = "the workbook is too complex: a text in xl/sharedStrings.xml has more than 1,000 line breaks"
	cells := worksheet(`<c t="s"><v>0</v></c>`)
	if got := refusal(t, withSheets(t, sharedTexts(strings.Repeat("_x000A_", maxEscapes+1)), cells), Limits{}); got != want {
		t.Error(got)
	}
	if got := refusal(t, withSheets(t, sharedTexts(strings.Repeat("_<!---->&#120;0041_", maxEscapes+1)), cells), Limits{}); got != want {
		t.Error(got)
	}
	if got := table(t, opened(t, "x", withSheets(t, sharedTexts("a_x000A_b"), cells), Limits{})); got != "1 a b" {
		t.Error(got)
	}
}

// TestBlankWorksheetsAreBounded: a blank cell far below costs a walk over all the
// rows above it.
func TestBlankWorksheetsAreBounded(t *testing.T) {
	const far = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1048576"><c r="A1048576"><v></v></c></row></sheetData></worksheet>`
	sheets := []string{far}
	products := worksheet(`<c t="inlineStr"><is><t>Name</t></is></c>`)
	if got := table(t, opened(t, "x", withSheets(t, "", far, products), Limits{})); got != "1 Name" {
		t.Error(got)
	}
	for range 20 {
		sheets = append(sheets, far)
	}
	if got := refusal(t, withSheets(t, "", append(sheets, products)...), Limits{}); got != "the workbook is too complex: its worksheets begin with more than 1,048,576 blank rows" {
		t.Error(got)
	}

	many := make([]string, maxSheets+1)
	for i := range many {
		many[i] = worksheet()
	}
	if got := refusal(t, withSheets(t, "", many...), Limits{}); got != "the workbook has more than 1,000 worksheets" {
		t.Error(got)
	}
}

// TestSameHeadings: to tell a row of them apart takes a try for each.
func TestSameHeadings(t *testing.T) {
	content := strings.Repeat("N,", 999) + "N\n1\n"
	tries := testing.AllocsPerRun(1, func() {
		s := opened(t, "x.csv", content, Limits{})
		if last := s.Headings()[999]; last != "N (1000)" {
			t.Error(last)
		}
	})
	if tries > 50_000 {
		t.Errorf("%.0f allocations", tries)
	}
}
