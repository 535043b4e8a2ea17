package plan_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// source returns a source whose columns have their roles as headings.
func source(kind schema.Kind, columns ...schema.Column) schema.Source {
	return schema.Source{ID: "ds_1", Name: "shop", Kind: kind, Columns: columns, Rows: 100}
}

func text(r schema.Role) schema.Column {
	return schema.Column{Heading: string(r), Name: "t_" + string(r), Type: schema.Text, Role: r}
}

func amount(r schema.Role, u schema.Unit) schema.Column {
	return schema.Column{Heading: string(r), Name: "n_" + string(r), Type: schema.Number, Scale: 2, Unit: u, Role: r}
}

func day() schema.Column {
	return schema.Column{Heading: "date", Name: "d", Type: schema.Date, Role: schema.Day}
}

// shown returns a formula with the headings of its columns.
func shown(f plan.Formula) string {
	side := func(a plan.Aggregate) string {
		var terms []string
		for _, t := range a.Terms {
			var names []string
			for _, c := range t.Factors {
				names = append(names, c.Heading)
			}
			sign := ""
			if t.Minus {
				sign = "-"
			}
			terms = append(terms, sign+strings.Join(names, "*"))
		}
		return string(a.Fold) + "(" + strings.Join(terms, " ") + ")"
	}
	if f.Bottom == nil {
		return side(f.Top)
	}
	return side(f.Top) + "/" + side(*f.Bottom)
}

func TestFormulaTakesTheMostDirectColumns(t *testing.T) {
	price, quantity := amount(schema.Price, schema.Money), amount(schema.Quantity, schema.Count)
	revenue, cost := amount(schema.Revenue, schema.Money), amount(schema.Cost, schema.Money)
	margin := amount(schema.Margin, schema.Percent)
	for _, row := range []struct {
		columns []schema.Column
		measure plan.Measure
		want    string
	}{
		{[]schema.Column{price, quantity, revenue}, plan.Measure{Metric: plan.Revenue}, "sum(revenue)"},
		{[]schema.Column{price, quantity}, plan.Measure{Metric: plan.Revenue}, "sum(price*quantity)"},
		{[]schema.Column{amount(schema.Gross, schema.Money), amount(schema.Discount, schema.Money)}, plan.Measure{Metric: plan.Revenue}, "sum(gross -discount)"},
		{[]schema.Column{amount(schema.Gross, schema.Money), amount(schema.Discount, schema.Percent)}, plan.Measure{Metric: plan.Revenue}, "sum(gross -gross*discount)"},
		{[]schema.Column{price, quantity, amount(schema.Discount, schema.Money)}, plan.Measure{Metric: plan.Revenue}, "sum(price*quantity -discount)"},
		{[]schema.Column{price, quantity, amount(schema.Discount, schema.Percent)}, plan.Measure{Metric: plan.Revenue}, "sum(price*quantity -price*quantity*discount)"},
		{[]schema.Column{price, quantity, revenue, amount(schema.Discount, schema.Percent)}, plan.Measure{Metric: plan.Revenue}, "sum(revenue)"},
		{[]schema.Column{price, quantity, cost, amount(schema.Discount, schema.Money)}, plan.Measure{Metric: plan.Profit}, "sum(price*quantity -discount -cost)"},
		{[]schema.Column{price, quantity, amount(schema.Discount, schema.Percent)}, plan.Measure{Metric: plan.AveragePrice}, "sum(price*quantity -price*quantity*discount)/sum(quantity)"},
		{[]schema.Column{revenue, cost}, plan.Measure{Metric: plan.Profit}, "sum(revenue -cost)"},
		{[]schema.Column{revenue, margin}, plan.Measure{Metric: plan.Profit}, "sum(revenue*margin)"},
		{[]schema.Column{revenue, cost}, plan.Measure{Metric: plan.Margin}, "sum(revenue -cost)/sum(revenue)"},
		{[]schema.Column{margin}, plan.Measure{Metric: plan.Margin}, "mean(margin)"},
		{[]schema.Column{price, quantity}, plan.Measure{Metric: plan.AveragePrice}, "sum(price*quantity)/sum(quantity)"},
		{[]schema.Column{text(schema.Product)}, plan.Measure{Metric: plan.Units}, "rows()"},
		{[]schema.Column{text(schema.Order)}, plan.Measure{Metric: plan.Orders}, "distinct(order)"},
		{[]schema.Column{revenue}, plan.Measure{Metric: plan.Revenue, Per: plan.PerOrder}, "sum(revenue)/rows()"},
		{[]schema.Column{revenue, day()}, plan.Measure{Metric: plan.Revenue, Per: "month"}, "sum(revenue)/distinct(date)"},
		{[]schema.Column{revenue, text(schema.Customer)}, plan.Measure{Metric: plan.Revenue, Per: "customer"}, "sum(revenue)/distinct(customer)"},
	} {
		f, err := plan.FormulaOf(source(schema.Sales, row.columns...), row.measure)
		if err != nil || shown(f) != row.want {
			t.Errorf("%+v: %s %v, want %s", row.measure, shown(f), err, row.want)
		}
	}
}

