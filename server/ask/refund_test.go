package ask_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/schema"
)

// shopify returns an orders export of Shopify: 30 paid orders of 9.00, and in October one
// that was refunded, one that was voided and cancelled, one that was refunded and cancelled,
// and one of 23.50 with 4.50 refunded. Amounts of an order are in its first line only.
func shopify() string {
	var b strings.Builder
	b.WriteString("Name,Email,Financial Status,Currency,Subtotal,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price,Cancelled at,Refunded Amount,Vendor,Lineitem discount\n")
	order := func(name, at, status, total, cancelled, refund string, lines ...string) {
		for i, line := range lines {
			if i > 0 {
				status, total, cancelled, refund = "", "", "", ""
			}
			fmt.Fprintf(&b, "%s,a@example.com,%s,GBP,%s,%s,%s 10:00:00 +0000,%s,%s,%s,Mill,0.00\n", name, status, total, total, at, line, cancelled, refund)
		}
	}
	for n := range 30 {
		order(fmt.Sprintf("#1%03d", n), fmt.Sprintf("2025-09-%02d", n+1), "paid", "9.00", "", "0.00", "2,Rye Bread,3.50", "1,Oat Milk,2.00")
	}
	order("#1030", "2025-10-01", "refunded", "9.00", "", "9.00", "2,Rye Bread,3.50", "1,Oat Milk,2.00")
	order("#1031", "2025-10-02", "voided", "5.00", "2025-10-03 09:00:00 +0000", "0.00", "1,Jam,5.00")
	order("#1032", "2025-10-03", "refunded", "5.00", "2025-10-04 09:00:00 +0000", "5.00", "1,Jam,5.00")
	order("#1033", "2025-10-04", "partially_refunded", "23.50", "", "4.50", "1,Rye Bread,3.50", "4,Jam,5.00")
	return b.String()
}

// discounted returns an orders export of Shopify: 10 orders of two lines for 9.00, each with
// a discount of 0.90 by one of two codes and a shipping of 3.00, and no discount of a line.
func discounted() string {
	var b strings.Builder
	b.WriteString("Name,Email,Financial Status,Currency,Subtotal,Shipping,Total,Discount Code,Discount Amount,Created at,Lineitem quantity,Lineitem name,Lineitem price,Lineitem discount\n")
	for n := range 10 {
		at := fmt.Sprintf("2025-09-%02d 10:00:00 +0000", n+1)
		code := []string{"TENTH", "SPRING"}[n%2]
		fmt.Fprintf(&b, "#10%02d,a@example.com,paid,GBP,8.10,3.00,11.10,%s,0.90,%s,2,Rye Bread,3.50,0.00\n#10%02d,a@example.com,,,,,,,,%s,1,Oat Milk,2.00,0.00\n", n, code, at, n, at)
	}
	return b.String()
}

// onlineRetail returns sales of a shop whose credit notes have a C before the number and
// quantities below zero: 10 invoices of 10.00, and one piece of 5.00 taken back.
func onlineRetail() string {
	text := "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country\n"
	for n := range 10 {
		text += fmt.Sprintf("5363%02d,22752,Tea,2,2025-09-%02d 08:26:00,5.00,178%02d,France\n", n, n+1, n)
	}
	return text + "C536379,22752,Tea,-1,2025-09-11 09:41:00,5.00,17800,France\n"
}

// amazon returns two shipped orders of 20.00 and one of 30.00 that was cancelled.
func amazon() string {
	return "amazon-order-id\tpurchase-date\torder-status\tsales-channel\tproduct-name\tsku\titem-status\tquantity\tcurrency\titem-price\titem-promotion-discount\n" +
		"1\t2025-09-01T10:00:00+00:00\tShipped\tAmazon.co.uk\tKettle\tK\tShipped\t1\tGBP\t20.00\t\n" +
		"2\t2025-09-02T10:00:00+00:00\tCancelled\tAmazon.co.uk\tKettle\tK\tCancelled\t1\tGBP\t30.00\t\n" +
		"3\t2025-09-03T10:00:00+00:00\tShipped\tAmazon.co.uk\tKettle\tK\tShipped\t1\tGBP\t20.00\t\n"
}

