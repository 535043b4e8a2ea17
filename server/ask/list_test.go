package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
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
