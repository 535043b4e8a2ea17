package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/schema"
)

// Title returns a measure in words: revenue, revenue per order, average Rating.
func Title(s schema.Source, m Measure) string {
	title := m.Metric.Title()
	if bought := m.Metric.definition().bought; bought != "" && s.Kind == schema.Purchases {
		title = bought
	} else if m.Metric == Orders {
		if _, ok := s.ByRole(schema.Order); !ok {
			title = "sales"
		}
	}
	switch {
	case m.Metric == Distinct:
		title = "different " + m.Column
	case m.Metric.OfColumn():
		title += " " + m.Column
	}
	switch m.Per {
	case "":
		return title
	case PerOrder:
		return "average " + title + " per order"
	case PerRow:
		return "average " + title + " per row"
	case PerUnit:
		return title + " per unit"
	}
	return "average " + title + " per " + m.Per
}

// OpText returns a comparison in words.
func OpText(o Op) string {
	return map[Op]string{Less: "below", AtMost: "at most", More: "above", AtLeast: "at least", In: "", NotIn: "not", Blank: "without"}[o]
}

// FilterText returns a filter in words: the values alone if no column name is needed,
// after "not" if they are excluded.
func FilterText(f Filter, s schema.Source) string {
	c, _ := Column(s, f.Column)
	switch {
	case f.Other != "":
		return fmt.Sprintf("%s %s %s", f.Column, OpText(f.Op), f.Other)
	case f.Op == Before:
		return fmt.Sprintf("%s before %s or never", f.Column, f.Values[0])
	case f.Op == Has:
		return fmt.Sprintf("%s with %s", f.Column, f.Values[0])
	case f.Op == Blank:
		return "blank " + f.Column
	case f.Op != In && f.Op != NotIn:
		return fmt.Sprintf("%s %s %s", f.Column, OpText(f.Op), f.Values[0])
	case f.Part == Hour:
		return notPrefix(f) + hoursText(f.Values)
	case c.Type == schema.Truth:
		if f.Values[0] == "0" {
			return "not " + f.Column
		}
		return notPrefix(f) + f.Column
	}
	values := slices.Clone(f.Values)
	if f.Part == Month {
		for i, v := range values {
			n, _ := strconv.Atoi(v)
			values[i] = time.Month(n).String()
		}
	}
	const few = 4
	if len(values) > few {
		return fmt.Sprintf("%s%s and others of %s", notPrefix(f), strings.Join(values[:few], ", "), f.Column)
	}
	return notPrefix(f) + strings.Join(values, " or ")
}

func notPrefix(f Filter) string {
	if f.Op == NotIn {
		return "not "
	}
	return ""
}

// hoursText returns consecutive hours as a range, "17:00 to 19:00".
func hoursText(values []string) string {
	first, err1 := strconv.Atoi(values[0])
	last, err2 := strconv.Atoi(values[len(values)-1])
	if err1 != nil || err2 != nil {
		return strings.Join(values, ", ")
	}
	return fmt.Sprintf("%02d:00 to %02d:00", first, last+1)
}

// WhatIfText returns a change in words: "prices up 5 % for Online".
func WhatIfText(w WhatIf, s schema.Source) string {
	names := map[Change]string{Price: "prices", Volume: "sales", Costs: "costs"}
	way, n, unit := "up", w.Percent, " %"
	if w.Amount != 0 {
		n, unit = w.Amount, " each"
	}
	if n < 0 {
		way, n = "down", -n
	}
	text := fmt.Sprintf("%s %s %s%s", names[w.Change], way, strconv.FormatFloat(n, 'f', -1, 64), unit)
	if len(w.Scope) == 0 {
		return text
	}
	return text + " for " + filtersText(w.Scope, s)
}

func filtersText(fs []Filter, s schema.Source) string {
	var out []string
	for _, f := range fs {
		out = append(out, FilterText(f, s))
	}
	return strings.Join(out, " and ")
}

// Sentence returns the whole plan in words, to show what was computed (H10).
func Sentence(p Plan, s schema.Source) string {
	var titles []string
	for _, m := range p.Measures {
		titles = append(titles, Title(s, m))
	}
	text := strings.Join(titles, " and ")
	for i, d := range p.By {
		text += map[bool]string{true: " by ", false: " and "}[i == 0] + d.Column
		if d.Part != Whole {
			text += " (" + string(d.Part) + ")"
		}
	}
	text += " from " + s.Name
	if p.Steps {
		text += ", each beside the " + string(p.By[0].Part) + " before"
	}
	if len(p.Where) > 0 {
		text += ", where " + filtersText(p.Where, s)
	}
	if len(p.Part) > 0 {
		text += ", the share of " + filtersText(p.Part, s)
	}
	for _, h := range p.Having {
		text += fmt.Sprintf(", with %s %s %s", titles[h.Measure], OpText(h.Op), strconv.FormatFloat(h.Value, 'f', -1, 64))
	}
	if p.Period != nil {
		text += ", " + p.Period.From + " to " + p.Period.To
	}
	if p.Compare != nil {
		text += ", compared with " + p.Compare.From + " to " + p.Compare.To
	}
	if p.WhatIf != nil {
		text += ", with " + WhatIfText(*p.WhatIf, s)
	}
	return Capitalized(text + orderText(p) + ".")
}

func orderText(p Plan) string {
	if len(p.By) == 0 {
		return ""
	}
	text := ", " + map[Order]string{"": "in order", ByLabel: "in order", Highest: "highest first", Lowest: "lowest first", Grown: "most gained first", Shrunk: "most lost first"}[p.Order]
	if p.Limit > 0 {
		text += fmt.Sprintf(", at most %d", p.Limit)
	}
	return text
}

// Capitalized returns a text with its first letter, if it is ASCII, in upper case.
func Capitalized(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
