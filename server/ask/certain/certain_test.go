package certain_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"svc/server/ask/certain"
	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// sales is a source of sales with two columns of amounts, of which one is the takings.
func sales() schema.Source {
	text := func(heading string, role schema.Role, values ...string) schema.Column {
		return schema.Column{Heading: heading, Type: schema.Text, Role: role, Values: values, Distinct: int64(len(values))}
	}
	number := func(heading string, role schema.Role, unit schema.Unit) schema.Column {
		return schema.Column{Heading: heading, Type: schema.Number, Role: role, Unit: unit, Distinct: 400}
	}
	return schema.Source{
		ID: "ds_1", Name: "sales", Kind: schema.Sales, Rows: 1000, First: "2025-01-01", Last: "2026-03-31",
		Columns: []schema.Column{
			{Heading: "Date", Type: schema.Date, Role: schema.Day, Distinct: 400},
			text("Receipt", schema.Order), text("Item", schema.Product, "Latte", "Iced Latte", "Scone"), text("Shop", schema.Store, "Quay", "Hill"),
			text("Paid By", schema.Payment, "Card", "Cash"),
			number("Qty", schema.Quantity, schema.Count), number("Takings", schema.Revenue, schema.Money), number("Tip", schema.None, schema.Money),
		},
	}
}

// accounts reports whether the words of a question account for a plan.
func accounts(t *testing.T, question string, p plan.Plan) bool {
	t.Helper()
	return accountsOver(t, sales(), question, p)
}

// accountsOver is accounts over another source.
func accountsOver(t *testing.T, s schema.Source, question string, p plan.Plan) bool {
	t.Helper()
	p.Source = s.ID
	if err := plan.Check(p, s); err != nil {
		t.Fatalf("%q: %v", question, err)
	}
	day := func(text string) time.Time { out, _ := time.Parse(time.DateOnly, text); return out }
	q := certain.Question{Source: s, Tokens: link.Tokenize(question), Now: when.Now{Today: day(s.Last), First: day(s.First), Last: day(s.Last)}}
	var err error
	if q.Links, err = link.New(s).Mentions(t.Context(), q.Tokens); err != nil {
		t.Fatal(err)
	}
	words := make([]string, len(q.Tokens))
	for i, token := range q.Tokens {
		words[i] = token.Text
	}
	q.Times = when.Find(words, q.Now)
	return q.Accounts(p)
}

var (
	takings = []plan.Measure{{Metric: plan.Revenue}}
	march   = &plan.Period{From: "2026-03-01", To: "2026-03-31"}
	quay    = plan.Filter{Column: "Shop", Op: plan.In, Values: []string{"Quay"}}
)

// certainPlans are questions with the one plan that their words account for.
var certainPlans = map[string]plan.Plan{
	"takings":                               {Measures: takings},
	"how much did we take at Quay in March": {Measures: takings, Where: []plan.Filter{quay}, Period: march},
	"takings by shop this month":            {Measures: takings, By: []plan.Dimension{{Column: "Shop"}}, Period: march},
	"takings each month":                    {Measures: takings, By: []plan.Dimension{{Column: "Date", Part: plan.Month}}},
	"which shop had the lowest takings":     {Measures: takings, By: []plan.Dimension{{Column: "Shop"}}, Order: plan.Lowest, Limit: 1},
	"top 3 items by takings":                {Measures: takings, By: []plan.Dimension{{Column: "Item"}}, Order: plan.Highest, Limit: 3},
	"takings without cash":                  {Measures: takings, Where: []plan.Filter{{Column: "Paid By", Op: plan.NotIn, Values: []string{"Cash"}}}},
	"what share of takings is card":         {Measures: takings, Share: true, Part: []plan.Filter{{Column: "Paid By", Op: plan.In, Values: []string{"Card"}}}},
	"average takings per receipt":           {Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder}}},
	"average tip":                           {Measures: []plan.Measure{{Metric: plan.Average, Column: "Tip"}}},
	"how many scones did we sell":           {Measures: []plan.Measure{{Metric: plan.Units}}, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Scone"}}}},
	"how many items do we sell":             {Measures: []plan.Measure{{Metric: plan.Distinct, Column: "Item"}}},
	"takings in march vs february": {
		Measures: takings, Period: march, Compare: &plan.Period{From: "2026-02-01", To: "2026-02-28"},
	},
	"shops with takings over 500": {Measures: takings, By: []plan.Dimension{{Column: "Shop"}}, Having: []plan.Threshold{{Op: plan.More, Value: 500}}},
}

