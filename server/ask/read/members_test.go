package read_test

import (
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// TestSoldByWeight asks how many were sold of what is weighed, which no column tells.
func TestSoldByWeight(t *testing.T) {
	weight := number("Kilos", schema.None, schema.Plain)
	weight.Factor = true
	source := schema.Source{ID: "ds_fish", Name: "fish", Kind: schema.Sales, From: "rows", Rows: 90, First: "2024-01-05", Last: "2024-11-10", Columns: []schema.Column{
		text("Slip", schema.Order), day("Day", schema.Day), text("Fish", schema.Product, "Cod", "Hake"), weight, number("Each", schema.Price, schema.Money), number("Amount", schema.Revenue, schema.Money),
	}}
	for _, question := range []string{"units sold of cod", "items per sale"} {
		if got, err := ask(t, question, source); err == nil {
			t.Errorf("%q: got %+v", question, got.Plan)
		}
	}
	if got := mustAsk(t, "how many did we sell", source); got.Certain {
		t.Errorf("how many is sure: %+v", got.Plan)
	}
}

// climbers are those of a climbing wall, of whom some have left.
func climbers() schema.Source {
	ended := day("Cancelled", schema.Cancelled)
	ended.Blank = 160
	name := text("Name", schema.Customer, "Ann Lee", "Bob Ray")
	name.Distinct = 200
	return schema.Source{
		ID: "ds_members", Name: "members", Kind: schema.Customers, From: "rows", Rows: 200, First: "2024-01-05", Last: "2024-11-10",
		Columns: []schema.Column{
			text("Member No", schema.None, "M1", "M2"), name, text("Tier", schema.None, "Gold", "Tin"), day("Joined", schema.Day), ended,
			text("State", schema.Status, "Active", "Cancelled", "Frozen"), number("Monthly fee", schema.None, schema.Money), number("Visits", schema.None, schema.Plain), number("LTV £", schema.None, schema.Money),
		},
	}
}

// TestDaysRunOut counts those of a list whose day is past, or so long past, and not the different days.
func TestDaysRunOut(t *testing.T) {
	source := climbers()
	test, waiver := day("Safety test", schema.None), day("Waiver exp", schema.None)
	test.Blank, waiver.Blank = 30, 40
	source.Columns = append(source.Columns, test, waiver)
	for question, column := range map[string]string{"how many waivers have run out": "Waiver exp", "how many safety tests over 6 months old": "Safety test"} {
		got, err := ask(t, question, source)
		if err != nil || len(got.Plan.Where) != 1 || got.Plan.Where[0].Column != column || got.Plan.Where[0].Op != plan.Less || len(got.Plan.By) > 0 {
			t.Errorf("%q: got %+v, %v", question, got.Plan, err)
		}
	}
}

// netInvoices are invoices with their amounts without tax and with it.
func netInvoices() schema.Source {
	source := invoices()
	source.Columns = append(source.Columns, number("VAT", schema.Tax, schema.Money), number("Gross amount", schema.None, schema.Money))
	for i := range source.Columns {
		if source.Columns[i].Role == schema.Revenue {
			source.Columns[i].Heading = "Net amount"
		}
	}
	return source
}

// TestLimitsWithTax asks for rows by amounts with tax and without it.
func TestLimitsWithTax(t *testing.T) {
	for question, want := range map[string]string{
		"biggest invoice including vat":                  "Total Gross amount by Invoice, highest first, at most 1",
		"biggest invoice":                                "Revenue by Invoice, highest first, at most 1",
		"list invoices over £1000 with vat":              "Total Gross amount by Invoice, with total Gross amount above 1000, highest first",
		"how many invoices over 800 including vat":       "Orders, where Gross amount above 800",
		"which customers spent over £3000 including vat": "Total Gross amount by Customer, with total Gross amount above 3000, highest first",
		"total including vat":                            "Total Gross amount",
		"how many invoices with vat over £100":           "Number of groups by Invoice, with tax above 100",
		"revenue from invoices over £800 ex vat":         "Revenue, where Net amount above 800",
	} {
		reads(t, netInvoices(), question, want)
	}
}

// TestOwedWithTax asks what is owed of invoices that a column of days says are not paid.
func TestOwedWithTax(t *testing.T) {
	for question, want := range map[string]string{
		"how much are we owed":               "Total Gross amount, where blank Paid on",
		"what does vale school owe us":       "Total Gross amount, where Vale School and blank Paid on",
		"gross by customer":                  "Total Gross amount by Customer, highest first",
		"which invoices are over £900 gross": "Total Gross amount by Invoice, with total Gross amount above 900, highest first",
		"how much did we make":               "Revenue",
	} {
		reads(t, netInvoices(), question, want)
	}
}

// TestEndsOfMembers asks for days on which members left, which are not those on which they joined.
func TestEndsOfMembers(t *testing.T) {
	for question, want := range map[string]string{
		"how many cancelled each month":                           "Rows by Cancelled (month), in order",
		"cancellations in June 2024":                              "Rows, where Cancelled from 2024-06-01 and Cancelled until 2024-06-30",
		"cancellations last month compared with the month before": "Rows, where a Cancelled, 2024-10-01 to 2024-10-31, compared with 2024-09-01 to 2024-09-30",
		"cancellations in May versus June":                        "Rows, where a Cancelled, 2024-06-01 to 2024-06-30, compared with 2024-05-01 to 2024-05-31",
		"how many gold members joined in June":                    "Rows, where Gold, 2024-06-01 to 2024-06-30",
		"total visits of members who joined in June":              "Total Visits by Name, 2024-06-01 to 2024-06-30, highest first",
		"lifetime value by tier":                                  "Total LTV £ by Tier, highest first",
		"average ltv of gold members":                             "Average LTV £ and rows, where Gold",
		"how many members are there by tier":                      "Rows by Tier, highest first",
		"how many members that joined in May have cancelled":      "Rows, where a Cancelled, 2024-05-01 to 2024-05-31",
	} {
		reads(t, climbers(), question, want)
	}
	for question, want := range map[string]string{
		"what do the gold ones bring in each month": "Total Monthly fee, where Gold and Active",
		"which tier makes us the most":              "Total Monthly fee by Tier, where Active, highest first, at most 1",
	} {
		source := climbers()
		source.Columns = source.Columns[:len(source.Columns)-1] // nothing says what each has spent
		reads(t, source, question, want)
	}
	for _, question := range []string{"what fees did we take in June", "total visits in June"} {
		if got, err := ask(t, question, climbers()); err == nil {
			t.Errorf("%q: got %+v", question, got.Plan)
		}
	}
}

// TestFlagCutShort asks for what a heading that is cut short stands for.
func TestFlagCutShort(t *testing.T) {
	source := counter()
	source.Columns = append(source.Columns, schema.Column{Heading: "Disc.", Named: "Discontinued", Name: "c", Type: schema.Truth, Distinct: 2})
	for question, want := range map[string]string{
		"how many products are discontinued": "Different Product, where Disc.",
		"stock of discontinued cheese":       "Stock, where Disc. and Cheese",
	} {
		reads(t, source, question, want)
	}
}
