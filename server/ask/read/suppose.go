package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
)

// readWhatIf reads a supposed change: prices up 5 %, 10 % more sold.
func (r *reading) readWhatIf() error {
	if !r.has(ifWord, would) && !r.isCommand() {
		return nil
	}
	n := r.changeNumber()
	if r.countChanges() > 1 {
		return r.refuse(Unknown, "This supposes more than one change. Only one at a time can be computed, so it is not clear what is meant.")
	}
	percent := 0.0
	if n < 0 {
		i := r.find(0, grown, shrunk)
		for i >= 0 && r.marks[i].arg == "" {
			i = r.find(i+1, grown, shrunk)
		}
		if i < 0 {
			return r.withoutChange()
		}
		percent = map[string]float64{"100": 100, "50": 50}[r.marks[i].arg]
	} else {
		percent = r.marks[n].number.number
		r.marks[n].used = true
	}
	change, ok := r.changeTarget()
	if !ok {
		return r.refuse(Unknown, "What a change of this leads to does not follow from the data, so it cannot be computed.")
	}
	w := plan.WhatIf{Change: change, Percent: percent}
	if n >= 0 && r.marks[n].number.kind != percentNumber {
		w.Percent, w.Amount = 0, percent
	}
	if r.goesDown(n) {
		w.Percent, w.Amount = -w.Percent, -w.Amount
	}
	if w.Amount != 0 && w.Change == plan.Volume {
		return r.refuse(Unknown, "A change of sales must be given in per cent, so this cannot be answered.")
	}
	r.p.WhatIf = []plan.WhatIf{w}
	r.consumeSupposition()
	return nil
}

// isCommand reports whether the question begins like a command: raise prices 5 %.
func (r *reading) isCommand() bool {
	if len(r.marks) == 0 {
		return false
	}
	i := r.find(0, grown, shrunk)
	return i >= 0 && i <= 1 && r.changeNumber() >= 0 && r.has(price, metric) && !r.has(period, compared, which, howMany)
}

// changeNumber returns the index of the percentage or amount of the change, or -1.
func (r *reading) changeNumber() int {
	for i, m := range r.marks {
		if m.kind == number && m.number.kind == percentNumber {
			return i
		}
	}
	for i, m := range r.marks {
		if m.kind != number || r.boundBefore(i) {
			continue
		}
		if m.number.kind == moneyNumber || r.has(price) && m.number.kind == plainNumber && r.has(grown, shrunk) {
			return i
		}
	}
	return -1
}

// countChanges returns the number of percentages.
func (r *reading) countChanges() int {
	n := 0
	for _, m := range r.marks {
		if m.kind == number && m.number.kind == percentNumber {
			n++
		}
	}
	return n
}

// withoutChange accepts "what would profit be without Walmart" as a question without those
// rows, and refuses other suppositions.
func (r *reading) withoutChange() error {
	if r.has(not) && r.has(value) || r.has(value) && r.hasWord("stopped", "stop", "dropped", "drop", "lost", "closed", "close") {
		if !r.has(not) {
			for i := range r.marks {
				if r.marks[i].kind == shrunk {
					r.marks[i].kind = not
				}
			}
		}
		return nil
	}
	if r.has(ifWord) {
		return r.refuse(Unknown, "What is supposed does not say by how many per cent something changes, so it cannot be computed.")
	}
	return nil
}

// goesDown reports whether the change is a decrease, by the word nearest to the number.
func (r *reading) goesDown(n int) bool {
	near, dist := kind(""), 1<<30
	for i, m := range r.marks {
		d := max(i-n, n-i)
		if (m.kind == grown || m.kind == shrunk || m.kind == comparison) && d < dist {
			near, dist = m.kind, d
		}
	}
	next, _ := r.after(n)
	isDiscount := n >= 0 && next.kind == metric && next.metric == plan.Discounts // a 10 % discount
	return near == shrunk || isDiscount || r.hasWord("off") && !r.has(grown)
}

// changeTarget returns what changes: prices, costs, else how much is sold; false for
// profit or tax, from which nothing follows.
func (r *reading) changeTarget() (plan.Change, bool) {
	switch {
	case r.supposes(plan.Discounts) && r.has(grown, shrunk), r.supposes(plan.Profit, plan.Margin, plan.Taxes, plan.ShippingPaid):
		return "", false
	case r.has(price) || r.hasWord("discount", "off", "charged", "charge"):
		return plan.Price, true
	case r.supposes(plan.Cost):
		return plan.Costs, true
	}
	return plan.Volume, true
}

