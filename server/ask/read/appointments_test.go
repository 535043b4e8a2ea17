package read_test

import (
	"testing"

	"svc/server/schema"
)

// riders are the clients of a riding school, each with the last and the next lesson.
func riders() schema.Source {
	name := text("Rider", schema.Customer, "Ann Lee", "Bob Ray")
	name.Distinct = 90
	next := day("Next Visit", schema.None)
	next.Blank = 40
	return schema.Source{
		ID: "ds_riders", Name: "riders", Kind: schema.Customers, From: "rows", Rows: 90, First: "2024-01-05", Last: "2024-11-10",
		Columns: []schema.Column{
			name, day("First Visit", schema.Day), day("Last Visit", schema.None), next, text("Coach", schema.Staff, "Pia", "Tom"), text("Heard Via", schema.None, "Friend", "Flyer"),
			number("Visits", schema.None, schema.Plain), number("Spend to Date", schema.None, schema.Money),
		},
	}
}

func TestClientsDays(t *testing.T) {
	for question, want := range map[string]string{
		"how many were last in in october": "Rows, where Last Visit from 2024-10-01 and Last Visit until 2024-10-31",
		"how many are booked in":           "Rows, where a Next Visit",
		"how many have nothing booked":     "Rows, where blank Next Visit",
		"how many are booked in next week": "Rows, where Next Visit from 2024-11-11 and Next Visit until 2024-11-17",
		"how many new ones in october":     "Rows, 2024-10-01 to 2024-10-31",
		"where did people hear about us":   "Rows by Heard Via, highest first",
		"how do most people find us":       "Rows by Heard Via, highest first, at most 1",
		"how many only came once":          "Rows, where Visits 1",
		"pia v tom spend per client":       "Average Spend to Date by Coach, where Pia or Tom, highest first",
	} {
		reads(t, riders(), question, want)
	}
}
