package tell

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// leadDays is the lead time of goods whose own is unknown (H9).
const leadDays = 7

// ofCover reports whether the figures are days of cover.
func (v *verbalizer) ofCover() bool { return v.p.Measures[0].Metric == plan.Cover }

// lookback returns how many days of sales the cover is computed from; a young shop has
// fewer than db.RecentDays.
func lookback(r compute.Result) int64 {
	first, err1 := time.Parse(time.DateOnly, r.Source.SoldFirst)
	day, err2 := time.Parse(time.DateOnly, r.Plan.Day)
	if err1 != nil || err2 != nil {
		return db.RecentDays
	}
	return max(1, min(db.RecentDays, int64(day.Sub(first).Hours()/24)+1))
}

// rateText returns the sentence on the days of sales behind the cover.
func (v *verbalizer) rateText() string {
	n := lookback(v.r)
	if n < db.RecentDays {
		return fmt.Sprintf("This is at the rate of the %s since the first sale.", days(big.NewRat(n, 1)))
	}
	return fmt.Sprintf("This is at the rate of the last %d days.", n)
}

// days returns a number of days in words: below a hundred with one decimal, since half a
// day can matter.
func days(r *big.Rat) string {
	text := digits(new(big.Rat).SetInt(compute.Rounded(r, 0)))
	if tenths := new(big.Rat).SetFrac(compute.Rounded(r, 1), big.NewInt(10)); r.Cmp(big.NewRat(100, 1)) < 0 && !tenths.IsInt() {
		text = tenths.FloatString(1)
	}
	if text == "1" {
		return "1 day"
	}
	return text + " days"
}

// coverTexts returns the groups with days of cover in words, and the names of those
// without.
func (v *verbalizer) coverTexts() (with, without []string) {
	for _, g := range v.r.Groups {
		if g.Now[0] == nil {
			without = append(without, v.name(g))
			continue
		}
		left := days(g.Now[0])
		if g.Now[0].Sign() == 0 {
			left = "none left"
		}
		with = append(with, fmt.Sprintf("%s (%s)", v.name(g), left))
	}
	return with, without
}

// cover returns the text of how long the stock lasts.
func (v *verbalizer) cover() string {
	with, without := v.coverTexts()
	if len(v.p.Having) > 0 {
		return v.runningOut(with)
	}
	text := ""
	switch {
	case len(with) == 0:
	case len(v.r.Groups) == 1 && v.p.Limit != 1 && v.r.Groups[0].Now[0].Sign() == 0:
		return fmt.Sprintf("Nothing is left of %s.", v.name(v.r.Groups[0]))
	case len(v.r.Groups) == 1 && v.p.Limit != 1:
		text = fmt.Sprintf("%s will last about %s.", v.name(v.r.Groups[0]), days(v.r.Groups[0].Now[0]))
	case v.p.Limit > 0 || v.r.Total.Now[0] == nil:
		text = fmt.Sprintf("The first to run out: %s.", Joined(named(with)))
	default:
		text = fmt.Sprintf("Taken together, all stock%s that sells will last about %s. The first to run out: %s.", v.filters(), days(v.r.Total.Now[0]), Joined(named(with)))
	}
	if text != "" {
		text += " " + v.rateText()
	}
	return strings.TrimPrefix(text+v.withoutCover(without), " ")
}

// withoutCover returns the sentence on groups without a figure: nothing sold, or the stock
// is unknown.
func (v *verbalizer) withoutCover(names []string) string {
	who := Joined(names)
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return fmt.Sprintf(" %s has no figure: none was sold in those %d days, or its stock is not recorded.", who, db.RecentDays)
	case n > maxNamed:
		who = count(int64(n)) + " products"
	}
	return fmt.Sprintf(" %s have no figure: none of them sold in those %d days, or their stock is not recorded.", who, db.RecentDays)
}

// runningOut returns the text of what lasts no longer than a number of days.
func (v *verbalizer) runningOut(with []string) string {
	h := v.p.Having[0]
	bound := days(rat(h.Value))
	condition := map[plan.Op]string{
		plan.AtMost: "will run out within " + bound, plan.Less: "will run out in less than " + bound,
		plan.More: "will last more than " + bound, plan.AtLeast: "will last at least " + bound,
	}[h.Op]
	if v.r.Count == 0 {
		return fmt.Sprintf("No %s%s %s. %s", v.groupNoun(), v.otherFilters(), condition, v.rateText())
	}
	text := fmt.Sprintf("%s%s %s", v.groupCount(v.r.Count), v.otherFilters(), condition)
	if v.p.Count || len(with) == 0 {
		return text + ". " + v.rateText()
	}
	if len(with) > maxNamed {
		text += ", among them"
	}
	return fmt.Sprintf("%s: %s. %s", text, Joined(named(with)), v.rateText())
}

