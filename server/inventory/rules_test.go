package inventory

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/server/header"
	"svc/server/sheet"
)

func TestParseBarcodes(t *testing.T) {
	for in, want := range map[string]string{
		"":                             "",
		"n/a":                          "",
		"Does not apply":               "",
		"0":                            "",
		"0000000000000":                "",
		"4006381333931":                "4006381333931",
		"'4006381333931":               "4006381333931",
		`="4006381333931"`:             "4006381333931",
		"96385074":                     "96385074",
		"036000291452":                 "036000291452",
		"10012345678902":               "10012345678902",
		"36000291452":                  "036000291452", // one zero lost
		"2345678906":                   "002345678906", // two
		"123456784":                    "000123456784", // three
		"1234565":                      "01234565",
		"123457":                       "00123457",
		"5012345678900.0":              "5012345678900",
		"5012345678900,00":             "5012345678900",
		"5 012345 678900":              "5012345678900",
		"978-3-16-148410-0":            "9783161484100",
		"4006381333931 96385074":       "4006381333931 96385074",
		"4006381333931,96385074":       "4006381333931 96385074",
		"4006381333931; 96385074":      "4006381333931 96385074",
		"4006381333931|96385074":       "4006381333931 96385074",
		"4006381333931\n96385074":      "4006381333931 96385074",
		"5 012345 678900; 36000291452": "5012345678900 036000291452",

		"4006381333930":          `"4006381333930" is not a barcode: its last digit should be 1`,
		"036000291453":           `"036000291453" is not a barcode: its last digit should be 2`,
		"36000291453":            `"36000291453" is not a barcode of 8, 12, 13 or 14 digits`,
		"4011":                   `"4011" is not a barcode of 8, 12, 13 or 14 digits`,
		"00017":                  `"00017" is not a barcode of 8, 12, 13 or 14 digits`,
		"123456789012345678":     `"123456789012345678" is not a barcode of 8, 12, 13 or 14 digits`,
		"ABC-123":                `"ABC-123" is not a barcode of 8, 12, 13 or 14 digits`,
		"-":                      "",
		"4006381333931 x":        `"x" is not a barcode of 8, 12, 13 or 14 digits`,
		"5.01E+12":               `"5.01E+12" was shortened by the spreadsheet; format the column as text and export the file again`,
		"5,01E+12":               `"5,01E+12" was shortened by the spreadsheet; format the column as text and export the file again`,
		"5E+12":                  `"5E+12" was shortened by the spreadsheet; format the column as text and export the file again`,
		"4006381333931;5.01E+12": `"5.01E+12" was shortened by the spreadsheet; format the column as text and export the file again`,
		"0306406152":             `"0306406152" is not a barcode of 8, 12, 13 or 14 digits`,
		"0000000116":             `"0000000116" is an ISBN of ten digits; its barcode has thirteen`,
	} {
		all, err := parseBarcodes(in)
		got := strings.Join(all, " ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %s\nwant %s", in, got, want)
		}
	}
}

