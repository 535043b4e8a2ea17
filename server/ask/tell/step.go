package tell

import (
	"fmt"
	"math/big"
	"slices"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// steps returns the text of how a figure changed from one part of time to the next: the
// last change, the best and the worst. Parts that the data do not cover fully are ignored.
func (v *verbalizer) steps() string {
	full := slices.DeleteFunc(slices.Clone(v.r.Groups), func(g compute.Group) bool { return v.stepChange(g) == nil })
	if len(full) == 0 {
		return v.series() + fmt.Sprintf(" There are no two full %ss in a row to compare.", v.p.By[0].Part)
	}
	g := full[len(full)-1]
	text := fmt.Sprintf("%s%s%s %s %s, %s %s the %s before.", plan.Capitalized(v.titles[0]), v.filters(), v.inPiece(g), v.verb(), v.value(g, 0),
		v.movement(g.Now[0], g.Before[0], v.units[0]), v.show(zero(g.Before[0]), v.units[0]), v.p.By[0].Part)
	if len(full) > 1 {
		byChange := func(a, b compute.Group) int { return v.stepChange(a).Cmp(v.stepChange(b)) }
		text += fmt.Sprintf(" The best change was%s, the worst%s.", v.stepText(slices.MaxFunc(full, byChange)), v.stepText(slices.MinFunc(full, byChange)))
	}
	return text
}

func (v *verbalizer) stepText(g compute.Group) string {
	return fmt.Sprintf("%s (%s)", v.inPiece(g), signed(v.show(v.stepChange(g), schema.Percent)))
}

func (v *verbalizer) inPiece(g compute.Group) string {
	if v.p.By[0].Part == plan.Day {
		return " on " + v.name(g)
	}
	return " in " + v.name(g)
}

// stepChange returns a group's change from the part before in per cent; nil if one of the
// two is not covered fully, or the figure before was not above zero.
func (v *verbalizer) stepChange(g compute.Group) *big.Rat {
	if len(g.Before) == 0 || g.Now[0] == nil || g.Before[0] == nil {
		return nil
	}
	part := v.p.By[0].Part
	from, to, ok := plan.PartDays(part, g.Labels[0])
	before, _, _ := plan.PartDays(part, plan.PartLabel(part, from.AddDate(0, 0, -1)))
	end := v.s.Last
	if day := v.reading.AsOf.Format(time.DateOnly); day > end {
		end = day
	}
	if !ok || to.Format(time.DateOnly) > end || before.Format(time.DateOnly) < v.s.First {
		return nil
	}
	if p := v.p.Period; p != nil && (from.Format(time.DateOnly) < p.From || to.Format(time.DateOnly) > p.To) {
		return nil
	}
	if v.units[0] == schema.Percent {
		return new(big.Rat).Sub(g.Now[0], g.Before[0])
	}
	return changePercent(g.Now[0], g.Before[0])
}
