package read

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// readOfRow reads a superlative of a row and what else is asked of that row: the biggest bill, and
// who served it. What the people of a ranking do is left out and named. It reports false if the words are something
// else.
func (r *Reader) readOfRow(ctx context.Context, question string, tokens []link.Token, today time.Time) (Reading, bool) {
	for i := 1; i+1 < len(tokens); i++ {
		begin := i
		if tokens[i].Text == "and" {
			begin++
		} else if tokens[i].Mark == "" {
			continue
		}
		tail := tokens[begin:]
		if !slices.Contains(asking, tail[0].Text) || len(tail) < 2 || !refersBack(tail) {
			continue
		}
		head := question[:tokens[i].Start]
		got, err := r.readOver(ctx, &words{tokens: link.Tokenize(head), tail: tail}, question, today)
		if err == nil && len(got.Unused) == 0 {
			return got, true
		}
		if !asksDoing(tail) {
			return Reading{}, false
		}
		if got, err = r.readWhole(ctx, head, today); err != nil || len(got.Unused) > 0 {
			return Reading{}, false
		}
		got.Certain = false
		got.Notes = append(got.Notes, fmt.Sprintf("Only the first question is answered here: “%s” can be asked of one of them by name.", strings.TrimRight(question[tail[0].Start:], " ?!.")))
		return got, true
	}
	return Reading{}, false
}

// asksDoing reports whether a clause asks what some people do: what do they buy, when did they last order.
func asksDoing(clause []link.Token) bool {
	return clause[0].Text != "how" && hasAny(clause, "they") && hasAny(clause, "do", "did") && hasAny(clause, havingWords...)
}

// refersBack reports whether the words of a clause mean what a clause before them is about: who was
// it, what was the occasion, which vet, who did the work.
func refersBack(clause []link.Token) bool {
	isBe := slices.Contains([]string{"is", "was", "are", "were"}, clause[1].Text)
	refers := func(t link.Token) bool { return t.Text == "the" || slices.Contains(referring, t.Text) }
	return isBe || len(clause) == 2 || slices.ContainsFunc(clause[1:], refers)
}

// showAsked adds the columns that the end of the question asks for to the list of the rows that its
// beginning ranks, or to groups of orders, which have several rows each.
func (b *builder) showAsked() error {
	if b.tail == nil {
		return nil
	}
	asked := b.columnOfTail()
	if asked == nil || b.p.List == nil && !b.listRanked() && !b.splitRanked(*asked) || b.p.List != nil && b.p.List.By == "" {
		return b.refuse(Unknown, "These are two questions, and they can be answered one by one only.")
	}
	b.guessed, b.asked = true, asked.Heading
	return nil
}

// listRanked makes a list of the rows of which the plan has only the largest or the smallest figure,
// or which it has as groups of one row. It reports false if the plan is of something else.
func (b *builder) listRanked() bool {
	p := &b.p
	if p.Compare != nil || p.Share || p.Count || p.Nth > 0 || len(p.Measures) == 0 || len(p.Derived)+len(p.Having)+len(p.Part)+len(p.WhatIf) > 0 || len(p.Measures[0].Where) > 0 {
		return false
	}
	by, ok := b.boundColumn(p.Measures[0])
	isExtreme := len(p.By) == 0 && (p.Measures[0].Metric == plan.Most || p.Measures[0].Metric == plan.Least)
	if !ok || !isExtreme && !(len(p.By) == 1 && p.Limit > 0 && b.isOneRow(p.By[0])) {
		return false
	}
	if isExtreme {
		p.Order, p.Limit = map[plan.Metric]plan.Order{plan.Most: plan.Highest, plan.Least: plan.Lowest}[p.Measures[0].Metric], 1
	}
	p.List, p.By, p.OrderBy = &plan.Listing{By: by}, nil, 0
	p.Measures, b.companions = []plan.Measure{{Metric: plan.Rows}}, 0
	return true
}

// isOneRow reports whether each group of a dimension is one row.
func (b *builder) isOneRow(d plan.Dimension) bool {
	c, ok := plan.Column(b.x.source, d.Column)
	return ok && d.Part == plan.Whole && c.Distinct+c.Blank == b.x.source.Rows
}

// splitRanked adds a column that says the same in all rows of an order to ranked orders.
func (b *builder) splitRanked(c schema.Column) bool {
	ofOrder := []schema.Role{schema.Customer, schema.Staff, schema.Day, schema.Store, schema.Channel, schema.Payment, schema.City}
	if len(b.p.By) != 1 || b.p.Limit == 0 || !b.isOrders() || c.Blank > 0 || !slices.Contains(ofOrder, c.Role) {
		return false
	}
	d := plan.Dimension{Column: c.Heading}
	if isDay(&c) {
		d.Part = plan.Day
	}
	b.groupBy(d)
	return true
}

// columnOfTail returns the column that the end of the question asks for; nil if it asks for
// something else.
func (b *builder) columnOfTail() *schema.Column {
	var named *schema.Column
	best := link.Mention{}
	covered := map[int]bool{}
	for _, m := range b.tailMentions {
		switch isName := m.Kind == link.Column || m.Kind == link.Dim; {
		case m.Quality <= link.Hint || m.How == link.Corrected || isName && m.Column == nil || m.Kind == link.Metric || m.Kind == link.Topic:
			continue
		case slices.Contains([]link.Kind{link.Rank, link.Fold, link.Op, link.Number, link.Value}, m.Kind):
			return nil
		case isName && m.From > 0 && m.Quality > best.Quality:
			named, best = m.Column, m
		}
		for i := m.From; i < m.To; i++ {
			covered[i] = true
		}
	}
	for i, t := range b.tail {
		if !covered[i] && b.x.leaveOut(t).cost >= costNounUnused {
			return nil
		}
	}
	switch b.tail[0].Text {
	case "who", "whose":
		return b.personOfTail(named)
	case "when":
		return b.firstOf(schema.Day)
	case "where":
		return b.firstOf(schema.Store, schema.City, schema.State, schema.Region, schema.Country)
	case "how":
		if named == nil || named.Type != schema.Number {
			return nil
		}
		return named
	}
	if h, ok := b.productHeading(); named == nil && ok {
		c, _ := plan.Column(b.x.source, h)
		return &c
	}
	return named
}

// personOfTail returns the column of who did something, which the words may name, or for whom it was.
func (b *builder) personOfTail(named *schema.Column) *schema.Column {
	if named != nil && (named.Role == schema.Staff || named.Role == schema.Customer) {
		return named
	}
	ofCustomer := func(t link.Token) bool {
		return slices.Contains([]string{"for", "to", "from"}, t.Text) || slices.Contains([]string{"buy", "pay", "spend", "leave", "left", "place", "order", "give", "have", "owe"}, t.Lemma)
	}
	isVerb := func(t link.Token) bool { return t.Lemma == "do" || !slices.Contains(silent, t.Text) }
	switch {
	case b.tail[0].Text == "whose" || slices.ContainsFunc(b.tail[1:], ofCustomer):
		return b.firstOf(schema.Customer)
	case !slices.ContainsFunc(b.tail[1:], isVerb): // who was it
		return b.firstOf(schema.Customer, schema.Staff)
	}
	return b.firstOf(schema.Staff)
}

// firstOf returns the column of the first of some roles that the source has, or nil.
func (b *builder) firstOf(roles ...schema.Role) *schema.Column {
	for _, role := range roles {
		if c, ok := b.x.source.ByRole(role); ok {
			return &c
		}
		if c := b.x.words.Like(role); c != nil {
			return c
		}
	}
	return nil
}
