package read

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Net and operating profit are what is left after all expenses. Sales less the cost of goods are
// gross profit, which is no answer to a question for net profit.

// Words for what is left after all expenses: one that says so before or after one of an amount.
var (
	afterAll    = []string{"net", "nett", "operating"}
	leftAmounts = []string{"profit", "profits", "margin", "margins", "income", "earnings", "profitability", "loss"}
	ofTimes     = []string{"daily", "weekly", "monthly", "quarterly", "annual", "yearly", "total", "overall", "average"}
	leftPhrases = []string{"bottom line", "bottomline", "profit before tax", "profit after tax", "profits before tax", "profits after tax", "pre tax profit", "pretax profit", "after tax profit", "before tax profit"}
)

// netProfitAt returns the words that ask for net or operating profit; false if none do.
func (c *chart) netProfitAt() (span, bool) {
	b := builder{chart: c}
	for i := range c.tokens {
		for _, phrase := range leftPhrases {
			if b.says(i, phrase) {
				return span{i, i + strings.Count(phrase, " ") + 1}, true
			}
		}
		to := i + 1
		if b.wordAt(to, ofTimes...) {
			to++ // net monthly profit
		}
		isBefore := b.wordAt(i, afterAll...) && b.wordAt(to, leftAmounts...)
		isAfter := b.wordAt(i, leftAmounts...) && b.wordAt(i+1, "net") && !b.wordAt(i+2, "of")
		if isAfter {
			to = i + 1
		}
		if isBefore || isAfter {
			return span{i, to + 1}, true
		}
	}
	return span{}, false
}

// readNet reads net and operating profit, and refuses them where only gross profit is known.
func (b *builder) readNet() error {
	at, asks := b.netProfitAt()
	if !asks {
		return nil
	}
	ofIncome := slices.ContainsFunc(b.tokens[at.from:at.to], func(t link.Token) bool { return t.Text == "income" || t.Text == "earnings" })
	i := slices.IndexFunc(b.p.Measures, func(m plan.Measure) bool {
		return m.Metric == plan.Profit || m.Metric == plan.Margin || m.Metric == plan.Revenue && ofIncome
	})
	if i < 0 || b.subtractExpenses(at) || !b.x.can(b.p.Measures[i].Metric) {
		return nil
	}
	if own := b.netColumn(b.p.Measures[i]); own != nil {
		b.guessed = b.guessed || !hasWord(own.Heading, afterAll...) // a profit of which no heading says what was taken off
		return nil
	}
	return &Refusal{
		Reason: Missing, Source: b.x.source, Nearest: b.grossQuestions(i),
		Sentence: fmt.Sprintf("“%s” cannot be computed: there are no wages, rent and other expenses in %s, only the cost of goods. Gross profit can be computed.", b.text(at.from, at.to), b.x.source.Name),
	}
}

// subtractExpenses makes net profit of the only column of expenses: what is left of profit, or of revenue
// if no costs are known. It reports false if there is none, or the plan is of more.
func (b *builder) subtractExpenses(at span) bool {
	expenses := slices.DeleteFunc(slices.Clone(b.x.source.Columns), func(c schema.Column) bool {
		return c.Type != schema.Number || c.Role != schema.None || !hasWord(c.Heading, "expense", "expenses", "overhead", "overheads")
	})
	first := b.p.Measures[0]
	if len(expenses) != 1 || len(b.p.Measures)-b.companions != 1 || first.Metric != plan.Profit || !first.Plain() || len(b.p.Derived) > 0 {
		return false
	}
	if !b.x.can(plan.Profit) {
		first.Metric = plan.Revenue
	}
	b.p.Measures, b.companions = []plan.Measure{first, {Metric: plan.Sum, Column: expenses[0].Heading}}, 0
	b.p.Derived = []plan.Derived{{Kind: plan.Difference, Of: 0, And: 1}}
	if len(b.p.By) > 0 {
		b.p.OrderBy = len(b.p.Measures)
	}
	b.guessed = true
	b.note(fmt.Sprintf("“%s” was taken for %s less %s.", b.text(at.from, at.to), first.Metric.Title(), expenses[0].Heading))
	return true
}

// netColumn returns the column by which a figure is after all expenses: one of profit that is not
// said to be gross, of a margin that is said to be net, or of all costs. It returns nil if there is
// none.
func (b *builder) netColumn(m plan.Measure) *schema.Column {
	for _, c := range (plan.Plan{Measures: []plan.Measure{m}}).Columns(b.x.source) {
		isNet := false
		switch c.Role {
		case schema.Profit:
			isNet = !hasWord(c.Heading, "gross")
		case schema.Revenue:
			isNet = hasWord(c.Heading, afterAll...) && hasWord(c.Heading, "income", "earnings")
		case schema.Margin:
			isNet = hasWord(c.Heading, afterAll...)
		case schema.Cost:
			isNet = hasWord(c.Heading, "expense", "expenses", "expenditure", "overhead", "overheads", "outgoings", "spend", "costs", "total", "all")
		}
		if isNet {
			return &c
		}
	}
	return nil
}

// grossQuestions returns the question of the plan for gross profit or margin in place of the figure.
func (b *builder) grossQuestions(i int) []string {
	p := b.p
	p.Measures = slices.Clone(p.Measures)
	if p.Measures[i].Metric == plan.Revenue {
		p.Measures[i].Metric = plan.Profit
	}
	question, ok := plan.Question(p, b.x.source)
	if !ok {
		return nil
	}
	title := p.Measures[i].Metric.Title()
	return []string{strings.Replace(question, title, "gross "+title, 1)}
}

// noteAllDays says which days a question is about that asks whether something makes a profit, and
// names no period: another time may give another answer.
func (b *builder) noteAllDays() {
	s := b.x.source
	asks := b.wordAt(0, "is", "are", "am", "do", "does")
	isProfit := len(b.p.Measures) > 0 && (b.p.Measures[0].Metric == plan.Profit || b.p.Measures[0].Metric == plan.Margin)
	if asks && isProfit && len(b.p.By) == 0 && b.p.Period == nil && s.Last != "" {
		b.guessed = true
		b.note("This is of all days from " + Covered(s.First, s.Last) + ".")
	}
}
