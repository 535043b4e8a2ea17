package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// auxiliaries begin a question of yes or no.
var auxiliaries = []string{"do", "does", "did", "have", "has", "had", "is", "are", "was", "were"}

// ofEachRow are words that make a bound in a question of yes or no one of rows: was any bill over 50.
var ofEachRow = []string{"any", "anyone", "anybody", "anything", "someone", "somebody", "ever", "each", "every"}

// readWhole takes the bounds in a question of yes or no for bounds of the figure of all rows together, and
// not of each row: did we take over 5,000 in March. The figure is computed whatever it is, and told
// beside the number.
func (b *builder) readWhole() error {
	s := &b.s
	others := len(s.groups) + len(s.counts) + len(s.earlier) + len(s.contrast) + len(s.missing)
	if !b.wordAt(0, auxiliaries...) || b.hasWord(ofEachRow...) || others > 0 || s.rank != nil || s.suppositionOf != nil || len(s.periods) > 1 ||
		s.has("which", "list", "who", "where", "when", "howmany", "howmuch", "share", "never", "claim", "grown", "shrunk", "change") || slices.ContainsFunc(s.bounds, func(o bound) bool { return o.span != s.bounds[0].span || !b.mayBeOfWhole(o) }) {
		return nil
	}
	for _, o := range s.bounds {
		if c := b.x.words.Measure(o.measure); o.of == nil && o.name == nil && c != nil {
			o.of = &figure{span: o.span, column: c}
		}
		o = b.inColumnsUnit(o)
		isNamed := func(f figure) bool { return o.of != nil && f.span == o.of.span }
		switch {
		case o.name != nil && o.name.role == schema.Product && b.x.can(plan.Units):
			s.figures = join(s.figures, []figure{{span: o.name.span, metric: plan.Units, text: o.name.text}})
		case o.name != nil:
			s.counts = join(s.counts, []count{{span: o.name.span, name: o.name}})
		case o.of != nil && !slices.ContainsFunc(s.figures, isNamed):
			s.figures = join(s.figures, []figure{*o.of})
		}
		if isBare := o.of == nil && o.name == nil && len(s.figures) == 0; isBare && o.unit == link.Plain {
			b.guessed = true // pieces or money
			isGoods := func(f cond) bool {
				return slices.Contains([]schema.Role{schema.Product, schema.Category, schema.Brand}, f.role)
			}
			if m := s.find("sell"); m != nil && b.tokens[m.from].Lemma == "sell" && slices.ContainsFunc(s.where, isGoods) && b.x.can(plan.Units) {
				s.figures = []figure{{span: o.span, metric: plan.Units, text: "units"}}
			}
		}
		if o.other != nil {
			s.figures = join(s.figures, []figure{*o.other})
			s.pair = plan.Difference
		}
		b.whole = append(b.whole, o)
	}
	s.bounds = nil
	return nil
}

// mayBeOfWhole reports whether a bound can be one of all rows together. One after what is counted is of
// each: do we have bills over 50.
func (b *builder) mayBeOfWhole(o bound) bool {
	if o.other != nil {
		adds := func(f *figure) bool { return f.column != nil && f.fold == "" && b.usualFold(*f.column) == plan.Sum }
		return adds(o.of) && adds(o.other) && !o.far && len(b.s.where) == 0
	}
	isSaid := o.of != nil || o.name != nil || len(b.s.figures) > 0 || b.s.has("sell", "buy", "money", "perform") || b.phraseOf("we do", "i do", "we done", "i done")
	follows := o.of != nil && o.of.to <= o.from && o.of.counts()
	if o.of == nil && o.measure != "" {
		c := b.x.words.Measure(o.measure)
		isSaid = c != nil && b.usualFold(*c) == plan.Sum
	}
	return isSaid && !follows && o.op != plan.In && o.arg == "" && o.per == plan.Whole && o.unit != link.Days && (o.unit != link.Percent || o.of != nil) && !b.isPlural(o)
}

// compareWhole compares the figure of all rows with the bounds of a question of yes or no.
func (b *builder) compareWhole() error {
	for _, o := range b.whole {
		if len(b.p.Measures) == 0 || len(b.p.By) > 0 || b.p.List != nil || b.p.Count {
			return b.refuse(Unknown, "It is not clear what should be compared with “%s”, so this cannot be answered.", b.text(o.from, o.to))
		}
		h := plan.Threshold{Op: o.op, Value: o.number}
		if o.other != nil {
			h = plan.Threshold{Op: o.op, Other: new(1)}
		}
		b.p.Having = append(b.p.Having, h)
	}
	return nil
}
