package inventory

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"svc/server/gtin"
)

func TestParseBoundsCodesOfOneCell(t *testing.T) {
	const many = 30_000 // without bounds they take minutes
	var codes, names strings.Builder
	for i := range many {
		digits := fmt.Sprintf("%012d", 400_000_000_000+i)
		fmt.Fprintf(&codes, "%s%c;", digits, gtin.CheckDigit(digits))
		fmt.Fprintf(&names, "%06x;", i)
	}
	first := func(all string, n, size int) string { return all[:n*size] }
	for name, c := range map[string]struct{ heading, cell, want string }{
		"Barcodes":       {"Barcode", codes.String(), "error: line 2, Barcode: the product has more than 100 of them\n"},
		"BarcodesSpaced": {"Barcode", strings.ReplaceAll(codes.String(), ";", " "), "error: line 2, Barcode: the product has more than 100 of them\n"},
		"SomeBarcodes":   {"Barcode", first(codes.String(), 100, 14), ""},
		"Aliases":        {"Aliases", names.String(), "error: line 2, Aliases: the product has more than 100 of them\n"},
		"SomeAliases":    {"Aliases", first(names.String(), 100, 7), ""},
		"AliasAgain":     {"Aliases", strings.Repeat("tea;", many), ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := parse(t, "x", "Name,"+c.heading+"\nChai,\""+c.cell+"\"\n", 2)
			if c.want == "" && len(r.Products) != 1 || c.want != "" && summary(r) != c.want {
				t.Errorf("%.500s", summary(r))
			}
		})
	}
	both := parse(t, "x", "Name,EAN,UPC\nChai,"+first(codes.String(), 51, 14)+","+codes.String()[51*14:101*14]+"\n", 2)
	if got, want := summary(both), "error: line 2, UPC: the product has more than 100 of them\n"; got != want {
		t.Errorf("%.500s", got)
	}
}

// The lengths are in characters, not in bytes.
func TestParseBoundsLengths(t *testing.T) {
	for _, c := range []struct {
		heading string
		most    int
	}{
		{"Product name", 500}, {"SKU", 100}, {"Unit", 50}, {"Category", 500}, {"Aliases", 200}, {"Price", 100}, {"Stock", 100}, {"Handle", 500},
	} {
		for length, want := range map[int]string{
			c.most:     "",
			c.most + 1: fmt.Sprintf("line 2, %s: %q has more than %d characters", c.heading, strings.Repeat("ä", 39)+"…", c.most),
		} {
			cell := strings.Repeat("ä", length)
			r := parse(t, "x", "Title,Second,"+c.heading+"\nChai,,"+cell+"\n", 2)
			if got := r.Errors; want != "" && (len(got) != 1 || got[0].Error() != want) {
				t.Errorf("%s of %d characters: got %v, want %s", c.heading, length, got, want)
			}
			if isAmount := c.heading == "Price" || c.heading == "Stock"; want == "" && !isAmount && len(r.Products) != 1 {
				t.Errorf("%s of %d characters: got %v, want no error", c.heading, length, r.Errors)
			}
		}
	}
	options := "Handle,Title,Option1 Value\na," + strings.Repeat("a", 300) + "," + strings.Repeat("b", 300) + "\n"
	if r := parse(t, "x", options, 2); len(r.Errors) != 1 || !strings.HasSuffix(r.Errors[0].Error(), "has more than 500 characters") {
		t.Errorf("got %v, want one error", r.Errors)
	}
}

// A workbook stores a text once, for any number of cells.
func TestParseBoundsSharedTexts(t *testing.T) {
	const rows = 300
	long := strings.Repeat("a", excelize.TotalCellChars)
	for _, heading := range []string{"Name", "SKU", "Unit", "Category", "Price", "Aliases", "Handle"} {
		f := excelize.NewFile()
		headings, cells := []any{"Title", heading}, []any{"Chai", long}
		if heading == "Name" {
			headings, cells = []any{"SKU", heading}, []any{"c", long}
		}
		f.SetSheetRow("Sheet1", "A1", &headings)
		for i := range rows {
			f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+2), &cells)
		}
		buf, err := f.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		r := parse(t, "x", buf.String(), 2)
		if len(r.Products) != 0 || len(r.Errors) != 100 || !r.More {
			t.Errorf("%s: got %d products, %d errors; want 0, 100 and more", heading, len(r.Products), len(r.Errors))
		}
		f.Close()
	}
}
