package read

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// builder makes a plan of a sketch. Each step reads its part of the sketch; what a step
// assumes costs.
type builder struct {
	*chart
	now        when.Now
	s          sketch
	p          plan.Plan
	notes      []string
	cost       float64
	relative   bool
	guessed    bool
	companions int
	implied    []plan.Filter
	noun       string       // of the rows that are listed
	asked      string       // column of the listed rows that the question asks for
	claim      *plan.Period // the part of time said to be the first of the ranking
	whole      []bound      // of the figure of all rows together
	reversed   span         // words for refunds or cancellations that are counted
	without    *plan.Period // days in which the groups have no rows
	taken      map[int]bool // tokens of function words that a step gave a use
}

// finish makes the plan of a complete reading. The error is a *Refusal; the cost is set in
// both cases.
func (c *chart) finish(st *state, now when.Now) (Reading, error) {
	b := &builder{chart: c, now: now, s: st.sketch(), cost: st.cost, taken: map[int]bool{}}
	b.p.Source = c.x.source.ID
	if c.x.source.SoldLast != "" {
		b.p.Day = now.Today.Format(time.DateOnly)
	}
	if err := b.build(); err != nil {
		return Reading{Plan: b.about(), cost: b.cost}, err
	}
	if err := b.readNet(); err != nil {
		return Reading{Plan: b.about(), cost: b.cost}, err
	}
	if err := plan.Check(b.p, c.x.source); err != nil {
		return Reading{Plan: b.about(), cost: b.cost}, b.unfit(err)
	}
	b.noteAllDays()
	b.noteNouns()
	if left := b.unusedWords(); len(left) > 0 {
		has := "has"
		if len(left) > 1 {
			has = "have"
		}
		b.note("“" + strings.Join(left, "”, “") + "” " + has + " no effect on this answer.")
	}
	return Reading{
		Plan: b.p, Source: c.x.source, Notes: b.notes, Companions: b.companions, Implied: b.implied, Noun: b.noun, Asked: b.asked, Claim: b.claim, Relative: b.relative, guessed: b.guessed,
		Unused: b.unusedWords(), cost: b.cost,
	}, nil
}

// about returns the figure, the values and the days that were read before a refusal.
func (b *builder) about() plan.Plan {
	p := plan.Plan{Source: b.p.Source, Period: b.p.Period}
	if len(b.p.Measures) > 0 && b.p.Measures[0].Plain() {
		p.Measures = b.p.Measures[:1]
	}
	for _, f := range b.s.where {
		if f.Op == plan.In && f.Part == plan.Whole && f.Other == "" {
			p.Where = addFilter(p.Where, f.Filter)
		}
	}
	if p.Period == nil && len(b.s.periods) == 1 {
		p.Period = b.s.periods[0].Plan(b.now)
	}
	return p
}

// noteNouns notes which nouns were taken for the rows or for a column.
func (b *builder) noteNouns() {
	for _, at := range b.nouns {
		isOf := func(s span) bool { return s.from <= at.from && at.to <= s.to }
		isValue := slices.ContainsFunc(b.s.where, func(f cond) bool { return isOf(f.span) })
		isName := !at.isName && (slices.ContainsFunc(b.s.groups, func(g group) bool { return isOf(g.span) }) || slices.ContainsFunc(b.s.names, func(n name) bool { return isOf(n.span) }))
		if !isValue && !isName && !slices.Contains(b.s.unused, at.from) {
			b.note(fmt.Sprintf("“%s” was taken for %s.", b.text(at.from, at.to), at.of))
		}
	}
}

// steps make a plan, coverSteps one of questions that cover answers.
var (
	steps = []func(*builder) error{
		(*builder).readShelfMoney, (*builder).refuseMissing, (*builder).refuseClauses, (*builder).readSupposition, (*builder).readContrast,
		(*builder).readQuiet, (*builder).readNotSince, (*builder).ordersWorth, (*builder).readComing, (*builder).readSoldSpan, (*builder).readPeriods, (*builder).readWhole, (*builder).readReversals, (*builder).readUnsold, (*builder).readHeld, (*builder).readWhen, (*builder).readExpiry, (*builder).listLongestAgo, (*builder).readLastTime, (*builder).readLastPaid, (*builder).readList, (*builder).readFolds, (*builder).readDivisor,
		(*builder).readShortfall, (*builder).readLess, (*builder).readCounts, (*builder).readFigures,
		(*builder).readWorth, (*builder).readSecondMoney, (*builder).readPresence, (*builder).readBelowCost,
		(*builder).readStates, (*builder).nameSellers, (*builder).readGroups, (*builder).readConditions,
		(*builder).readEventDays, (*builder).readEvents, (*builder).implyMeasures, (*builder).readFees, (*builder).readGot, (*builder).readBought, (*builder).readSold, (*builder).readLastDays, (*builder).readCameIn, (*builder).refuseThen, (*builder).refuseSales, (*builder).refuseTimeOfSpent, (*builder).refuseOfStay,
		(*builder).readTax, (*builder).readOwed, (*builder).countRather, (*builder).noteDiscounts, (*builder).readAverages, (*builder).readBounds, (*builder).compareWhole,
		(*builder).readShare, (*builder).readDerived, (*builder).readOrder, (*builder).orderByUrgency, (*builder).readChange,
		(*builder).readClaim, (*builder).leaveOutUnfinished, (*builder).readNever, (*builder).readHadNot,
		(*builder).readUses, (*builder).refuseUnused, (*builder).refuseAbsent, (*builder).refuseVisits, (*builder).rankEachByRows, (*builder).refuseLastDays, (*builder).addCompanions,
		(*builder).readLate, (*builder).listVariants, (*builder).showAsked, (*builder).showListed, (*builder).noteKinds,
	}
	coverSteps = []func(*builder) error{(*builder).refuseMissing, (*builder).readUses, (*builder).refuseUnused}
)

