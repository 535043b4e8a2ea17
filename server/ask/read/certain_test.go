package read_test

import (
	"testing"

	"svc/server/schema"
)

// TestReadingsThatAreCertain asks questions of which the words account for the plan, and others
// whose words call for more: their reading is loose, or they are refused.
func TestReadingsThatAreCertain(t *testing.T) {
	for question, sure := range map[string]bool{
		"online vs in-store":                                    true,
		"is online better than in-store":                        true,
		"did sales in 2024 beat 2023":                           true,
		"jumper vs shoes":                                       false,
		"are weekends better than weekdays":                     true,
		"revenue of weekends vs weekdays per day":               true,
		"which products are growing":                            false,
		"which product grew most in november":                   false,
		"which products sold more than 100 units":               true,
		"revenue per day":                                       true,
		"average sale per day in texas":                         false,
		"average revenue weekdays vs weekends":                  true,
		"median order value":                                    true,
		"running total of revenue by month":                     true,
		"total profit of the top 3 retailers":                   false,
		"top 3 retailers by total profit":                       true,
		"how much of profit comes from the top 3 states":        false,
		"is online growing faster than in-store":                false,
		"share of the top 3 states":                             false,
		"sell through":                                          false,
		"what day do we sell most":                              false,
		"how many wool jumpers did we sell":                     true,
		"how many days of wool jumpers left":                    false,
		"revenue on 29 february 2024":                           true,
		"revenue on 29 february 2023":                           false,
		"revenue on 31 april 2024":                              false,
		"ratings below 3 by retailer":                           false,
		"what is coming in a month from orders":                 false,
		"sales this week and last week and the week before":     false,
		"our discounts by product":                              false,
		"sales of wool jumpers and what share":                  false,
		"in which weeks did more than 5 wool jumpers come back": false,
		"average price by product":                              true,
		"sales by month":                                        true,
		"profit margin of walmart in texas":                     true,
	} {
		got, err := ask(t, question, []schema.Source{sales()}...)
		if isSure := err == nil && got.Certain && len(got.Unused) == 0; isSure != sure {
			t.Errorf("%q: sure is %v, want %v (%v, %v)", question, isSure, sure, got.Plan, err)
		}
	}
}
