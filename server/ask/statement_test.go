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
