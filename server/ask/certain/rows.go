package certain

import (
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// values are values that rows have. A text that two columns have is certain only of the one whose
// heading is said, too, which leaves it to names.
func values(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Value) {
		if parts := a.claims(func(p part) bool { return a.isOf(m, p) }, value); parts != 0 && !a.isShared(m) && !a.isPart(m) && !a.isThing(m) {
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// isThing reports whether words for how something was paid or sold come after an article, as what was
// sold does: a phone.
func (a *account) isThing(m link.Mention) bool {
	isWay := m.Column.Role == schema.Payment || m.Column.Role == schema.Channel
	return isWay && m.From > 0 && slices.Contains([]string{"a", "an"}, a.Tokens[m.From-1].Text)
}

// isOf reports whether a part is a value that a mention names.
func (a *account) isOf(m link.Mention, p part) bool {
	return a.filter(p.index).Column == m.Column.Heading && slices.Contains(m.Values, p.text)
}

// isShared reports whether the words of a value are a value of another column, too.
func (a *account) isShared(m link.Mention) bool {
	return slices.ContainsFunc(a.Links, func(o link.Mention) bool {
		return o.Kind == link.Value && o.From == m.From && o.To == m.To && o.How == link.Exact && o.Column.Heading != m.Column.Heading
	})
}

// places and people are named by whole values.
var wholeNames = []schema.Role{schema.City, schema.State, schema.Country, schema.Region, schema.Store, schema.Customer, schema.Staff}

// isPart reports whether the words of a value are a part of other values of its column that the
// plan does not have: silver of "silver, enamel".
func (a *account) isPart(m link.Mention) bool {
	if slices.Contains(wholeNames, m.Column.Role) || len(m.Values) != 1 {
		return false
	}
	text := " " + strings.ToLower(m.Values[0]) + " "
	return slices.ContainsFunc(m.Column.Values, func(v string) bool {
		padded := " " + strings.NewReplacer(",", " ", "&", " ", "/", " ", "(", " ", ")", " ", "-", " ").Replace(strings.ToLower(v)) + " "
		return v != m.Values[0] && strings.Contains(padded, text) && a.claims(func(p part) bool { return p.text == v }, value, without) == 0
	})
}

// negations are words that leave rows out, with the values.
func negations(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Word) {
		if m.Sense != "not" && m.Sense != "without" {
			continue
		}
		from := a.skip(m.To)
		for _, v := range a.linked(from, link.Value, link.Column) {
			parts := a.claims(func(p part) bool { return v.Kind == link.Value && a.isOf(v, p) }, without)
			blank := a.claims(func(p part) bool {
				f := a.filter(p.index)
				return v.Kind == link.Column && f.Op == plan.Blank && f.Column == v.Column.Heading
			}, condition)
			if v.Kind == link.Column {
				parts |= a.flagged(v, false)
			}
			if parts|blank != 0 {
				found = append(found, phrase{v.To, parts | blank})
			}
		}
	}
	return found
}

// flags are headings of columns of yes and no.
func flags(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Column) {
		if parts := a.flagged(m, true); parts != 0 {
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// flagged returns the conditions that a heading of yes and no is one of them.
func (a *account) flagged(m link.Mention, is bool) claim {
	words := map[bool][]string{true: {"1", "yes", "y", "true", "t"}, false: {"0", "no", "n", "false", "f"}}[is]
	return a.claims(func(p part) bool {
		return a.filter(p.index).Column == m.Column.Heading && slices.Contains(words, strings.ToLower(p.text))
	}, value)
}

// states are words for what became of sales and goods.
func states(a *account, at int) (found []phrase) {
	stock, _ := a.s.ByRole(schema.Stock)
	reorder, _ := a.s.ByRole(schema.Reorder)
	for _, m := range a.linked(at, link.State) {
		var parts claim
		switch m.Sense {
		case "cancelled":
			parts = a.claims(func(p part) bool {
				of := a.p.Measures[p.index].Metric
				return of == plan.CancelledOrders || of == plan.CancellationRate
			}, figure)
		case "loss":
			parts = a.claims(func(p part) bool {
				h := a.p.Having[p.index]
				return h.Op == plan.Less && h.Value == 0 && h.Other == nil && h.Measure == 0 && a.p.Measures[0].Metric == plan.Profit
			}, bound)
			if parts != 0 {
				parts |= a.claim(part{kind: figure})
			}
		case "soldout", "lowstock":
			parts = a.claims(func(p part) bool {
				f := a.filter(p.index)
				isOut := f.Column == stock.Heading && f.Op == plan.AtMost && slices.Equal(f.Values, []string{"0"})
				return isOut && m.Sense == "soldout" || m.Sense == "lowstock" && f.Other != "" && f.Other == reorder.Heading
			}, condition)
			if parts != 0 {
				parts |= a.claims(func(part) bool { return true }, figure, fold, derived) | a.listed()
			}
		}
		if parts != 0 {
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// bounds are comparisons with a number.
func bounds(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Op) {
		if m.Sense == "after" {
			continue
		}
		for _, n := range a.linked(a.skip(m.To), link.Number) {
			if parts := a.bounded(m.Op, n.Number); parts != 0 {
				found = append(found, phrase{n.To, parts})
			}
		}
	}
	for _, n := range a.linked(at, link.Number) {
		for _, m := range a.linked(n.To, link.Op) {
			if parts := a.bounded(m.Op, n.Number); parts != 0 && m.Sense == "after" {
				found = append(found, phrase{m.To, parts})
			}
		}
	}
	return found
}

// bounded returns the thresholds and conditions that compare with a number.
func (a *account) bounded(op plan.Op, n float64) claim {
	groups := a.claims(func(p part) bool {
		h := a.p.Having[p.index]
		return h.Op == op && h.Value == n && h.Other == nil && (h.Measure == 0 || len(a.p.Measures) == 1)
	}, bound)
	rows := a.claims(func(p part) bool {
		f := a.filter(p.index)
		return f.Op == op && len(f.Values) == 1 && f.Values[0] == strconv.FormatFloat(n, 'f', -1, 64) && f.Other == ""
	}, condition)
	if groups != 0 && rows != 0 {
		return 0
	}
	return groups | rows
}
