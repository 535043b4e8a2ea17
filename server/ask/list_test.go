package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// hireFile is a shop without standard headings: 40 bookings in January and February 2026.
// Booking 1 is the longest and the dearest; 3 and 4 share the smallest amount.
func hireFile() string {
	text := "Booking No,Booking Date,Guest,Boat,Hours,Weight,Fee,Settled\n"
	for i := range 40 {
		boat, hours, weight, fee := []string{"Canoe", "Kayak"}[i%2], 2+i%3, 60+i%5, 50+i
		switch i {
		case 0:
			hours, weight, fee = 9, 99, 400
		case 2, 3:
			fee = 5
		}
		text += fmt.Sprintf("%d,2026-%02d-%02d,Guest %d,%s,%d,%dkg,%d,%s\n", i+1, 1+i/28, 1+i%28, i%7, boat, hours, weight, fee, []string{"Paid", "Open"}[min(1, i%8/7)])
	}
	return text
}

func TestAskListsRows(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "boat_rentals.csv", hireFile())
	for _, c := range []struct{ question, want, first string }{
		{"which bookings are open", "5 bookings for Open: 8, 16, 24, 32 and 40.", "8"},
		{"list all rentals over 88 in february", "1 rental with Fee above 88 in February 2026: 40.", "40"},
		{"show me the canoe bookings of 4 hours", "7 bookings for Canoe and Hours 4: 3, 9, 15, 21, 27, 33 and 39.", "3"},
		{"biggest booking", "Of 40 bookings, 1 (£400) has the highest Fee.", "1"},
		{"smallest booking", "Of 40 bookings, 3 (£5) and 4 (£5) share the lowest Fee.", "3"},
		{"biggest and smallest booking", "Of 40 bookings, 1 (£400) has the highest Fee and 3 (£5) and 4 (£5) share the lowest Fee.", "1"},
		{"top 2 bookings", "Of 40 bookings, these have the highest Fee: 1 (£400) and 40 (£89).", "1"},
		{"list bookings over 70kg", "1 booking with Weight above 70kg: 1.", "1"},
		{"list bookings over 9,000", "There are no bookings with Fee above 9000.", ""},
	} {
		r := b.ask(t, c.question)
		first := ""
		if r.Table != nil {
			first = fmt.Sprint(r.Table.Rows[0][0])
		}
		if !strings.HasPrefix(r.Answer, c.want) || first != c.first {
			t.Errorf("%q: got %s with %q first, want %s with %q first", c.question, r.Answer, first, c.want, c.first)
		}
	}
	if r := b.ask(t, "list bookings over 70 litres"); r.Confidence != "low" || !strings.Contains(r.Answer, "litre") {
		t.Errorf("an unknown unit: %s %s", r.Confidence, r.Answer)
	}
}

func TestAskBothEnds(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "boat_rentals.csv", hireFile())
	for _, c := range []struct{ question, want string }{
		{"best and worst boat", "Revenue was highest for Canoe (£1,683) and lowest for Kayak (£1,352)."},
		{"which month was our best and which was our worst", "Revenue was highest for January 2026 (£2,033) and lowest for February 2026 (£1,002)."},
		{"average weight by boat", "Canoe has the highest average Weight in kg: 63.95. Then Kayak (62)."},
		{"revenue per hour", "Revenue came to £3,035, which is £24.09 for each of total Hours (126)."},
	} {
		if r := b.ask(t, c.question); !strings.HasPrefix(r.Answer, c.want) {
			t.Errorf("%q: got %s, want %s", c.question, r.Answer, c.want)
		}
	}
}

