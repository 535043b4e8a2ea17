package certain

import (
	"slices"
	"time"

	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// days are weekdays, hours and months of any year.
func days(a *account, at int) (found []phrase) {
	for _, m := range a.Times {
		if m.From != at || m.Kind != when.Days || m.Likely < 0.5 {
			continue
		}
		parts := a.claims(func(p part) bool {
			f := a.filter(p.index)
			return f.Part == m.Part && f.Op == plan.In && sameSet(f.Values, m.Values)
		}, condition)
		ofDay := a.claims(func(p part) bool { return a.p.Measures[p.index].Per == string(plan.Day) && m.Part == plan.Weekday }, per)
		if parts != 0 {
			found = append(found, phrase{m.To, parts | ofDay})
		}
		if types := a.claims(func(p part) bool { return a.p.By[p.index].Part == plan.Daytype && m.Part == plan.Weekday }, group); types != 0 {
			found = append(found, phrase{m.To, types | ofDay | a.claim(part{kind: fold})}) // weekends beside weekdays, by the day
		}
	}
	return found
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// periods are days, and days that follow from them. A month without a year is the latest.
func periods(a *account, at int) (found []phrase) {
	for _, m := range a.Times {
		switch {
		case m.From != at:
		case m.Kind == when.Period && a.s.Kind == schema.Stocklist && !m.Span.From.After(a.Now.Today) && !m.Span.To.Before(a.Now.Today):
			found = append(found, phrase{to: m.To}) // stock is that of now
		case m.Kind == when.Earlier && a.p.Compare != nil:
			found = append(found, phrase{m.To, a.claim(part{kind: compare})})
		case m.Kind == when.Period:
			if parts := a.during(m.Span); parts != 0 {
				found = append(found, phrase{m.To, parts})
			}
			found = append(found, a.joined(m)...)
		}
	}
	return found
}

// joined returns the phrases of two adjacent periods that are one in the plan: may and june.
func (a *account) joined(m when.Mention) (found []phrase) {
	next := a.says(m.To, "and")
	for _, o := range a.Times {
		if next == 0 || o.From != next || o.Kind != when.Period {
			continue
		}
		if both, ok := when.Merge(m.Span, o.Span); ok {
			if parts := a.during(both); parts != 0 {
				found = append(found, phrase{o.To, parts})
			}
		}
	}
	return found
}

// during returns the periods of the plan that a span is.
func (a *account) during(s when.Span) (all claim) {
	for kind, have := range map[kind]*plan.Period{period: a.p.Period, compare: a.p.Compare} {
		if have != nil && a.isWithin(s, have) {
			all |= a.claim(part{kind: kind})
		}
	}
	return all
}

// isWithin reports whether a plan's period is a span, or as much of it as there are data.
func (a *account) isWithin(s when.Span, have *plan.Period) bool {
	if s.Yearless {
		from, err := time.Parse(time.DateOnly, have.From)
		if err != nil {
			return false
		}
		s = s.InYear(from.Year())
	}
	asked := s.Plan(a.Now)
	end := func(day string) string { return min(day, a.s.Last) }
	return max(have.From, a.s.First) == max(asked.From, a.s.First) && (end(have.To) == end(asked.To) || a.p.Compare != nil && have.To <= asked.To)
}
