package sheet

import (
	"fmt"
	"strings"
	"testing"
)

// withSheets returns a workbook with a worksheet for each XML text.
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
	return withParts(t, minimal(t), with)
}

// sharedTexts returns the part with shared texts, to which cells refer by number.
func sharedTexts(texts ...string) string {
	return `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><si><t>` + strings.Join(texts, `</t></si><si><t>`) + `</t></si></sst>`
}

// The decoder keeps a whole token in memory, and the library a whole cell, so half a
// megabyte of a file could take gigabytes.
func TestOpenBoundsTokens(t *testing.T) {
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
			expectRefusal(t, withSheets(t, c.shared, c.sheet), Limits{}, want)
		})
	}
	many := worksheet(cell("Name"), strings.Repeat(cell(strings.Repeat("a", 10_000)), 200))
	if got, want := table(t, mustOpen(t, "x", withSheets(t, "", many), Limits{})), "1 Name"; !strings.HasPrefix(got, want) {
		t.Errorf("got %.200s\nwant %s …", got, want)
	}
}

// A decoder keeps all open elements: a file of half a megabyte took 30 GB. They count in a part
// that is no worksheet by its first element, too.
func TestOpenBoundsDepth(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("<a>", n) + strings.Repeat("</a>", n) }
	const above = 4 // worksheet, sheetData and row, of worksheet(); and its cell
	for name, sheet := range map[string]string{
		"Worksheet":    worksheet("<c>" + deep(maxNested-above+1) + "</c>"),
		"NeverClosed":  `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>` + strings.Repeat("<a>", 1_000_000),
		"OtherElement": "<other>" + deep(maxNested) + "</other>",
	} {
		t.Run(name, func(t *testing.T) {
			want := "the workbook is too complex: " + firstSheet + " has more than 100 elements in one another"
			expectRefusal(t, withSheets(t, "", sheet), Limits{}, want)
		})
	}
	cell := `<c t="inlineStr"><is><t>Name</t></is></c>`
	mustOpen(t, "x", withSheets(t, "", worksheet(cell+"<c>"+deep(maxNested-above)+"</c>")), Limits{})
	long := "<mashup>" + strings.Repeat("x", 2*maxToken) + "</mashup>" // of Power Query
	mustOpen(t, "x", withParts(t, withSheets(t, "", worksheet(cell)), map[string]string{"customXml/item1.xml": long}), Limits{})
}

// Each cell with a shared text has a copy of it.
func TestNextBoundsSharedTexts(t *testing.T) {
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
			if got := table(t, mustOpen(t, "x", withSheets(t, shared, worksheet(c.rows...)), c.limits)); got != c.want {
				t.Errorf("got %d bytes, want %d: %s", len(got), len(c.want), strings.NewReplacer(full, "(long)").Replace(got))
			}
		})
	}
}

// The library makes all the cells of a row before it returns any.
func TestOpenBoundsRows(t *testing.T) {
	const want = "the workbook is too complex: its longest row and its longest text are too long beside one another"
	shared := sharedTexts("Name", strings.Repeat("a", maxCell))
	copies := strings.Repeat(`<c t="s"><v>1</v></c>`, maxRow/maxCell+1)
	expectRefusal(t, withSheets(t, shared, worksheet(copies)), Limits{}, want)
	expectRefusal(t, withSheets(t, shared, worksheet(strings.Repeat(`<c t="s"><v>1</v></c>`, 1001))), Limits{}, "line 1: the row has more than 1000 cells")
}

// The library copies a text for each _x000D_ in it.
func TestOpenBoundsEscapes(t *testing.T) {
	const want = "the workbook is too complex: a text in xl/sharedStrings.xml has more than 1,000 line breaks"
	cells := worksheet(`<c t="s"><v>0</v></c>`)
	expectRefusal(t, withSheets(t, sharedTexts(strings.Repeat("_x000A_", maxEscapes+1)), cells), Limits{}, want)
	expectRefusal(t, withSheets(t, sharedTexts(strings.Repeat("_<!---->&#120;0041_", maxEscapes+1)), cells), Limits{}, want)
	if got := table(t, mustOpen(t, "x", withSheets(t, sharedTexts("a_x000A_b"), cells), Limits{})); got != "1 a b" {
		t.Errorf("got %q, want a table with the heading a b", got)
	}
}

// A blank cell in the last row makes the library read all the rows above it.
func TestOpenBoundsBlankWorksheets(t *testing.T) {
	const far = `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row r="1048576"><c r="A1048576"><v></v></c></row></sheetData></worksheet>`
	sheets := []string{far}
	products := worksheet(`<c t="inlineStr"><is><t>Name</t></is></c>`)
	if got := table(t, mustOpen(t, "x", withSheets(t, "", far, products), Limits{})); got != "1 Name" {
		t.Errorf("got %q, want a table with the heading Name", got)
	}
	for range 20 {
		sheets = append(sheets, far)
	}
	expectRefusal(t, withSheets(t, "", append(sheets, products)...), Limits{}, "the workbook is too complex: its worksheets begin with more than 1,048,576 blank rows")

	many := make([]string, maxSheets+1)
	for i := range many {
		many[i] = worksheet()
	}
	expectRefusal(t, withSheets(t, "", many...), Limits{}, "the workbook has more than 1,000 worksheets")
}

// Distinct names for equal headings take one attempt each.
func TestOpenNamesEqualHeadingsInLinearTime(t *testing.T) {
	content := strings.Repeat("N,", 999) + "N\n1\n"
	tries := testing.AllocsPerRun(1, func() {
		s := mustOpen(t, "x.csv", content, Limits{})
		if last := s.Headings()[999]; last != "N (1000)" {
			t.Errorf("got %q, want N (1000)", last)
		}
	})
	if tries > 50_000 {
		t.Errorf("got %.0f allocations, want at most 50,000", tries)
	}
}