// Questions that were read as others, with high confidence: each is read as it says, or
// doubted, or refused.
func TestAskReadsWhatIsSaid(t *testing.T) {
	dbtest.Sequential(t)
	b := newBooks(t, db.Business)
	text := "Sale Ref,Date,Shop,City,Category,Product,Tickets,Total,Payment\n"
	for i := range 60 {
		shop, kind := []string{"Quay", "Mill"}[i%2], []string{"Tea", "Water"}[i/2%2]
		drink := map[string][]string{"Tea": {"Assam", "Sencha"}, "Water": {"Still", "Sparkling"}}[kind][i/4%2]
		payment := []string{"Cash", "Card", "Card"}[i%3]
		if shop == "Mill" {
			payment = "Card"
		}
		text += fmt.Sprintf("R%02d,202%d-0%d-%02d,%s,%s,%s,%s,%d,%d,%s\n", i, 4+i/30, 1+i%2, 1+i%28, shop, []string{"Wells", "Bath"}[i%2], kind, drink, 1+i%4, 10+i%7, payment)
	}
	b.importFile(t, "drinks.csv", text)
	for _, c := range []struct{ question, confidence, want string }{
		{"average tickets per sale", "high", "Average units sold per order came to 2.50."},
		{"how much still water did we sell", "medium", "Revenue for Still and Water came to"},
		{"what do people from wells spend on average", "medium", "Average revenue per order for Wells came to"},
		{"how much does a customer spend", "low", "There is no column of customers"},
		{"how many kinds of tea", "medium", "There are 2 products for Tea."},
		{"shops with no cash sales", "", "1 store has no sales for Cash: Mill."},
		{"shops per city", "", "Bath has the highest different Shop: 1."},
		{"share of quay in tea", "", "Quay made up 49.87 % of revenue for Tea"},
		{"largest sale in each city", "", "Bath, R13 has the highest revenue: £16."},
		{"shops that sold more in 2024 than 2025", "", ""},
		{"how many days did quay beat mill", "", "There are 28 days with revenue for Quay above revenue for Mill."},
		{"most used payment", "", "Card has the most orders: 50."},
		{"what was revenue in 2025? which shop sold most", "medium", "Revenue in 2025 came to £389."},
	} {
		r := b.ask(t, c.question)
		if !strings.HasPrefix(r.Answer, c.want) || c.confidence != "" && r.Confidence != c.confidence {
			t.Errorf("%q: got %s (%s), want %s (%s)", c.question, r.Answer, r.Confidence, c.want, c.confidence)
		}
	}
}

// A list of people is no list of sales: who pays a fee each month has bought nothing.
func TestAskCountsPeople(t *testing.T) {
	b := newBooks(t, db.Business)
	text := "Member ID,Name,Gender,Age,Plan,Monthly Fee,Joined,Visits Last Month,Trainer\n"
	for i := range 40 {
		text += fmt.Sprintf("M%02d,Person %d,%s,%d,%s,%d,2025-0%d-11,%d,%s\n", i, i%9, []string{"Female", "Male"}[i%2], 20+i, []string{"Basic", "Plus"}[i/2%2], 20+10*(i%2), 1+i%9, i%13, []string{"Yes", "No"}[i%4/3])
	}
	b.importFile(t, "gym_members.csv", text)
	for _, c := range []struct{ question, want string }{
		{"members by plan", "Basic has the most rows: 20."},
		{"which members are over 57", "2 members with Age above 57: M38 and M39."},
		{"how many joined in 2025", "Rows in 2025 came to 40."},
		{"which plan has the oldest members", "Plus has the highest average Age: 40.50."},
		{"average visits last month by gender", "Female has the highest average Visits Last Month:"},
	} {
		if r := b.ask(t, c.question); !strings.HasPrefix(r.Answer, c.want) {
			t.Errorf("%q: got %s (%s), want %s", c.question, r.Answer, r.Confidence, c.want)
		}
	}
}

// Staff sell and do not spend.
func TestAskWho(t *testing.T) {
	dbtest.Sequential(t)
	b := newBooks(t, db.Business)
	text := "Date,Wine,Bottles,Discount,Amount,Sold By\n"
	for i := range 40 {
		text += fmt.Sprintf("2026-01-%02d,%s,%d,%d%%,%d,%s\n", 1+i%28, []string{"Barolo", "Rioja"}[i%2], 1+i%3, 5*(i%4/3), 20+i, []string{"Otto", "Pia", "Pia"}[i%3])
	}
	b.importFile(t, "wine.csv", text)
	for question, want := range map[string]string{
		"who sells most":                 "Pia has the most units sold: 65.",
		"who spends most":                "There is no column of customers",
		"how many sales had a discount":  "Sales with Discount above 0 came to 10.",
		"list the sales above 58":        "1 sale with Amount above 58: Rioja on 12 January 2026.",
		"best and worst wine by bottles": "Units sold were highest for",
	} {
		if r := b.ask(t, question); !strings.HasPrefix(r.Answer, want) {
			t.Errorf("%q: got %s (%s), want %s", question, r.Answer, r.Confidence, want)
		}
	}
}
