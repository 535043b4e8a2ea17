package tell_test

import (
	"strings"
	"testing"

	"svc/server/ask/tell"
)

// says asks questions of one file and looks for what their answers must hold.
func says(t *testing.T, file string, rows ...[2]string) {
	t.Helper()
	s := open(t, file)
	for _, row := range rows {
		a, _ := s.ask(t, row[0], tell.Options{})
		if !strings.Contains(a.Answer, row[1]) {
			t.Errorf("%q\n  is  %s\n  not %s", row[0], a.Answer, row[1])
		}
	}
}

// Half of what is sold is sold to nobody by name.
const walkIns = `Order Date,Product,Customer,Region,Quantity,Total Sales
2024-03-01,Tea,Ann,North,1,10.00
2024-03-02,Tea,,,1,30.00
2024-03-03,Mug,Bob,South,2,20.00
2024-03-04,Mug,,,1,40.00
2024-03-05,Tea,Bob,South,1,6.00
`

// What has no customer counts neither above nor below the line, and is told.
func TestBlanksAreLeftOutOnBothSides(t *testing.T) {
	says(t, walkIns,
		[2]string{"average spend per customer", "came to 18. 2 rows without Customer are left out, with 70 of revenue."},
		[2]string{"what share of sales is Bob", "Bob made up 72.22 % of revenue, which came to 36 in all. 2 rows without Customer are left out"},
		[2]string{"sales by product and region", "Together it is 36. 2 rows without Region are left out, with 70 of revenue."},
		[2]string{"total sales", "Revenue came to 106."},
	)
}
