package dataset

import (
	"testing"

	"svc/server/header"
	"svc/server/schema"
	"svc/server/sheet"
)

func TestParseMoment(t *testing.T) {
	for text, want := range map[string]string{
		"2024-01-31":                     "2024-01-31",
		"2024/1/5":                       "2024-01-05",
		"2024-01-31T09:30:00":            "2024-01-31 09:30:00",
		"2024-01-31 09:30:15.250":        "2024-01-31 09:30:15",
		"2014-11-25 14:45:53 +1100":      "2014-11-25 14:45:53",
		"2025-03-09T21:10:05+00:00":      "2025-03-09 21:10:05",
		"2025-03-09T21:10:05Z":           "2025-03-09 21:10:05",
		"2025-03-09 21:10:05 UTC":        "2025-03-09 21:10:05",
		"31/12/2024":                     "2024-12-31",
		"31/12/24 5:07 PM":               "2024-12-31 17:07:00",
		"1/2/2024":                       "2024-02-01 or 2024-01-02",
		"1-2-2024":                       "2024-02-01 or 2024-01-02",
		"12/25/69":                       "2069-12-25",
		"12/25/70":                       "1970-12-25",
		"1.2.2024":                       "2024-02-01",
		"31.1.26 14:05":                  "2026-01-31 14:05:00",
		"29/02/2024":                     "2024-02-29",
		"Jan 31, 2024":                   "2024-01-31",
		"January 5th, 2024 at noon":      "",
		"March 3 2021":                   "2021-03-03",
		"3 March 2021":                   "2021-03-03",
		"3-Mar-25":                       "2025-03-03",
		"03-Mär-2025":                    "2025-03-03",
		"31. Januar 2024":                "2024-01-31",
		"3 de enero de 2024":             "2024-01-03",
		"1er février 2024":               "2024-02-01",
		"15 de março de 2024":            "2024-03-15",
		"Mon, 3 Jan 2022":                "2022-01-03",
		"Freitag, 5. Dezember 2025":      "2025-12-05",
		"Jan 2024":                       "2024-01-01",
		"Jan-24":                         "2024-01-01",
		"Oct-03-26":                      "2026-10-03",
		"Dec-31-69 23:59:01":             "2069-12-31 23:59:01",
		"Feb-30-26":                      "",
		"Oct 03 26":                      "",
		"2024-01":                        "2024-01-01",
		"Dezember 2024":                  "2024-12-01",
		"9:30":                           "09:30:00",
		"09:30:15":                       "09:30:15",
		"12:00 AM":                       "00:00:00",
		"12:05 p.m.":                     "12:05:00",
		"14h05":                          "14:05:00",
		"":                               "",
		"2024-13-01":                     "",
		"2023-02-29":                     "",
		"31/31/2024":                     "",
		"13/13/24":                       "",
		"24:00":                          "",
		"12:60":                          "",
		"13:00 PM":                       "",
		"3.5":                            "",
		"1.234.567":                      "",
		"555-1234":                       "",
		"2024-01-31 was a fine day":      "",
		"Marie 5, 2024":                  "",
		"20240131":                       "",
		"12-34-56-78":                    "",
		"2024-01-31 09:30 Mountain Time": "",
	} {
		got := ""
		if m, ok := parseMoment(text); ok {
			got = formatMoment(m)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// formatMoment returns a moment with the days that it may be.
func formatMoment(m moment) string {
	if !m.hasDate {
		return m.clock()
	}
	text, ok := m.date(dayFirst)
	if other, isOther := m.date(monthFirst); isOther && other != text {
		if ok {
			text += " or "
		}
		text += other
	}
	if m.hasTime {
		text += " " + m.clock()
	}
	return text
}

func TestOrderOfDates(t *testing.T) {
	for _, c := range []struct {
		name  string
		cells []string
		want  dateOrder
		sure  evidence
	}{
		{"ADayOverTwelve", []string{"01/02/2024", "13/02/2024"}, dayFirst, certain},
		{"AMonthSecond", []string{"01/02/2024", "02/13/2024"}, monthFirst, certain},
		{"TheMajority", []string{"13/02/2024", "14/02/2024", "02/15/2024"}, dayFirst, certain},
		{"TheFirstOfEachMonth", []string{"1/1/2014", "1/6/2014", "1/12/2014", "1/10/2013"}, dayFirst, likely},
		{"TheFirstOfEachMonthInAmerica", []string{"1/1/2014", "6/1/2014", "12/1/2014", "10/1/2013"}, monthFirst, likely},
		{"TheFirstOfSomeMonthsOrDaysOfJanuary", []string{"1/1/2014", "2/1/2014", "3/1/2014"}, monthFirst, faint},
		{"DaysOfJanuaryInAmerica", []string{"1/1/2014", "1/2/2014", "1/3/2014"}, dayFirst, faint},
		{"Sorted", []string{"03/01/2024", "04/01/2024", "05/01/2024", "02/02/2024", "03/02/2024"}, dayFirst, likely},
		{"SortedInAmerica", []string{"01/03/2024", "01/04/2024", "01/05/2024", "02/02/2024", "02/03/2024"}, monthFirst, likely},
		{"SortedThoughFarApart", []string{"03/01/2024", "05/02/2024", "02/03/2024", "04/04/2024", "01/05/2024", "06/06/2024"}, dayFirst, likely},
		{"SomeDaysOfAMonth", []string{"02/05/2024", "03/05/2024", "04/05/2024"}, dayFirst, likely},
		{"Nothing", []string{"05/05/2024", "05/05/2024"}, dayFirst, open},
		{"PointsMeanDaysFirst", []string{"01.02.2024", "02.02.2024"}, dayFirst, certain},
	} {
		t.Run(c.name, func(t *testing.T) {
			var d dates
			for _, text := range c.cells {
				m, ok := parseMoment(text)
				if !ok {
					t.Fatalf("%q: not a date", text)
				}
				d.add(m)
			}
			if got, sure := d.decide(); got != c.want || sure != c.sure {
				t.Errorf("got %v first with evidence %d, want %v and %d", got, sure, c.want, c.sure)
			}
		})
	}
}

func TestBlanks(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "-": true, "--": true, "N/A": true, "n.a.": true, "#REF!": true, "#DIV/0!": true, "ERROR": true, "Unknown": true, "NULL": true, "NaN": true, "(blank)": true,
		"0": false, "None": false, "no": false, "Nancy": false, "unknown brand": false, "error code": false, "-5": false, "Nil desperandum": false,
	} {
		if isBlank(text) != want {
			t.Errorf("%q: got %v, want %v", text, !want, want)
		}
	}
	for text := range blanks {
		if len(text) > longestBlank+1 {
			t.Errorf("%q is longer than longestBlank", text)
		}
	}
	for text := range truths {
		if len(text) > longestTruth {
			t.Errorf("%q is longer than longestTruth", text)
		}
	}
}

func TestUnits(t *testing.T) {
	numbers := &sheet.Numbers{}
	for _, c := range []struct {
		text  string
		scale int
		want  int64
		ok    bool
	}{
		{"12.5", 2, 1250, true}, {"-12.345", 2, -1235, true}, {"12.344", 2, 1234, true}, {"0.005", 2, 1, true}, {"-0.005", 2, -1, true},
		{"0.0000000000000000000001", 2, 0, true}, {"999999999999999999", 2, 0, false}, {"7", 0, 7, true},
	} {
		d, err := numbers.ParseDecimal(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := units(d, c.scale); got != c.want || ok != c.ok {
			t.Errorf("%s at scale %d: got %d, %v; want %d, %v", c.text, c.scale, got, ok, c.want, c.ok)
		}
	}
	for text, want := range map[string]int{"5": 0, "1200": 0, "1.5": 1, "1.50": 1, "0.30000000000000004": 1, "0.123456789": 6, "1234.567891": 6} {
		d, err := numbers.ParseDecimal(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := decimalsOf(d); got != want {
			t.Errorf("%s: got %d decimals, want %d", text, got, want)
		}
	}
}

// Each heading is as header.Fold writes it, and once in a role.
func TestVocabulary(t *testing.T) {
	if len(vocabulary) != len(rolesInOrder) {
		t.Errorf("%d roles have headings, %d an order", len(vocabulary), len(rolesInOrder))
	}
	for role, words := range vocabulary {
		seen := map[string]bool{}
		for _, word := range words {
			if folded := header.Fold(word); folded != word || seen[word] {
				t.Errorf("%s: %q folds to %q, or is there twice", role, word, folded)
			}
			seen[word] = true
		}
	}
	for _, e := range exports {
		for title, role := range e.roles {
			if header.Fold(title) != title || vocabulary[role] == nil {
				t.Errorf("export %v: %q is %s", e.marks, title, role)
			}
		}
	}
}

func TestHints(t *testing.T) {
	for title, want := range map[string]schema.Role{
		"Order Date": schema.Day, "OrderDate": schema.Day, "order_date": schema.Day, "Rechnungsdatum": schema.Day, "Fecha de Venta": schema.Day, "Data da Venda": schema.Day, "Date de vente": schema.Day,
		"Total Sales (USD)": schema.Revenue, "Umsatz": schema.Revenue, "Chiffre d’affaires": schema.Revenue, "Importe": schema.Revenue, "Valor Total": schema.Revenue, "Weekly_Sales": schema.Revenue,
		"Unit Price": schema.Price, "Stückpreis": schema.Price, "Prix unitaire": schema.Price, "Precio Unitario": schema.Price, "Preço Unitário": schema.Price,
		"Qty": schema.Quantity, "Menge": schema.Quantity, "Quantité": schema.Quantity, "Cantidad": schema.Quantity, "Quantidade": schema.Quantity,
		"Artikelbezeichnung": schema.Product, "Désignation": schema.Product, "Producto": schema.Product, "Produto": schema.Product, "Warengruppe": schema.Category,
		"Retailer ID": schema.None, "Discount Band": schema.None, "Fuel Price": schema.None, "Compare at price": schema.None, "Required Date": schema.None, "Manufacturing Price": schema.UnitCost,
	} {
		if got := hintOf(title); got != want {
			t.Errorf("%q: got %q, want %q", title, got, want)
		}
	}
}