// TestAskNetOfRefunds asks for revenue, and for what it leaves out, of files as shops
// export them.
func TestAskNetOfRefunds(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	for name, file := range map[string]struct {
		text    string
		answers map[string]string
	}{
		"shopify": {shopify(), map[string]string{
			"what is our revenue?":                           "Revenue came to £289. Net of refunds and cancellations.",
			"how many orders did we have?":                   "Orders came to 32. Without cancelled sales.",
			"how many units did we sell?":                    "Units sold came to 95. Net of refunds and cancellations.",
			"gross revenue":                                  "Gross revenue came to £312.50. This is after discounts; revenue before them is no column of shopify.",
			"how much did we refund?":                        "Refunds came to £18.50.",
			"how many orders were refunded?":                 "Refunded orders came to 3.",
			"how many orders were cancelled?":                "Cancelled orders came to 2.",
			"refunds by product":                             "Rye Bread has the highest refunds: £7. Then Jam (£5) and Oat Milk (£2). Together it is £14. Refunds of a part of an order are left out, since Refunded Amount does not tell of which line they are.",
			"refund rate":                                    "Refund rate came to 5.92 %.",
			"how much money did we lose on cancelled orders": "Cancelled revenue came to £10.",
			"how much was refunded in september 2025?":       "Refunds in September 2025 came to £0.",
			"revenue by financial status":                    "paid has the highest revenue: £270. Then partially_refunded (£23.50), refunded (£14) and voided (£5). Together it is £312.50.",
			"top products by revenue":                        "Rye Bread has the highest revenue: £213.50. Then Oat Milk (£60) and Jam (£20). Net of refunds and cancellations. Refunds of a part of an order are left out, since Refunded Amount does not tell of which line they are.",
		}},
		"discounts": {discounted(), map[string]string{
			"what is our revenue?":    "Revenue came to £81.",
			"total discounts":         "Discounts came to £9.",
			"average order value":     "Average revenue per order came to £8.10.",
			"top products by revenue": "Rye Bread has the highest revenue: £70. Then Oat Milk (£20). Discounts of whole orders are left out, since Discount Amount does not tell of which line they are.",
			"discount total by code":  "SPRING has the highest discounts: £4.50. Then TENTH (£4.50). The difference is £0. Together it is £9.",
			"shipping by product":     "Shipping cannot be computed: discounts does not have amounts of each line, but of whole orders.",
		}},
		"retail": {onlineRetail(), map[string]string{
			"what is our revenue?":            "Revenue came to £95. Net of refunds.",
			"how many orders?":                "Orders came to 10. Without returns.",
			"units sold":                      "Units sold came to 19. Net of refunds.",
			"how much did we refund?":         "Refunds came to £5.",
			"gross revenue":                   "Gross revenue came to £100.",
			"average order value":             "Average revenue per order came to £10. Without returns.",
			"how many orders were cancelled?": "No row of retail is cancelled, so this cannot be answered from it.",
		}},
		"exchanges": {"Receipt,Date,Product,Quantity,Total\n1,2025-09-01,Tea,2,10.00\n1,2025-09-01,Mug,-1,-4.00\n2,2025-09-02,Tea,1,5.00\n3,2025-09-02,Mug,2,8.00\n", map[string]string{
			"average order value": "Average revenue per order came to £6.33. Net of refunds.",
		}},
		"amazon": {amazon(), map[string]string{
			"what is our revenue?":            "Revenue came to £40. Net of cancellations.",
			"how many orders?":                "Orders came to 2. Without cancelled sales.",
			"how many orders were cancelled?": "Cancelled orders came to 1.",
			"how many orders are shipped?":    "Orders with order-status Shipped came to 2. Shipped is the order-status here.",
			"cancellation rate":               "Cancellation rate came to 33.33 %.",
			"value of cancelled orders":       "Cancelled revenue came to £30.",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBooks(t, db.Business)
			importFor(t, b.Server, b.LiveKey.AccountID, name+".csv", file.text)
			for question, want := range file.answers {
				if got := b.ask(t, question).Answer; got != want {
					t.Errorf("%s\n  %s\nwant\n  %s", question, got, want)
				}
			}
		})
	}
}

