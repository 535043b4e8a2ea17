package certain

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// names are names of columns: of groups, of what is counted, of the values beside them, and of the
// goods that a figure is of.
func names(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Dim, link.Column) {
		if m.Role == schema.Product && a.isOfGoods() {
			found = append(found, phrase{to: m.To})
		}
		if m.Column == nil || m.Kind == link.Dim && !isCommon(m, a.Tokens[m.To-1].Lemma) {
			continue
		}
		h := m.Column.Heading
		isBy := at > 0 && a.says(at-1, "by", "per", "each") > 0
		if parts := a.claims(func(p part) bool {
			by := a.p.By[p.index]
			return by.Column == h && (by.Part == plan.Whole || isBy && by.Part == plan.Day)
		}, group); parts != 0 {
			found = append(found, phrase{m.To, parts | a.perOf(h)})
		}
		if parts := a.perOf(h); parts != 0 {
			found = append(found, phrase{m.To, parts})
		}
		ofValue := slices.ContainsFunc(a.filters(), func(f plan.Filter) bool { return f.Column == h && f.Part == plan.Whole })
		ofParts := slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool { return d.Column == h && d.Part != plan.Whole })
		if ofValue || ofParts {
			found = append(found, phrase{to: m.To})
		}
	}
	return found
}

// isOfGoods reports whether the figure is one that each of the goods has.
func (a *account) isOfGoods() bool {
	m := a.p.Measures[0]
	c, _ := plan.Column(a.s, m.Column)
	return m.Metric == plan.Units || m.Metric == plan.StockUnits || m.Metric == plan.StockValue || c.Role == schema.Price || c.Role == schema.UnitCost
}

// askers are words that ask for a name or an order of them.
func askers(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Word) {
		switch m.Sense {
		case "by", "which", "list", "rank", "distribution":
			found = append(found, phrase{to: m.To})
		case "how":
			if a.says(m.To, "much", "many", "often", "long") == 0 {
				found = append(found, phrase{to: m.To})
			}
		case "who":
			if a.isOfPeople() {
				found = append(found, phrase{m.To, a.people()})
			}
		case "when":
			ofHours := m.To == at+1 || a.Tokens[m.To-1].Text == "time"
			parts := a.claims(func(p part) bool {
				by := a.p.By[p.index].Part
				return by != plan.Whole && (ofHours || by != plan.Hour)
			}, group)
			if parts != 0 {
				found = append(found, phrase{m.To, parts})
			}
		case "ascending", "descending":
			if isUp := m.Sense == "ascending"; isUp == (a.p.Order == plan.Lowest) || a.p.Order == plan.ByLabel {
				found = append(found, phrase{to: m.To})
			}
		}
	}
	return found
}

// perOf returns the divisions by the different values of a column.
func (a *account) perOf(heading string) claim {
	c, _ := plan.Column(a.s, heading)
	return a.claims(func(p part) bool {
		by := a.p.Measures[p.index].Per
		return by == heading || by == plan.PerOrder && c.Role == schema.Order || by == plan.PerUnit && c.Role == schema.Quantity
	}, per)
}

// people returns the groups that "who" stands for, if only one column is of people; none where a
// noun must say whether customers or staff are meant.
func (a *account) people() claim {
	_, buys := a.s.ByRole(schema.Customer)
	_, serves := a.s.ByRole(schema.Staff)
	if buys == serves {
		return 0
	}
	return a.claims(a.isPerson, group)
}

// isPerson reports whether a group is of people.
func (a *account) isPerson(p part) bool {
	c, _ := plan.Column(a.s, a.p.By[p.index].Column)
	return c.Role == schema.Customer || c.Role == schema.Staff
}

// isOfPeople reports whether some groups are of people.
func (a *account) isOfPeople() bool { return a.claims(a.isPerson, group) != 0 }

