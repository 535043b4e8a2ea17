package dataset_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server/datatest"
	"svc/server/schema"
)

// exportFiles have the exact headings of the exports, and made-up rows.
var exportFiles = map[string]string{
	"shopify_orders": "shopify_orders.csv", "shopify_products": "shopify_products.csv", "square_item_detail": "square_items.csv",
	"woocommerce_products": "woocommerce_products.csv", "amazon_all_orders_flat_file": "amazon_orders.tsv",
	"etsy_sold_order_items": "etsy_items.csv", "ebay_orders": "ebay_orders.csv", "paypal_activity": "paypal_activity.csv",
}

func TestExports(t *testing.T) {
	dbtest.Sequential(t)
	for _, c := range []struct {
		file  string
		kind  schema.Kind
		money string
		roles string
		sums  map[string]string // of expressions over roles in braces
	}{
		{
			file: "shopify_orders.csv", kind: schema.Sales, money: "gbp",
			roles: "order=Name customer=Email status=Financial_Status shipping=Shipping tax=Taxes date=Created_at quantity=Lineitem_quantity product=Lineitem_name price=Lineitem_price " +
				"sku=Lineitem_sku city=Billing_City country=Billing_Country payment=Payment_Method brand=Vendor channel=Source discount=Lineitem_discount",
			sums: map[string]string{"sum({price} * {quantity} - {discount})": "369", "count(DISTINCT {order})": "4", "sum({shipping})": "16", "count(*) FILTER (WHERE {city} = 'Leeds')": "5", "sum({status} = 'paid')": "7"},
		},
		{
			file: "shopify_products.csv", kind: schema.Stocklist,
			roles: "product=Title brand=Vendor category=Type sku=Variant_SKU stock=Variant_Inventory_Qty price=Variant_Price",
			sums:  map[string]string{"sum({stock})": "48", "count(DISTINCT {product})": "3", "count({product})": "6", "count(DISTINCT {sku})": "5"},
		},
		{
			file: "square_items.csv", kind: schema.Sales, money: "usd",
			roles: "date=Date time=Time category=Category product=Item quantity=Qty gross=Gross_Sales revenue=Net_Sales tax=Tax order=Transaction_ID status=Event_Type store=Location channel=Channel payment=Card_Brand",
			sums:  map[string]string{"sum({revenue})": "229", "sum({gross})": "250", "sum({quantity})": "8", "min({date})": "2025-03-09"},
		},
		{
			file: "woocommerce_products.csv", kind: schema.Stocklist,
			roles: "sku=SKU product=Name stock=Stock price=Regular_price category=Categories",
			sums:  map[string]string{"sum({stock})": "19", "sum({price})": "98"},
		},
		{
			file: "amazon_orders.tsv", kind: schema.Sales, money: "gbp",
			roles: "order=amazon-order-id date=purchase-date status=order-status channel=sales-channel product=product-name sku=sku quantity=quantity gross=item-price tax=item-tax shipping=shipping-price " +
				"discount=item-promotion-discount city=ship-city country=ship-country",
			sums: map[string]string{"sum({gross})": "9247", "sum({quantity})": "8", "sum({discount})": "1", "max({date})": "2025-03-13 21:10:05"},
		},
		{
			file: "etsy_items.csv", kind: schema.Sales, money: "usd",
			roles: "date=Sale_Date product=Item_Name customer=Buyer quantity=Quantity price=Price discount=Discount_Amount gross=Item_Total city=Ship_City country=Ship_Country order=Order_ID channel=Order_Type payment=Payment_Type sku=SKU shipping=Order_Shipping_(once_an_order)",
			sums:  map[string]string{"sum({gross})": "134", "sum({price} * {quantity})": "134", "count(DISTINCT {order})": "3", "min({date})": "2025-03-13"},
		},
		{
			file: "ebay_orders.csv", kind: schema.Sales, money: "gbp",
			roles: "order=Order_Number customer=Buyer_Username city=Buyer_City country=Buyer_Country product=Item_Title sku=Custom_Label quantity=Quantity price=Sold_For shipping=Shipping_And_Handling payment=Payment_Method date=Sale_Date",
			sums:  map[string]string{"sum({price} * {quantity})": "87", "max({date})": "2025-03-05"},
		},
		{
			file: "paypal_activity.csv", kind: schema.Sales, money: "eur",
			roles: "date=Date time=Time customer=Name category=Type status=Status revenue=Gross order=Transaction_ID",
			sums:  map[string]string{"sum({revenue})": "12570", "count(*)": "4"},
		},
	} {
		t.Run(c.file, func(t *testing.T) {
			source, report, file := buildFile(t, filepath.Join("testdata", c.file))
			if source.Kind != c.kind || source.Currency != c.money || report.Odd > 0 {
				t.Errorf("got %s in %q, %+v", source.Kind, source.Currency, report)
			}
			if got, want := rolesOf(source), sorted(c.roles); got != want {
				t.Errorf("got roles\n%s\nwant\n%s", got, want)
			}
			for expression, want := range c.sums {
				if got := figure(t, source, file, expression); got != want {
					t.Errorf("%s: got %s, want %s", expression, got, want)
				}
			}
		})
	}
}

