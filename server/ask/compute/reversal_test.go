package compute_test

import (
	"strings"
	"testing"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// reversed has an order that was cancelled, one that was refunded, one that was refunded in
// part, and a return. The refunds of the first two must not count twice.
const reversed = `Order ID,Order Date,Product,Customer,Quantity,Total Sales,Cost,Order State,Returned Money
1,2024-01-05,Tea,Ann,1,10.00,4.00,paid,
2,2024-01-06,Tea,Bob,2,20.00,8.00,refunded,20.00
3,2024-01-07,Mug,Cid,1,40.00,10.00,cancelled,40.00
4,2024-02-01,Mug,Ann,2,80.00,20.00,partially refunded,5.50
4,2024-02-01,Tea,Ann,1,10.00,4.00,partially refunded,
5,2024-02-03,Cup,Dan,1,7.00,3.00,paid,
6,2024-02-04,Cup,Dan,-1,-7.00,-3.00,paid,
`

// openReversed returns the source with the rules that an import would find.
func openReversed(t *testing.T) (schema.Source, compute.Table) {
	t.Helper()
	s, file := open(t, reversed)
	for i := range s.Columns {
		switch s.Columns[i].Heading {
		case "Returned Money":
			s.Columns[i].Role = schema.Refund
		case "Order State":
			s.Columns[i].Role = schema.Status
		}
	}
	s.Reversals = []schema.Reversal{
		{Kind: schema.CancelledSale, Column: "Order State", Values: []string{"cancelled"}, Rows: 1},
		{Kind: schema.RefundedSale, Column: "Order State", Values: []string{"refunded"}, Rows: 1},
		{Kind: schema.RefundPart, Column: "Returned Money", Rows: 3, Counts: []int64{1}, Whole: true},
		{Kind: schema.Return, Column: "Quantity", Rows: 1},
	}
	return s, file
}

func TestNetOfRefundsAndCancellations(t *testing.T) {
	monthly := []plan.Dimension{{Column: "Order Date", Part: plan.Month}}
	for name, row := range map[string]struct {
		plan plan.Plan
		want string
	}{
		"each is subtracted once":             {plan.Plan{Measures: of(plan.Revenue, plan.Cost, plan.Profit, plan.Units)}, "94.5 28 66.5 4"},
		"margin":                              {plan.Plan{Measures: of(plan.Margin)}, "70.3704"},
		"orders that were made":               {plan.Plan{Measures: of(plan.Orders)}, "4"},
		"customers":                           {plan.Plan{Measures: of(plan.Customers)}, "3"},
		"average order":                       {plan.Plan{Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder}}}, "33.8333"},
		"gross":                               {plan.Plan{Measures: of(plan.Gross)}, "167"},
		"refunds, by the column":              {plan.Plan{Measures: of(plan.Refunds)}, "65.5"},
		"refund rate":                         {plan.Plan{Measures: of(plan.RefundRate)}, "39.2216"},
		"refunded orders":                     {plan.Plan{Measures: of(plan.RefundedOrders)}, "4"},
		"return rate, by orders":              {plan.Plan{Measures: of(plan.ReturnRate)}, "80"},
		"cancelled orders and their value":    {plan.Plan{Measures: of(plan.CancelledOrders, plan.Cancellations)}, "1 40"},
		"cancellation rate":                   {plan.Plan{Measures: of(plan.CancellationRate)}, "20"},
		"no cancellation is a figure":         {plan.Plan{Measures: of(plan.Cancellations, plan.CancelledOrders), Period: month(2)}, "0 0"},
		"gross beside net":                    {plan.Plan{Measures: of(plan.Gross, plan.Revenue), By: monthly}, "2024-01 70 10; 2024-02 97 84.5"},
		"only what was sold makes a group":    {plan.Plan{Measures: of(plan.Revenue), By: by("Customer")}, "Ann 94.5; Dan 0"},
		"an order's refund is of no product":  {plan.Plan{Measures: of(plan.Revenue), By: by("Product")}, "Mug 80; Tea 20; Cup 0"},
		"refunds of products by their rows":   {plan.Plan{Measures: of(plan.Refunds), By: by("Product")}, "Tea 20; Cup 7"},
		"a state that is asked for":           {plan.Plan{Measures: of(plan.Revenue), Where: in("Order State", "cancelled")}, "40"},
		"another state changes nothing":       {plan.Plan{Measures: of(plan.Revenue), Where: in("Order State", "paid")}, "10"},
		"states as groups":                    {plan.Plan{Measures: of(plan.Units), By: by("Order State")}, "partially refunded 3; refunded 2; cancelled 1; paid 1"},
		"a price change is of what stands":    {plan.Plan{Measures: of(plan.Revenue), WhatIf: []plan.WhatIf{{Change: plan.Price, Percent: 10}}}, "103.95"},
		"a refund does not undo a customer":   {plan.Plan{Measures: of(plan.NewCustomers), By: monthly}, "2024-01 2; 2024-02 1"},
		"a day of the last order that stands": {plan.Plan{Measures: of(plan.LastDay)}, "-2024-02-03"},
		"rows are all rows":                   {plan.Plan{Measures: of(plan.Rows)}, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			s, file := openReversed(t)
			for _, rows := range []int64{s.Rows, 1_000_000} { // added up first if they are many
				s.Rows, row.plan.Source = rows, s.ID
				r, err := compute.Run(t.Context(), file, s, row.plan)
				if err != nil {
					t.Fatal(err)
				}
				if got := formatGroups(r); got != row.want {
					t.Errorf("%d rows: %s, want %s\n%s", rows, got, row.want, r.SQL)
				}
			}
		})
	}
}

func TestReturnsWithAmountsAboveZero(t *testing.T) {
	s, file := open(t, strings.ReplaceAll(reversed, "-7.00,-3.00", "7.00,3.00"))
	s.Reversals = []schema.Reversal{{Kind: schema.Return, Column: "Quantity", Rows: 1, Unsigned: true}}
	r, err := compute.Run(t.Context(), file, s, plan.Plan{Source: s.ID, Measures: of(plan.Revenue, plan.Cost, plan.Profit, plan.Units, plan.Refunds)})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := formatGroups(r), "160 46 114 7 7"; got != want {
		t.Errorf("%s, want %s\n%s", got, want, r.SQL)
	}
}