func (b *builder) build() error {
	steps := steps
	if kind := b.cover(); kind != noCover {
		if err := b.readCover(kind); err != nil {
			return err
		}
		steps = coverSteps
	}
	for _, step := range steps {
		if err := step(b); err != nil {
			return err
		}
	}
	return nil
}

// unusedWords returns the words without a use that a person would miss.
func (b *builder) unusedWords() []string {
	var out []string
	for _, i := range b.s.unused {
		if !b.taken[i] && b.tokens[i].Raw != "" {
			out = append(out, b.tokens[i].Raw)
		}
	}
	return out
}

func (b *builder) note(sentence string) {
	if !slices.Contains(b.notes, sentence) {
		b.notes = append(b.notes, sentence)
	}
}

// assume adds the cost of an assumption.
func (b *builder) assume(cost float64) {
	b.cost += cost
}

func (b *builder) heading(r schema.Role) (string, bool) {
	c, ok := b.x.source.ByRole(r)
	return c.Heading, ok
}

// productHeading returns the heading of the finest column of what the shop sells.
func (b *builder) productHeading() (string, bool) {
	for _, role := range []schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand} {
		if h, ok := b.heading(role); ok {
			return h, true
		}
		if role == schema.Product && b.x.product != nil {
			return b.x.product.Heading, true
		}
	}
	return "", false
}

func (b *builder) addMeasure(m plan.Measure) int {
	if i := slices.IndexFunc(b.p.Measures, func(have plan.Measure) bool { return have.Equal(m) }); i >= 0 {
		return i
	}
	b.p.Measures = append(b.p.Measures, m)
	return len(b.p.Measures) - 1
}

func (b *builder) addIfGiven(m plan.Metric) {
	if b.x.can(m) {
		b.addMeasure(plan.Measure{Metric: m})
	}
}

// hoursOfDay bounds the different times of a column of slots.
const hoursOfDay = 24

func (b *builder) groupBy(d plan.Dimension) {
	if c, ok := plan.Column(b.x.source, d.Column); ok && c.Role == schema.DayTime && d.Part == plan.Whole && (b.s.rank.isBusy() || c.Distinct > hoursOfDay) {
		d.Part = plan.Hour // the busiest time, unless they are slots
	}
	if !slices.Contains(b.p.By, d) {
		b.p.By = append(b.p.By, d)
	}
}

func (b *builder) groupByTime(part plan.Part) {
	if c, ok := plan.TimeColumn(b.x.source, part); ok {
		b.groupBy(plan.Dimension{Column: c.Heading, Part: part})
	}
}

func (b *builder) groupByRole(roles ...schema.Role) bool {
	for _, role := range roles {
		if h, ok := b.heading(role); ok {
			b.groupBy(plan.Dimension{Column: h})
			return true
		}
	}
	return false
}

func (b *builder) groupByProduct() bool {
	h, ok := b.productHeading()
	if ok {
		b.groupBy(plan.Dimension{Column: h})
	}
	return ok
}

// hasWord reports whether one of some words is in the question.
func (c *chart) hasWord(words ...string) bool { return hasAny(c.tokens, words...) }

// hasAny reports whether one of some words is among tokens.
func hasAny(tokens []link.Token, words ...string) bool {
	return slices.ContainsFunc(tokens, func(t link.Token) bool { return slices.Contains(words, t.Text) })
}

// wordAt reports whether a token is one of some words.
func (b *builder) wordAt(i int, words ...string) bool {
	return i >= 0 && i < len(b.tokens) && slices.Contains(words, b.tokens[i].Text)
}

// addFilter adds a filter and merges the values of filters over one column.
func addFilter(to []plan.Filter, f plan.Filter) []plan.Filter {
	for i, have := range to {
		if have.Column != f.Column || have.Part != f.Part || have.Op != f.Op || have.Other != f.Other {
			continue
		}
		if f.Op != plan.In && f.Op != plan.NotIn {
			if slices.Equal(have.Values, f.Values) {
				return to
			}
			continue
		}
		to = slices.Clone(to)
		for _, v := range f.Values {
			if !slices.Contains(have.Values, v) {
				to[i].Values = append(slices.Clone(to[i].Values), v)
			}
		}
		return to
	}
	return append(to, f)
}

// someOf returns values in words.
func someOf(values []string) string {
	last := len(values) - 1
	switch {
	case last > 2:
		return strings.Join(values[:3], ", ") + " and others"
	case last > 0:
		return strings.Join(values[:last], ", ") + " and " + values[last]
	}
	return strings.Join(values, "")
}