// rolesOf returns the roles as role=Heading, sorted.
func rolesOf(source schema.Source) string {
	var all []string
	for _, c := range source.Columns {
		if c.Role != schema.None {
			all = append(all, string(c.Role)+"="+strings.ReplaceAll(c.Heading, " ", "_"))
		}
	}
	return sorted(strings.Join(all, " "))
}

func sorted(words string) string {
	all := strings.Fields(words)
	slices.Sort(all)
	return strings.Join(all, " ")
}

// Each set of headings is that of a file above, or of rows made up here.
func TestExportHeadings(t *testing.T) {
	text, err := os.ReadFile(datatest.Path(t, "datasets/export_headers.json"))
	if err != nil {
		t.Fatal(err)
	}
	var exports map[string]struct {
		Columns   []string
		Delimiter string
	}
	if err := json.Unmarshal(text, &exports); err != nil {
		t.Fatal(err)
	}
	settlement := "other channel=marketplace-name date=posted-date order=order-id sku=sku"
	made := map[string]string{"amazon_settlement_v1": settlement, "amazon_settlement_v2": settlement, "dunnhumby_or_pos_receipt": "other product=receipt_line_name sku=UPC/PLU"}
	for name, e := range exports {
		if want, ok := made[name]; ok {
			source, _, _ := buildText(t, madeUp(e.Columns))
			if got := string(source.Kind) + " " + rolesOf(source); got != want {
				t.Errorf("%s: got %s\nwant %s", name, got, want)
			}
			continue
		}
		content, err := os.ReadFile(filepath.Join("testdata", exportFiles[name]))
		if err != nil {
			t.Fatal(name, err)
		}
		first, _, _ := strings.Cut(string(content), "\n")
		if have := strings.Split(strings.ReplaceAll(first, `"`, ""), e.Delimiter); !slices.Equal(have, e.Columns) {
			t.Errorf("%s: got headings %q", name, have)
		}
	}
}

// madeUp returns a table with headings, of which each row has days, numbers and codes.
func madeUp(headings []string) string {
	rows := []string{strings.Join(headings, ",")}
	for i := range 8 {
		var cells []string
		for _, h := range headings {
			switch {
			case strings.Contains(h, "date"):
				cells = append(cells, fmt.Sprintf("2024-01-%02d", i+1))
			case strings.HasSuffix(h, "amount") || strings.HasPrefix(h, "quantity") || h == "UPC/PLU":
				cells = append(cells, fmt.Sprint(4011+i))
			default:
				cells = append(cells, fmt.Sprintf("x%d", i))
			}
		}
		rows = append(rows, strings.Join(cells, ","))
	}
	return strings.Join(rows, "\n") + "\n"
}
