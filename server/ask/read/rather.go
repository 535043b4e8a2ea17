package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// An account may have rows of one kind twice, such as sales: in a file, and as the till pushes
// them. A question about some days is of those rows that have these days, and the answer says what
// it leaves out.

// sameShape is how much two readings of one question may differ in cost over two sources of one
// kind.
const sameShape = 0.5

// readAsOfNewest reads old data again as of the day of newer data of the kind that could answer, too:
// last month is that before today if the till has sales of today (H8). The error is that of ctx.
func readAsOfNewest(ctx context.Context, q *words, all []*outcome) error {
	for _, o := range all {
		newest := o.day
		for _, other := range all {
			if o.isLike(other) && other.day.After(newest.Time) {
				newest = other.day
			}
		}
		if newest == o.day {
			continue
		}
		o.day = newest
		if err := o.read(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// isLike reports whether both sources have rows of one kind on some days, of which both were
// understood to be asked.
func (o *outcome) isLike(other *outcome) bool {
	understood := func(o *outcome) bool {
		return o.x.source.Last != "" && (o.refused == nil || o.refused.Reason == Outside || o.refused.Reason == Forecast)
	}
	return o.x.source.Kind == other.x.source.Kind && understood(o) && understood(other)
}

// ratherOf returns the reading whose source has the days of a question, of those that cost nearly as
// little as the best one. It notes what other sources of the kind have of them. The first source has
// priority.
func ratherOf(best *outcome, all []*outcome) *Reading {
	var others []*outcome
	for _, o := range all {
		isSame := o != best && o.x.source.Kind == best.x.source.Kind
		if isSame && (o.refused == nil && o.got.cost <= best.got.cost+sameShape && o.got.asksDays() == best.got.asksDays() || best.isLike(o) && o.refused != nil) {
			others = append(others, o)
		}
	}
	chosen := best
	for _, o := range others {
		isBetter := o.got.covers() && !chosen.got.covers() || o.has(o.got.Plan) > 0 && chosen.has(chosen.got.Plan) == 0
		if o.refused == nil && o.got.asksDays() && best.isLike(o) && isBetter {
			chosen = o
			others = append(others, best)
			break
		}
	}
	for _, o := range others {
		if o != chosen {
			chosen.got.noteOther(o)
		}
	}
	chosen.got.sayInstead(all[0], others)
	if chosen.hasAll() && slices.ContainsFunc(others, (*outcome).isCurrent) {
		chosen.got.Relative = false // the days have passed, and newer data say that none are missing
	}
	return &chosen.got
}

// hasAll reports whether the source has every day of the periods that are asked for.
func (o *outcome) hasAll() bool {
	p := o.got.Plan
	if p.Period == nil || o.day.stale {
		return false
	}
	s := o.x.source
	return p.Period.From >= s.First && p.Period.To <= s.Last && (p.Compare == nil || p.Compare.From >= s.First && p.Compare.To <= s.Last)
}

// isCurrent reports whether the newest rows are of the day that relative days count from, or of the
// day before.
func (o *outcome) isCurrent() bool {
	return !o.day.stale && o.x.source.Last >= o.day.AddDate(0, 0, -1).Format(time.DateOnly)
}

// noteOther notes what another source has of what is asked for, which is not counted (H5).
func (r *Reading) noteOther(o *outcome) {
	of, other := r.Source.Name, o.x.source.Name
	switch {
	case !r.asksDays() || r.Source.Last == "":
		if o.refused == nil {
			r.Elsewhere = true
			r.Notes = append(r.Notes, fmt.Sprintf("This is from %s alone, without %s%s.", of, other, coveredBy(o.x.source)))
		}
		return
	case o.has(r.Plan) == 0:
		return
	case !r.covers():
		r.Notes = append(r.Notes, fmt.Sprintf("%s %s; some of these days are in %s, too, and not counted here.", of, lacks(r.Source, r.Plan.Period), other))
	case o.refused == nil && o.got.covers():
		r.Notes = append(r.Notes, fmt.Sprintf("Both %s and %s have these days; this is from %s alone.", of, other, of))
	default:
		r.Notes = append(r.Notes, fmt.Sprintf("This is from %s; some of these days are in %s, too, and not counted here.", of, other))
	}
	r.Elsewhere = true
}

// nearestRefusal returns the refusal that is said if no source answers. If it is that a source has
// not the days, it says so of all sources of the kind; one that has the days, but lacks something
// else, is nearer.
func nearestRefusal(all []*outcome) *Refusal {
	first := slices.MinFunc(all, func(a, b *outcome) int { return cmp.Compare(a.refused.rank(), b.refused.rank()) })
	nearest := first.refused
	if nearest.days == nil {
		return nearest
	}
	for _, o := range all {
		s := o.x.source
		switch {
		case o == first || s.Kind != nearest.Source.Kind || s.Last == "":
		case o.refused.days != nil:
			nearest.Sentence += fmt.Sprintf(" The data in %s only cover %s.", s.Name, Covered(s.First, s.Last))
		case o.refused.Reason == Missing && o.has(plan.Plan{Period: nearest.days}) > 0:
			return o.refused
		}
	}
	return nearest
}

// sayInstead notes that another source than the preferred one answers.
func (r *Reading) sayInstead(preferred *outcome, said []*outcome) {
	p := preferred.x.source
	isSaid := r.Elsewhere && slices.Contains(said, preferred)
	if r.Source.ID == p.ID || r.Source.Kind != p.Kind || isSaid {
		return
	}
	why := ", since " + p.Name + " cannot answer it"
	if slices.Contains(said, preferred) && r.asksDays() {
		why = "; " + p.Name + " " + lacks(p, r.Plan.Period)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("This is from %s%s.", r.Source.Name, why))
}

// coveredBy returns the days of a source in brackets, or "".
func coveredBy(s schema.Source) string {
	if s.Last == "" {
		return ""
	}
	return " (" + Covered(s.First, s.Last) + ")"
}

// asksDays reports whether the plan is about some days.
func (r *Reading) asksDays() bool { return r.Plan.Period != nil || r.Relative }

// covers reports whether the source has the days that are asked for.
func (r *Reading) covers() bool {
	if r.Relative && (r.Stale || r.Plan.Period == nil && r.isBehind()) {
		return false
	}
	for _, p := range []*plan.Period{r.Plan.Period, r.Plan.Compare} {
		if p != nil && (p.To > cmp.Or(r.Source.Last, p.To) || p.From < r.Source.First) && !r.isUnfinished(p) {
			return false
		}
	}
	return true
}

// has counts the periods of a plan of which the source has some days. A plan of now without a period
// has those of the newest rows.
func (o *outcome) has(p plan.Plan) (n int) {
	for _, asked := range []*plan.Period{p.Period, p.Compare} {
		if asked != nil && asked.From <= o.x.source.Last && asked.To >= o.x.source.First {
			n++
		}
	}
	if p.Period == nil && !o.day.stale && !isBehind(o.x.source, o.day.Time) {
		n++
	}
	return n
}

// isUnfinished reports whether a period ends today or later, and the source has its days up to
// now: no sale yet today.
func (r *Reading) isUnfinished(p *plan.Period) bool {
	return !r.Stale && !r.isBehind() && p.From >= r.Source.First && p.From <= r.Source.Last && p.To >= r.AsOf.Format(time.DateOnly)
}

// isBehind reports whether the rows are old on the day that relative days count from.
func (r *Reading) isBehind() bool { return isBehind(r.Source, r.AsOf) }

func isBehind(s schema.Source, day time.Time) bool {
	_, stale := AsOf(s, day)
	return stale
}

// lacks says in words that a source has not the days of a period.
func lacks(s schema.Source, p *plan.Period) string {
	if p != nil && p.From < s.First {
		return "begins on " + longDate(s.First)
	}
	return "ends on " + longDate(s.Last)
}

func longDate(day string) string {
	d, _ := time.Parse(time.DateOnly, day) // the store wrote it
	return d.Format("2 January 2006")
}
