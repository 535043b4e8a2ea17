package read_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/schema"
)

func oneOf[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// someOfThese returns n different ones.
func someOfThese[T any](r *rand.Rand, n int, of ...T) []T {
	of = slices.Clone(of)
	r.Shuffle(len(of), func(i, j int) { of[i], of[j] = of[j], of[i] })
	return of[:min(n, len(of))]
}

// randomSource returns a source of sales, or of rows without any standard role.
func randomSource(r *rand.Rand) schema.Source {
	s := schema.Source{ID: "ds_x", Name: "rows", Kind: schema.Sales, From: "rows", Rows: 5000, First: "2023-01-01", Last: "2024-12-18"}
	add := func(c schema.Column) { s.Columns = append(s.Columns, c) }
	if r.IntN(3) == 0 {
		s.Kind = schema.Other
	}
	add(schema.Column{Heading: oneOf(r, "Date", "Order Date", "Day"), Name: "c", Type: schema.Date, Role: schema.Day})
	if s.Kind == schema.Sales {
		add(text(oneOf(r, "Product", "Item", "Product Name"), schema.Product, "Oolong", "Earl Grey", "Rose Soap", "Oak Shelf", "Linen Towel"))
		add(number(oneOf(r, "Total", "Sales", "Revenue"), schema.Revenue, schema.Money))
		add(number(oneOf(r, "Quantity", "Units"), schema.Quantity, schema.Count))
		if r.IntN(2) == 0 {
			add(number("Cost", schema.Cost, schema.Money))
		}
		if r.IntN(2) == 0 {
			add(text("Order ID", schema.Order))
		}
		for _, c := range someOfThese(r, 2,
			text(oneOf(r, "Category", "Department"), schema.Category, "Teas", "Bath", "Furniture"), text(oneOf(r, "Store", "Branch"), schema.Store, "Harbour", "Mill Lane"),
			text("Customer", schema.Customer, "Ann Lee", "Bob Ray", "Cid Fox"), text("Payment Method", schema.Payment, "Cash", "Debit Card"), text("Region", schema.Region, "North", "South")) {
			add(c)
		}
	}
	for _, c := range someOfThese(r, 2,
		text("Fabric", schema.None, "Wool", "Denim", "Silk"), text("Grade", schema.None, "A1", "B2", "C3"), text("Vet", schema.None, "Dr Hale", "Dr Moss"), text("Bay", schema.None, "Bay 1", "Bay 2", "Bay 3")) {
		add(c)
	}
	for _, c := range someOfThese(r, 2,
		number("Weight", schema.None, schema.Plain), number("Horsepower", schema.None, schema.Plain), number("Delivery Fee", schema.None, schema.Money), number("Altitude", schema.None, schema.Plain)) {
		c.Scale = 2
		add(c)
	}
	return s
}

// randomPlan returns a plan of one of the shapes that Say says.
func randomPlan(r *rand.Rand, s schema.Source) plan.Plan {
	p := plan.Plan{Source: s.ID, Measures: []plan.Measure{randomMeasure(r, s)}}
	for range r.IntN(3) {
		p.Where = addRandom(p.Where, randomFilter(r, s))
	}
	if r.IntN(2) == 0 {
		p.Period = randomPeriod(r)
	}
	group := func(series bool) {
		if series {
			p.By = append(p.By, plan.Dimension{Column: s.Columns[0].Heading, Part: oneOf(r, plan.Day, plan.Week, plan.Month, plan.Quarter, plan.Year, plan.Weekday)})
			p.Order = plan.ByLabel
			return
		}
		p.By = append(p.By, plan.Dimension{Column: textColumn(r, s).Heading})
		p.Order = plan.Highest
	}
	switch r.IntN(14) {
	case 0: // a total
	case 1:
		group(true)
	case 2:
		group(false)
		p.Order = oneOf(r, plan.Highest, plan.Lowest)
	case 3:
		group(false)
		group(false)
	case 4: // a ranking
		group(false)
		p.Limit, p.Order = 1+r.IntN(9), oneOf(r, plan.Highest, plan.Lowest)
	case 5: // a share of each group
		group(false)
		p.Share, p.Where, p.Measures[0] = true, nil, additive(r, s)
	case 6: // a share of a value
		c := textColumn(r, s)
		p.Where, p.Measures[0] = nil, additive(r, s)
		p.Share, p.Part = true, []plan.Filter{{Column: c.Heading, Op: plan.In, Values: []string{oneOf(r, c.Values...)}}}
	case 7: // two periods
		month := time.Date(2023, time.Month(2+r.IntN(20)), 1, 0, 0, 0, 0, time.UTC)
		p.Period, p.Compare = monthOf(month), monthOf(month.AddDate(0, -1, 0))
	case 9: // two figures
		p.Measures, p.Where = distinctMeasures(r, s), nil
	case 10: // one figure set against another
		p.Measures, p.Where = distinctMeasures(r, s), nil
		if p.Measures[0].Metric.Countable() == p.Measures[1].Metric.Countable() {
			p.Derived = []plan.Derived{{Kind: oneOf(r, plan.Ratio, plan.Difference, plan.ShareOf, plan.Total), Of: 0, And: 1}}
		}
		if r.IntN(2) == 0 {
			group(false)
			p.OrderBy = 2 * len(p.Derived)
		}
	case 11: // a running total
		p.Measures[0] = additive(r, s)
		group(true)
		p.Derived = []plan.Derived{{Kind: plan.Running}}
	case 12: // how many different values
		p.By, p.Count, p.Measures[0] = []plan.Dimension{{Column: textColumn(r, s).Heading}}, true, plan.Measure{Metric: plan.Rows}
	case 13: // how many groups pass a bound
		group(false)
		p.Count, p.Order = true, ""
		p.Having = []plan.Threshold{{Op: oneOf(r, plan.More, plan.Less), Value: float64(100 * (1 + r.IntN(50)))}}
	case 8: // groups above a bound
		group(false)
		p.Having = []plan.Threshold{{Op: oneOf(r, plan.More, plan.Less, plan.AtLeast, plan.AtMost), Value: float64(100 * (1 + r.IntN(50)))}}
	}
	return p
}

// distinctMeasures returns two figures.
func distinctMeasures(r *rand.Rand, s schema.Source) []plan.Measure {
	if s.Kind == schema.Other {
		return []plan.Measure{{Metric: plan.Average, Column: s.Columns[len(s.Columns)-1].Heading}, {Metric: plan.Average, Column: s.Columns[len(s.Columns)-2].Heading}}
	}
	two := someOfThese(r, 2, plan.Revenue, plan.Units, plan.Profit, plan.Cost)
	return []plan.Measure{{Metric: two[0]}, {Metric: two[1]}}
}

// additive returns a figure of which parts are shares.
func additive(r *rand.Rand, s schema.Source) plan.Measure {
	if s.Kind == schema.Other {
		return plan.Measure{Metric: plan.Sum, Column: numberColumn(r, s).Heading}
	}
	return plan.Measure{Metric: oneOf(r, plan.Revenue, plan.Units, plan.Orders)}
}

// isOdd reports whether nobody would ask for a plan: a column by itself, or orders per order.
func isOdd(p plan.Plan) bool {
	m := p.Measures[0]
	of := func(d plan.Dimension) bool { return d.Column == m.Column }
	isCounted := func(f plan.Filter) bool { return p.Count && f.Column == p.By[0].Column }
	return slices.ContainsFunc(p.Where, isCounted) || len(p.By) == 2 && p.By[0] == p.By[1] || m.Metric == plan.Distinct && (slices.ContainsFunc(p.By, of) || slices.ContainsFunc(p.Where, func(f plan.Filter) bool { return f.Column == m.Column })) ||
		m.Metric == plan.Customers && slices.ContainsFunc(p.Where, func(f plan.Filter) bool { return f.Column == "Customer" }) || m.Metric == plan.Customers && slices.ContainsFunc(p.By, func(d plan.Dimension) bool { return d.Column == "Customer" }) ||
		m.Metric == plan.Orders && m.Per == plan.PerOrder
}

func addRandom(to []plan.Filter, f plan.Filter) []plan.Filter {
	if slices.ContainsFunc(to, func(have plan.Filter) bool { return have.Column == f.Column }) {
		return to
	}
	return append(to, f)
}

func textColumn(r *rand.Rand, s schema.Source) schema.Column {
	return oneOf(r, slices.DeleteFunc(slices.Clone(s.Columns), func(c schema.Column) bool { return c.Type != schema.Text || c.Role == schema.Order })...)
}

func numberColumn(r *rand.Rand, s schema.Source) schema.Column {
	return oneOf(r, slices.DeleteFunc(slices.Clone(s.Columns), func(c schema.Column) bool { return c.Type != schema.Number || c.Role != schema.None })...)
}

func randomMeasure(r *rand.Rand, s schema.Source) plan.Measure {
	if s.Kind == schema.Other || r.IntN(4) == 0 {
		if r.IntN(5) == 0 {
			return plan.Measure{Metric: plan.Distinct, Column: textColumn(r, s).Heading}
		}
		return plan.Measure{Metric: oneOf(r, plan.Sum, plan.Average, plan.Least, plan.Most), Column: numberColumn(r, s).Heading}
	}
	m := plan.Measure{Metric: oneOf(r, plan.Revenue, plan.Revenue, plan.Units, plan.Orders, plan.Profit, plan.Margin, plan.Cost, plan.Customers)}
	switch r.IntN(4) {
	case 0:
		m.Per = oneOf(r, "day", "week", "month", plan.PerOrder)
	}
	return m
}

func randomFilter(r *rand.Rand, s schema.Source) plan.Filter {
	switch r.IntN(5) {
	case 0:
		return plan.Filter{Column: numberColumn(r, s).Heading, Op: oneOf(r, plan.Less, plan.AtMost, plan.More, plan.AtLeast), Values: []string{fmt.Sprint(5 * (1 + r.IntN(30)))}}
	case 1:
		return plan.Filter{Column: s.Columns[0].Heading, Part: plan.Weekday, Op: plan.In, Values: oneOf(r, []string{"Monday"}, []string{"Saturday", "Sunday"})}
	case 2:
		c := textColumn(r, s)
		return plan.Filter{Column: c.Heading, Op: plan.NotIn, Values: []string{oneOf(r, c.Values...)}}
	case 3:
		c := textColumn(r, s)
		return plan.Filter{Column: c.Heading, Op: plan.In, Values: someOfThese(r, 2, c.Values...)}
	}
	c := textColumn(r, s)
	return plan.Filter{Column: c.Heading, Op: plan.In, Values: []string{oneOf(r, c.Values...)}}
}

func monthOf(day time.Time) *plan.Period {
	return &plan.Period{From: day.Format(time.DateOnly), To: day.AddDate(0, 1, -1).Format(time.DateOnly), Words: day.Format("January 2006")}
}

func randomPeriod(r *rand.Rand) *plan.Period {
	day := time.Date(2023, 1, 1+r.IntN(600), 0, 0, 0, 0, time.UTC)
	switch r.IntN(4) {
	case 0:
		return &plan.Period{From: day.Format(time.DateOnly), To: day.Format(time.DateOnly), Words: day.Format("2 January 2006")}
	case 1:
		to := day.AddDate(0, 0, 3+r.IntN(40))
		return &plan.Period{From: day.Format(time.DateOnly), To: to.Format(time.DateOnly), Words: day.Format("2 January 2006") + " to " + to.Format("2 January 2006")}
	case 2:
		return &plan.Period{From: "2023-01-01", To: "2023-12-31", Words: "2023"}
	}
	return monthOf(day.AddDate(0, 0, 1-day.Day()))
}

// asked returns a reading's plan without what the words do not ask for.
func asked(got read.Reading) plan.Plan {
	p := got.Plan
	p.Measures = p.Measures[:len(p.Measures)-got.Companions]
	return p
}

// What Say says is read as the plan that it says.
func TestReadsWhatIsSaid(t *testing.T) {
	said := 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := randomSource(r)
		reader := read.New([]schema.Source{s})
		for range 5 {
			p := randomPlan(r, s)
			if plan.Check(p, s) != nil || isOdd(p) {
				continue
			}
			phrase, ok := plan.Say(p, s)
			if !ok {
				continue
			}
			question, _ := plan.Question(p, s)
			for _, text := range []string{phrase, question} {
				said++
				got, err := reader.Read(text, today)
				switch {
				case err != nil:
					t.Errorf("%d %q\n   refused: %v", seed, text, err)
				case !plan.Same(asked(got), p, s):
					t.Errorf("%d %q\n   got  %s\n   want %s", seed, text, plan.Sentence(got.Plan, s), plan.Sentence(p, s))
				}
			}
		}
	}
	if said < 2500 {
		t.Errorf("%d questions were read, want at least 2500: too few shapes are said", said)
	}
}
