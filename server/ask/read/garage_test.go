package read_test

import (
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// garage is a shop most of whose columns have no standard role: some are discrete numbers,
// and some headings are words of a question.
func garage() schema.Source {
	hours := number("Labour Hrs", schema.None, schema.Plain)
	hours.Distinct = 12
	paid := text("Paid By", schema.Payment, "Card", "Cash")
	paid.Blank = 9
	return schema.Source{
		ID: "ds_garage", Name: "garage", Kind: schema.Sales, From: "rows", Rows: 700, First: "2023-01-01", Last: "2024-12-18",
		Columns: []schema.Column{
			text("Job No", schema.Order), {Heading: "Booked In", Name: "c", Type: schema.Date, Role: schema.Day},
			text("Make", schema.None, "Ford", "Toyota"), text("Model", schema.None, "Fiesta", "Yaris"), text("Customer", schema.Customer, "Ann Lee", "Bob Ray"),
			text("Mechanic", schema.Staff, "Gary", "Priti"), text("Work", schema.None, "MOT", "Brakes"), text("MOT Result", schema.None, "Pass", "Fail"),
			text("Booked Via", schema.Channel, "Online", "Phone"), paid,
			number("Labour", schema.None, schema.Money), hours, number("Parts", schema.None, schema.Money), number("Invoice Total", schema.Revenue, schema.Money),
			number("Mileage", schema.None, schema.Plain),
		},
	}
}

func TestHeadingsWithoutRoles(t *testing.T) {
	for question, want := range map[string]string{
		"labour in may":                            "Total Labour, 2024-05-01 to 2024-05-31",
		"labour hours in may":                      "Total Labour Hrs, 2024-05-01 to 2024-05-31",
		"how many hours did gary work":             "Total Labour Hrs, where Gary",
		"takings and labour hrs by mechanic":       "Revenue and total Labour Hrs by Mechanic, highest first",
		"top 3 mechanics by labour hrs":            "Total Labour Hrs by Mechanic, highest first, at most 3",
		"number of jobs and average mileage":       "Orders and average Mileage",
		"which make has the most parts":            "Total Parts by Make, highest first, at most 1",
		"makes with job count above 20":            "Orders by Make, with orders above 20, highest first",
		"which work has the highest parts cost":    "Total Parts by Work, highest first, at most 1",
		"parts for gary booked via phone":          "Total Parts, where Gary and Phone",
		"mot pass rate by make":                    "Orders for Pass and orders and share of orders for Pass by Make, where MOT, highest first by share of orders for Pass",
		"unpaid invoices":                          "Orders, where blank Paid By",
		"which customers have never had an mot":    "Rows for MOT by Customer, with rows for MOT at most 0, in order",
		"jobs with over 90000 miles":               "Orders, where Mileage above 90000",
		"average daily number of jobs":             "Average orders per day",
		"sales for ford and toyota since june":     "Revenue by Make, where Ford or Toyota, 2024-06-01 to 2024-12-19, highest first",
		"parts ford vs toyota since june":          "Total Parts by Make, where Ford or Toyota, 2024-06-01 to 2024-12-19, highest first",
		"break down parts by make":                 "Total Parts by Make, highest first",
		"which month had the lowest jobs":          "Orders by Booked In (month), 2023-01-01 to 2024-11-30, lowest first, at most 1",
		"average takings per saturday":             "Average revenue per day, where Saturday",
		"compare this december with last december": "Revenue, 2024-12-01 to 2024-12-18, compared with 2023-12-01 to 2023-12-18",
	} {
		reads(t, garage(), question, want)
	}
}

// members is a list of people who are called by their names and have numbers.
func members() schema.Source {
	number, name, gender := text("Member No", schema.None), text("Name", schema.Customer, "Ann Lee", "Bob Ray"), text("Gender", schema.None, "M", "F", "Other")
	number.Distinct, name.Distinct = 96, 96
	age := schema.Column{Heading: "Age", Name: "c", Type: schema.Number, Distinct: 50}
	return schema.Source{
		ID: "ds_members", Name: "gym", Kind: schema.Customers, From: "rows", Rows: 96,
		Columns: []schema.Column{number, name, gender, age, text("Club", schema.None, "Hove", "Lewes"), text("Membership", schema.Segment, "Standard", "Premium")},
	}
}

// bills is a list without days or orders, of which each row is a bill.
func bills() schema.Source {
	size := schema.Column{Heading: "size", Name: "c", Type: schema.Number, Distinct: 6}
	return schema.Source{
		ID: "ds_bills", Name: "tips", Kind: schema.Other, From: "rows", Rows: 244,
		Columns: []schema.Column{number("total_bill", schema.Revenue, schema.Money), number("tip", schema.None, schema.Plain), text("day", schema.None, "Sun", "Sat"), text("time", schema.None, "Dinner", "Lunch"), size},
	}
}

func TestBills(t *testing.T) {
	for question, want := range map[string]string{
		"number of bills by day and time": "Rows by day and time, highest first",
		"takings on sunday":               "Revenue, where Sun",
		"tip as a % of the bill":          "Total tip and revenue and total tip in % of revenue",
		"share of tips by day":            "Total tip by day, highest first",
	} {
		reads(t, bills(), question, want)
	}
	if got, err := ask(t, "total tips from tables of 4 or more", bills()); err == nil {
		t.Errorf("tables, which are no column, were read as %s", plan.Sentence(got.Plan, got.Source))
	}
}

func TestMembers(t *testing.T) {
	for question, want := range map[string]string{
		"members by club":                  "Rows by Club, highest first",
		"average age of premium members":   "Average Age, where Premium",
		"oldest member":                    "Average Age by Name, highest first, at most 1",
		"how many women":                   "Rows, where F",
		"which membership is most popular": "Rows by Membership, highest first, at most 1",
	} {
		reads(t, members(), question, want)
	}
}
