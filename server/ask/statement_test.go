package ask_test

import (
	"strings"
	"testing"

	"svc/db"
)

// The balance of an account is the newest, of the days that are asked for, and no sum.
func TestAskBalanceOfAccount(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	const head = "Date,Details,Amount,Balance\n"
	rows := []string{"2026-01-02,Acme,-120.50,879.50\n", "2026-01-13,Payout,450.00,1329.50\n", "2026-01-13,Card,-9.50,1320.00\n", "2026-02-25,Rent,-500.00,820.00\n"}
	text := head + strings.Join(rows, "")
	newestFirst := head + rows[3] + rows[2] + rows[1] + rows[0]
	for name, content := range map[string]string{"up.csv": text, "down.csv": newestFirst} {
		b.importFile(t, name, content)
		for question, want := range map[string]string{
			"what is the balance?":                     "Latest Balance came to £820.",
			"what is the total balance":                "Latest Balance came to £820.",
			"what was the balance on 13 January 2026?": "came to £1,320.",
			"what was the highest balance?":            "Highest Balance came to £1,329.50.",
			"what is our revenue?":                     "Revenue cannot be computed",
			"how much are we owed":                     "no column of",
		} {
			b.ask(t, question).expectSays(t, want)
		}
		b.ask(t, "balance by month").expectTable(t, [][]any{{"2026-01", "1320"}, {"2026-02", "820"}})
	}
}

// What a month cost is the sum of its expenses.
func TestAskExpensesOfMonths(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	b.importFile(t, "expenses.csv", "Month,Rent,Wages\nDec 2025,500,1200\nJan 2026,500,1250\nFeb 2026,500,1100\n")
	for question, want := range map[string]string{
		"total costs":                       "Cost came to £5,050.",
		"what did we spend in total":        "£5,050",
		"total rent":                        "Total Rent came to £1,500.",
		"which month had the highest wages": "January 2026 has the highest total Wages: £1,250.",
		"which month had the lowest wages":  "February 2026 has the lowest total Wages: £1,100.",
		"which month cost us the most":      "January 2026",
	} {
		b.ask(t, question).expectSays(t, want)
	}
}

// What single pieces cost has no sum: what they cost in all is the value of the stock.
func TestAskTotalCostOfGoods(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	b.importFile(t, "stock.csv", "Product,SKU,Price,Cost price,Stock\nTea,T,3,1,100\nCake,C,4,2,50\n")
	b.ask(t, "what are our total costs").expectSays(t, "£200")
}