// TestAskShopNetOfReturns sells ten pieces in the shop's own tables and takes one back.
func TestAskShopNetOfReturns(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	owner := b.LiveKey.AccountID
	for n := range 10 {
		b.sell(t, owner, fmt.Sprintf("s%d", n), b.Clock.Now(), "Tea", 1000, 500)
	}
	if got := b.ask(t, "what is our revenue?").Answer; strings.Contains(got, "Net of") {
		t.Errorf("nothing was returned: %s", got)
	}
	b.sell(t, owner, "back", b.Clock.Now(), "Tea", -1000, 500)
	for question, want := range map[string]string{
		"what is our revenue?":    "Revenue came to £45. Net of refunds.",
		"how many orders?":        "Orders came to 10. Without returns.",
		"how much did we refund?": "Refunds came to £5.",
		"gross revenue":           "Gross revenue came to £50. This is after discounts; revenue before them is no column of your sales.",
	} {
		if got := b.ask(t, question).Answer; got != want {
			t.Errorf("%s\n  %s\nwant\n  %s", question, got, want)
		}
	}
}

// TestCorrectedRoleChangesReversals takes the roles from the columns of refunds and states,
// which then reduce no revenue.
func TestCorrectedRoleChangesReversals(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	source := importFor(t, b.Server, b.LiveKey.AccountID, "sales.csv",
		"Order,Date,Product,Total,Refund amount,Status\n1,2025-09-01,Tea,10.00,,paid\n2,2025-09-02,Tea,10.00,4.00,paid\n3,2025-09-02,Tea,5.00,,cancelled\n")
	expect := func(want string) {
		t.Helper()
		if got := b.ask(t, "what is our revenue?").Answer; got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect("Revenue came to £16. Net of refunds and cancellations.")
	for _, c := range []struct{ heading, want string }{
		{"Refund amount", "Revenue came to £20. Net of cancellations."}, {"Status", "Revenue came to £25."},
	} {
		if _, err := b.App.Datasets.SetRoles(t.Context(), b.LiveKey.AccountID, source.ID, []dataset.Correction{{Heading: c.heading}}); err != nil {
			t.Fatal(err)
		}
		expect(c.want)
	}
}

// TestAskNamesUnknownRefunds has an order that was refunded in part, and no column with the
// amount.
func TestAskNamesUnknownRefunds(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	text := "Order,Date,Product,Total,Status\n"
	for n := range 40 {
		text += fmt.Sprintf("%d,2025-09-%02d,Tea,10.00,%s\n", n+1, n%30+1, map[bool]string{true: "partially refunded", false: "paid"}[n == 3])
	}
	importFor(t, b.Server, b.LiveKey.AccountID, "sales.csv", text)
	r := b.ask(t, "what is our revenue?")
	if want := "Revenue came to £400. Sales that were refunded in part count in full, since no column has the amount."; r.Answer != want || r.Confidence != "medium" {
		t.Errorf("%s: %s, want medium: %s", r.Confidence, r.Answer, want)
	}
}

// TestAskNetOfRefundsOfEarlierImports asks of a dataset that a version without these rules
// imported.
func TestAskNetOfRefundsOfEarlierImports(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	importFor(t, b.Server, b.LiveKey.AccountID, "sales.csv", "Order,Date,Product,Total,Refund amount\n1,2025-09-01,Tea,10.00,\n2,2025-09-02,Tea,10.00,4.00\n")
	b.Exec(t, `UPDATE datasets SET source = replace(replace(replace(source, '"Recognized":10', '"Recognized":0'), '"Reversals"', '"Earlier"'), '"refund"', '""')`)
	if got, want := b.ask(t, "what is our revenue?").Answer, "Revenue came to £16. Net of refunds."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestOrderAmountsBelongToNoLine makes the subtotals of orders the revenue.
func TestOrderAmountsBelongToNoLine(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	source := importFor(t, b.Server, b.LiveKey.AccountID, "shop.csv", discounted())
	texts := func(s schema.Source) (all []string) {
		for _, w := range dataset.ReversalTexts(s) {
			all = append(all, w.Heading)
		}
		return all
	}
	if got := texts(source); !slices.Equal(got, []string{"Discount Amount"}) {
		t.Errorf("amounts of orders: %v", got)
	}
	source, err := b.App.Datasets.SetRoles(t.Context(), b.LiveKey.AccountID, source.ID, []dataset.Correction{{Heading: "Subtotal", Role: schema.Revenue}})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string]string{
		"what is our revenue?":    "Revenue came to £81.",
		"top products by revenue": "Rye Bread has the highest revenue: £70. Then Oat Milk (£20). Amounts of whole orders are left out, since Subtotal and Discount Amount do not tell of which line they are.",
	} {
		if got := b.ask(t, question).Answer; got != want {
			t.Errorf("%s\n  %s\nwant\n  %s", question, got, want)
		}
	}
}
