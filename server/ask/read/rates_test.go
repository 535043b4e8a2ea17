package read_test

import (
	"testing"

	"svc/server/schema"
)

// exams are those of a school of music, some of which have a result.
func exams() schema.Source {
	result := text("Result", schema.None, "Pass", "Fail")
	result.Blank = 250
	note := text("Remark", schema.None, "Moved", "Cancelled", "late")
	note.Blank = 260
	return schema.Source{
		ID: "ds_exams", Name: "exams", Kind: schema.Sales, From: "rows", Rows: 300, First: "2023-01-05", Last: "2024-12-17",
		Columns: []schema.Column{
			text("No", schema.Order), day("Date", schema.Day), text("Pupil", schema.Customer, "Ann Lee", "Bob Ray"), text("Teacher", schema.Staff, "Cy Dunn", "Di Kerr"),
			text("Exam", schema.Product, "Piano 1", "Violin 2"), number("Fee", schema.Revenue, schema.Money), result, note, text("Outcome", schema.Status, "Held", "No-show"),
		},
	}
}

// TestRates takes shares of what rows became.
func TestRates(t *testing.T) {
	for question, want := range map[string]string{
		"pass rate by teacher":                "Orders for Pass and orders with a Result and orders for Pass in % of orders with a Result by Teacher, highest first by orders for Pass in % of orders with a Result",
		"drops per teacher":                   "Orders by Teacher, highest first",
		"piano 1, violin 2, money for each":   "Revenue by Exam, where Piano 1 or Violin 2, highest first",
		"times piano 1 got booked":            "Orders, where Piano 1",
		"pupils with no lesson since may":     "Rows from 1 May 2024 to 19 December 2024 and last day by Pupil, with rows from 1 May 2024 to 19 December 2024 at most 0, lowest first by last day",
		"pass rate on mondays vs weekends":    "Orders for Pass on Monday and orders with a Result on Monday and orders for Pass on weekends and orders with a Result on weekends and orders for Pass on Monday in % of orders with a Result on Monday and orders for Pass on weekends in % of orders with a Result on weekends",
		"the quietest day":                    "Orders and revenue by Date (weekday), lowest first, at most 1",
		"cancellation rate":                   "Orders, the share of Cancelled",
		"cancellation rate by teacher":        "Orders for Cancelled and orders and share of orders for Cancelled by Teacher, highest first by share of orders for Cancelled",
		"who cancelled in may":                "Revenue by Pupil, where Remark with cancelled, 2024-05-01 to 2024-05-31, highest first",
		"no show rate on mondays vs weekends": "Orders with Outcome No-show on Monday and orders on Monday and orders with Outcome No-show on weekends and orders on weekends and orders with Outcome No-show on Monday in % of orders on Monday and orders with Outcome No-show on weekends in % of orders on weekends",
	} {
		reads(t, exams(), question, want)
	}
}
