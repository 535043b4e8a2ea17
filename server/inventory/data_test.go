package inventory

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/server/datatest"
	"svc/server/sheet"
)

func parseFile(t *testing.T, path string) (Result, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return Parse(t.Context(), File{Name: filepath.Base(path), Content: f, Size: info.Size(), Limits: sheet.Limits{Bytes: 20_000_000, Rows: 200_000}}, "")
}

// The test checks the number of products in shops' files, the first product, and the
// number of skipped rows.
func TestParseReadsRealProductLists(t *testing.T) {
	datatest.SkipShort(t)
	for _, c := range []struct {
		file, first       string
		products, skipped int
	}{
		{"datasets/shopify/products_apparel.csv", "2 Ocean Blue Shirt | price 50 | stock 1", 22, 0},
		{"datasets/shopify/products_home-and-garden.csv", "2 Clay Plant Pot | price 9.99 | stock 1 | category Outdoor", 21, 0},
		{"datasets/shopify/products_jewelery.csv", "2 7 Shakra Bracelet - Blue | price 42.99 | stock 1 | category Bracelet", 23, 18},
		{"datasets/northwind/products.csv", "2 Chai | sku 1 | price 18 | stock 39 | reorder 10", 77, 0},
		{"products/names/instacart_products_12k.csv", "2 Chocolate Sandwich Cookies | sku 1", 12344, 0},
		{"csv/snippets/de_angebot_latin1.csv", "2 Dichtring NBR 40x52x7 | sku 4711001 | price 2.95 | stock 500 | unit ST", 2, 0},
		{"csv/snippets/fr_devis.csv", "2 Fourniture et pose prises, boîtes et accessoires | price 18.5 | stock 12", 3, 0},
	} {
		t.Run(filepath.Base(c.file), func(t *testing.T) {
			r, err := parseFile(t, datatest.Path(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(summary(r), "\n")
			if len(r.Products) != c.products || r.Skipped != c.skipped || len(r.Errors) > 0 || first != c.first {
				t.Errorf("got %d products, %d skipped, errors %v, first %s; want %d, %d, none, %s", len(r.Products), r.Skipped, r.Errors, first, c.products, c.skipped, c.first)
			}
			t.Logf("%d products, %d rows skipped, %d errors, %d warnings; %v", len(r.Products), r.Skipped, len(r.Errors), len(r.Warnings), r.Columns)
		})
	}
}

// The list has names without numbers, some of which it repeats.
func TestParseReportsRepeatedNames(t *testing.T) {
	datatest.SkipShort(t)
	r, err := parseFile(t, datatest.Path(t, "products/er/abt_buy_full/AbtBuy_Buy.csv"))
	if err != nil || len(r.Products) != 1079 || len(r.Errors) != 13 || r.More || r.Errors[0].Line != 414 {
		t.Errorf("%v: got %d products, errors %v; want 1079 products and 13 errors, the first on line 414", err, len(r.Products), r.Errors)
	}
}

// Quantities in files of sales must not become stock.
func TestParseRefusesRealSales(t *testing.T) {
	datatest.SkipShort(t)
	files := []string{
		"datasets/shopify/orders_export_1.csv", "datasets/shopify/orders_export_au_2014.csv", "datasets/northwind/order_details.csv", "datasets/northwind/orders.csv",
		"datasets/adidas/adidas_sales.csv", "datasets/adidas/Adidas US Sales Datasets.xlsx", "datasets/walmart_dollar/Walmart.csv", "datasets/dirty_cafe/dirty_cafe_sales.csv",
		"datasets/electronics/Sales_January_2019.csv", "datasets/coffee_shop_synthetic/coffee_shop_sales.csv", "datasets/financial_sample/Financials.csv",
		"csv/snippets/pt_pedidos_sujos.csv", "csv/snippets/amazon_settlement_uk.tsv", "csv/snippets/paypal_eu.csv", "csv/snippets/paypal_us.csv", "csv/snippets/fr_export_detaille.csv",
		"datasets/breadbasket/BreadBasket_DMS.csv", "csv/snippets/de_bestellung.csv", "csv/snippets/pt_vendas.csv",
	}
	for _, file := range files {
		path, ok := datatest.Lookup(t, file)
		if !ok {
			continue
		}
		_, err := parseFile(t, path)
		if fault, ok := errors.AsType[*sheet.Error](err); !ok || !strings.Contains(fault.Reason, "orders or sales") {
			t.Errorf("%s: got %v, want orders or sales refused", file, err)
		}
	}
	const file = "csv/snippets/pt_reais.csv" // one date, and no repeated names
	path, ok := datatest.Lookup(t, file)
	if !ok {
		return
	}
	r, err := parseFile(t, path)
	if err != nil || !slices.ContainsFunc(r.Warnings, func(e LineError) bool { return strings.Contains(e.Reason, "list of products") }) {
		t.Errorf("%s: got %v, warnings %v; want a warning", file, err, r.Warnings)
	}
}

func TestFindColumnsTellsProductsFromOrders(t *testing.T) {
	text, err := os.ReadFile(datatest.Path(t, "datasets/export_headers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var exports map[string]struct{ Columns []string }
	if err := json.Unmarshal(text, &exports); err != nil {
		t.Fatal(err)
	}
	for name, export := range exports {
		columns, err := findColumns(export.Columns, 1)
		isOrders := err != nil && strings.Contains(err.Error(), "orders or sales")
		if isProducts := strings.HasSuffix(name, "products") || name == "dunnhumby_or_pos_receipt"; isProducts == isOrders {
			t.Errorf("%s: got %v, want products %v", name, err, isProducts)
		}
		t.Logf("%s: %v %v", name, columns.byField(), err)
	}
}