// groups are parts of time that make groups, or that a figure is divided by.
func groups(a *account, at int) (found []phrase) {
	for _, m := range a.Times {
		if m.From != at || m.Kind != when.Group {
			continue
		}
		parts := a.claims(func(p part) bool { return a.p.By[p.index].Part == m.Part && m.Part != plan.Whole }, group)
		if m.Part == plan.Whole && a.isSeries() {
			parts = a.claim(part{kind: group})
		}
		if parts != 0 {
			found = append(found, phrase{m.To, parts})
		}
		if parts := a.claims(func(p part) bool { return a.p.Measures[p.index].Per == string(m.Part) }, per); parts != 0 && m.Part != plan.Whole {
			if at > 0 && slices.Contains([]string{"a", "an"}, a.Tokens[at-1].Text) {
				parts |= a.claims(func(p part) bool {
					return a.p.Measures[p.index].Fold == "" && a.p.Measures[p.index].Per == string(m.Part)
				}, fold)
			}
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// isSeries reports whether the first groups follow one another in time: parts of time, or years in a
// column of numbers.
func (a *account) isSeries() bool {
	if len(a.p.By) == 0 {
		return false
	}
	by := a.p.By[0]
	return by.Part.Series() || strings.Contains(strings.ToLower(by.Column), "year")
}

// listed returns the groups of goods, which are listed by what state they are in.
func (a *account) listed() claim {
	return a.claims(func(p part) bool {
		c, _ := plan.Column(a.s, a.p.By[p.index].Column)
		return c.Role == schema.Product || c.Role == schema.SKU
	}, group)
}

// ranks are superlatives.
func ranks(a *account, at int) (found []phrase) {
	isOf := at > 0 && a.says(at-1, "of") > 0 || at > 1 && a.says(at-2, "of the") > 0
	if isOf && a.p.Limit > 1 {
		return nil // the profit of the top 3: of each, or of them together
	}
	for _, m := range a.linked(at, link.Rank) {
		if parts, ok := a.ordered(m); ok {
			found = append(found, phrase{m.To, parts})
		}
	}
	return found
}

// limits are numbers of groups.
func limits(a *account, at int) []phrase {
	if limit, to := a.number(at); to > 0 && limit == a.p.Limit {
		return []phrase{{to, a.claim(part{kind: limited})}}
	}
	return nil
}

// usualLimit is how many are shown of a plural.
const usualLimit = 10

// ordered returns the parts that a superlative stands for; false if the plan is not in its order.
func (a *account) ordered(m link.Mention) (claim, bool) {
	top := m.Sense == "top"
	main := a.p.Measures[0].Metric
	if len(a.p.By) == 0 {
		end := map[bool]plan.Metric{true: plan.Most, false: plan.Least}[top]
		return a.claim(part{kind: fold}), main == end && (m.Arg == "" || m.Arg == "many")
	}
	isTop := a.p.Order == plan.Highest || a.p.Order == plan.Grown
	if m.Arg == "polar" && main.LessIsBetter() {
		top = !top
	}
	if top != isTop {
		return 0, false
	}
	parts := a.claim(part{kind: order})
	switch m.Arg {
	case "", "polar", "many":
		isCounted := slices.Contains(busy, m.Text) && (main == plan.Orders || main == plan.Rows) || m.Arg == "many" && main == plan.StockUnits
		if isCounted {
			parts |= a.claims(func(part) bool { return true }, figure)
		}
		return parts, a.p.OrderBy == 0
	case "sell", "units":
		return parts | a.claims(func(part) bool { return true }, figure), main == plan.Revenue && m.Arg == "sell" || main == plan.Units || main == plan.Orders && m.Arg == "units"
	}
	c, _ := plan.Column(a.s, a.p.Measures[0].Column)
	isNamed := m.Column != nil && m.Column.Heading == c.Heading || m.Arg == "price" && c.Role == schema.Price
	return parts | a.claim(part{kind: figure}) | a.claim(part{kind: fold}), isNamed
}

// number returns the whole number at a token and the token after it; 0 if there is none.
func (a *account) number(at int) (n, to int) {
	for _, m := range a.linked(at, link.Number) {
		if m.Unit == link.Plain && m.Number == float64(int(m.Number)) {
			return int(m.Number), m.To
		}
	}
	return 0, 0
}

// sides are words that set two things apart. The plan must show both.
func sides(a *account, at int) (found []phrase) {
	for _, m := range a.linked(at, link.Word) {
		switch m.Sense {
		case "versus", "difference", "than", "or":
			if a.p.Compare != nil || a.hasSides() {
				found = append(found, phrase{to: m.To})
			}
		case "and":
			if a.says(m.To, "what", "how", "which", "who", "when") == 0 || len(a.p.Measures)+len(a.p.Derived) > 1 {
				found = append(found, phrase{to: m.To})
			}
		case "grown", "shrunk", "change", "more", "less":
			if a.p.Compare != nil && m.Arg != "price" || a.hasSides() && (m.Sense == "more" || m.Sense == "less") && (m.Arg == "" || m.Arg == "polar") {
				found = append(found, phrase{to: m.To}, phrase{m.To, a.current()})
			}
			if m.Sense == "change" && a.isSeries() {
				found = append(found, phrase{to: m.To})
			}
		case "trend":
			if a.isSeries() {
				found = append(found, phrase{m.To, a.claim(part{kind: group})})
			}
		}
	}
	return found
}

// hasSides reports whether the groups are values that the question names.
func (a *account) hasSides() bool {
	return slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool { return a.isNamedOnly(d) || d.Part == plan.Daytype })
}

// isNamedOnly reports whether the groups of a dimension are only those that filters name.
func (a *account) isNamedOnly(d plan.Dimension) bool {
	return slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool {
		return len(f.Values) > 1 && f.Op == plan.In && f.Column == d.Column && f.Part == d.Part
	})
}

// current returns the period if its last day is the last one of the data: what has grown has done so
// until now.
func (a *account) current() claim {
	if a.p.Period == nil || a.p.Period.To < a.s.Last {
		return 0
	}
	return a.claim(part{kind: period})
}
