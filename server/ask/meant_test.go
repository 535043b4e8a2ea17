package ask_test

import (
	"fmt"
	"testing"
	"time"

	"svc/db"
)

// Words that deny or ask for what the shop's data do not have are not read as sales: what is
// not paid is no dead stock, and what comes in is no revenue.
func TestAskReadsNoSalesIntoOtherWords(t *testing.T) {
	b := newBooks(t, db.Business)
	b.plantStock(t)
	for day := range 10 {
		b.sell(t, b.LiveKey.AccountID, fmt.Sprint("s", day), b.Clock.Now().Add(time.Duration(-day)*24*time.Hour), "Mocha", 1000, 450)
	}
	for question, says := range map[string]string{
		"how many orders are unpaid":                "rules out",
		"which orders are not paid":                 "rules out",
		"unpaid orders":                             "rules out",
		"who owes me money":                         "about what is owed",
		"what do I owe suppliers":                   "about what is owed",
		"which products are not making money":       "No product with profit below £0",
		"are we making money":                       "Profit came to £22.50",
		"what have I got coming in":                 "No product with On order above 0",
		"which products have not sold for 90 days?": "Scone",
	} {
		r := b.ask(t, question)
		if r.expectSays(t, says); r.says("Revenue came") {
			t.Errorf("%q: %s: %s", question, r.Confidence, r.Answer)
		}
	}
	if r := b.ask(t, "what sells together"); r.Confidence == "high" {
		t.Errorf("what sells together: high: %s", r.Answer)
	}
}
