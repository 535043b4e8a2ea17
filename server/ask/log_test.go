package ask_test

import (
	"strings"
	"testing"

	"svc/db"
)

// A log of stays has no order numbers: its rows are the bookings, a y alone marks those that
// were cancelled, a guest's name is no product, and rents add up.
func TestAskLogOfBookings(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "lets.csv", `Ref,Booked on,Arrive,property,Guest name,Rent,cancelled
HL1,4 Jul 2023,9 Apr 2024,Pine Cabin,Henk Weiss,271,
HL2,17 Oct 2023,24 Mar 2024,Pine Cabin,Dan Moran,313,Y
HL3,21 Oct 2023,25 Mar 2024,Old Schoolhouse,Petra Moran,580,
HL4,2 Nov 2023,27 Apr 2024,Old Schoolhouse,Henk Weiss,620,Y
HL5,9 Nov 2023,28 Apr 2024,Old Schoolhouse,Dan Moran,640,
`)
	for question, want := range map[string]string{
		"how many bookings were cancelled?":             "Cancelled orders came to 2.",
		"total rent from bookings that wernt cancelled": "£1,491",
		"total rent by property leave out cancelled":    "Old Schoolhouse has the highest total Rent without cancelled: £1,220",
		"median rent per booking":                       "£580",
	} {
		if r := b.ask(t, question); !strings.Contains(r.Answer, want) {
			t.Errorf("%q:\n got %s\nwant %s", question, r.Answer, want)
		}
	}
	// What was not booked but done is not told.
	b.ask(t, "how many repairs did we have").expectRefusal(t)
	// Each ref has one row: a ranking by rows says nothing.
	if r := b.ask(t, "top 3 bookings, give me the ref"); r.Confidence == "high" {
		t.Errorf("got %s at high", r.Answer)
	}
}
