package read_test

import (
	"testing"

	"svc/server/schema"
)

// TestLastTime asks what somebody had the last time.
func TestLastTime(t *testing.T) {
	for question, want := range map[string]string{
		"what did hill farm have last time they were in": "List of rows with Invoice, Issued, Customer, Due, Paid on, Job, Labour hrs, Parts, Labour, Total, where Hill Farm, highest Issued first, at most 1",
		"what did vale school get in their last order":   "List of rows with Invoice, Issued, Customer, Due, Paid on, Job, Labour hrs, Parts, Labour, Total, where Vale School, highest Issued first, at most 1",
		"what was on hill farm's last invoice":           "List of rows with Invoice, Issued, Customer, Due, Paid on, Job, Labour hrs, Parts, Labour, Total, where Hill Farm, highest Issued first, at most 1",
	} {
		reads(t, invoices(), question, want)
	}
}

// TestWordsForKinds asks with words of a shop for its people and kinds, and for what has something and what has not.
func TestWordsForKinds(t *testing.T) {
	source := invoices()
	code := text("Promo code", schema.None, "SPRING", "TENTH")
	code.Blank = 60
	source.Columns = append(source.Columns, code, text("Paid by", schema.Payment, "CASH", "ACCT"))
	source.Columns[0].Distinct = source.Rows
	for question, want := range map[string]string{
		"which of the lads took the most":              "Revenue by Technician, highest first, at most 1",
		"average bill mot brakes etc":                  "Average revenue per order by Job, highest first",
		"average bill cash and account":                "Average revenue per order by Paid by, where CASH or ACCT, highest first",
		"average bill with a promo code v without one": "Average revenue per order with a Promo code and average revenue per order without Promo code and average revenue per order with a Promo code less average revenue per order without Promo code",
		"revenue by job brakes etc":                    "Revenue by Job, where Brakes, highest first",
		"how much did the spring lot bring in":         "Revenue, where SPRING",
		"wich job brings in the most":                  "Revenue by Job, highest first, at most 1",
	} {
		reads(t, source, question, want)
	}
}
