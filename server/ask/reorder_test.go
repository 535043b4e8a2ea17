package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
)

const stockFile = `SKU,Product,Stock on hand,Reorder level,Discontinued
A1,Espresso Beans,2,10,No
A2,Decaf Beans,9,10,No
A3,Old Mug,0,5,Yes
A4,Filter Papers,3,20,No
A5,Teapot,12,4,No
A6,Green Tea,0,8,No
`

func TestAskWhatToReorder(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "stock.csv", stockFile)
	const want = "4 products are below the reorder point. The most urgent first: Green Tea (0 left), Filter Papers (3 left), Espresso Beans (2 left) and Decaf Beans (9 left). Discontinued products are left out."
	for question, want := range map[string]string{
		"What should we reorder?":                        want,
		"What should we reorder this week?":              want,
		"What should I reorder today?":                   want,
		"What is low on stock?":                          "5 products are below the reorder point. The most urgent first: Green Tea (0 left), Old Mug (0 left), Filter Papers (3 left), Espresso Beans (2 left) and Decaf Beans (9 left).",
		"Which discontinued products should we reorder?": "1 product for Discontinued is below the reorder point: Old Mug.",
	} {
		r := b.ask(t, question)
		if r.Answer != want || r.Confidence != "high" {
			t.Errorf("%q:\n got %s: %s\nwant high: %s", question, r.Confidence, r.Answer, want)
		}
	}
	r := b.ask(t, "What should we reorder?")
	if want := "Time to reorder: 4 products are down to the reorder point or lower, 1 of them out of stock."; r.verdict() != "act" || *r.VerdictSentence != want {
		t.Errorf("got %s: %s, want act: %s", r.verdict(), *r.VerdictSentence, want)
	}
	if got, want := fmt.Sprint(r.Table.Rows[1]), "[Filter Papers 3 20 15]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, question := range []string{"What should we reorder in January?", "What was out of stock last month?"} {
		r := b.ask(t, question)
		if r.Confidence != "low" || !strings.HasPrefix(r.Answer, "The stock is known as it is now") {
			t.Errorf("%q: got %s: %s", question, r.Confidence, r.Answer)
		}
	}
}

// A stock below zero is an error of a count: it is worth nothing, and not less.
func TestAskStockValueSaysAtWhichPrice(t *testing.T) {
	for file, want := range map[string]string{
		"Product,Stock,Unit cost\nTea,10,£2.00\nMug,-4,£3.00\n":  "Stock value at cost comes to £20.",
		"Product,Stock,Unit price\nTea,10,£5.00\nMug,-4,£9.00\n": "Stock value at selling prices comes to £50.",
	} {
		b := newBooks(t, db.Business)
		b.importFile(t, "stock.csv", file)
		if r := b.ask(t, "What is our stock worth?"); r.Answer != want {
			t.Errorf("got %s, want %s", r.Answer, want)
		}
	}
}

func TestAskLeavesOutDiscontinuedStates(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "stock.csv", "Product,Stock,Reorder point,Status\nTea,1,5,Active\nMug,0,5,Discontinued\nPot,4,5,Active\nBag,9,5,Active\n")
	const want = "2 products are below the reorder point. The most urgent first: Tea (1 left) and Pot (4 left). Discontinued products are left out."
	if r := b.ask(t, "What should we reorder?"); r.Answer != want {
		t.Errorf("got %s, want %s", r.Answer, want)
	}
}

func TestAskSaysWhatRowsWithoutAProductSold(t *testing.T) {
	b := newBooks(t, db.Business)
	text := "Date,Order,Product,Quantity,Total\n"
	for i := range 40 {
		text += fmt.Sprintf("2026-03-%02d,%d,%s,3,£6.00\n", 1+i%20, i+1, []string{"Tea", "Mug", "Pot", ""}[i%4])
	}
	b.importFile(t, "sales.csv", text)
	b.ask(t, "units sold by product").expectSays(t, "10 rows without Product are left out, with 30 units sold.")
	b.ask(t, "revenue by product").expectSays(t, "10 rows without Product are left out, with £60 of revenue.")
}
