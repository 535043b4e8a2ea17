package read_test

import "testing"

// TestDivided divides figures by what "per" and the like name, wherever it stands.
func TestDivided(t *testing.T) {
	for question, want := range map[string]string{
		"what do we charge per hour, by make":             "Revenue and total Labour Hrs and revenue per total Labour Hrs by Make, highest first by revenue per total Labour Hrs",
		"how much is gary earning an hour":                "Revenue and total Labour Hrs and revenue per total Labour Hrs, where Gary",
		"average spend per labour hour":                   "Revenue and total Labour Hrs and revenue per total Labour Hrs",
		"average parts per labour hour":                   "Total Parts and total Labour Hrs and total Parts per total Labour Hrs",
		"what do we make per job":                         "Average revenue per order",
		"parts as a percentage of the bill":               "Total Parts and revenue and total Parts in % of revenue",
		"parts as a percentage of the bill by mechanic":   "Total Parts and revenue and total Parts in % of revenue by Mechanic, highest first by total Parts in % of revenue",
		"labour % by make":                                "Total Labour and revenue and total Labour in % of revenue by Make, highest first by total Labour in % of revenue",
		"labour as a percentage of the total":             "Total Labour and revenue and total Labour in % of revenue",
		"which make has spend per labour hour above 40":   "Revenue and total Labour Hrs and revenue per total Labour Hrs by Make, with revenue per total Labour Hrs above 40, highest first by revenue per total Labour Hrs",
		"which make has the lowest labour percentage":     "Total Labour and revenue and total Labour in % of revenue by Make, lowest first by total Labour in % of revenue, at most 1",
		"which mechanic takes the most per job":           "Average revenue per order by Mechanic, highest first, at most 1",
		"what percent of the bill goes on parts, overall": "Total Parts and revenue and total Parts in % of revenue",
	} {
		reads(t, garage(), question, want)
	}
	for question, want := range map[string]string{
		"what are we getting per hour on punts": "Revenue and total Hours and revenue per total Hours, where Punt",
		"average cleaning fee per hire":         "Total Cleaning Fee and orders and total Cleaning Fee per orders",
		"average number of hours in a hire":     "Total Hours and orders and total Hours per orders",
	} {
		reads(t, boats(), question, want)
	}
}

// TestDividedByKeys averages over what each row has one of, beside the groups of other words.
func TestDividedByKeys(t *testing.T) {
	for question, want := range map[string]string{
		"stock per sku by range":                   "Average stock per SKU by Range, highest first",
		"average stock per plant, for each grower": "Average stock per Plant by Grower, highest first",
		"stock by grower and range":                "Stock by Grower and Range, highest first",
	} {
		reads(t, nursery(), question, want)
	}
}

// TestMediansOfLines takes each row by itself where the words say so.
func TestMediansOfLines(t *testing.T) {
	for question, want := range map[string]string{
		"median line value":      "Median revenue per row",
		"median order value":     "Median revenue per order",
		"median value of a line": "Median revenue per row",
		"average line value":     "Average revenue per row",
	} {
		reads(t, sales(), question, want)
	}
}
