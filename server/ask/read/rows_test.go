package read_test

import (
	"slices"
	"testing"

	"svc/server/schema"
)

// lessons is a list of bookings, of which some were cancelled; one number tells each from the
// others.
func lessons(heading string) schema.Source {
	key := text(heading, schema.None)
	key.Distinct = 400
	return schema.Source{
		ID: "ds_lessons", Name: "diary", Kind: schema.Sales, From: "rows", Rows: 400, First: "2025-01-02", Last: "2025-06-28",
		Columns: []schema.Column{
			key, {Heading: "Date", Name: "c", Type: schema.Date, Role: schema.Day}, text("pupil", schema.None, "Ann Lee", "Bob Ray"), text("Instructor", schema.Staff, "Dev", "Karen"),
			text("STATUS", schema.Status, "Done", "Cancelled", "No show"), number("Price", schema.Revenue, schema.Money), number("Minutes", schema.None, schema.Plain),
		},
		Reversals: []schema.Reversal{{Kind: schema.CancelledSale, Column: "STATUS", Values: []string{"Cancelled"}, Rows: 50}},
	}
}

// TestCancelledBookingsAreCountedAndSaid asks for figures that two people would count apart.
func TestCancelledBookingsAreCountedAndSaid(t *testing.T) {
	for question, want := range map[string]struct{ counts, loose bool }{
		"how many lessons did karen do":   {counts: true, loose: true},
		"average minutes by instructor":   {counts: true, loose: true},
		"revenue by instructor":           {loose: true}, // whether no-shows paid is not known
		"how many lessons were cancelled": {},
	} {
		got, err := ask(t, question, lessons("Lesson No"))
		if err != nil {
			t.Errorf("%s: %v", question, err)
			continue
		}
		if counts := got.Plan.CountsBookings(got.Source); counts != want.counts || !got.Certain != want.loose {
			t.Errorf("%s: counts %v, loose %v", question, counts, !got.Certain)
		}
	}
	if got, err := ask(t, "how many orders did karen do", lessons("Order No")); err != nil || got.Plan.CountsBookings(got.Source) {
		t.Errorf("cancelled orders count, or %v", err)
	}
}

// TestKindsOfRowsAreNotDropped asks for rows of a kind that no column tells.
func TestKindsOfRowsAreNotDropped(t *testing.T) {
	if got, err := ask(t, "how many turned up to the spin lesson in may", lessons("Lesson No")); err == nil {
		t.Errorf("spin was dropped: %+v", got.Plan)
	}
}

// log is a log of shifts, whose headings do not say what a row is.
func log() schema.Source {
	second := text("2nd staff", schema.None, "Tash", "Will")
	second.Blank = 70
	return schema.Source{
		ID: "ds_log", Name: "truck", Kind: schema.Sales, From: "rows", Rows: 270, First: "2025-01-03", Last: "2025-08-30",
		Columns: []schema.Column{
			{Heading: "Date", Name: "c", Type: schema.Date, Role: schema.Day, Distinct: 180}, text("Pitch", schema.None, "Castle Sq", "Station Rd"), text("Cook", schema.Staff, "Gaz", "Lena"), second,
			number("covers", schema.Quantity, schema.Count), number("waste kg", schema.None, schema.Plain), text("BestSeller", schema.None, "Halloumi wrap", "Loaded fries"),
		},
	}
}

// books is a list that has its things in its name.
func books() schema.Source {
	title := text("Title", schema.Product, "Emma", "Dracula")
	title.Distinct = 200
	return schema.Source{
		ID: "ds_books", Name: "bookshop", Kind: schema.Other, From: "rows", Rows: 360,
		Columns: []schema.Column{
			title, text("author", schema.None, "Jane Austen", "Bram Stoker"), text("Genre", schema.Category, "Crime", "Poetry"), {Heading: "signed", Name: "c", Type: schema.Truth, Distinct: 2},
			number("pages", schema.None, schema.Plain), number("year", schema.None, schema.Plain), number("Price", schema.Price, schema.Money),
		},
	}
}

