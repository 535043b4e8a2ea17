package dataset_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server/dataset"
)

// orders has one row for each of the last cells, with an order, a day and an amount of 10.
func orders(headings string, cells ...string) string {
	text := "Order number,Order date,Product,Total," + headings + "\n"
	for i, cell := range cells {
		text += fmt.Sprintf("%d,2026-01-%02d,Tea,10.00,%s\n", 1001+i, i%28+1, cell)
	}
	return text
}

// discounts has six orders of two lines with a discount of the order, and one of the line.
func discounts(ofOrder, ofFirst, ofSecond string) string {
	text := "Name,Created at,Discount Amount,Lineitem quantity,Lineitem name,Lineitem price,Lineitem discount\n"
	for i := range 6 {
		text += fmt.Sprintf("#%[1]d,2026-01-02,%[2]s,1,Tea,5.00,%[3]s\n#%[1]d,2026-01-02,,1,Mug,9.00,%[4]s\n", 1001+i, ofOrder, ofFirst, ofSecond)
	}
	return text
}

// TestReversals imports files whose rows are cancelled and refunded in the ways of shop
// systems and of merchants.
func TestReversals(t *testing.T) {
	dbtest.Sequential(t)
	for name, c := range map[string]struct{ text, want string }{
		"states": {
			orders("Order status", "completed", "Cancelled", "Refunded", "refunded", "wc-cancelled", "Shipped - Returned to Seller", "Return requested", "not refunded", "Cancellation requested", "cancelled - refund pending"),
			"Order status: 1 Cancelled, 1 cancelled - refund pending, 1 wc-cancelled, 2 Refunded, 1 Shipped - Returned to Seller rows do not count as revenue",
		},
		"states in German":     {orders("Bestellstatus", "bezahlt", "storniert", "zurückerstattet", "bezahlt"), "Bestellstatus: 1 storniert, 1 zurückerstattet rows do not count as revenue"},
		"invoices that pend":   {orders("Status", "Paid", "Pending payment", "Overdue", "Paid"), ""},
		"a yes of something":   {orders("DNA test,No-show fee", "yes,no", "no,no", "yes,yes"), ""},
		"refunded in part":     {orders("Payment status", "paid", "partially refunded", "paid"), "Payment status: 1 partially refunded row counts in full, since no column has what was refunded"},
		"part with its amount": {orders("Payment status,Refund amount", "paid,", "partially refunded,2.50", "paid,"), "Refund amount: the refunds in 1 row are subtracted from revenue"},
		"amounts of orders": {
			"Order number,Order date,Product,Total,Refund amount\n1,2026-01-01,Tea,5.00,0.00\n1,2026-01-01,Mug,9.00,\n2,2026-01-02,Tea,5.00,3.00\n2,2026-01-02,Mug,9.00,\n",
			"Refund amount: the refunds of orders in 1 row are subtracted from revenue",
		},
		"amounts of lines": {
			"Order number,Order date,Product,Total,Refund amount\n1,2026-01-01,Tea,5.00,0.00\n1,2026-01-01,Mug,9.00,0.00\n2,2026-01-02,Tea,5.00,3.00\n2,2026-01-02,Mug,9.00,0.00\n",
			"Refund amount: the refunds in 1 row are subtracted from revenue",
		},
		"discounts of orders":              {discounts("1.50", "0.00", "0.00"), "Discount Amount: the discounts of orders are subtracted from revenue, but not from figures of their lines, such as those by product"},
		"discounts of lines":               {discounts("0.00", "1.00", "0.00"), ""},
		"discounts of lines and orders":    {discounts("1.50", "1.00", "0.50"), "note Discount Amount: the discounts of orders are not subtracted from revenue, since Lineitem discount has those of lines"},
		"discounts of unknown exports":     {strings.NewReplacer("Name,", "Order number,", "Lineitem ", "Item ").Replace(discounts("1.50", "", "")), "Discount Amount: the discounts of orders are subtracted from revenue, but not from figures of their lines, such as those by product"},
		"an amount of nothing":             {orders("Refund amount", "0.00", "0.00", "0.00"), ""},
		"an amount below zero":             {orders("Refund Total", "0", "-4.20", "0"), "Refund Total: the refunds in 1 row are subtracted from revenue"},
		"yes and no":                       {orders("Cancelled,Is returned", "no,no", "yes,no", "no,yes", "no,no"), "Cancelled: 1 marked row does not count as revenue; Is returned: 1 marked row does not count as revenue"},
		"drafts":                           {orders("Status", "Paid", "Draft", "Voided", "Paid", "Awaiting payment"), "Status: 1 Voided, 1 Draft rows do not count as revenue"},
		"orders that nobody paid":          {orders("Order Status", "Completed", "Processing", "Failed", "Pending payment", "Cancelled", "Completed"), "Order Status: 1 Cancelled, 1 Failed, 1 Pending payment rows do not count as revenue"},
		"payments that failed":             {orders("Status", "Successful", "Failed", "Successful", "Successful"), "Status: 1 Failed row does not count as revenue"},
		"a mark of those who did not come": {orders("Marked as No-Show,Paid by", "No,Card", "Yes,", "No,Card"), "Marked as No-Show: 1 marked row does not count as revenue"},
		"credit notes by their code":       {orders("Type", "INV", "CN", "INV", "INV"), "Type: 1 CN row takes sales back"},
		"voids by their code":              {"Receipt,Date,Item,Qty,Total,Trans\n1,2026-01-01,Tea,1,2.00,S\n2,2026-01-02,Tea,1,0.00,V\n3,2026-01-02,Mug,1,9.00,S\n", "Trans: 1 V row does not count as revenue"},
		"codes that are charged":           {orders("Type", "A", "V", "A", "B"), ""},
		"most payments failed":             {orders("Status", "Paid", "Failed", "Failed"), "Status: 2 Failed rows do not count as revenue"},
		"payments that are pending":        {orders("Status", "Completed", "Pending", "Declined", "Failed"), "Status: 1 Declined, 1 Failed, 1 Pending rows do not count as revenue"},
		"orders that are pending":          {orders("Status", "Completed", "Pending", "Shipped", "Failed"), "Status: 1 Failed row does not count as revenue"},
		"nothing has failed":               {orders("Status", "Completed", "Pending", "Completed", "Completed"), ""},
		"tests that failed":                {orders("MOT Status", "Passed", "Failed", "Passed", "Passed"), ""},
		"what most rows are":               {orders("Status", "Returned", "Returned", "Out", "Returned", "Cancelled"), "Status: 1 Cancelled row does not count as revenue"},
		"bits":                             {orders("Returned", "0", "1", "0", "0"), "Returned: 1 marked row does not count as revenue"},
		"missed bookings":                  {orders("Status,Paid by", "Done,Card", "No show,", "DNA,", "Cancelled,"), "Status: 1 Cancelled, 1 DNA, 1 No show rows do not count as revenue"},
		"missed bookings that were paid":   {orders("Status,Paid by", "Done,Card", "No show,Card", "No show,Cash", "Cancelled,"), "Status: 1 Cancelled row does not count as revenue"},
		"cancellations with a fee": {
			"Order number,Order date,Product,Total,Status\n1,2026-01-01,Swim,20.00,Done\n2,2026-01-02,Swim,0.00,Cancelled\n3,2026-01-03,Swim,10.00,Short notice cancel\n4,2026-01-04,Swim,20.00,Done\n",
			"Status: 1 Cancelled row does not count as revenue",
		},
		"days of cancellations":   {orders("Cancelled at", "", "2026-01-05", "", ""), "Cancelled at: 1 row with a day does not count as revenue"},
		"other states":            {orders("Order status", "paid", "on hold", "shipped", "disputed"), ""},
		"a state that is no sale": {strings.ReplaceAll(orders("Order status", "paid", "cancelled"), "Order date,Product,Total", "Words,Letters,Stock"), ""},
		"quantities below zero": {
			"Invoice date,Description,Quantity,UnitPrice\n2026-01-01,Tea,2,5.00\n2026-01-02,Tea,-1,5.00\n2026-01-03,Mug,1,3.00\n",
			"Quantity: 1 row below zero takes sales back",
		},
		"credit notes of suppliers": {
			"Supplier,Invoice No,Date,Item,Qty,Unit Cost,Net Cost\nAcme,11,2026-01-01,Bolt,4,0.50,2.00\nAcme,12,2026-01-02,Nut,2,0.50,1.00\nAcme,13,2026-01-03,Bolt,-2,0.50,-1.00\n",
			"Qty: 1 row below zero takes purchases back",
		},
		"amounts below zero": {
			"Date,Product,Sales\n2026-01-01,Tea,5.00\n2026-01-02,Tea,-5.00\n2026-01-03,Mug,3.00\n",
			"Sales: 1 row below zero takes sales back",
		},
		"credit notes of a shop that writes C": {
			"InvoiceNo,InvoiceDate,Description,Quantity,UnitPrice\n536365,2026-01-01,Tea,2,5.00\n536366,2026-01-02,Tea,1,5.00\nC536367,2026-01-03,Tea,-1,5.00\n536368,2026-01-03,Mug,1,5.00\n",
			"InvoiceNo: 1 row with the number of a credit note, C and digits, takes sales back",
		},
		"credit notes with amounts above zero": {
			"Invoice number,Date,Total\n" + strings.Repeat("101,2026-01-01,5.00\n", 12) + "C102,2026-01-02,5.00\n",
			"Invoice number: 1 row with the number of a credit note, C and digits, takes sales back",
		},
		"C of a till":  {"Receipt number,Date,Total\n1,2026-01-01,5.00\n2,2026-01-01,6.00\nC3,2026-01-01,7.00\nC4,2026-01-01,8.00\n", ""},
		"A, B and C":   {"Invoice number,Date,Total\nA1,2026-01-01,5.00\nB2,2026-01-01,6.00\nC3,2026-01-01,-7.00\nA4,2026-01-01,8.00\n", "Total: 1 row below zero takes sales back"},
		"kinds of row": {"Document type,Date,Product,Total\nInvoice,2026-01-01,Tea,5.00\nCredit note,2026-01-02,Tea,5.00\nInvoice,2026-01-01,Mug,9.00\n", "Document type: 1 Credit note row takes sales back"},
		"a row for the refund of a refunded sale": {
			"Order number,Date,Product,Status,Total\n1,2026-01-01,Tea,refunded,5.00\n2,2026-01-01,Tea,paid,5.00\n1,2026-01-02,Tea,paid,-5.00\n",
			"Total: 1 row below zero takes sales back; note Status: the refunded rows count, since other rows take them back",
		},
		"a row for the refund of a product": {
			"Order number,Date,Product,Status,Total\n1,2026-01-01,Tea,refunded,5.00\n2,2026-01-01,Tea,paid,5.00\n3,2026-01-02,Refund,paid,-5.00\n",
			"Total: 1 row below zero takes sales back; note Status: the refunded rows count, since other rows take them back",
		},
		"a kind of row for the refund of a refunded sale": {
			"Order number,Date,Product,Status,Type,Total\n1,2026-01-01,Tea,refunded,Sale,5.00\n2,2026-01-01,Tea,paid,Sale,5.00\n1,2026-01-02,Tea,paid,Refund,5.00\n",
			"Type: 1 Refund row takes sales back; note Status: the refunded rows count, since other rows take them back",
		},
		"a kind of row with the state of its refund": {
			"Order number,Date,Product,Status,Type,Total\n1,2026-01-01,Tea,paid,Sale,5.00\n2,2026-01-01,Tea,paid,Sale,5.00\n1,2026-01-02,Tea,refunded,Refund,5.00\n",
			"Type: 1 Refund row takes sales back",
		},
		"a kind of row for an amount that was given back": {
			"Order number,Date,Product,Refunded amount,Type,Total\n1,2026-01-01,Tea,5.00,Sale,5.00\n2,2026-01-01,Tea,0.00,Sale,5.00\n1,2026-01-02,Tea,,Refund,5.00\n",
			"Type: 1 Refund row takes sales back; note Refunded amount: the refunds are not subtracted, since other rows take them back",
		},
		"a return of another product for as much": {
			"Order number,Date,Product,Status,Total\n1,2026-01-01,Tea,refunded,5.00\n2,2026-01-01,Mug,paid,5.00\n3,2026-01-02,Mug,paid,-5.00\n",
			"Status: 1 refunded row does not count as revenue; Total: 1 row below zero takes sales back",
		},
		"a row that takes a cancelled sale back": {
			"Order number,Date,Product,Status,Total\n1,2026-01-01,Tea,cancelled,5.00\n2,2026-01-01,Tea,paid,5.00\n1,2026-01-02,Tea,paid,-5.00\n",
			"Total: 1 row below zero takes sales back; note Status: the cancelled rows count, since other rows take them back",
		},
		"a row that takes back a sale with a day of its cancellation": {
			"Order number,Date,Product,Cancelled at,Total\n1,2026-01-01,Tea,2026-01-02,5.00\n2,2026-01-01,Tea,,5.00\n1,2026-01-02,Tea,,-5.00\n",
			"Total: 1 row below zero takes sales back; note Cancelled at: the cancelled rows count, since other rows take them back",
		},
		"a cancelled sale and a return of another": {
			"Order number,Date,Product,Status,Total\n1,2026-01-01,Tea,cancelled,5.00\n2,2026-01-01,Tea,paid,5.00\n2,2026-01-02,Tea,paid,-5.00\n",
			"Status: 1 cancelled row does not count as revenue; Total: 1 row below zero takes sales back",
		},
		"a cancelled row below zero": {
			"Order number,Date,Product,Status,Total\n1,2026-01-01,Tea,cancelled,5.00\n2,2026-01-01,Tea,paid,5.00\n1,2026-01-02,Tea,cancelled,-5.00\n",
			"Status: 2 cancelled rows do not count as revenue",
		},
		"refunds that net sales are less already": {
			"Day,Product,Gross sales,Discounts,Returns,Net sales\n2026-01-01,Tea,50.00,-5.00,-10.00,35.00\n2026-01-02,Tea,20.00,0.00,0.00,20.00\n2026-01-03,Mug,30.00,0.00,-6.00,24.00\n",
			"note Returns: the refunds are not subtracted again from Net sales, which is less them already",
		},
	} {
		t.Run(name, func(t *testing.T) {
			source, report, _ := buildText(t, c.text)
			var got []string
			for _, w := range dataset.ReversalTexts(source) {
				got = append(got, w.Heading+": "+w.Reason)
			}
			for _, w := range report.Warnings {
				if !strings.Contains(w.Reason, "two ways") {
					got = append(got, "note "+w.Heading+": "+w.Reason)
				}
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("got  %s\nwant %s\n%s", text, c.want, describe(source))
			}
		})
	}
}