// Each file has a name and one other column.
func TestParseReadsEachField(t *testing.T) {
	for name, c := range map[string]struct{ heading, cell, want string }{
		"Price":               {"Price", "4.5", "price 4.5"},
		"PriceOfZero":         {"Price", "0", "price 0"},
		"PriceWithZeros":      {"Price", "4.5000", "price 4.5"},
		"PriceBlank":          {"Price", "", ""},
		"PriceDash":           {"Price", "-", ""},
		"PriceNotKnown":       {"Price", "n/a", ""},
		"PriceVariable":       {"Price", "variable", lines("", `warning: line 2, Price: "variable" is not a number, and is taken for a blank`)},
		"PriceWithoutCents":   {"Price", "3.-", "price 3"},
		"PriceInWords":        {"Price", "call us", `error: line 2, Price: "call us" is not a number`},
		"PriceTooFine":        {"Price", "4.499", `error: line 2, Price: "4.499" has more than 2 decimals`},
		"PriceNegative":       {"Price", "-4.50", `error: line 2, Price: "-4.50" is negative`},
		"PriceInBrackets":     {"Price", "(4.50)", `error: line 2, Price: "(4.50)" is negative`},
		"PricePercent":        {"Price", "20%", `error: line 2, Price: "20%" is a percentage`},
		"PriceTooLarge":       {"Price", "999999999999999999", `error: line 2, Price: "999999999999999999": the number is too large`},
		"CostTooFine":         {"Cost", "0.001", `error: line 2, Cost: "0.001" has more than 2 decimals`},
		"CostNegative":        {"Cost", "-1", `error: line 2, Cost: "-1" is negative`},
		"Cost":                {"Cost", "$1,234.50", "cost 1234.5"},
		"Stock":               {"Stock", "12", "stock 12"},
		"StockInThousandths":  {"Stock", "0.125", "stock 0.125"},
		"StockTooFine":        {"Stock", "0.1255", `error: line 2, Stock: "0.1255" has more than 3 decimals`},
		"StockNegative":       {"Stock", "-3", lines("stock -3", `warning: line 2, Stock: "-3" is negative`)},
		"StockInWords":        {"Stock", "yes", lines("", `warning: line 2, Stock: "yes" is not a number, and is taken for a blank`)},
		"StockUnlimited":      {"Stock", "Unlimited", lines("", `warning: line 2, Stock: "Unlimited" is not a number, and is taken for a blank`)},
		"StockNotThere":       {"Stock", "not stocked", ""},
		"StockUnit":           {"Stock", "5 boxes", `error: line 2, Stock: "5 boxes" is not a number`},
		"StockPercent":        {"Stock", "50%", `error: line 2, Stock: "50%" is a percentage`},
		"Reorder":             {"Reorder point", "2.5", "reorder 2.5"},
		"ReorderNegative":     {"Reorder point", "-1", `error: line 2, Reorder point: "-1" is negative`},
		"SKU":                 {"SKU", "007", "sku 007"},
		"SKUApostrophe":       {"SKU", "'007", "sku 007"},
		"SKUFormula":          {"SKU", `="007"`, "sku 007"},
		"SKUShortened":        {"SKU", "1.23E+11", `error: line 2, SKU: "1.23E+11" was shortened by the spreadsheet; format the column as text and export the file again`},
		"SKULikeAnExponent":   {"SKU", "1E5", "sku 1E5"},
		"SKUNone":             {"SKU", "-", ""},
		"Aliases":             {"Aliases", "masala chai, hot tea ,masala chai", "aliases masala chai, hot tea"},
		"AliasesWithCommas":   {"Aliases", "chai, hot; tea", "aliases chai, hot, tea"},
		"Unit":                {"UOM", "kg", "unit kg"},
		"Category":            {"Category", "Hot  drinks", "category Hot drinks"},
		"CategoryOfANewLine":  {"Category", "Hot\ndrinks", "category Hot drinks"},
		"StockWithSeparators": {"Stock", "1,250", "stock 1250"},
	} {
		t.Run(name, func(t *testing.T) {
			content := "Name\t" + c.heading + "\nChai\t\"" + strings.ReplaceAll(c.cell, `"`, `""`) + "\"\n"
			first, rest, _ := strings.Cut(c.want, "\n")
			want := "2 Chai | " + first + "\n" + rest
			if first == "" {
				want = "2 Chai\n" + rest
			} else if strings.HasPrefix(first, "error") {
				want = first
			}
			want = strings.TrimSuffix(want, "\n") + "\n"
			if got := summary(parse(t, "x.csv", content, 2)); got != want {
				t.Errorf("%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestParseUsesDecimalsOfTheCurrency(t *testing.T) {
	for _, c := range []struct {
		cell     string
		decimals int
		want     int64
		fault    string
	}{
		{"500", 0, 500, ""},
		{"500.00", 0, 500, ""},
		{"500.50", 0, 0, `line 2, Price: "500.50" has decimals, and the currency has none`},
		{"1.25", 2, 125, ""},
		{"1.5", 3, 1500, ""},
		{"0.125", 3, 125, ""},
		{"0.1255", 3, 0, `line 2, Price: "0.1255" has more than 3 decimals`},
	} {
		r := parse(t, "x", "Name,Price\nChai,"+c.cell+"\n", c.decimals)
		switch {
		case c.fault != "":
			if len(r.Errors) != 1 || r.Errors[0].Error() != c.fault || len(r.Products) != 0 {
				t.Errorf("%s: %s", c.cell, summary(r))
			}
		case len(r.Errors) > 0 || *r.Products[0].Price != c.want:
			t.Errorf("%s with %d decimals: %s", c.cell, c.decimals, summary(r))
		}
	}
}

// A stock of "1.250" is read with the decimal point of the prices.
func TestParseUsesDecimalPointOfOtherColumns(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want string
	}{
		"GermanPrices":   {"Name;Preis;Bestand\nA;2,95;1.250\n", "1250"},
		"EnglishPrices":  {"Name;Price;Stock\nA;2.95;1.250\n", "1.25"},
		"OnlySemicolons": {"Name;Price;Stock\nA;2;1.250\n", "1250"},
		"OnlyCommas":     {"Name,Price,Stock\nA,2,1.250\n", "1.25"},
		"ItsOwnColumn":   {"Name;Preis;Bestand\nA;2,95;1.250\nB;3,95;0.5\n", "1.25"},
	} {
		t.Run(name, func(t *testing.T) {
			r := parse(t, "x", c.in, 2)
			if len(r.Errors) > 0 || amount(r.Products[0].Stock, 3) != c.want {
				t.Errorf("%s", summary(r))
			}
		})
	}
}

func TestParseRefusesRepeatedProducts(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"SKU": {"Name,SKU\nChai,a-1\nChang,b\nTea,A-1\n", lines(
			"2 Chai | sku a-1", "3 Chang | sku b", `error: line 4, SKU: "A-1" is on line 2 already`, "")},
		"Barcode": {"Name,EAN\nChai,4006381333931\nTea,4006381333931\n", lines(
			"2 Chai | barcodes 4006381333931", `error: line 3, EAN: "4006381333931" is on line 2 already`, "")},
		"BarcodeOfAnotherLength": {"Name,Barcode\nChai,036000291452\nTea,0036000291452\n", lines(
			"2 Chai | barcodes 036000291452", `error: line 3, Barcode: "0036000291452" is on line 2 already`, "")},
		"BarcodeWithinOne": {"Name,UPC,EAN\nChai,036000291452,0036000291452\n", lines(
			"2 Chai | barcodes 036000291452", "")},
		"Name": {"Name,SKU\nChai,\nchai,\nChai,x\n", lines(
			"2 Chai", "4 Chai | sku x", `error: line 3, Name: "chai" is on line 2 already; without a SKU or a barcode the two cannot be told apart`, "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(parse(t, "x", c.in, 2)); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestParseNamesProducts(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"Required":         {"Name,Price\n,4.50\nChai,1\n", lines("3 Chai | price 1", "error: line 2, Name: the product has no name", "")},
		"NothingElse":      {"Name,Price,Notes\n,,see below\nChai,1,\n", lines("3 Chai | price 1", "skipped: 1", "")},
		"Caption":          {"Name,Price,Category\n,,Hot drinks\nChai,1,\n", lines("3 Chai | price 1", "skipped: 1", "")},
		"LineBreaks":       {"Name,Price\n\"Chai\n  tea\",1\n", lines("2 Chai tea | price 1", "")},
		"HandleUnknown":    {"Handle,Title,Price\nchai,,4.50\n", lines("error: line 2, Title: the product has no name", "")},
		"HandleLater":      {"Handle,Title,Option1 Value,Price\na,A,S,1\nb,B,S,2\na,,L,3\n", lines("2 A - S | price 1", "3 B - S | price 2", "4 A - L | price 3", "")},
		"HandleInPart":     {"Handle,Title,Type,Option1 Value,Price\na,A,Tea,S,1\na,,Tea,M,2\na,A,,L,3\n", lines("2 A - S | price 1 | category Tea", "3 A - M | price 2 | category Tea", "4 A - L | price 3 | category Tea", "")},
		"OptionIsTheName":  {"Handle,Title,Option1 Value,Price\na,A,a,1\n", lines("2 A | price 1", "")},
		"WooWithoutParent": {"ID,Type,Name,Regular price,Parent\n1,variation,,5,id:9\n2,simple,Chai,4,\n", lines("3 Chai | price 4", "error: line 2, Name: the product has no name", "")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary(parse(t, "x", c.in, 2)); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestFindColumnsChoosesBestHeading(t *testing.T) {
	for _, c := range []struct{ headings, want string }{
		{"Description,Price", "name Description, price Price"},
		{"Description,Name", "name Name"},
		{"Article,Price", "name Article, price Price"},
		{"Article,Description", "name Description, sku Article"},
		{"Artikel;Artikelnummer;Beschreibung", "name Artikel, sku Artikelnummer"},
		{"Artikel;Bezeichnung", "name Bezeichnung, sku Artikel"},
		{"ProductID,ProductName,UnitPrice,UnitsInStock,ReorderLevel", "name ProductName, price UnitPrice, reorder_point ReorderLevel, sku ProductID, stock_qty UnitsInStock"},
		{"Product ID,SKU,Product", "name Product, sku SKU"},
		{"NAME,PRICE (EUR),Qty.", "name NAME, price PRICE (EUR), stock_qty Qty."},
		{"Name,Price,RRP,Cost price,Sale price", "cost_price Cost price, name Name, price Price"},
		{"Name,In stock?,Stock", "name Name, stock_qty Stock"},
		{"Name,In stock?", "name Name"},
		{"Name,EAN,UPC,ISBN", "barcodes EAN + UPC + ISBN, name Name"},
		{"Name,Type", "category Type, name Name"},
		{"Nom,Prix unitaire HT,Qté", "name Nom, price Prix unitaire HT, stock_qty Qté"},
		{"Produto;Preço unitário;Qtd.", "name Produto, price Preço unitário, stock_qty Qtd."},
		{"Nombre;Precio;Cantidad", "name Nombre, price Precio, stock_qty Cantidad"},
		{"Bezeichnung;Preis EUR;Stück", "name Bezeichnung, price Preis EUR, stock_qty Stück"},
		{"Item #,Item Description,Price", "name Item Description, price Price, sku Item #"},
		{"Part #,Description,# in stock,UPC #", "barcodes UPC #, name Description, sku Part #, stock_qty # in stock"},
		{"Stock Code,Stock Description,Stock Level", "name Stock Description, sku Stock Code, stock_qty Stock Level"},
		{"PRODUCTNAME,UNITPRICE,STOCKQTY,REORDERLEVEL", "name PRODUCTNAME, price UNITPRICE, reorder_point REORDERLEVEL, stock_qty STOCKQTY"},
		{"Product,Price ex VAT,In hand", "name Product, price Price ex VAT, stock_qty In hand"},
		{"Product,Net price,barcode_number", "barcodes barcode_number, name Product, price Net price"},
		{"Product,Sell,Cost", "cost_price Cost, name Product, price Sell"},
		{"Articolo;Prezzo;Qtà", "name Articolo, price Prezzo, stock_qty Qtà"},
		{"Articolo;Descrizione;Quantità", "name Descrizione, sku Articolo, stock_qty Quantità"},
		{"SKU,Price", "price Price, sku SKU"},
		{"EAN,Qty", "barcodes EAN, stock_qty Qty"},
		{"Item,Unit,Unit price,Unit cost", "cost_price Unit cost, name Item, price Unit price, unit Unit"},
	} {
		headings := strings.FieldsFunc(c.headings, func(r rune) bool { return r == ';' || r == ',' })
		columns, err := findColumns(headings, 1)
		if err != nil {
			t.Errorf("%s: %v", c.headings, err)
			continue
		}
		var got []string
		for field, heading := range columns.byField() {
			got = append(got, field+" "+heading)
		}
		slices.Sort(got)
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: got %s\nwant %s", c.headings, strings.Join(got, ", "), c.want)
		}
	}
}

func TestParseRefusesOtherFiles(t *testing.T) {
	many := make([]string, 25)
	for i := range many {
		many[i] = fmt.Sprintf("h%d", i)
	}
	for in, want := range map[string]string{
		"Foo,Bar\nx,y\n": `line 1: none of the headings is that of a product's name; the file has "Foo", "Bar"`,
		strings.Join(many, ",") + "\n": `line 1: none of the headings is that of a product's name; the file has "h0", "h1", "h2", "h3", "h4", "h5", "h6", "h7", "h8", "h9", ` +
			`"h10", "h11", "h12", "h13", "h14", "h15", "h16", "h17", "h18", "h19" and 5 more`,
		"My shop\nOrder ID,Product,Qty\n1,Chai,2\n2,Chai,3\n": `line 2: the heading "Order ID" is that of orders or sales; import a list of products`,
		"Buyer,Product,Price,Units sold\nAnn,Chai,2,3\n":      `line 1: the heading "Buyer" is that of orders or sales; import a list of products`,
		"Lineitem name,Lineitem quantity\nChai,2\n":           `line 1: the heading "Lineitem name" is that of orders or sales; import a list of products`,
		"":    "the file is empty",
		"1,2": "no row of headings was found in the first row",
	} {
		if got := refusal(t, in); got != want {
			t.Errorf("%q: got %s\nwant %s", in, got, want)
		}
	}
	r := parse(t, "x", "Date,Product,Qty\n2026-01-01,Chai,2\n", 2)
	if want := lines("2 Chai | stock 2", "warning: line 1, Date: sales have such a column; is this a list of products?", ""); summary(r) != want {
		t.Errorf("%s", summary(r))
	}
}

func TestParseCollectsErrorsByLine(t *testing.T) {
	in := "Name,Price,Barcode\nChai,x,1\n,5,\n\"Chang,1\nTea,-1,\nCocoa,1,2,3,4\nMilk,2,\n"
	want := lines(
		"7 Milk | price 2",
		`error: line 2, Barcode: "1" is not a barcode of 8, 12, 13 or 14 digits`,
		`error: line 2, Price: "x" is not a number`,
		"error: line 3, Name: the product has no name",
		"error: line 4: a quoted cell that begins here is not closed properly",
		`error: line 5, Price: "-1" is negative`,
		"error: line 6: the row has 5 cells, but there are 3 headings; a delimiter or a quote may be wrong", "")
	if got := summary(parse(t, "x", in, 2)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestParseBoundsErrors(t *testing.T) {
	for name, row := range map[string]string{"Names": ",5,x\n", "Prices": "Chai,-1,x\n", "Both": "Chai,-1,x\n,5,x\n", "Wide": "Chai,1,x,y,z\n"} {
		r := parse(t, "x", "Name,Price,Notes\n"+strings.Repeat(row, 5000)+"Tea,1,\n", 2)
		last := r.Errors[len(r.Errors)-1].Line
		if len(r.Errors) != 100 || r.Errors[0].Line != 2 || last > 102 || !r.More || len(r.Warnings) > 100 || len(r.Products) > 1 {
			t.Errorf("%s: got %d errors on lines %d to %d, %d warnings, %d products", name, len(r.Errors), r.Errors[0].Line, last, len(r.Warnings), len(r.Products))
		}
	}
	var rows strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&rows, "Chai %d,-1\n", i)
	}
	r := parse(t, "x", "Name,Stock\n"+rows.String(), 2)
	if len(r.Warnings) != 100 || len(r.Products) != 5000 {
		t.Errorf("got %d warnings, %d products; want 100, 5000", len(r.Warnings), len(r.Products))
	}
}

func TestParseSumsStockColumns(t *testing.T) {
	const head = "Item Name,Current Quantity A,Current Quantity B\n"
	for row, want := range map[string]string{
		"Chai,2,3.5\n": "2 Chai | stock 5.5\n",
		"Chai,,3\n":    "2 Chai | stock 3\n",
		"Chai,,\n":     "2 Chai\n",
		"Chai,5,-7\n":  lines("2 Chai | stock -2", `warning: line 2, Current Quantity B: "-7" is negative`, ""),
		"Chai,2,x\n":   "error: line 2, Current Quantity B: \"x\" is not a number\n",
		"Chai,9000000000000000,9000000000000000\n": "error: line 2, Current Quantity B: the number is too large\n",
	} {
		if got := summary(parse(t, "x", head+row, 2)); got != want {
			t.Errorf("%q: %s\nwant %s", row, got, want)
		}
	}
}

func TestParseKeepsLimits(t *testing.T) {
	const content = "Name,Price\nChai,1\nChang,2\n"
	r, err := Parse(t.Context(), File{Name: "x", Content: strings.NewReader(content), Size: int64(len(content)), Limits: sheet.Limits{Rows: 1}}, "")
	if err != nil || len(r.Errors) != 1 || r.Errors[0].Error() != "line 3: the file has more than 1 rows" {
		t.Errorf("%v: %s", err, summary(r))
	}
}

// Each heading is in the form of header.Fold and belongs to one field.
func TestVocabularyIsFoldedAndUnambiguous(t *testing.T) {
	seen := map[string]string{}
	all := map[string][]string{"articles": articles, "descriptions": descriptions, "numbers": numbersLast, "orders": orderWords, "hints": slices.Concat(hintWords...), "plain": plainOptions, "locations": locations, "handles": handles, "variations": variations}
	for field, words := range vocabulary {
		all[field] = words
	}
	for field, words := range all {
		for _, word := range words {
			if header.Fold(word) != word {
				t.Errorf("%s: %q is not in the form of header.Fold, %q", field, word, header.Fold(word))
			}
			if other, ok := seen[word]; ok {
				t.Errorf("%q is both %s and %s", word, field, other)
			}
			seen[word] = field
		}
	}
}
