package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// refuseAbsent refuses what no column tells, though each word of it has a meaning in the source. An answer to the rest
// of such a question would be one to another.
func (b *builder) refuseAbsent() error {
	if thing := b.madeUp(); thing != "" {
		return b.refuseWords([]string{thing}, "Nothing in %s is called “%s”, so this cannot be answered.", b.x.source.Name, thing)
	}
	if b.asksDistance() {
		return b.refuse(Missing, "There is no column of distances in %s, so this cannot be answered.", b.x.source.Name)
	}
	if b.goesToStaff() {
		return b.refuse(Missing, "There is nothing in %s about what the staff got, so this cannot be answered.", b.x.source.Name)
	}
	for _, i := range b.s.unused {
		if !b.taken[i] && !b.isMark(i) && (b.takesTime(i) || b.isCountedDeed(i) || b.isDoneTo(i)) {
			return b.refuseWords([]string{b.tokens[i].Raw}, "Nothing in %s says what “%s” means in this question, so it cannot be answered.", b.x.source.Name, b.tokens[i].Raw)
		}
	}
	return nil
}

// madeUp returns the words of two neighbouring parts of values that no value of the column has together: cat dad mugs,
// of Cat Mom Mug and Dog Dad Tee.
func (b *builder) madeUp() string {
	for _, f := range b.s.where {
		for _, g := range b.s.where {
			isPart := func(f cond) bool { return f.guessed && f.Op == plan.In && !f.listed }
			has := func(v string) bool { return slices.Contains(g.Values, v) }
			if f.to == g.from && f.Column == g.Column && isPart(f) && isPart(g) && !slices.ContainsFunc(f.Values, has) {
				return b.text(f.from, g.to)
			}
		}
	}
	return ""
}

// asksDistance reports whether a distance is asked for, and no column has one: how far do they drive.
func (b *builder) asksDistance() bool {
	isDistance := func(c schema.Column) bool { return hasWord(c.Heading, "mile", "miles", "mileage", "km", "distance") }
	asks := b.phraseOf("how far do", "how far does", "how far did") && !b.hasWord("ahead", "advance", "behind", "below", "above", "up", "down")
	return asks && !slices.ContainsFunc(b.x.source.Columns, isDistance)
}

// goesToStaff reports whether something is said to have gone to the staff, who only sell in the source.
func (b *builder) goesToStaff() bool {
	return slices.ContainsFunc(b.s.names, func(n name) bool { return n.role == schema.Staff && b.wordAt(n.from-1, "to") })
}

// takesTime reports whether a token is a verb of what took a time that no column tells: days that they took to arrive.
func (b *builder) takesTime(i int) bool {
	return b.wordAt(i-1, "to") && b.wordAt(i-2, "take", "takes", "took") && b.isVerbToken(i)
}

// isCountedDeed reports whether a token is the verb of what is counted: how many times did they ring.
func (b *builder) isCountedDeed(i int) bool {
	return b.isVerbToken(i) && (b.phraseOf("how many times did", "how many times do", "how many times does", "how many times have", "how many times has", "how often do", "how often does", "how often did"))
}

// isDoneTo reports whether a token is a participle of what is done to the things that are asked for: what the pieces
// are insured for.
func (b *builder) isDoneTo(i int) bool {
	t := b.tokens[i]
	ends := i+1 == len(b.tokens) || slices.Contains(prepositions, b.tokens[i+1].Text) && b.tokens[i+1].Text != "with" // how X is associated with Y
	isPassive := slices.ContainsFunc(b.tokens[:i], func(t link.Token) bool { return slices.Contains([]string{"are", "is", "was", "were", "been"}, t.Text) })
	return ends && isPassive && !b.wordAt(0, "who") && // who's stayed with us
		strings.HasSuffix(t.Text, "ed") && !slices.Contains(ordinary, t.Lemma)
}

func (b *builder) isVerbToken(i int) bool { return english.SensesOf(b.tokens[i].Lemma).Verb > 0 }