// otherFilters returns the filters in words, without those of stock and of the last sale.
func (v *verbalizer) otherFilters() string {
	kept := v.p.Where
	defer func() { v.p.Where = kept }()
	v.p.Where = nil
	for _, f := range kept {
		if c, _ := plan.Column(v.s, f.Column); c.Role != schema.Stock && c.Role != schema.LastSold {
			v.p.Where = append(v.p.Where, f)
		}
	}
	return v.filters()
}

// unsoldFilter returns the filter for what has not sold for long.
func (v *verbalizer) unsoldFilter() (plan.Filter, bool) {
	for _, f := range v.p.Where {
		if c, _ := plan.Column(v.s, f.Column); c.Role == schema.LastSold && (f.Op == plan.Before || f.Op == plan.Blank) {
			return f, true
		}
	}
	return plan.Filter{}, false
}

// deadStock returns the text of what is in stock and has not sold for long, with its
// value.
func (v *verbalizer) deadStock() string {
	f, _ := v.unsoldFilter()
	sold, unsold := "sold at least once", "never sold"
	if f.Op == plan.Before {
		sold = "sold since " + longDay(f.Values[0])
		unsold = "not " + sold
	}
	if v.r.Count == 0 {
		return fmt.Sprintf("Every %s in stock%s has %s.", v.groupNoun(), v.otherFilters(), sold)
	}
	text := fmt.Sprintf("%s in stock%s %s %s", v.groupCount(v.r.Count), v.otherFilters(), agreeing(v.r.Count, "has", "have"), unsold)
	if v.p.Count {
		return text + "."
	}
	var names []string
	for _, g := range named(v.r.Groups) {
		names = append(names, fmt.Sprintf("%s (%s%s)", v.name(g), v.value(g, 0), v.lastSold(g)))
	}
	if len(v.r.Groups) > maxNamed {
		text += ", among them"
	}
	text += ": " + Joined(names) + "."
	if t := v.r.Total; len(t.Now) > 0 && t.Now[0] != nil && v.p.Measures[0].Metric == plan.StockValue && v.r.Count > 1 {
		text += fmt.Sprintf(" Together they are worth %s.", v.value(t, 0))
	}
	return text
}

// lastSold returns in words when a group last sold, if the figures show it.
func (v *verbalizer) lastSold(g compute.Group) string {
	i := len(v.p.Measures) - 1
	switch f, _ := v.unsoldFilter(); {
	case v.p.Measures[i].Metric != plan.LastDay || f.Op == plan.Blank: // what never sold has no day
		return ""
	case g.Days[i] == "":
		return ", never sold"
	}
	return ", last sold " + longDay(g.Days[i])
}

// slowMovers returns the text of what is in stock and sold least.
func (v *verbalizer) slowMovers() string {
	var names []string
	for _, g := range named(v.r.Groups) {
		names = append(names, fmt.Sprintf("%s (%s sold%s)", v.name(g), v.value(g, 0), v.lastSold(g)))
	}
	if len(names) == 1 {
		return fmt.Sprintf("The slowest in stock%s over the last %d days is %s.", v.otherFilters(), db.RecentDays, names[0])
	}
	return fmt.Sprintf("The slowest in stock%s over the last %d days, slowest first: %s.", v.otherFilters(), db.RecentDays, Joined(names))
}

// coverBelowLeadTime finds stock that is gone before new goods can arrive (H9).
func coverBelowLeadTime(v *verbalizer) *finding {
	if !v.ofCover() {
		return nil
	}
	short, none := []string{}, []string{}
	for _, g := range v.r.Groups {
		switch n := g.Now[0]; {
		case n == nil || v.p.Count:
		case n.Sign() == 0:
			none = append(none, v.name(g))
		case n.Cmp(big.NewRat(leadDays, 1)) < 0:
			short = append(short, fmt.Sprintf("%s (%s)", v.name(g), days(n)))
		}
	}
	switch {
	case len(none) > 0:
		names := Joined(named(none))
		return &finding{"problem", fmt.Sprintf("Out of stock: nothing is left of %s.", names), fmt.Sprintf("Order %s now: 0 left.", names)}
	case len(short) > 0:
		names := Joined(named(short))
		return &finding{"act", fmt.Sprintf("Gone within %d days, before an order usually arrives: %s.", leadDays, names), fmt.Sprintf("Order again before it is gone: %s.", names)}
	}
	return nil
}

// soldUntil returns the last day of sales, up to which rates and relative days count.
func (v *verbalizer) soldUntil() string { return cmp.Or(v.s.Last, v.s.SoldLast) }

// coverFigures returns the numbers in texts of cover that are not figures of the result.
func coverFigures(r compute.Result) (out []*big.Rat) {
	if _, ok := r.Source.ByRole(schema.SoldLately); !ok {
		return nil
	}
	var names int64
	for _, g := range r.Groups {
		if g.Now[0] == nil {
			names++
		}
	}
	for _, n := range []int64{db.RecentDays, lookback(r), leadDays, names, 0} {
		out = append(out, big.NewRat(n, 1))
	}
	return out
}