// supposes reports whether a figure is in the supposition.
func (r *reading) supposes(metrics ...plan.Metric) bool {
	for i, m := range r.marks {
		if m.kind == metric && r.inSupposition(i) && slices.Contains(metrics, m.metric) {
			return true
		}
	}
	return false
}

// supposition returns the tokens of the supposition: from "if" to "would" or "what".
func (r *reading) supposition() (from, to int) {
	i := r.find(0, ifWord)
	if i < 0 {
		i = r.find(0, grown, shrunk)
		if i < 0 {
			return 0, len(r.ts)
		}
		w := r.find(0, would)
		if w >= 0 && w < i {
			return r.marks[i].from, len(r.ts)
		}
		return r.marks[max(i-1, 0)].from, len(r.ts)
	}
	from, to = r.marks[i].from, len(r.ts)
	for j := i + 1; j < len(r.marks); j++ {
		k := r.marks[j].kind
		if k == would || k == which || k == howMuch || k == howMany {
			return from, r.marks[j].from
		}
	}
	return from, to
}

func (r *reading) inSupposition(i int) bool {
	from, to := r.supposition()
	return r.marks[i].from >= from && r.marks[i].from < to
}

// consumeSupposition consumes the marks of the supposition, so that only the question
// remains. If no figure is asked for, it adds the one that shows the effect.
func (r *reading) consumeSupposition() {
	asked := false
	for i, m := range r.marks {
		switch {
		case m.kind == metric && !r.inSupposition(i):
			asked = true
		case m.kind == metric && r.inSupposition(i), m.kind == price, m.kind == sell && r.inSupposition(i):
			r.consume(i)
		case m.kind == number || m.kind == average, m.kind == top && strings.HasPrefix(m.text, "more"):
			r.consume(i)
		case (m.kind == comparison || m.kind == howMany) && r.inSupposition(i):
			r.consume(i)
		}
	}
	if asked {
		return
	}
	if r.p.WhatIf[0].Change == plan.Costs {
		r.addMeasure(plan.Measure{Metric: plan.Profit})
		return
	}
	r.addMeasure(plan.Measure{Metric: r.defaultMetric()})
	r.addIfAvailable(plan.Profit)
}

// finish handles what no step did. An unused number means that the question asks for
// something else.
func (r *reading) finish() error {
	if i := r.unusedNegation(); i >= 0 {
		return r.refuse(Unknown, "It is not clear what “%s” rules out in this question, so it cannot be answered.", r.marks[i].text)
	}
	if i := r.find(0, placeNo); i >= 0 {
		return r.refuse(Unknown, "It is not clear which place “%s” means in this question, so it cannot be answered.", r.marks[i].text)
	}
	for _, m := range r.marks {
		if m.kind == number && !m.used {
			return r.refuse(Unknown, "It is not clear what %s stands for in this question, so it cannot be answered.", m.text)
		}
	}
	if r.has(why) {
		if r.p.Compare == nil {
			return r.refuse(Unknown, "Why something is as it is does not stand in the data. What changed between two periods could be shown.")
		}
		r.p.Why = true
		r.p.By, r.p.Order, r.p.Limit = nil, "", 0
	}
	r.addCompanions()
	if len(r.p.WhatIf) > 0 {
		r.p.Share, r.p.Compare = false, nil
	}
	if len(r.p.By) == 0 {
		r.p.Order, r.p.Limit = "", 0
		if !r.p.Count {
			r.p.Having = nil
		}
	}
	return nil
}

// unusedNegation returns the index of a negation without a filter, or -1.
func (r *reading) unusedNegation() int {
	for i, m := range r.marks {
		if m.kind != not {
			continue
		}
		next, j := r.after(i, link, by, and, or, dim, not)
		flag := j >= 0 && next.kind == column && isFlag(r.x.source.Columns[next.column])
		if _, ok := r.blankColumn(i); ok {
			continue
		}
		if j < 0 || next.kind != value && next.kind != days && !flag && next.kind != loss {
			return i
		}
	}
	return -1
}

// addCompanions adds figures to a plain total, since "how much did we make" may mean sales
// or profit.
func (r *reading) addCompanions() {
	p := &r.p
	if len(p.By) > 0 || p.Count || p.Share || len(p.WhatIf) > 0 || p.Compare != nil || len(p.Measures) != 1 || p.Measures[0].Metric != plan.Revenue || !p.Measures[0].Plain() {
		return
	}
	for _, m := range []plan.Metric{plan.Profit, plan.Units} {
		if r.x.can(m) {
			r.addMeasure(plan.Measure{Metric: m})
			r.companions++
		}
	}
}
