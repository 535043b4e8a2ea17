package tell

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// FiguresOf returns what a text about a result may say: its figures, their differences,
// percentages, shares and means, the numbers of the plan, and names with digits.
func FiguresOf(r compute.Result) Figures {
	f := Figures{}
	f.group(r.Total, r.Count)
	for _, n := range []int64{r.Count, r.Of, r.Total.Rows, r.Total.Past, int64(r.Plan.Nth)} {
		f.add(big.NewRat(n, 1))
	}
	f.add(countShare(r))
	for i, b := range r.Base {
		f.change(r.Total.Now[i], b)
	}
	if r.Truncated() {
		f.add(big.NewRat(int64(len(r.Groups)), 1))
	}
	f.groups(r)
	for _, c := range r.Causes {
		f.add(c.Now, c.Before, c.Change)
		f.Names = append(f.Names, c.Label)
	}
	for _, o := range r.Omitted {
		f.add(big.NewRat(o.Rows, 1), o.Amount)
	}
	f.add(sumOfShares(r), r.Whole, big.NewRat(int64(len(r.Listed)), 1))
	for _, row := range named(r.Listed) {
		for _, c := range row {
			f.add(c.Number)
			f.Names = append(f.Names, c.Text, longDay(c.Text[:min(len(c.Text), len(time.DateOnly))]))
		}
	}
	f.add(coverFigures(r)...)
	f.ends(r)
	f.plan(r.Plan, r.Source)
	return f
}

// groups adds the figures of the groups and of what is compared with them, their shares, the change from the first to
// the second, and means of a series without the parts that are cut short.
func (f *Figures) groups(r compute.Result) {
	groups := slices.Clone(r.Groups)
	if n := len(groups); n > 2 && groups[0].Now[0] != nil {
		f.add(meanOf(groups[1:]), meanOf(groups[:n-1]), meanOf(groups[1:n-1]))
	}
	for _, g := range []*compute.Group{r.Rival, r.High, r.Low} {
		if g != nil {
			groups = append(groups, *g)
		}
	}
	groups = append(append(groups, r.Tied...), r.Last...)
	for i, g := range groups {
		f.group(g, 0)
		for i, l := range g.Labels {
			f.Names = append(f.Names, l, labelText(r.Plan.By[i], l))
		}
		if len(g.Now) > 0 && len(r.Total.Now) > 0 {
			f.add(compute.Percent(g.Now[0], r.Total.Now[0]))
		}
		if main := r.Plan.Main(); i == 1 {
			f.change(groups[0].Now[main], g.Now[main])
		}
	}
}

// ends adds the days on which the data and the period begin and end, with which parts of time are cut short.
func (f *Figures) ends(r compute.Result) {
	days := []string{r.Source.First, r.Source.Last}
	if p := r.Plan.Period; p != nil {
		days = append(days, p.From, p.To)
	}
	for _, day := range days {
		if at, err := time.Parse(time.DateOnly, day); err == nil {
			f.Names = append(f.Names, at.Format(shortDay))
		}
	}
}

func (f *Figures) add(numbers ...*big.Rat) {
	for _, n := range numbers {
		if n != nil {
			f.Numbers = append(f.Numbers, n)
		}
	}
}

// change adds two figures, their difference, and the change in per cent.
func (f *Figures) change(now, before *big.Rat) {
	f.add(now, before)
	if now != nil || before != nil {
		f.add(new(big.Rat).Sub(zero(now), zero(before)), changePercent(now, before))
	}
}

// group adds a group's figures, and with n their means over n groups.
func (f *Figures) group(g compute.Group, n int64) {
	f.add(g.Share)
	for i, now := range g.Now {
		f.add(now)
		if i < len(g.Before) {
			f.change(now, g.Before[i])
		}
		if now != nil && n > 0 {
			f.add(new(big.Rat).Quo(now, big.NewRat(n, 1)))
		}
	}
	for _, day := range g.Days {
		f.Names = append(f.Names, day, longDay(day))
	}
}

// plan adds the numbers of the question and the names of the source.
func (f *Figures) plan(p plan.Plan, s schema.Source) {
	f.Names = append(f.Names, s.Name, s.First, s.Last, longDay(s.First), longDay(s.Last), longDay(s.SoldLast))
	for _, c := range s.Columns {
		f.Names = append(f.Names, c.Heading, pretty(c.Heading))
	}
	for _, period := range []*plan.Period{p.Period, p.Compare, p.Whole} {
		f.period(period)
	}
	for _, m := range p.Measures {
		f.period(m.Period)
		if n, ok := m.Fold.Percent(); ok {
			f.add(big.NewRat(int64(n), 1))
		}
	}
	for _, w := range p.WhatIf {
		f.add(rat(w.Percent), rat(w.Amount))
	}
	for _, filter := range p.Filters() {
		f.Names = append(f.Names, filter.Values...)
		for _, v := range filter.Values {
			f.Names = append(f.Names, longDay(v))
			if n, ok := new(big.Rat).SetString(strings.TrimSpace(v)); ok {
				f.add(n)
			}
		}
	}
	for _, h := range p.Having {
		f.add(rat(h.Value))
	}
	f.add(toWatch, toAct) // in the sentences of H9
}

// period adds the words and the days of a period.
func (f *Figures) period(p *plan.Period) {
	if p != nil {
		f.Names = append(f.Names, p.Words, p.From, p.To)
	}
}
