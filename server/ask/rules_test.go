package ask_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// takings are n equal sales on each of some days; amounts are in cents.
type takings struct {
	from      string
	days, n   int
	revenue   int64
	cost      int64
	lastExtra int64 // added to the last sale
}

func (s takings) lines() string {
	first, err := time.Parse(time.DateOnly, s.from)
	if err != nil {
		panic(err)
	}
	var b strings.Builder
	for i := range s.days * s.n {
		amount := s.revenue
		if i == s.days*s.n-1 {
			amount += s.lastExtra
		}
		fmt.Fprintf(&b, "%s,Tea,%s,%s\n", first.AddDate(0, 0, i/s.n).Format(time.DateOnly), cents(amount), cents(s.cost))
	}
	return b.String()
}

func takingsFile(all ...takings) string {
	text := "Date,Product,Revenue,Cost\n"
	for _, s := range all {
		text += s.lines()
	}
	return text
}

func TestAskConfidence(t *testing.T) {
	dbtest.Sequential(t)
	full := takings{"2026-01-01", 60, 1, 1000, 400, 0} // until 1 March, the day before today
	for _, row := range []struct {
		name, file, question, want string
	}{
		{"AllComputed", takingsFile(full), "What is our revenue?", "high"},
		{"AllOfAMonth", takingsFile(takings{"2026-01-01", 60, 2, 1000, 400, 0}), "What were our sales last month?", "high"},
		{"TwoMonths", takingsFile(takings{"2026-01-01", 60, 2, 1000, 400, 0}), "How did last month do against the month before?", "high"},
		{"ThirtyRows", takingsFile(takings{"2026-01-31", 30, 1, 1000, 400, 0}), "What is our revenue?", "high"},
		{"FewRows", takingsFile(takings{"2026-02-01", 29, 1, 1000, 400, 0}), "What is our revenue?", "medium"},
		{"FewOfAMonth", takingsFile(full), "What were our sales last month?", "medium"},
		{"PartOfTheMonth", takingsFile(takings{"2026-01-10", 51, 2, 1000, 400, 0}), "What were our sales in January 2026?", "medium"},
		{"CurrentMonth", takingsFile(takings{"2026-01-01", 60, 40, 1000, 400, 0}), "What are our sales this month?", "medium"},
		{"TwoDaysOld", takingsFile(takings{"2026-01-01", 59, 2, 1000, 400, 0}), "What were our sales last month?", "high"},
		{"StaleDataForAPastMonth", takingsFile(takings{"2026-01-01", 59, 2, 1000, 400, 0}), "What were our sales in January 2026?", "high"},
		{"Simulated", takingsFile(full), "What would revenue be if we raise prices 5 %?", "medium"},
		{"NoRows", takingsFile(full), "What were our sales in 2019?", "low"},
		{"NotUnderstood", takingsFile(full), "What about flibbertigibbets?", "low"},
		{"NotThere", takingsFile(full), "What is our revenue by region?", "low"},
		{"Forecast", takingsFile(full), "What will our sales be next month?", "low"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBooks(t, db.Business)
			b.importFile(t, "sales.csv", row.file)
			if r := b.ask(t, row.question); r.Confidence != row.want {
				t.Errorf("%s, want %s: %q", r.Confidence, row.want, r.Answer)
			}
		})
	}
}

