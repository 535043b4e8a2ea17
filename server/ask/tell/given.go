package tell

import (
	"strings"

	"svc/server/ask/plan"
)

// given returns the sentences on the pairs of a question's context: each text and figure that
// is asked for, with its title.
func (v *verbalizer) given() string {
	var lines []string
	for _, c := range v.givenCards() {
		lines = append(lines, c.Label+": "+c.Value+".")
	}
	return strings.Join(lines, " ")
}

func (v *verbalizer) givenHeader() string {
	first := v.givenCards()[0]
	return first.Label + ": " + first.Value
}

func (v *verbalizer) givenCards() (cards []Card) {
	for i, d := range v.p.By {
		cards = append(cards, Card{plan.Capitalized(pretty(d.Column)), v.r.Groups[0].Labels[i]})
	}
	if len(cards) > 0 {
		return cards // the figures beside a text are none of its own
	}
	if len(v.p.Derived) > 0 {
		return append(cards, Card{plan.Capitalized(v.titles[v.main]), v.show(v.r.Total.Now[v.main], v.units[v.main])})
	}
	for i, m := range v.p.Measures {
		title := v.titles[i]
		switch {
		case m.Metric == plan.Rows:
			continue // a text has no figure
		case m.Metric.OfColumn():
			title = pretty(m.Column)
		case m.Metric == plan.Profit:
			title = "gross profit" // the margin of seed 2.4a is gross
		}
		cards = append(cards, Card{plan.Capitalized(title), v.show(v.r.Total.Now[i], v.units[i])})
	}
	return cards
}
