package read_test

import (
	"slices"
	"testing"

	"svc/server/schema"
)

// kennel is stays of dogs in pens, with a time at which each came.
func kennel() schema.Source {
	ref, grooming := text("Stay No", schema.Order), number("Grooming £", schema.None, schema.Money)
	ref.Distinct, grooming.Scale, grooming.Blank = 600, 2, 40
	food := number("Food £", schema.None, schema.Money)
	food.Scale = 2
	return schema.Source{
		ID: "ds_kennel", Name: "kennel", Kind: schema.Sales, From: "rows", Rows: 600, First: "2024-01-03", Last: "2024-12-17",
		Columns: []schema.Column{
			ref, day("Came", schema.Day), {Heading: "At", Name: "c", Type: schema.Time, Role: schema.DayTime, Distinct: 9}, text("Owner", schema.Customer, "Ann Lee", "Bob Ray"),
			text("Breed", schema.None, "Poodle", "Boxer", "Collie"), text("Suburb", schema.None, "Hillside", "Lakeview"),
			text("Care Type", schema.None, "Boarding", "Daycare", "Walks"), text("Outcome", schema.Status, "Done", "Late", "No-show"),
			text("Owner From", schema.None, "Netherlands", "France"), number("Nights", schema.None, schema.Plain), number("Hrs", schema.None, schema.Plain),
			food, grooming, number("Total", schema.Revenue, schema.Money),
		},
	}
}

// TestBoundsOfTheWhole compares the figure of all rows with the number of a question of yes or no, and
// rows where the words are about any of them.
func TestBoundsOfTheWhole(t *testing.T) {
	for question, want := range map[string]string{
		"did we take over 5k in march":              "Revenue, with revenue above 5000, 2024-03-01 to 2024-03-31",
		"have we had more than 200 stays this year": "Orders, with orders above 200, 2024-01-01 to 2024-12-31",
		"has Ann Lee spent at least 300":            "Revenue, where Ann Lee, with revenue at least 300",
		"did Boxers bring in less than 2 grand":     "Revenue, where Boxer, with revenue below 2000",
		"did we do more than 100 hours in may":      "Total Hrs, with total Hrs above 100, 2024-05-01 to 2024-05-31",
		"is grooming more than food":                "Total Grooming £ and total Food £ and total Grooming £ less total Food £, with total Grooming £ above total Food £",
		"how many stays were over 400":              "Orders, where Total above 400",
		"which owners spent over 1000":              "Revenue by Owner, with revenue above 1000, highest first",
		"have Poodle takings gone over 900 in may":  "Revenue, where Poodle, with revenue above 900, 2024-05-01 to 2024-05-31",
	} {
		reads(t, kennel(), question, want)
	}
}

// TestFiguresBeside reads two figures in one question.
func TestFiguresBeside(t *testing.T) {
	for question, want := range map[string]string{
		"grooming next to food for every breed":                                  "Total Grooming £ and total Food £ by Breed, highest first",
		"takings by breed with number of stays alongside":                        "Orders and revenue by Breed, highest first by revenue",
		"grooming money per hour by breed":                                       "Total Grooming £ and total Hrs and total Grooming £ per total Hrs by Breed, highest first by total Grooming £ per total Hrs",
		"stays of a week or longer, how many were there and what did they bring": "Orders and revenue, where Nights at least 7",
		"Collie stays, how many and how much were they worth":                    "Orders and revenue, where Collie",
		"how many groomings did we do in june":                                   "Orders, where Grooming £ above 0, 2024-06-01 to 2024-06-30",
	} {
		reads(t, kennel(), question, want)
	}
}

// TestTwoSides sets times, values and amounts against each other.
func TestTwoSides(t *testing.T) {
	for question, want := range map[string]string{
		"8am vs 5pm, which gets more stays":        "Orders from 08:00 to 09:00 and orders from 17:00 to 18:00 and orders from 08:00 to 09:00 less orders from 17:00 to 18:00",
		"Poodles against the rest, takings":        "Revenue for Poodle and revenue without Poodle and revenue for Poodle less revenue without Poodle",
		"Dutch owners against French ones, nights": "Total Nights by Owner From, where Netherlands or France, highest first",
		"food vs grooming in may":                  "Total Food £ and total Grooming £ and total Food £ less total Grooming £, 2024-05-01 to 2024-05-31",
		"takings in the june quarter":              "Revenue, 2024-04-01 to 2024-06-30",
		"march qtr against september qtr, takings": "Revenue, 2024-07-01 to 2024-09-30, compared with 2024-01-01 to 2024-03-31",
	} {
		reads(t, kennel(), question, want)
	}
}

// TestStatesAcross splits by states that "and" or a comma joins beside other groups.
func TestStatesAcross(t *testing.T) {
	for question, want := range map[string]string{
		"done and late bookings by suburb":                "Different Stay No by Suburb and Outcome, where Done or Late, highest first",
		"for each breed how many done, late, no-show etc": "Orders by Breed and Outcome, highest first",
		"by suburb, how many done and how many late":      "Orders by Suburb and Outcome, where Done or Late, highest first",
		"done or late by suburb":                          "Orders by Suburb, where Done or Late, highest first",
		"takings, breed by suburb":                        "Revenue by Breed and Suburb, highest first",
	} {
		reads(t, kennel(), question, want)
	}
	if got, err := ask(t, "boarding and daycare takings by suburb", kennel()); err != nil || got.Certain {
		t.Errorf("%v, %v: want a reading in doubt, since it may be a sum", got.Plan, err)
	}
}

// TestKindsRanked ranks kinds of something, places by any word for one, and amounts by their price.
func TestKindsRanked(t *testing.T) {
	source := kennel()
	source.Columns = slices.DeleteFunc(source.Columns, func(c schema.Column) bool { return c.Heading == "Owner From" }) // a place, too
	for question, want := range map[string]string{
		"3 types of care that earn us least":       "Revenue by Care Type, lowest first, at most 3",
		"which 2 areas bring in the most grooming": "Total Grooming £ by Suburb, highest first, at most 2",
		"dearest grooming":                         "Highest Grooming £",
	} {
		reads(t, source, question, want)
	}
}