// The rules of H9 hold to the cent.
func TestAskVerdict(t *testing.T) {
	dbtest.Sequential(t)
	const compare = "How did last month do against the month before?"
	january := takings{"2026-01-01", 31, 1, 1000, 400, 0}
	february := func(sum int64) takings { // of 28 sales
		return takings{"2026-02-01", 28, 1, 1000, 400, sum - 28_000}
	}
	for _, row := range []struct {
		name, file, question, want string
		figures                    []int64 // in hundredths, of the sentence
	}{
		{"DropOfMoreThanTen", takingsFile(january, february(27_899)), compare, "act", []int64{1000}},
		{"DropOfHalf", takingsFile(january, february(15_500)), compare, "act", []int64{5000}},
		{"DropOfTen", takingsFile(january, february(27_900)), compare, "watch", []int64{1000}},
		{"DropOfThree", takingsFile(january, february(30_070)), compare, "watch", []int64{300}},
		{"DropOfLess", takingsFile(january, february(30_071)), compare, "", nil},
		{"NoChange", takingsFile(january, february(31_000)), compare, "", nil},
		{"Rise", takingsFile(january, february(62_000)), compare, "", nil},
		{"DropOverFewRows", takingsFile(takings{"2026-01-03", 29, 1, 1000, 400, 0}, february(15_500)), compare, "", nil},
		{"RiseOfCosts", takingsFile(takings{"2026-01-01", 31, 1, 1000, 200, 0}, february(31_000)), "How did costs change last month against the month before?", "act", nil},
		{"FallOfCosts", takingsFile(takings{"2026-01-01", 31, 1, 1000, 800, 0}, february(31_000)), "How did costs change last month against the month before?", "", nil},
		{"Loss", takingsFile(takings{"2026-01-01", 60, 1, 300, 400, 0}), "What is our profit?", "problem", []int64{6000}},
		{"LossOfACent", takingsFile(takings{"2026-01-01", 60, 1, 400, 400, -1}), "What is our profit?", "problem", []int64{1}},
		{"NoProfit", takingsFile(takings{"2026-01-01", 60, 1, 400, 400, 0}), "What is our profit?", "", nil},
		{"Profit", takingsFile(takings{"2026-01-01", 60, 1, 500, 400, 0}), "What is our profit?", "", nil},
		{"LossOfAGroup", csvFile(makeLines("2026-01-01", 60)), "What is our profit by product?", "problem", []int64{2700}},
		{"RevenueAtALoss", takingsFile(takings{"2026-01-01", 60, 1, 300, 400, 0}), "What is our revenue?", "", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := newBooks(t, db.Business)
			b.importFile(t, "sales.csv", row.file)
			r := b.ask(t, row.question)
			if r.verdict() != row.want || r.Confidence == "low" {
				t.Fatalf("%q, want %q: %q", r.verdict(), row.want, r.Answer)
			}
			if r.Verdict == nil {
				return
			}
			reply{Answer: *r.VerdictSentence}.expectFigures(t, row.figures...)
			if len(r.Recommendations) == 0 {
				t.Error("nothing is recommended")
			}
			for _, one := range r.Recommendations { // each must cite a figure of the answer
				cited := numbersOf(one)
				if !slices.ContainsFunc(cited, func(n string) bool { return slices.Contains(numbersOf(r.Answer+" "+*r.VerdictSentence), n) }) {
					t.Errorf("%q cites no figure of %q", one, r.Answer)
				}
			}
		})
	}
}

func TestAskVerdictOnStock(t *testing.T) {
	b := newBooks(t, db.Business)
	b.plantStock(t)
	for question, want := range map[string]string{
		"What is out of stock?":              "problem",
		"What should we reorder?":            "act",
		"What is our stock worth?":           "",
		"Which product have we got most of?": "",
	} {
		r := b.ask(t, question)
		if r.verdict() != want || r.Confidence != "high" {
			t.Errorf("%s: %q, %s, want %q: %q", question, r.verdict(), r.Confidence, want, r.Answer)
		}
	}
}

// question is about makeLines' sales; figures are those of its answer, in hundredths.
type question struct {
	question string
	figures  []int64
}

