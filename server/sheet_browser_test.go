package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/xuri/excelize/v2"

	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// twoSheets returns a workbook with products in two sheets of different headings, the second
// with 60 further columns.
func twoSheets(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	if _, err := f.NewSheet("Van"); err != nil {
		t.Fatal(err)
	}
	head, row := []any{"Name", "SKU", "Date", "Price"}, []any{"Ice", "i", "2026-01-05", 2.5}
	for i := range 60 {
		head, row = append(head, fmt.Sprintf("Extra %d", i)), append(row, fmt.Sprintf("word %d", i))
	}
	rows := []struct {
		sheet, cell string
		cells       []any
	}{
		{"Sheet1", "A1", []any{"Name", "SKU", "Price", "Stock"}}, {"Sheet1", "A2", []any{"Tea", "t", 4.5, 3}}, {"Sheet1", "A3", []any{"Mug", "m", 7, 1}},
		{"Van", "A1", head}, {"Van", "A2", row},
	}
	for _, r := range rows {
		if err := f.SetSheetRow(r.sheet, r.cell, &r.cells); err != nil {
			t.Fatal(err)
		}
	}
	buf, err := f.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// A merchant chooses the sheet of a workbook in the previews of both imports, and gives a
// column beyond the first 40 its meaning.
func TestBrowserSheets(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	s.Person(t, "shop@example.com")
	content := twoSheets(t)

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/inventory/import", "Import")
	dropFile(b, "#file", "shop.xlsx", content)
	b.Press("Preview")
	b.UntilTitle("Preview of an import")
	look(b, "import-preview-sheets")
	b.Choose("#import-sheet", "Van")
	b.Until(`document.querySelector("#import-sheet").selectedOptions[0].text === "Van, 1 row, read now" && document.body.innerText.includes("Import 1 item")`)

	b.Go(s.URL + "/console/data")
	b.Files("#file", writeFile(t, "till.xlsx", string(content)))
	b.Until(`location.pathname.startsWith("/console/data/upload/up_") && document.querySelector("table.rows") !== null`)
	b.Choose("#preview-sheet", "Van")
	b.Until(`document.querySelectorAll("select[id^=role-]").length === 40 && !document.querySelector(".htmx-request")`)
	b.Do(chromedp.Click(`button[name=from][value="40"]`))
	b.Until(`location.hash === "#rows" && document.querySelectorAll("select[id^=role-]").length === 24`)
	b.Choose("#role-23", "category")
	b.Until(`document.querySelector("#role-23").value === "category" && !document.querySelector(".htmx-request")`)
	look(b, "data-preview-columns")
	b.Do(chromedp.Click(`button[name=from][value="0"]`))
	b.Until(`document.querySelectorAll("select[id^=role-]").length === 40`)
	b.Press("Use these rows")
	b.Until(`document.body.innerText.includes("questions can be asked of it")`)
	b.Do(chromedp.Click(chromedp.Search(`//a[.="Columns and words"]`)))
	b.Until(`document.querySelector("#role-63") !== null`)
	if role := viewstest.Evaluate[string](b, `document.querySelector("#role-63").value`); role != "category" {
		t.Errorf("the role of the last column is %q", role)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %s", strings.Join(problems, "; "))
	}
}
