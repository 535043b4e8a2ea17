package read

import (
	"cmp"
	"fmt"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// An account may have its sales twice: in a file, and as the till pushes them. A question
// about some days is of those sales that have these days.

// sameShape is how much two readings of one question may differ in cost over two sources of
// sales.
const sameShape = 0.5

// ratherOf returns the reading of a question about days whose source has them. The first of
// several has priority, and the answer says so. It returns the refusal of current sales if
// only old ones, which end before these days, could answer.
func ratherOf(chosen *Reading, all []*Reading, refusals []*Refusal) (*Reading, *Refusal) {
	if !chosen.asksDays() || chosen.Source.Kind != schema.Sales {
		return chosen, nil
	}
	for _, other := range all {
		if other == chosen || other.Source.Kind != schema.Sales || !other.asksDays() || other.cost > chosen.cost+sameShape {
			continue
		}
		of, have := chosen.covers(), other.covers()
		switch {
		case have && !of:
			other.Notes = append(other.Notes, fmt.Sprintf("This is from %s; %s %s.", other.Source.Name, chosen.Source.Name, chosen.lacks()))
			return other, nil
		case have && of:
			chosen.Certain = false
			chosen.Notes = append(chosen.Notes, fmt.Sprintf("Both %s and %s have these days; this is from %s alone.", chosen.Source.Name, other.Source.Name, chosen.Source.Name))
		case !of && other.hasSome():
			chosen.Certain = false
			chosen.Notes = append(chosen.Notes, fmt.Sprintf("%s %s; some of these days are in %s, too, and not counted here.", chosen.Source.Name, chosen.lacks(), other.Source.Name))
		}
		return chosen, nil
	}
	isCurrent := func(r *Refusal) bool {
		return r.Reason == Outside && r.Source.Kind == schema.Sales && r.Source.Last > chosen.Source.Last
	}
	for _, r := range refusals {
		if chosen.Stale && chosen.Relative && isCurrent(r) {
			return nil, r
		}
	}
	return chosen, nil
}

// sayInstead notes that other sales than the preferred ones answer.
func (r *Reading) sayInstead(preferred schema.Source) {
	if r.Source.ID != preferred.ID && r.Source.Kind == schema.Sales && preferred.Kind == schema.Sales {
		r.Notes = append(r.Notes, fmt.Sprintf("This is from %s, since %s cannot answer it.", r.Source.Name, preferred.Name))
	}
}

// asksDays reports whether the plan is about some days.
func (r *Reading) asksDays() bool { return r.Plan.Period != nil || r.Relative }

// covers reports whether the source has the days that are asked for.
func (r *Reading) covers() bool {
	if r.Relative && r.Stale {
		return false
	}
	for _, p := range []*plan.Period{r.Plan.Period, r.Plan.Compare} {
		if p != nil && (p.To > cmp.Or(r.Source.Last, p.To) || p.From < r.Source.First) && !r.isUnfinished(p) {
			return false
		}
	}
	return true
}

// hasSome reports whether the source has some of the days that are asked for.
func (r *Reading) hasSome() bool {
	p := r.Plan.Period
	return p != nil && p.From <= r.Source.Last && p.To >= r.Source.First
}

// isUnfinished reports whether a period ends today or later, and the source has its days up to
// now: no sale yet today.
func (r *Reading) isUnfinished(p *plan.Period) bool {
	return !r.Stale && p.From >= r.Source.First && p.From <= r.Source.Last && p.To >= r.AsOf.Format(time.DateOnly)
}

// lacks says in words that a source has not the days of a question.
func (r *Reading) lacks() string {
	if p := r.Plan.Period; p != nil && !(r.Relative && r.Stale) && p.From < r.Source.First {
		return "begins on " + longDate(r.Source.First)
	}
	return "ends on " + longDate(r.Source.Last)
}

func longDate(day string) string {
	d, _ := time.Parse(time.DateOnly, day) // the store wrote it
	return d.Format("2 January 2006")
}
