package ask_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/db"
)

// What sets a month apart is told against the mean of the others.
func TestAskWhatSetsTheWorstMonthApart(t *testing.T) {
	b := newBooks(t, db.Business)
	text := "Date,Order,Product,Category,Quantity,Total\n"
	n := 0
	for month, sold := range []map[string]int{{"Tea": 30, "Mug": 12, "Bun": 8}, {"Tea": 10, "Mug": 12, "Bun": 9}, {"Tea": 34, "Mug": 16, "Bun": 8}} {
		last := time.Date(2025, time.December+time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC)
		for _, product := range []string{"Tea", "Mug", "Bun"} {
			for i := range sold[product] {
				n++
				day := []int{1, last.Day(), 2 + i%25}[min(i, 2)] // the data cover each month whole
				text += fmt.Sprintf("%s-%02d,%d,%s,%s,1,£2.00\n", last.Format("2006-01"), day, n, product, map[bool]string{true: "Crockery", false: "Food"}[product == "Mug"])
			}
		}
	}
	b.importFile(t, "sales.csv", text)
	for question, want := range map[string]string{
		"What was our worst month and why?": "January 2026 has the lowest revenue: £62. Furthest below the average of the other months: Product Tea (£20 against £64), " +
			"Category Food (£38 against £80), Product Mug (£24 against £28) and Category Crockery (£24 against £28). The data show what differs, not the reason.",
		"best month and why": "February 2026 has the highest revenue: £116. Furthest above the average of the other months: Product Tea (£68 against £40), " +
			"Category Food (£84 against £57), Product Mug (£32 against £24) and Category Crockery (£32 against £24). The data show what differs, not the reason.",
	} {
		if r := b.ask(t, question); r.Answer != want {
			t.Errorf("%q:\n got %s\nwant %s", question, r.Answer, want)
		}
	}
}

// A month said to be the worst or best is compared with all others, and those cut short are
// no part of the average.
func TestAskWhyANamedMonthIsTheWorst(t *testing.T) {
	b := newBooks(t, db.Business)
	today := b.Clock.Now()
	text := "Date,Order,Product,Total\n"
	for day := time.Date(today.Year(), today.Month()-5, 30, 0, 0, 0, 0, time.UTC); !day.After(today); day = day.AddDate(0, 0, 1) {
		for _, product := range []string{"Tea", "Mug"} {
			amount := map[bool]int{true: 5, false: 10}[product == "Tea" && day.Month() == time.December]
			text += fmt.Sprintf("%s,%s,%s,£%d.00\n", day.Format(time.DateOnly), day.Format("0102")+product[:1], product, amount)
		}
	}
	b.importFile(t, "sales.csv", text)
	low := "December 2025 has the lowest revenue from November 2025 to February 2026: £465. Furthest below the average of the other months: Product Tea (£155 against £296.67). " +
		"The data show what differs, not the reason. A month that the data cover in part is left out."
	high := "January 2026 has the highest revenue from November 2025 to February 2026: £620. Furthest above the average of the other months: Product Tea (£310 against £245) " +
		"and Product Mug (£310 against £296.67). The data show what differs, not the reason. A month that the data cover in part is left out."
	for question, want := range map[string]string{
		"why was november the worst month":   "Of the months in the data, November 2025 does not have the lowest revenue. " + low,
		"why was december the worst month":   low,
		"why was last month the worst month": "Of the months in the data, February 2026 does not have the lowest revenue. " + low,
		"why was march the worst month":      "March 2026 cannot be compared, since the data do not cover the whole month. " + low,
		"why was this month the best month":  "March 2026 cannot be compared, since the data do not cover the whole month. " + high,
		"why was our best month so good":     high + " “good” has no effect on this answer.",
		"why was 2025 the best year": "Of the years in the data, 2025 does not have the highest revenue. 2026 has the highest revenue: £1,220. Furthest above the average of the other years: Product Tea (£610 against £475). " +
			"The data show what differs, not the reason. The data do not cover two years whole, so those they cover in part are compared.",
	} {
		if r := b.ask(t, question); r.Answer != want {
			t.Errorf("%q:\n got %s\nwant %s", question, r.Answer, want)
		}
	}
}

// What is one of its kind has nothing to be set apart from.
func TestAskWhyTheOnlyMonthIsTheWorst(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "sales.csv", "Date,Order,Product,Total\n2026-01-01,1,Tea,£5\n2026-01-31,2,Mug,£4\n")
	want := "January 2026 has the lowest revenue: £9. There is no other month to compare it with. This is as of 31 January 2026, the last day in sales."
	if r := b.ask(t, "why was january the worst month"); r.Answer != want {
		t.Errorf("got %s\nwant %s", r.Answer, want)
	}
}

// A month of two days is not the lowest, and not part of the average.
func TestAskLeavesOutUnfinishedMonths(t *testing.T) {
	b := newBooks(t, db.Business)
	today := b.Clock.Now()
	text := "Date,Order,Product,Quantity,Total\n"
	sold := map[string]int{}
	for day := time.Date(today.Year(), today.Month()-3, 16, 0, 0, 0, 0, time.UTC); !day.After(today); day = day.AddDate(0, 0, 1) {
		amount := 10
		if day.Month() == today.AddDate(0, 0, -60).Month() {
			amount = 8
		}
		sold[day.Format("2006-01")] += amount
		text += fmt.Sprintf("%s,%s,Tea,1,£%d.00\n", day.Format(time.DateOnly), day.Format("0102"), amount)
	}
	b.importFile(t, "sales.csv", text)
	if got := fmt.Sprint(b.Clock.Now().Format(time.DateOnly), sold); got != "2026-03-02map[2025-12:160 2026-01:248 2026-02:280 2026-03:20]" {
		t.Fatal(got)
	}
	for question, want := range map[string]string{
		"revenue by month": "Revenue came to £708. By month, it was highest for February 2026 (£280) and lowest for January 2026 (£248). That is £264 a month on average. " +
			"Lowest and average are without December 2025 (from 16 Dec) and March 2026 (so far).",
		"worst month":          "January 2026 has the lowest revenue from January 2026 to February 2026: £248. A month that the data cover in part is left out.",
		"worst month in 2026":  "January 2026 has the lowest revenue in 2026: £248. A month that the data cover in part is left out.",
		"best and worst month": "Revenue from January 2026 to February 2026 was highest for February 2026 (£280) and lowest for January 2026 (£248). A month that the data cover in part is left out.",
		"best month":           "February 2026 has the highest revenue: £280.",
	} {
		if r := b.ask(t, question); r.Answer != want {
			t.Errorf("%q:\n got %s\nwant %s", question, r.Answer, want)
		}
	}
}

// One month that the data cover whole is no lowest of several.
func TestAskOneWholeMonthIsNoLowest(t *testing.T) {
	b := newBooks(t, db.Business)
	today := b.Clock.Now()
	text := "Date,Product,Total\n"
	for day := time.Date(today.Year(), today.Month()-1, 1, 0, 0, 0, 0, time.UTC); !day.After(today); day = day.AddDate(0, 0, 1) {
		text += day.Format(time.DateOnly) + ",Tea,£5.00\n"
	}
	b.importFile(t, "sales.csv", text)
	if r := b.ask(t, "revenue by month"); strings.Contains(r.Answer, "lowest") || !strings.Contains(r.Answer, "highest for February 2026 (£140)") {
		t.Error(r.Answer)
	}
}