// shelves is a stock list of a bookshop.
func shelves() schema.Source {
	s := books()
	s.Kind = schema.Stocklist
	s.Columns = append(s.Columns, number("Qty", schema.Stock, schema.Count), text("shelf", schema.None, "A1", "B2"))
	return s
}

// TestNounsOfRows takes a noun for the rows: for sure if the name or the number of a row has it,
// else loosely, with a note.
func TestNounsOfRows(t *testing.T) {
	for _, row := range []struct {
		source         schema.Source
		question, want string
		assumed        string
	}{
		{log(), "how many shifts did gaz do", "Rows, where Gaz", "shifts"},
		{log(), "shifts with no 2nd staff", "Sales, where blank 2nd staff", "shifts"},
		{log(), "median waste per shift", "Median waste kg", ""},
		{log(), "top 5 shifts by covers", "List of rows with Pitch, Date, covers, Cook, 2nd staff, waste kg, BestSeller, highest covers first, at most 5", "shifts"},
		{books(), "how many signed books", "Rows, where signed", ""},
		{books(), "oldest book", "List of rows with Title, year, author, Genre, signed, pages, Price, lowest year first, at most 1", ""},
		{books(), "how many signed copies", "Rows, where signed", "copies"},
		{books(), "average pages of a crime book", "Average pages, where Crime", ""},
		{shelves(), "how many signed books", "Stock and rows, where signed", ""},
		{shelves(), "what's on shelf A1", "Stock by Title, where A1, highest first", ""},
		{shelves(), "dearest book", "List of rows with Title, Price, author, Genre, signed, pages, year, Qty, shelf, highest Price first, at most 1", ""},
		{shelves(), "books over £20", "Stock and rows, where Price above 20", ""},
		{shelves(), "how many crime books and how many poetry books", "Stock and rows, where Crime", ""},
		{shelves(), "books from before 1950", "Stock and rows, where year below 1950", ""},
		{shelves(), "do we have more crime or more poetry", "Stock by Genre, where Crime or Poetry, highest first", ""},
		{log(), "what percentage of shifts had no 2nd staff when lena was on", "Sales, where Lena, the share of blank 2nd staff", "shifts"},
		{log(), "how often was lena on at castle sq", "Sales, where Lena and Castle Sq", ""},
		{log(), "average covers when lena is on", "Average covers, where Lena", ""},
		{lessons("Lesson No"), "how many lessons did dev do", "Rows, where Dev", ""},
	} {
		reads(t, row.source, row.question, row.want)
		got, err := ask(t, row.question, row.source)
		note := "“" + row.assumed + "” was taken for the rows of " + row.source.Name + "."
		if isNoted := slices.Contains(got.Notes, note); err != nil || isNoted != (row.assumed != "") || isNoted && got.Certain {
			t.Errorf("%s: %v, loose %v, %v", row.question, got.Notes, !got.Certain, err)
		}
	}
	got, err := ask(t, "how many lessons with dev were done and how many cancelled", lessons("Lesson No"))
	if err != nil || got.Next == nil || len(got.Next.Plan.Where) != 1 || got.Next.Plan.Where[0].Column != "Instructor" {
		t.Errorf("what two questions share is %v, %v", got.Next, err)
	}
	for _, row := range []struct {
		source   schema.Source
		question string
	}{
		{log(), "how many visitors did we have"}, {log(), "how many parcels did gaz carry"}, {log(), "how many halloumi wraps did we sell"}, {log(), "footfall by pitch"},
		{books(), "how many employees"}, {books(), "top 5 waiters"}, {lessons("Lesson No"), "how many games"}, {sales(), "how many shifts did we have"},
	} {
		if got, err := ask(t, row.question, row.source); err == nil {
			t.Errorf("%s: read as %v", row.question, got.Plan)
		}
	}
}
