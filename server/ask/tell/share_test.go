package tell_test

import (
	"strings"
	"testing"

	"svc/server/ask/tell"
)

// regions has rows without a region, a sixth of all sales.
const regions = `Order Date,Region,Total Sales
2024-01-05,North,300
2024-01-06,South,100
2024-01-07,East,200
2024-01-08,,120
`

// A share is of all rows with a region, whatever threshold the groups pass, and the answer
// says what is left out.
func TestSharesHaveTheSameWhole(t *testing.T) {
	s := open(t, regions)
	for _, question := range []string{
		"Which regions have sales above 250 and what share", "what share of sales is each region", "what share is each region",
		"share of sales by region", "what share of sales is North", "share of North",
	} {
		a, r := s.ask(t, question, tell.Options{Currency: "usd"})
		if len(r.Groups) == 0 || r.Groups[0].Share == nil || r.Groups[0].Share.FloatString(2) != "50.00" || !strings.Contains(a.Answer, "50 %") {
			t.Errorf("%q: got %s: %+v", question, a.Answer, r.Groups)
		}
		if !strings.Contains(a.Answer, "without Region") {
			t.Errorf("%q: no note on rows left out: %s", question, a.Answer)
		}
		if bad := tell.Grounded(a.Answer, tell.FiguresOf(r)); len(bad) > 0 {
			t.Errorf("not computed: %v in %q", bad, a.Answer)
		}
	}
}
