package ask_test

import (
	"strings"
	"testing"

	"svc/db"
)

// expectAnswers asks questions of one file; the answer to each must contain a text.
func expectAnswers(t *testing.T, name, file string, answers map[string]string) {
	t.Helper()
	b := newBooks(t, db.Business)
	b.importFile(t, name, file)
	for question, want := range answers {
		if r := b.ask(t, question); !strings.Contains(r.Answer, want) {
			t.Errorf("%q: got %s, want %s", question, r.Answer, want)
		}
	}
}

// sailings is a ferry's file, whose passengers are counted by their kind.
const sailings = "Date,Route,Sail,Adult Pax,Child Pax,Senior Pax,Fares £,Galley £,Seats Cap,Deck Rating\n" +
	"2026-03-02,Skye,Early,10,2,0,100.00,12.00,20,15\n" +
	"2026-03-03,Mull,Late,5,0,5,80.00,30.00,40,18\n" +
	"2026-03-04,Skye,Late,8,,2,70.00,,20,15\n" +
	"2026-03-05,Mull,Early,1,1,1,9.00,1.00,40,18\n"

func TestAskAddsUpKinds(t *testing.T) {
	expectAnswers(t, "ferry.csv", strings.Replace(sailings, "Seats Cap", "Capacity", 1), map[string]string{
		"how many pax did we carry":             "35",
		"how many child pax":                    "3",
		"pax by route":                          "Skye has the most units sold: 22",
		"how many people came in March":         "Adult Pax, Child Pax and Senior Pax together",
		"galley per head":                       "1.23",
		"what share of our pax are seniors":     "22.86 %",
		"what is our average occupancy":         "29.17 %",
		"occupancy by route":                    "Skye has the highest units sold in % of total Capacity: 55 %",
		"how many customers do we have":         "no column of customers",
		"how many sailings did we have":         "4",
		"number of sailings by route":           "Mull has the most rows",
		"how many different people came":        "no column of customers",
		"how many pax were booked by telephone": "cannot be answered",
	})
}

// pots is a potter's list of goods, with what each is made of.
const pots = "pot_name,range,price,qty_available,visits,orders,revenue,promo_spend,glazes,handmade\n" +
	"Mug,Kitchen,12.00,3,100,10,120.00,4.50,cobalt,Yes\n" +
	"Jug,Kitchen,30.00,0,50,0,0.00,,\"cobalt, ash\",No\n" +
	"Vase,Garden,45.00,2,80,4,180.00,9.00,ash,Yes\n" +
	"Bowl,Garden,60.00,5,70,6,360.00,,\"celadon, cobalt\",No\n"

func TestAskFiguresOfAListOfGoods(t *testing.T) {
	expectAnswers(t, "pots.csv", pots, map[string]string{
		"how many pots have never sold":                      "1",
		"how many pots are glazed with cobalt":               "3",
		"what have I spent on promotion for the garden":      "9",
		"best 2 pots by number of orders":                    "Mug",
		"how many orders have I had for pots over £40":       "10",
		"conversion rate, visits to orders":                  "6.67 %",
		"conversion rate":                                    "cannot be answered",
		"do handmade pots earn more than non-handmade ones":  "£300",
		"number of pots by range and whether it is handmade": "handmade",
		"how many visits does a garden pot get on average":   "75",
		"how much did I spend on glazes":                     "cannot be answered",
		"how many pots were posted late":                     "cannot be answered",
	})
}

// jobs is a roofer's file. What is not yet done, or was called off, has no finish date and no bill.
const jobs = "Job No,Customer,Kind,Estimate,Invoiced,Materials,Fitter,Start Date,Finish Date,Status\n" +
	"R1,Ann,Slate,900.00,1000.00,200.00,Dev,03/02/2026,07/02/2026,Done\n" +
	"R2,Bob,Felt,500.00,450.00,100.00,Kit,10/02/2026,12/02/2026,Done\n" +
	"R3,Cid,Slate,700.00,,,Dev,20/02/2026,,Cancelled\n" +
	"R4,Dee,Felt,300.00,320.00,50.00,Dev,02/03/2026,05/03/2026,Done\n"

func TestAskWhatWasInvoiced(t *testing.T) {
	expectAnswers(t, "roofs.csv", jobs, map[string]string{
		"how many jobs were cancelled in February 2026": "1",
		"money in from slate jobs":                      "£1,000",
		"compare Dev's invoiced total with Kit's":       "Dev has the highest revenue for Dev or Kit: £1,320",
		"how many days does slate take start to finish": "4",
		"total of everything estimated":                 "2,400",
		"which customers have not paid":                 "cannot be answered",
	})
}
