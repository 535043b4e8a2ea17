package compute_test

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"svc/server/ask/plan"
)

// A second, plain evaluation of plans over the rows of a small shop, to compare the SQL
// with. It knows the columns by their headings and computes each figure from all rows.

// sale is a row: texts by heading, and numbers in hundredths.
type sale struct {
	text   map[string]string // a blank cell is absent
	number map[string]int64
}

// moneyColumns are the numbers of the shop, all with two decimals in the file.
var moneyColumns = []string{"Quantity", "Total Sales", "Cost"}

// textColumns are the other columns.
var textColumns = []string{"Order ID", "Order Date", "Ship Date", "Product", "Store", "Customer"}

// narrowColumns are those that restrict a figure but not the days that count.
var narrowColumns = []string{"Order ID", "Product", "Customer", "Quantity", "Total Sales", "Cost"}

// madeUpSales returns n rows over four months, with the file's text.
func madeUpSales(r *rand.Rand, n int) (rows []sale, text string) {
	var b strings.Builder
	b.WriteString(strings.Join(append(slices.Clone(textColumns), moneyColumns...), ",") + "\n")
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		d := day.AddDate(0, 0, i*115/n)
		s := sale{text: map[string]string{
			"Order ID": fmt.Sprintf("N%d", i/3+1000), "Order Date": d.Format(time.DateOnly), "Ship Date": d.AddDate(0, 0, r.IntN(6)).Format(time.DateOnly),
			"Product": pickOne(r, "Tea", "Coffee", "Mug", "Cup", ""), "Store": pickOne(r, "North", "South", "West"), "Customer": pickOne(r, "Ann", "Bob", "Cid", "Dan", ""),
		}, number: map[string]int64{}}
		for _, h := range moneyColumns {
			s.number[h] = int64(r.IntN(4000))
		}
		s.number["Quantity"] = 100 * int64(1+r.IntN(6))
		var cells []string
		for _, h := range textColumns {
			if s.text[h] == "" {
				delete(s.text, h)
			}
			cells = append(cells, s.text[h])
		}
		for _, h := range moneyColumns {
			cells = append(cells, fmt.Sprintf("%d.%02d", s.number[h]/100, s.number[h]%100))
		}
		rows = append(rows, s)
		b.WriteString(strings.Join(cells, ",") + "\n")
	}
	return rows, b.String()
}

