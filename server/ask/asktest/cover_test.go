package asktest_test

import (
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/ask/compute"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/dataset"
)

// A shop of five products: how long its stock lasts, and what has not sold. Coffee sells
// 90 units in the 90 days up to the day; tea sold long ago, the mug never; milk is gone,
// and the stock of buns is unknown.
func TestCover(t *testing.T) {
	clock := dbtest.NewClock()
	clock.Set(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	store := dbtest.Open(t, clock)
	owner := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
	sold := func(on string, lines ...db.SaleLine) {
		at, err := time.Parse(time.DateOnly, on)
		if err != nil {
			t.Fatal(err)
		}
		dbtest.Update(t, store, func(tx *db.Tx) error {
			_, _, err := tx.PutSale(db.Sale{AccountID: owner.ID, ExternalID: on, Currency: owner.Profile.Currency, SoldAt: at.Add(12 * time.Hour), Lines: lines})
			return err
		})
	}
	line := func(i db.Item, units int64) db.SaleLine {
		return db.SaleLine{ItemID: i.ID, Name: i.Name, QuantityMilli: units * 1_000, Price: 300}
	}
	item := func(name string, units int64) db.Item {
		return dbtest.MustItem(t, store, owner.ID, db.ItemChange{Name: name, StockMilli: new(units * 1_000), CostPrice: new(int64(150))})
	}
	coffee, tea, milk := item("Coffee", 0), item("Tea", 0), item("Milk", 0)
	item("Mug", 4)
	buns := dbtest.MustItem(t, store, owner.ID, db.ItemChange{Name: "Buns"})
	sold("2026-01-05", line(tea, 2), line(coffee, 500))
	sold("2026-08-23", line(coffee, 500)) // one day before those that count
	sold("2026-08-24", line(coffee, 40), line(milk, 10), line(buns, 5))
	sold("2026-11-21", line(coffee, 50))
	item("Coffee", 6)
	item("Tea", 3)
	item("Milk", 0)

	sources, err := dataset.New(dataset.Config{Store: store}).Shop(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	reader := read.New(sources)
	for _, c := range []struct{ question, day, want, verdict string }{
		{"how many days of cover do we have", "2026-11-21", "Milk (none left) and Coffee (6 days). This is at the rate of the last 90 days. Buns, Mug and Tea have no figure", "problem"},
		{"days of stock left for coffee", "2026-11-21", "Coffee will last about 6 days.", "act"},
		{"which products will run out within two weeks", "2026-11-21", "1 product will run out within 14 days: Coffee (6 days).", "act"},
		{"how many products run out in the next 5 days", "2026-11-21", "No product will run out within 5 days.", ""},
		{"which items have less than a week of stock", "2026-11-21", "2 products will run out in less than 7 days: Milk (none left) and Coffee (6 days).", "problem"},
		{"dead stock", "2026-11-21", "2 products in stock have not sold since 23 August 2026: Mug (£6, never sold) and Tea (£4.50, last sold 5 January 2026). Together they are worth £10.50.", ""},
		{"what hasn't sold in 12 months?", "2026-11-21", "1 product in stock has not sold since 21 November 2025: Mug (£6, never sold).", ""},
		{"what has not sold since January", "2026-11-21", "has not sold since 1 January 2026: Mug", ""},
		{"what has never sold", "2026-11-21", "1 product in stock has never sold: Mug (£6).", ""},
		{"slow movers", "2026-11-21", "Mug (0 sold, never sold), Tea (0 sold, last sold 5 January 2026) and Coffee (90 sold", ""},
		{"do we have any coffee left", "2026-11-21", "Stock for Coffee comes to 6.", ""},
		{"items we have less than 5 of", "2026-11-21", "3 products with stock below 5: Mug, Tea and Milk.", ""},
		{"what's in stock", "2026-11-21", "Coffee, Mug and Tea.", ""},
		{"sales this time last year", "2026-11-21", "too late for this to be compared", ""},
		{"what will run out tomorrow", "2026-11-21", "No product will run out within 1 day.", ""},
		{"what didn't sell last month", "2026-11-21", "cannot be told", ""},
		{"days of cover last month", "2026-11-21", "what stock there was before is not kept", ""},
		{"what will sales be next week", "2026-11-21", "no forecast", ""},
		// Sales that ended more than a week ago count from their last day (H8).
		{"days of stock left for coffee", "2027-02-01", "Coffee will last about 6 days. This is at the rate of the last 90 days. This is as of 21 November 2026, the last day in your stock.", "act"},
	} {
		day, _ := time.Parse(time.DateOnly, c.day)
		a := tell.Answer{}
		reading, err := reader.Read(c.question, day)
		if refusal, ok := err.(*read.Refusal); ok {
			a = tell.Refuse(refusal, tell.Options{Today: day})
		} else {
			r, err := compute.Run(t.Context(), store, reading.Source, reading.Plan)
			if err != nil {
				t.Fatalf("%q: %v", c.question, err)
			}
			a = tell.Tell(r, reading, tell.Options{Today: day, Currency: "usd"})
			for _, text := range texts(a) {
				if bad := tell.Grounded(text, tell.FiguresOf(r)); len(bad) > 0 {
					t.Errorf("%q: %v in %q", c.question, bad, text)
				}
			}
		}
		verdict := ""
		if a.Verdict != nil {
			verdict = *a.Verdict
		}
		if !strings.Contains(a.Answer, c.want) || verdict != c.verdict {
			t.Errorf("%q: got %s (%s), want %s (%s)", c.question, a.Answer, verdict, c.want, c.verdict)
		}
	}
}