func TestFormulaNamesMissingColumns(t *testing.T) {
	s := source(schema.Sales, amount(schema.Revenue, schema.Money))
	for metric, want := range map[plan.Metric]string{
		plan.Profit: "profit needs a column of costs, profits or margins", plan.Customers: "customers needs a column of customers",
		plan.StockValue: "stock value needs columns of stock on hand and of costs or prices",
	} {
		_, err := plan.FormulaOf(s, plan.Measure{Metric: metric})
		var missing *plan.Missing
		if !errors.As(err, &missing) || err.Error() != want {
			t.Errorf("%s: %v", metric, err)
		}
	}
	stock := source(schema.Stocklist, text(schema.Product), amount(schema.Stock, schema.Count))
	if _, err := plan.FormulaOf(stock, plan.Measure{Metric: plan.Orders}); err == nil {
		t.Error("a stock list has orders, want an error")
	}
}

func TestMetricsHaveTitlesAndOneRole(t *testing.T) {
	titles, roles := map[string]bool{}, map[plan.Metric]bool{}
	for _, m := range plan.Metrics {
		if titles[m.Title()] || m.Title() == "" {
			t.Errorf("%s: got title %q", m, m.Title())
		}
		titles[m.Title()] = true
	}
	for _, r := range []schema.Role{schema.Revenue, schema.Quantity, schema.Profit, schema.Margin, schema.Cost, schema.Discount, schema.Tax, schema.Shipping, schema.Stock, schema.Incoming} {
		m, ok := plan.MetricOf(r)
		if !ok || roles[m] {
			t.Errorf("%s: got metric %q", r, m)
		}
		roles[m] = true
	}
	if m, ok := plan.MetricOf(schema.None); ok {
		t.Errorf("no role: got metric %q", m)
	}
}

// good returns a plan that fits the source of TestCheck.
func good() plan.Plan {
	return plan.Plan{
		Source:   "ds_1",
		Measures: []plan.Measure{{Metric: plan.Revenue}},
		By:       []plan.Dimension{{Column: "product"}},
		Where:    []plan.Filter{{Column: "product", Op: plan.In, Values: []string{"Tea"}}},
		Period:   &plan.Period{From: "2024-01-01", To: "2024-01-31", Words: "January 2024"},
		Order:    plan.Highest,
		Limit:    3,
	}
}