// TestAccounts accounts for the plans of questions, and for none that differs from them in one
// part.
func TestAccounts(t *testing.T) {
	for question, p := range certainPlans {
		if !accounts(t, question, p) {
			t.Errorf("%q does not account for its plan", question)
		}
		for name, change := range changes {
			changed := p
			if change(&changed); plan.Same(changed, p, sales()) {
				continue
			}
			if accounts(t, question, changed) {
				t.Errorf("%q accounts for a plan with %s", question, name)
			}
		}
	}
}

// TestDoubtsOtherMeanings doubts readings whose words account for the plan, and may mean something else.
func TestDoubtsOtherMeanings(t *testing.T) {
	without := func(s schema.Source, roles ...schema.Role) schema.Source {
		s.Columns = slices.DeleteFunc(slices.Clone(s.Columns), func(c schema.Column) bool { return slices.Contains(roles, c.Role) })
		return s
	}
	daily := sales()
	daily.Rows = daily.Columns[0].Distinct
	bought := sales()
	bought.Kind = schema.Purchases
	costed := sales()
	costed.Columns = append(costed.Columns, schema.Column{Heading: "Cost", Type: schema.Number, Role: schema.Cost, Unit: schema.Money, Distinct: 400})
	profit := plan.Plan{Measures: []plan.Measure{{Metric: plan.Profit}}, By: []plan.Dimension{{Column: "Shop"}}}
	if !accountsOver(t, costed, "profit by shop", profit) {
		t.Error("profit by shop is doubted")
	}
	taxed := costed
	taxed.Columns = slices.Clone(costed.Columns)
	taxed.Columns[slices.IndexFunc(taxed.Columns, func(c schema.Column) bool { return c.Role == schema.Revenue })].Heading = "Takings Inc VAT"
	for question, c := range map[string]struct {
		source schema.Source
		plan   plan.Plan
	}{
		"profit by shop":                    {taxed, profit},
		"average takings per receipt":       {daily, certainPlans["average takings per receipt"]},
		"average takings per order":         {without(sales(), schema.Order), certainPlans["average takings per receipt"]},
		"how many scones did we sell":       {bought, certainPlans["how many scones did we sell"]},
		"how much was paid for a card":      {sales(), plan.Plan{Measures: takings, Where: []plan.Filter{{Column: "Paid By", Op: plan.In, Values: []string{"Card"}}}}},
		"spend in march":                    {sales(), plan.Plan{Measures: takings, Period: march}},
		"shops with at least 3 takings":     {sales(), plan.Plan{Measures: takings, By: []plan.Dimension{{Column: "Shop"}}, Order: plan.Lowest, Limit: 3}},
		"which shop has takings on order":   {sales(), plan.Plan{Measures: takings, By: []plan.Dimension{{Column: "Shop"}}, Order: plan.Highest, Limit: 1}},
		"which items sold the most at Quay": {sales(), plan.Plan{Measures: []plan.Measure{{Metric: plan.Units}}, By: []plan.Dimension{{Column: "Shop"}}, Order: plan.Highest, Limit: 10}},
	} {
		if accountsOver(t, c.source, question, c.plan) {
			t.Errorf("%q is not doubted", question)
		}
	}
}

