package inventory

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Sheets that are no shop's export have columns such as size and colour for variants.
func TestParseNamesVariantsOfPlainSheets(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"Size":         {"Name,Size,Price\nTee,M,5\nTee,L,6\n", lines("2 Tee - M | price 5", "3 Tee - L | price 6", "")},
		"ColourSize":   {"Name,Colour,Size,SKU\nTee,Red,M,T1\nTee,Red,,T2\n", lines("2 Tee - Red / M | sku T1", "3 Tee - Red | sku T2", "")},
		"SizeColour":   {"Name,Size,Color\nTee,M,Red\n", lines("2 Tee - M / Red", "")},
		"Variant":      {"Name,Variant,SKU\nTee,M,T1\nTee,-,T2\n", lines("2 Tee - M | sku T1", "3 Tee | sku T2", "")},
		"PackSize":     {"Name,Pack Size\nCoke,330ml\nCoke 500ML,500ml\nCoke 1500ml,500ml\n", lines("2 Coke - 330ml", "3 Coke 500ML", "4 Coke 1500ml - 500ml", "")},
		"Groesse":      {"Bezeichnung;Größe;Farbe\nHemd;M;Rot\n", lines("2 Hemd - M / Rot", "")},
		"Taglia":       {"Nome;Taglia;Colore\nMaglia;M;Rosso\n", lines("2 Maglia - M / Rosso", "")},
		"Nameless":     {"Name,SKU,Size\n,T1,M\n", lines("2  | sku T1", "")},
		"BesideAShops": {"Handle,Title,Option1 Value,Size\na,Tee,M,Medium\n", lines("2 Tee - M", "")},
		"ShopsRepeat":  {"Handle,Title,Option1 Value\na,Tee Red,Red\n", lines("2 Tee Red - Red", "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(parse(t, "x", c.in, 2)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Shopify's inventory has a row for each location.
func TestParseSumsStockOfLocations(t *testing.T) {
	const head = "Handle,Title,SKU,Location,On hand (current)\n"
	for name, c := range map[string]struct{ in, want string }{
		"Added":        {head + "a,Mug,M,North,5\na,Mug,M,South,7\na,Mug,M,West,\n", "2 Mug | sku M | stock 12\n"},
		"BySKU":        {head + "a,Mug,M,North,5\na,Mug,N,South,7\n", lines("2 Mug | sku M | stock 5", "3 Mug | sku N | stock 7", "")},
		"TwiceInOne":   {head + "a,Mug,M,North,5\na,Mug,M,North,7\n", lines("2 Mug | sku M | stock 5", `error: line 3, SKU: "M" is on line 2 already`, "")},
		"NoPlace":      {head + "a,Mug,M,,5\na,Mug,M,,7\n", lines("2 Mug | sku M | stock 5", `error: line 3, SKU: "M" is on line 2 already`, "")},
		"FaultOfLine":  {head + "a,Mug,M,North,5\na,Mug,M,South,x\n", `error: line 3, On hand (current): "x" is not a number` + "\n"},
		"NotTheShopOf": {"Name,Location,On hand\nMug,North,5\nMug,South,7\n", lines("2 Mug | stock 5", `error: line 3, Name: "Mug" is on line 2 already; without a SKU or a barcode the two cannot be told apart`, "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(parse(t, "x", c.in, 2)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// Repeated names in a file with dates are sales.
func TestParseRefusesRepeatedNamesWithDates(t *testing.T) {
	const refused = `line 1: the heading "Date" is that of orders or sales; import a list of products`
	for name, c := range map[string]struct {
		repeated int
		code     string
		want     string
	}{
		"Many":     {3, "", refused},
		"TheTenth": {2, "", ""},
		"WithSKUs": {3, "s", ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := "Date,Item,SKU,Qty\n"
			for i := range 20 {
				code := c.code
				if code != "" {
					code += fmt.Sprint(i)
				}
				in += fmt.Sprintf("2026-01-01,Tea %d,%s,1\n", max(i, c.repeated), code)
			}
			if c.want != "" {
				if got := refusal(t, in); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
				return
			}
			parse(t, "x", in, 2)
		})
	}
	for _, headings := range []string{"Date,Time,Item", "Item,Transaction", "Bezeichnung,Menge,Liefertermin", "Datum,Bezeichnung,Gesamtpreis"} {
		if got := refusal(t, headings+"\na,b,c\n"); !strings.Contains(got, "orders or sales") {
			t.Errorf("%s: got %q, want orders or sales refused", headings, got)
		}
	}
}

// Unread columns are listed; those that may be a field also get a warning.
func TestParseWarnsOfUnreadColumns(t *testing.T) {
	for name, c := range map[string]struct {
		headings string
		warned   []string // headings
		ignored  []string
	}{
		"None":       {"Name,Price,Stock,EAN", nil, nil},
		"Misspelt":   {"name,prise,stok", nil, []string{"prise", "stok"}},
		"APrice":     {"Name,Shelf price", []string{"Shelf price"}, []string{"Shelf price"}},
		"AGerman":    {"Name,Ladenpreis,Bestand Nord", []string{"Ladenpreis", "Bestand Nord"}, []string{"Ladenpreis", "Bestand Nord"}},
		"ABarcode":   {"Name,My EAN,Cleanliness", []string{"My EAN"}, []string{"My EAN", "Cleanliness"}},
		"AStock":     {"Name,Qty left,Colour", []string{"Qty left"}, []string{"Qty left"}},
		"IsRead":     {"Name,Price,Old price", nil, []string{"Old price"}},
		"YesOrNo":    {"Name,In stock?", nil, []string{"In stock?"}},
		"WithShops":  {"Handle,Title,Vendor,Option1 Name,Option1 Value,Price", nil, []string{"Vendor", "Option1 Name"}},
		"NoHeading":  {"Name,,Price", nil, []string{"Column 2"}},
		"OnlyNumber": {"SKU,Price,Colour,Note", []string{""}, []string{"Note"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := parse(t, "x", c.headings+"\n1,1\n", 2)
			var warned []string
			for _, w := range r.Warnings {
				warned = append(warned, w.Heading)
			}
			if !slices.Equal(warned, c.warned) || !slices.Equal(r.Ignored, c.ignored) {
				t.Errorf("got ignored %q, warnings %v; want %q, %q", r.Ignored, r.Warnings, c.ignored, c.warned)
			}
		})
	}
	r := parse(t, "x", "Name,Shelf price\nTea,4\n", 2)
	if want := lines("2 Tea", `warning: line 1, Shelf price: the column is not read; call it "price" if that is what it holds`, ""); summary(r) != want {
		t.Errorf("%s", summary(r))
	}
}

// A row without a name may change a known product.
func TestParseAcceptsCodesWithoutNames(t *testing.T) {
	const noNames = "warning: line 1: none of the headings is that of a product's name, so that the rows can only change known products"
	for name, c := range map[string]struct{ in, want string }{
		"NoColumn": {"SKU,Price\nt1,4\n,5\n", lines("2  | sku t1 | price 4", "error: line 3: the product has no name", noNames, "")},
		"Barcodes": {"EAN,Price\n4006381333931,4\n", lines("2  | barcodes 4006381333931 | price 4", noNames, "")},
		"Blank":    {"Name,SKU,Price\n,t1,4\nTea,,5\n", lines("2  | sku t1 | price 4", "3 Tea | price 5", "")},
		"BadCode":  {"Name,SKU,Price\n,1.5E+11,4\n", lines(`error: line 2, SKU: "1.5E+11" was shortened by the spreadsheet; format the column as text and export the file again`, "")},
		"Total":    {"Name,SKU,Price,Stock\nTea,1,4.50,3\nTotal,12345,4.50,10\n", lines("2 Tea | sku 1 | price 4.5 | stock 3", "3 Total | sku 12345 | price 4.5 | stock 10", "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(parse(t, "x", c.in, 2)); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
	for _, in := range []string{"Name,Price\n", "Name,Price\n,\n", "Name,Price,Category\n,,Drinks\n", "Name,Price\nTotal,5\n"} {
		if got := refusal(t, in); got != "the file has no product below its headings" {
			t.Errorf("%q: got %q, want no product", in, got)
		}
	}
	if r := parse(t, "x", "Name,Price\n,4\n", 2); len(r.Errors) != 1 {
		t.Errorf("%s", summary(r))
	}
}

// More reports whether there may be errors beyond the first hundred.
func TestResultMore(t *testing.T) {
	for name, c := range map[string]struct {
		row    string
		n, all int
		want   bool
	}{
		"None":      {"Tea %d,1\n", 150, 0, false},
		"Some":      {",1%d\n", 99, 99, false},
		"Hundred":   {",1%d\n", 100, 100, false},
		"MoreRows":  {",1%d\n", 101, 100, true},
		"Later":     {"Tea %d,-1\n", 100, 100, false},
		"MoreLater": {"Tea %d,-1\n", 101, 100, true},
		"TwoEach":   {",x%d\n", 60, 100, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := "Name,Price\n"
			for i := range c.n {
				in += fmt.Sprintf(c.row, i)
			}
			if r := parse(t, "x", in, 2); len(r.Errors) != c.all || r.More != c.want {
				t.Errorf("got %d errors, more %v; want %d, %v", len(r.Errors), r.More, c.all, c.want)
			}
		})
	}
}