// questions returns questions about lines with figures that are computed here.
func questions(lines []line) []question {
	one := func(line) int64 { return 1 }
	units := func(l line) int64 { return l.units }
	revenue := func(passes func(line) bool) int64 { return total(lines, line.revenue, passes) }
	profit := func(passes func(line) bool) int64 { return total(lines, line.profit, passes) }
	threefold := func(passes func(line) bool) []int64 {
		return []int64{revenue(passes), profit(passes), 100 * total(lines, units, passes)}
	}
	percent := func(part, whole int64) int64 { return rounded(big.NewRat(part*10_000, whole)) }
	mean := func(sum, n int64) int64 { return rounded(big.NewRat(sum, n)) }
	january, february, all := in("2026-01"), in("2026-02"), everyLine
	tea := func(l line) bool { return l.group == "Tea" }
	north := func(l line) bool { return l.region == "North" }
	cost := revenue(all) - profit(all)
	drop := revenue(january) - revenue(february)
	return []question{
		{"What is our revenue?", threefold(all)},
		{"What were our sales last month?", threefold(february)},
		{"What were our sales in January 2026?", threefold(january)},
		{"How much did we sell on 5 January 2026?", threefold(in("2026-01-05"))},
		{"sales yesterday", threefold(in("2026-03-01"))},
		{"What is our profit?", []int64{profit(all)}},
		{"What is our margin?", []int64{percent(profit(all), revenue(all))}},
		{"What was our margin in January 2026?", []int64{percent(profit(january), revenue(january))}},
		{"How many units did we sell?", []int64{100 * total(lines, units, all)}},
		{"How many units of Assam did we sell last month?", []int64{100 * total(lines, units, func(l line) bool { return february(l) && tea(l) })}},
		{"What is the revenue of Assam?", threefold(of("Assam"))},
		{"What is our average order value?", []int64{mean(revenue(all), total(lines, one, all))}},
		{"What is the share of Tea?", []int64{percent(revenue(tea), revenue(all)), revenue(all)}},
		{"What share of revenue came from the North?", []int64{percent(revenue(north), revenue(all)), revenue(all)}},
		{"How many products do we sell?", []int64{300}},
		{"What is our revenue by product?", []int64{revenue(all), revenue(of("Mocha"))}},
		{"What is our revenue by category?", []int64{revenue(all), revenue(tea)}},
		{"What is our revenue by region?", []int64{revenue(north), revenue(all), revenue(all) - 2*revenue(north)}},
		{"What are our sales by month?", []int64{revenue(all), revenue(january), mean(revenue(january)+revenue(february), 2)}},
		{"What is our profit by category?", []int64{profit(all), profit(tea), -profit(of("Scone"))}},
		{"sales by region by month", []int64{revenue(all)}},
		{"Top 2 products by profit last month", []int64{profit(february)}},
		{"Which products lost money?", []int64{-profit(of("Scone"))}},
		{"Which product has the lowest revenue?", []int64{revenue(of("Scone")), revenue(all)}},
		{"Which day of the week is best?", []int64{revenue(weekday(time.Saturday)), revenue(all)}},
		{"Which month was best?", []int64{revenue(january), revenue(all)}},
		{"How did last month do against the month before?", []int64{revenue(february), revenue(january), drop, percent(drop, revenue(january))}},
		{"Why did sales fall last month?", []int64{revenue(february), revenue(january), drop, percent(drop, revenue(january)),
			revenue(both(february, of("Mocha"))), revenue(both(january, of("Mocha"))), revenue(both(february, tea)), revenue(both(january, tea)),
			revenue(both(february, north)), revenue(both(january, north))}},
		{"What would revenue be if we raise prices 5 %?", []int64{rounded(big.NewRat(revenue(all)*105, 100)), revenue(all), rounded(big.NewRat(revenue(all)*5, 100))}},
		{"What would profit be if costs rise 10 %?", []int64{profit(all), cost / 10, profit(all) - cost/10}},
		{"What were our sales in March 2026?", threefold(in("2026-03"))},
		{"What will our sales be next month?", nil},
	}
}

func both(a, b func(line) bool) func(line) bool { return func(l line) bool { return a(l) && b(l) } }

func weekday(d time.Weekday) func(line) bool {
	return func(l line) bool {
		day, err := time.Parse(time.DateOnly, l.day)
		return err == nil && day.Weekday() == d
	}
}

// rounded returns the nearest integer, halves away from zero.
func rounded(n *big.Rat) int64 {
	out, ok := new(big.Rat).SetString(n.FloatString(0))
	if !ok {
		panic(n)
	}
	return out.Num().Int64()
}