// TestDoubtsWhatVerbsCount doubts takings where a verb may say how many pieces there are.
func TestDoubtsWhatVerbsCount(t *testing.T) {
	p := plan.Plan{Measures: takings, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Scone"}}}}
	if accounts(t, "scones sold", p) {
		t.Error("scones sold are accounted for by their takings")
	}
}

// changes make another plan of one.
var changes = map[string]func(*plan.Plan){
	"another period": func(p *plan.Plan) { p.Period, p.Compare = &plan.Period{From: "2025-06-01", To: "2025-06-30"}, nil },
	"a condition more": func(p *plan.Plan) {
		p.Where = append(slices.Clone(p.Where), plan.Filter{Column: "Shop", Op: plan.In, Values: []string{"Hill"}})
	},
	"no condition": func(p *plan.Plan) { p.Where = nil },
	"groups more": func(p *plan.Plan) {
		if len(p.Part) == 0 {
			p.By = append(slices.Clone(p.By), plan.Dimension{Column: "Paid By"})
		}
	},
	"no threshold":   func(p *plan.Plan) { p.Having = nil },
	"no share":       func(p *plan.Plan) { p.Share, p.Part = false, nil },
	"no comparison":  func(p *plan.Plan) { p.Compare = nil },
	"another figure": func(p *plan.Plan) { p.Measures = []plan.Measure{{Metric: plan.Sum, Column: "Tip"}} },
	"the other end": func(p *plan.Plan) {
		if p.Limit > 0 {
			p.Order = p.Order.Opposite()
		}
	},
	"another limit": func(p *plan.Plan) {
		if p.Limit > 0 {
			p.Limit += 3
		}
	},
}

// TestAccountsForNoMore asks with a word that the plan does not have.
func TestAccountsForNoMore(t *testing.T) {
	for question, p := range certainPlans {
		for _, extra := range []string{"refrigerated", "before tax", "cumulative", "only on rainy days", "per employee", "not"} {
			if text := question + " " + extra; accounts(t, text, p) {
				t.Errorf("%q accounts for the plan without the last words", text)
			}
		}
	}
}

// TestDoubts asks what two people would read apart, over sources that make it so.
func TestDoubts(t *testing.T) {
	latte := plan.Plan{Measures: []plan.Measure{{Metric: plan.Units}}, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Latte"}}}}
	for question, p := range map[string]plan.Plan{
		"how many lattes did we sell": latte, // iced ones are lattes, too
		"top 3 items share of takings": {
			Measures: takings, By: []plan.Dimension{{Column: "Item"}}, Order: plan.Highest, Limit: 3, Share: true,
		},
		"takings this month, last month and the month before": {Measures: takings, Period: march, Compare: &plan.Period{From: "2026-02-01", To: "2026-02-28"}},
		"how many receipts without scones":                    {Measures: []plan.Measure{{Metric: plan.Orders}}, Where: []plan.Filter{{Column: "Item", Op: plan.NotIn, Values: []string{"Scone"}}}},
		"how many receipts with only scones":                  {Measures: []plan.Measure{{Metric: plan.Orders}}, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Scone"}}}},
		"do we sell scones every day":                         {Measures: []plan.Measure{{Metric: plan.Units}}, By: []plan.Dimension{{Column: "Date", Part: plan.Day}}, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Scone"}}}},
		"how many scones should we sell":                      {Measures: []plan.Measure{{Metric: plan.Units}}, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Scone"}}}},
		"how much do we make on " + strings.ToLower("SCONE"):  {Measures: []plan.Measure{{Metric: plan.Units}}, Where: []plan.Filter{{Column: "Item", Op: plan.In, Values: []string{"Scone"}}}},
	} {
		if accounts(t, question, p) {
			t.Errorf("%q is certain", question)
		}
	}
}

// BenchmarkAccounts accounts for a question of 120 words, each of which has a part in the plan.
func BenchmarkAccounts(b *testing.B) {
	s := sales()
	text := strings.TrimSpace(strings.Repeat("average takings by shop and item at quay and hill in march with card or cash over 500 top 3 ", 7))
	p := plan.Plan{
		Source: s.ID, Measures: []plan.Measure{{Metric: plan.Revenue, Per: plan.PerOrder}}, By: []plan.Dimension{{Column: "Shop"}, {Column: "Item"}},
		Where:  []plan.Filter{{Column: "Shop", Op: plan.In, Values: []string{"Quay", "Hill"}}, {Column: "Paid By", Op: plan.In, Values: []string{"Card", "Cash"}}},
		Having: []plan.Threshold{{Op: plan.More, Value: 500}}, Period: march, Order: plan.Highest, Limit: 3,
	}
	q := certain.Question{Source: s, Tokens: link.Tokenize(text), Now: when.Now{Today: time.Date(2026, 3, 31, 0, 0, 0, 0, time.UTC)}}
	q.Links, _ = link.New(s).Mentions(b.Context(), q.Tokens)
	words := make([]string, len(q.Tokens))
	for i, token := range q.Tokens {
		words[i] = token.Text
	}
	q.Times = when.Find(words, q.Now)
	for b.Loop() {
		q.Accounts(p)
	}
}