func pickOne[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// naive evaluates plans over rows.
type naive struct {
	rows []sale
	plan plan.Plan
}

// naiveGroup is a group's labels with its figures, now and before.
type naiveGroup struct {
	labels      []string
	now, before []*big.Rat
}

func (n naive) groups() []naiveGroup {
	var out []naiveGroup
	for _, labels := range n.labels() {
		g := naiveGroup{labels: labels}
		for _, m := range n.plan.Measures {
			g.now = append(g.now, n.figure(m, labels, n.plan.Period))
			if n.plan.Compare != nil {
				g.before = append(g.before, n.figure(m, labels, n.plan.Compare))
			}
		}
		out = append(out, g)
	}
	for i := range out {
		for _, d := range n.plan.Derived {
			if d.Kind == plan.Running {
				total := new(big.Rat)
				for _, g := range out[:i+1] {
					if n.isSeries(g.labels, out[i].labels) {
						total.Add(total, g.now[d.Of])
					}
				}
				out[i].now = append(out[i].now, total)
				continue
			}
			out[i].now = append(out[i].now, derived(d.Kind, out[i].now[d.Of], out[i].now[d.And]))
			if n.plan.Compare != nil {
				out[i].before = append(out[i].before, derived(d.Kind, out[i].before[d.Of], out[i].before[d.And]))
			}
		}
	}
	return n.shown(out)
}

// isSeries reports whether two groups differ by their time alone.
func (n naive) isSeries(a, b []string) bool {
	for i, d := range n.plan.By {
		if !d.Part.Series() && a[i] != b[i] {
			return false
		}
	}
	return true
}

func derived(kind plan.Derivation, a, b *big.Rat) *big.Rat {
	if a == nil || b == nil {
		return nil
	}
	less := new(big.Rat).Sub(a, b)
	switch {
	case kind == plan.Difference:
		return less
	case kind == plan.Total:
		return new(big.Rat).Add(a, b)
	case b.Sign() == 0 || kind == plan.ChangeFrom && b.Sign() < 0:
		return nil
	case kind == plan.Ratio:
		return new(big.Rat).Quo(a, b)
	case kind == plan.ShareOf:
		less = a
	}
	out := new(big.Rat).Quo(less, b)
	return out.Mul(out, big.NewRat(100, 1))
}

// shown applies thresholds, order and limit.
func (n naive) shown(all []naiveGroup) []naiveGroup {
	if len(n.plan.By) == 0 {
		return all
	}
	all = slices.DeleteFunc(all, func(g naiveGroup) bool {
		for _, h := range n.plan.Having {
			bound := new(big.Rat).SetFloat64(h.Value)
			if h.Other != nil {
				bound = g.now[*h.Other]
			}
			if v := g.now[h.Measure]; v == nil || bound == nil || !compares(v.Cmp(bound), h.Op) {
				return true
			}
		}
		return false
	})
	slices.SortStableFunc(all, func(a, b naiveGroup) int {
		x, y := a.now[n.plan.OrderBy], b.now[n.plan.OrderBy]
		sign := map[plan.Order]int{plan.Highest: -1, plan.Lowest: 1}[n.plan.Order]
		if n.plan.Order == "" && n.plan.By[0].Part == plan.Whole {
			sign = -1
		}
		switch {
		case sign == 0 || x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		return sign * x.Cmp(y)
	})
	if n.plan.Limit > 0 {
		all = all[:min(len(all), n.plan.Limit)]
	}
	return all
}

func compares(c int, op plan.Op) bool {
	return op == plan.More && c > 0 || op == plan.AtLeast && c >= 0 || op == plan.Less && c < 0 || op == plan.AtMost && c <= 0
}

// labels returns the labels of all groups of the rows of the plan, in order.
func (n naive) labels() [][]string {
	if len(n.plan.By) == 0 {
		return [][]string{nil}
	}
	seen := map[string]bool{}
	var out [][]string
	for _, s := range n.rows {
		if !(within(s, n.plan.Period) || n.plan.Compare != nil && within(s, n.plan.Compare)) || !meetsAll(s, n.plan.Where) {
			continue
		}
		labels, ok := labelsOf(s, n.plan.By)
		if key := strings.Join(labels, "|"); ok && !seen[key] {
			seen[key] = true
			out = append(out, labels)
		}
	}
	slices.SortFunc(out, func(a, b []string) int {
		for i := range a {
			if c := cmp.Or(cmp.Compare(slices.Index(plan.Weekdays, a[i]), slices.Index(plan.Weekdays, b[i])), cmp.Compare(a[i], b[i])); c != 0 {
				return c
			}
		}
		return 0
	})
	return out
}

func labelsOf(s sale, by []plan.Dimension) (labels []string, ok bool) {
	for _, d := range by {
		label, ok := partOf(s, d.Column, d.Part)
		if !ok {
			return nil, false
		}
		labels = append(labels, label)
	}
	return labels, true
}

func partOf(s sale, heading string, p plan.Part) (string, bool) {
	v, ok := s.text[heading]
	if !ok || p == plan.Whole {
		return v, ok
	}
	day, _ := time.Parse(time.DateOnly, v)
	switch p {
	case plan.Weekday:
		return day.Weekday().String(), true
	case plan.Daytype:
		if day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
			return "weekend", true
		}
		return "weekday", true
	}
	return plan.PartLabel(p, day), true
}

func within(s sale, p *plan.Period) bool {
	return p == nil || s.text["Order Date"] >= p.From && s.text["Order Date"] <= p.To
}

func meetsAll(s sale, filters []plan.Filter) bool {
	return !slices.ContainsFunc(filters, func(f plan.Filter) bool { return !meets(s, f) })
}

func meets(s sale, f plan.Filter) bool {
	if n, ok := s.number[f.Column]; ok {
		bound, _ := new(big.Rat).SetString(cmp.Or(strings.Join(f.Values, ""), "0"))
		if f.Other != "" {
			bound = big.NewRat(s.number[f.Other], 100)
		}
		return compares(big.NewRat(n, 100).Cmp(bound), f.Op)
	}
	v, ok := partOf(s, f.Column, f.Part)
	if f.Part == plan.Month {
		v = strings.TrimPrefix(v[5:], "0")
	}
	switch f.Op {
	case plan.Blank:
		return !ok
	case plan.Filled:
		return ok
	case plan.NotIn:
		return !ok || !slices.Contains(f.Values, v)
	}
	return ok && slices.Contains(f.Values, v)
}

// isNarrow reports whether a filter or a dimension leaves the days that count as they are.
func isNarrow(heading string) bool { return slices.Contains(narrowColumns, heading) }

// figure computes a measure of a group.
func (n naive) figure(m plan.Measure, labels []string, period *plan.Period) *big.Rat {
	belongs := func(s sale, narrow bool) bool {
		if !within(s, period) || !within(s, m.Period) {
			return false
		}
		for _, f := range slices.Concat(n.plan.Where, m.Where) {
			if (narrow || !isNarrow(f.Column)) && !meets(s, f) {
				return false
			}
		}
		for i, d := range n.plan.By {
			if label, ok := partOf(s, d.Column, d.Part); (narrow || !isNarrow(d.Column)) && (!ok || label != labels[i]) {
				return false
			}
		}
		return true
	}
	var rows []sale
	parts := map[string][]sale{}
	isTime := slices.Contains(plan.Parts, plan.Part(m.Per))
	for _, s := range n.rows {
		part, ok := partKey(s, m.Per)
		if !ok {
			continue
		}
		if isTime && belongs(s, false) && parts[part] == nil {
			parts[part] = []sale{}
		}
		if belongs(s, true) {
			rows, parts[part] = append(rows, s), append(parts[part], s)
		}
	}
	if m.Per == "" {
		return n.plain(m, rows, m.Restricted())
	}
	if len(parts) == 0 {
		return nil
	}
	return folded(m, n, rows, parts)
}

// partKey returns the value of a row that Per counts.
func partKey(s sale, per string) (string, bool) {
	switch {
	case per == "":
		return "", true
	case per == plan.PerOrder:
		per = "Order ID"
	case slices.Contains(plan.Parts, plan.Part(per)):
		return partOf(s, "Order Date", plan.Part(per))
	}
	v, ok := s.text[per]
	return v, ok
}

func folded(m plan.Measure, n naive, rows []sale, parts map[string][]sale) *big.Rat {
	if m.Fold == "" || m.Fold == plan.FoldMean {
		total := n.plain(m, rows, true)
		return total.Quo(total, big.NewRat(int64(len(parts)), 1))
	}
	var values []*big.Rat
	for _, rows := range parts {
		values = append(values, n.plain(m, rows, true))
	}
	return foldOf(m.Fold, values)
}

func foldOf(f plan.Fold, values []*big.Rat) *big.Rat {
	if len(values) == 0 {
		return nil
	}
	slices.SortFunc(values, (*big.Rat).Cmp)
	switch percent, _ := f.Percent(); f {
	case plan.FoldLeast:
		return values[0]
	case plan.FoldMost:
		return values[len(values)-1]
	default:
		place := (len(values) - 1) * percent
		low, high := values[place/100], values[min(place/100+1, len(values)-1)]
		step := new(big.Rat).Sub(high, low)
		step.Mul(step, big.NewRat(int64(place%100), 100))
		return step.Add(step, low)
	}
}

// plain computes a metric over rows; of no rows it is 0 if orZero.
func (n naive) plain(m plan.Measure, rows []sale, orZero bool) *big.Rat {
	switch m.Metric {
	case plan.Rows:
		return big.NewRat(int64(len(rows)), 1)
	case plan.Orders:
		return distinct(rows, "Order ID")
	case plan.Customers:
		return distinct(rows, "Customer")
	case plan.Distinct:
		return distinct(rows, m.Column)
	case plan.Average, plan.Least, plan.Most:
		return foldOfColumn(m, rows)
	}
	if len(rows) == 0 && !orZero {
		return nil
	}
	total := new(big.Rat)
	for _, s := range rows {
		total.Add(total, valueIn(m, s))
	}
	return total
}

func valueIn(m plan.Measure, s sale) *big.Rat {
	cents := map[plan.Metric]int64{
		plan.Revenue: s.number["Total Sales"], plan.Units: s.number["Quantity"], plan.Cost: s.number["Cost"], plan.Profit: s.number["Total Sales"] - s.number["Cost"],
	}[m.Metric]
	if m.Metric == plan.Sum || m.Metric == plan.Average || m.Metric == plan.Least || m.Metric == plan.Most {
		cents = s.number[m.Column]
		if m.Since != "" {
			to, _ := time.Parse(time.DateOnly, s.text[m.Column])
			from, _ := time.Parse(time.DateOnly, s.text[m.Since])
			cents = 100 * int64(to.Sub(from).Hours()/24)
		}
	}
	return big.NewRat(cents, 100)
}

func distinct(rows []sale, heading string) *big.Rat {
	seen := map[string]bool{}
	for _, s := range rows {
		if v, ok := s.text[heading]; ok {
			seen[v] = true
		}
	}
	return big.NewRat(int64(len(seen)), 1)
}

func foldOfColumn(m plan.Measure, rows []sale) *big.Rat {
	var values []*big.Rat
	total := new(big.Rat)
	for _, s := range rows {
		values = append(values, valueIn(m, s))
		total.Add(total, values[len(values)-1])
	}
	switch {
	case len(rows) == 0:
		return nil
	case m.Metric == plan.Least:
		return foldOf(plan.FoldLeast, values)
	case m.Metric == plan.Most:
		return foldOf(plan.FoldMost, values)
	case m.Fold != "" && m.Fold != plan.FoldMean:
		return foldOf(m.Fold, values)
	}
	return total.Quo(total, big.NewRat(int64(len(rows)), 1))
}