// Each number in the texts was computed: it is in the figures, the table, the chart or
// the plan (H1). The figures are computed in this test.
func TestAskNumbersAreComputed(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	for i, q := range questions(lines) {
		if i%50 == 49 {
			b.Clock.Advance(db.Window)
		}
		for _, cfo := range []bool{false, true} {
			r := readReply(t, b.post(t, map[string]any{"question": q.question, "options": map[string]bool{"explain": true, "cfo_mode": cfo}}))
			if (r.Confidence == "low") != (q.figures == nil) {
				t.Errorf("%s: confidence %s of %q", q.question, r.Confidence, r.Answer)
			}
			r.expectFigures(t, q.figures...)
			computed := r.computed()
			for _, n := range q.figures {
				computed = append(computed, hundredths(n))
			}
			for _, text := range r.texts() {
				for _, n := range numbersOf(text) {
					if !slices.ContainsFunc(computed, func(one *big.Rat) bool { return matchesNumber(n, one) }) {
						t.Errorf("%s: %s was not computed: %q", q.question, n, text)
					}
				}
			}
		}
	}
}

// computed returns the numbers of the answer's table, chart, plan and rows, and the bounds
// of H9.
func (r reply) computed() (all []*big.Rat) {
	add := func(v any) {
		if n, ok := new(big.Rat).SetString(fmt.Sprint(v)); ok {
			all = append(all, n)
		}
	}
	if r.Explain == nil {
		return nil
	}
	add(r.Explain.Rows)
	var plan struct {
		Limit  int `json:"limit"`
		Having []struct{ Value json.Number }
		WhatIf []struct{ Percent json.Number } `json:"what_if"`
	}
	if err := json.Unmarshal(r.Explain.Plan, &plan); err != nil {
		panic(err)
	}
	add(plan.Limit)
	for _, w := range plan.WhatIf {
		add(w.Percent)
	}
	for _, h := range plan.Having {
		add(h.Value)
	}
	if r.Table != nil {
		add(len(r.Table.Rows))
		for _, row := range r.Table.Rows {
			for _, cell := range row {
				add(cell)
			}
		}
	}
	if r.Chart != nil {
		for _, v := range r.Chart.Values {
			add(v)
		}
	}
	if r.Verdict != nil {
		add(3)
		add(10)
	}
	return all
}

// There are one to three follow-up questions, each of which can be answered.
func TestAskFollowUps(t *testing.T) {
	dbtest.Sequential(t)
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	b.plantStock(t)
	tried := map[string]bool{}
	all := questions(lines)
	all = append(all, question{"What is out of stock?", nil}, question{"What about flibbertigibbets?", nil}, question{"What is our stock worth?", nil})
	for _, q := range all {
		r := b.ask(t, q.question)
		if n := len(r.FollowUps); n < 1 || n > 3 {
			t.Errorf("%s: %q are suggested", q.question, r.FollowUps)
		}
		for i, next := range r.FollowUps {
			if slices.Contains(r.FollowUps[:i], next) {
				t.Errorf("%q is suggested twice", next)
			}
			if tried[next] {
				continue
			}
			tried[next] = true
			if again := b.ask(t, next); again.Confidence == "low" {
				t.Errorf("%q is suggested but refused: %q", next, again.Answer)
			}
		}
	}
	if len(tried) < 8 {
		t.Errorf("too few follow-up questions: %v", tried)
	}
}

// The chart type suits the answer, and its figures are those of the table.
func TestAskChart(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "sales.csv", csvFile(makeLines("2026-01-01", 60)))
	for question, want := range map[string]string{
		"What are our sales by month?":                    "line",
		"What is our revenue by product?":                 "bar",
		"How did last month do against the month before?": "bar",
		"What is our revenue?":                            "",
		"sales by region by month":                        "",
	} {
		r := b.ask(t, question)
		if (r.Chart == nil) != (want == "") || r.Chart != nil && r.Chart.Type != want {
			t.Errorf("%s: chart %+v, want %q", question, r.Chart, want)
		}
		if r.Chart == nil || r.Table == nil {
			continue
		}
		for i, row := range r.Table.Rows {
			if fmt.Sprint(row[0]) != r.Chart.Labels[i] || fmt.Sprint(row[1]) != r.Chart.Values[i].String() {
				t.Errorf("%s: %v in the table, %s %s in the chart", question, row, r.Chart.Labels[i], r.Chart.Values[i])
			}
		}
	}
}
