package read_test

import (
	"testing"

	"svc/server/schema"
)

// frames is a framer's list of orders with the days on which each was taken in, promised and handed
// over, of which two are abbreviated.
func frames() schema.Source {
	day := func(heading string, role schema.Role, blank int64) schema.Column {
		return schema.Column{Heading: heading, Name: "c", Type: schema.Date, Role: role, Blank: blank, Distinct: 90}
	}
	return schema.Source{
		ID: "ds_frames", Name: "frames", Kind: schema.Sales, From: "rows", Rows: 300, First: "2023-01-01", Last: "2024-12-18",
		Columns: []schema.Column{
			text("Order No", schema.Order), day("Quoted", schema.None, 0), day("Taken In", schema.Day, 0), day("DUE_DT", schema.None, 0), day("RCVD_DT", schema.None, 12),
			text("Client", schema.Customer, "Ann Lee", "Bob Ray"), text("Framer", schema.Staff, "Gary", "Priti"), number("Total", schema.Revenue, schema.Money),
		},
	}
}

func TestDaysBetweenEvents(t *testing.T) {
	const taken = "days from Quoted to Taken In"
	const done = "days from Taken In to RCVD_DT"
	for question, want := range map[string]string{
		"how long between quoting and receiving on average":             "Average days from Quoted to RCVD_DT",
		"on average how many days after we quote is a frame received":   "Average days from Quoted to RCVD_DT",
		"median number of days from coming in to being received":        "Median " + done,
		"what's the longest anyone waited from quote to taken in":       "Most " + taken,
		"who waits longest to receive their order":                      "Average " + done + " by Client, highest first, at most 1",
		"which framer is quickest to get things received":               "Average " + done + " by Framer, lowest first, at most 1",
		"average time between quoting and coming in for each framer":    "Average " + taken + " by Framer, highest first",
		"how many orders were received more than 10 days after quoting": "Number of groups by Order No, with average days from Quoted to RCVD_DT above 10",
		"how late are the late ones by framer":                          "Average days from DUE_DT to RCVD_DT by Framer, where RCVD_DT after DUE_DT, highest first",
		"which framer has the slowest turnaround":                       "Average " + done + " by Framer, highest first, at most 1",
		"longest order in days":                                         "Average " + done + " by Order No, highest first, at most 1",
		"how many orders were received within 14 days of quoting":       "Number of groups by Order No, with average days from Quoted to RCVD_DT at most 14",
		"how many orders are older than 60 days":                        "Number of groups by Order No, where Taken In before 2024-10-20",
		"what share of orders came in late":                             "Orders, the share of RCVD_DT after DUE_DT",
		"how many orders ran late":                                      "Orders, where RCVD_DT after DUE_DT",
	} {
		reads(t, frames(), question, want)
	}
}

func TestDaysAhead(t *testing.T) {
	source := frames()
	source.Columns[1].Heading = "Booked"
	for question, want := range map[string]string{
		"how far in advance do people book":               "Average days from Booked to Taken In",
		"average days ahead that clients book, by framer": "Average days from Booked to Taken In by Framer, highest first",
		"how many were booked less than 5 days ahead":     "Number of groups by Order No, with average days from Booked to Taken In below 5",
		"how many days before coming in do clients book":  "Average days from Booked to Taken In",
		"which client books furthest ahead":               "Average days from Booked to Taken In by Client, highest first, at most 1",
	} {
		reads(t, source, question, want)
	}
}
