package ask_test

import (
	"strings"
	"testing"

	"svc/db"
)

// lessons is a driving school's file, with minutes, grams, and what was paid in two columns, of
// which one may be blank.
const lessons = "Lesson No,Lesson Date,Pupil,Instructor,Dur mins,Kit g,Cash taken,Card taken\n" +
	"1,2026-01-05,Ann,Dev,60,500,30.00,\n" +
	"2,2026-01-06,Bob,Dev,90,1500,,45.50\n" +
	"3,2026-01-07,Cid,Moira,120,250,10.00,50.25\n" +
	"4,2026-01-08,Ann,Moira,60,250,,30.00\n" +
	"5,2026-01-09,Ann,Kit,45,250,20.00,\n"

func TestAskUnitsOfMeasure(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "lessons.csv", lessons)
	for question, want := range map[string]string{
		"how many hours did dev do":                  "Total Dur mins in hours for Dev came to 2.5",
		"hours by instructor":                        "Moira has the highest total Dur mins in hours: 3",
		"how many lessons of 2 hours":                "1",
		"how many lessons over 1.4 hours":            "2",
		"which instructors did more than 2.75 hours": "Moira",
		"how many kg of kit":                         "2.75",
	} {
		r := b.ask(t, question)
		if !strings.Contains(r.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, r.Answer, want)
		}
	}
}

func TestAskAddsUpWaysOfPaying(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "lessons.csv", lessons)
	for question, want := range map[string]string{
		"total takings":              "£185.75",
		"takings by instructor":      "Moira has the highest revenue: £90.25",
		"how much was taken in cash": "60",
		"dev's takings vs moira's":   "£75.50",
	} {
		r := b.ask(t, question)
		if !strings.Contains(r.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, r.Answer, want)
		}
	}
}

// games is an escape room's file, whose games last hours and minutes.
const games = "Booking No,Play Date,Room,Time taken h:mm\n1,2026-01-05,Vault,0:45\n2,2026-01-06,Vault,1:15\n3,2026-01-07,Attic,1:50\n4,2026-01-08,Attic,\n"

func TestAskHoursAndMinutes(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "games.csv", games)
	for question, want := range map[string]string{
		"average time taken by room":             "110",
		"how many hours of play in the vault":    "2",
		"which games took more than 100 minutes": "above 100 min: 3",
	} {
		r := b.ask(t, question)
		if !strings.Contains(r.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, r.Answer, want)
		}
	}
}

// donations is a charity's file: kilograms without another word, and headings that say what was
// done.
const donations = "Ref,Date Recvd,Went To,Gift Aid Y/N,Bags,kgs,Sorted On,Sort mins,Volunteer\n" +
	"1,2026-01-05,Recycled,Y,2,11.0,2026-01-06,20,Dot\n" +
	"2,2026-01-05,Shop floor,N,4,21.5,2026-01-09,30,Win\n" +
	"3,2026-01-06,Shop floor,Y,3,12.5,2026-01-16,40,Dot\n" +
	"4,2026-01-07,Recycled,N,1,5.0,,10,Win\n" +
	"5,2026-01-08,Recycled,,6,40.0,2026-01-10,66,Dot\n"

func TestAskHeadingsThatSayWhatWasDone(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "charity.csv", donations)
	for question, want := range map[string]string{
		"bags by where it went":          "Recycled has the most units sold: 9",
		"gift aid yes vs no in kg":       "no has the highest total kgs: 26.50",
		"total weight":                   "90",
		"average days to get it sorted":  "4.25",
		"sort mins per bag by volunteer": "Dot has the highest total Sort mins per units sold: 11.45",
		"how many bags were unsorted":    "1",
	} {
		r := b.ask(t, question)
		if !strings.Contains(r.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, r.Answer, want)
		}
	}
}

// batches is a chemist's list, with days on which goods expire.
const batches = "Batch,Medicine,Stock,Expiry Date,Cost\nB1,Aspirin,10,2020-01-31,1.50\nB2,Aspirin,7,2099-01-31,1.50\nB3,Zinc,5,2019-06-30,2.00\nB4,Iron,4,2098-06-30,2.00\n"

func TestAskExpired(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "batches.csv", batches)
	if r := b.ask(t, "which medicines have expired"); !strings.HasPrefix(r.Answer, "2 products with Expiry Date before 2026-03-02: Aspirin and Zinc.") {
		t.Errorf("expired: %s", r.Answer)
	}
	if r := b.ask(t, "which medicines expire within the next 30 days"); !strings.HasPrefix(r.Answer, "No product with Expiry Date from 2026-03-02 and Expiry Date until 2026-04-01.") {
		t.Errorf("to expire: %s", r.Answer)
	}
}

func TestAskGrowthInPercentAndOutside(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "sales.csv", "Date,Product,Category,Country,Revenue\n2025-09-02,Tea,Drinks,France,100\n2025-09-09,Bun,Bakery,Spain,300\n2025-10-02,Tea,Drinks,France,80\n2025-10-30,Bun,Bakery,Spain,330\n2025-09-01,Bun,Bakery,Spain,10\n")
	for question, want := range map[string]string{
		"growth of drinks from september to october 2025 in percent": "down 20 %",
		"revenue outside france":                                     "£640",
	} {
		if r := b.ask(t, question); !strings.Contains(r.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, r.Answer, want)
		}
	}
}
