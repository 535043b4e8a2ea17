package read_test

import (
	"testing"

	"svc/server/schema"
)

// TestReturnedPieces reads words for what came back as the column of how many did, and refuses its worth.
func TestReturnedPieces(t *testing.T) {
	source := sales()
	back := number("Ret Qty", schema.None, schema.Plain)
	source.Columns = []schema.Column{day("Day", schema.Day), text("School", schema.Customer, "Hill", "Park"), number("Sent", schema.Quantity, schema.Count), back, number("Amount", schema.Revenue, schema.Money)}
	reads(t, source, "which school sends back the most", "Total Ret Qty by School, highest first, at most 1")
	if got, err := ask(t, "what did returns cost us", source); err == nil {
		t.Errorf("%+v, want a refusal", got.Plan)
	}
	if got, err := ask(t, "how much were the returned croissants worth", wholesale()); err == nil {
		t.Errorf("by its heading: %+v, want a refusal", got.Plan)
	}
}