func TestCheck(t *testing.T) {
	s := source(schema.Sales, day(), text(schema.Product), amount(schema.Revenue, schema.Money))
	if err := plan.Check(good(), s); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*plan.Plan){
		"another source":       func(p *plan.Plan) { p.Source = "ds_2" },
		"no measure":           func(p *plan.Plan) { p.Measures = nil },
		"unknown metric":       func(p *plan.Plan) { p.Measures[0].Metric = "happiness" },
		"figure without data":  func(p *plan.Plan) { p.Measures[0].Metric = plan.Profit },
		"unknown column":       func(p *plan.Plan) { p.By[0].Column = "rows; DROP TABLE rows" },
		"hour of a day":        func(p *plan.Plan) { p.By[0] = plan.Dimension{Column: "date", Part: plan.Hour} },
		"filter without value": func(p *plan.Plan) { p.Where[0].Values = nil },
		"unknown comparison":   func(p *plan.Plan) { p.Where[0].Op = "like" },
		"text for a number": func(p *plan.Plan) {
			p.Where[0] = plan.Filter{Column: "revenue", Op: plan.More, Values: []string{"1 OR 1"}}
		},
		"no such weekday": func(p *plan.Plan) {
			p.Where[0] = plan.Filter{Column: "date", Part: plan.Weekday, Op: plan.In, Values: []string{"Funday"}}
		},
		"period backwards":     func(p *plan.Plan) { p.Period.To = "2023-12-31" },
		"no day":               func(p *plan.Plan) { p.Period.From = "2024-02-31" },
		"comparison only":      func(p *plan.Plan) { p.Compare, p.Period = p.Period, nil },
		"growth of one period": func(p *plan.Plan) { p.Order = plan.Grown },
		"limit":                func(p *plan.Plan) { p.Limit = 100_000 },
		"no such measure":      func(p *plan.Plan) { p.Having = []plan.Threshold{{Measure: 1, Op: plan.More}} },
		"three dimensions":     func(p *plan.Plan) { p.By = append(p.By, p.By[0], p.By[0]) },
	} {
		p := good()
		if spoil(&p); plan.Check(p, s) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCheckRequiresTheDayOfStockWithSales(t *testing.T) {
	s := source(schema.Stocklist, text(schema.Product), amount(schema.Stock, schema.Count))
	s.SoldFirst, s.SoldLast = "2024-01-01", "2024-03-31"
	p := plan.Plan{Source: s.ID, Measures: []plan.Measure{{Metric: plan.StockUnits}}}
	if plan.Check(p, s) == nil {
		t.Error("without a day: no error")
	}
	if p.Day = "2024-03-31"; plan.Check(p, s) != nil {
		t.Error("with a day: refused")
	}
}

func TestPlanSurvivesJSON(t *testing.T) {
	p := good()
	p.WhatIf = []plan.WhatIf{{Change: plan.Price, Percent: 5}}
	body, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back plan.Plan
	if err := json.Unmarshal(body, &back); err != nil || !reflect.DeepEqual(p, back) {
		t.Errorf("got %+v, %v from %s", back, err, body)
	}
}

func TestSchemaListsHeadingsAndMetricsOfTheSource(t *testing.T) {
	s := source(schema.Sales, day(), text(schema.Product), amount(schema.Revenue, schema.Money))
	body, err := plan.Schema(s)
	if err != nil || !json.Valid(body) {
		t.Fatalf("%v: %s", err, body)
	}
	if got := string(body); !strings.Contains(got, `"enum":["ds_1"]`) || !strings.Contains(got, `"product"`) || strings.Contains(got, `"profit"`) {
		t.Errorf("%s", got)
	}
}

func TestSentence(t *testing.T) {
	s := source(schema.Sales, day(), text(schema.Product), amount(schema.Revenue, schema.Money))
	want := "Revenue by product from shop, where Tea, 2024-01-01 to 2024-01-31, highest first, at most 3."
	if got := plan.Sentence(good(), s); got != want {
		t.Errorf("%s", got)
	}
}

// TestStockOfPacks values packs by what they hold, and not at all where nothing tells it.
func TestStockOfPacks(t *testing.T) {
	named := func(heading string, r schema.Role) schema.Column {
		return schema.Column{Heading: heading, Type: schema.Number, Role: r}
	}
	stock, cost, content := named("Sacks on Hand", schema.Stock), named("Cost £/kg", schema.UnitCost), named("kg per Sack", schema.None)
	for _, c := range []struct {
		columns []schema.Column
		factors int // 0: it cannot be said
	}{
		{[]schema.Column{stock, cost, content}, 3},
		{[]schema.Column{stock, cost}, 0},
		{[]schema.Column{stock, cost, named("kg per Pallet", schema.None)}, 0},
		{[]schema.Column{stock, named("Cost per Sack", schema.UnitCost), content}, 2},
		{[]schema.Column{named("Stock", schema.Stock), cost, content}, 2},
	} {
		terms, ok := plan.Terms(source(schema.Stocklist, c.columns...), plan.StockValue)
		if ok != (c.factors > 0) || ok && len(terms[0].Factors) != c.factors {
			t.Errorf("%s: got %v, want %d factors", c.columns[1].Heading, terms, c.factors)
		}
	}
}
