package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/english"
)

// Words of change compare two periods, so they count only where they are the predicate or the noun
// that is asked for. Most of them have another use: as the particle of a verb (held up, went
// ahead), or before a noun (cut flowers, rose wine).

// isChange reports whether a mention is a word that says that something grew or shrank.
func isChange(m link.Mention) bool { return m.Sense == "grown" || m.Sense == "shrunk" }

// isParticle reports whether a word such as up or ahead belongs to a verb that is none of movement,
// or ends a question that is not of a change: have no reason put down. So does a word of change that
// says how rows came to be.
func (c *chart) isParticle(m link.Mention) bool {
	last := c.tokens[m.To-1].Text
	if isChange(m) && slices.Contains(begun, stem(last)) && m.From > 0 && c.tokens[m.From-1].Lemma == "be" && c.hasWord("many") {
		return true // how many invoices were raised
	}
	if !isChange(m) || !slices.Contains([]string{"up", "down", "ahead", "behind"}, last) {
		return false
	}
	if m.To == m.From+1 {
		verb := c.verbBefore(m.From)
		leads := last == "ahead" || last == "behind"
		switch {
		case verb == "be" || verb == "" && leads && c.hasWord("is", "are", "was", "were"):
			return false
		case leads && (verb != "" || c.hasWord("do", "did", "does")), verb != "" && !slices.Contains(movements, verb):
			return true
		}
	}
	moves := func(t link.Token) bool {
		return (slices.Contains(movements, t.Lemma) || t.Text == "why") || t.Unit != ""
	}
	return m.To == len(c.tokens) && !slices.ContainsFunc(c.tokens[:m.To-1], moves)
}

// movements are the verbs with which up and down say that a figure grew or shrank.
var movements = []string{"be", "go", "trend", "move", "come", "creep", "edge", "head", "shoot", "drift", "climb", "drop"}

// verbBefore returns the lemma of the verb just before a token, or before a pronoun there; "" if
// there is none.
func (c *chart) verbBefore(at int) string {
	at--
	for at > 0 && slices.Contains([]string{"it", "them", "that", "us", "we", "i", "they"}, c.tokens[at].Text) {
		at--
	}
	if at < 0 {
		return ""
	}
	s := english.SensesOf(c.tokens[at].Lemma)
	if c.tokens[at].Lemma != "be" && s.Verb <= max(s.Noun, s.Adjective, s.Adverb, english.None) {
		return ""
	}
	return c.tokens[at].Lemma
}

// isAttribute reports whether a past form of change is no predicate by its place, which is that of
// a noun or of an adjective: sales of rose wine, at a reduced price.
func (c *chart) isAttribute(m link.Mention) bool {
	t := c.tokens[m.From]
	isPast := t.Text == "rose" || t.Text != t.Lemma && strings.HasSuffix(t.Text, "ed") || t.Text == "cut" && m.To < len(c.tokens) && c.plural(m.To+1)
	return isChange(m) && m.To == m.From+1 && isPast && (m.From == 0 || slices.Contains(nounsFollow, c.tokens[m.From-1].Text) ||
		slices.Contains(append([]string{"the", "a", "all", "our", "many"}, prepositions...), c.tokens[m.From-1].Text))
}

// countsChanged returns the word of change that is said of what is counted, and not of its number: how
// many bookings dropped out. It returns nil if there is none.
func (b *builder) countsChanged() *mark {
	m, many := b.s.find("grown", "shrunk"), slices.IndexFunc(b.tokens, func(t link.Token) bool { return t.Text == "many" })
	if m == nil || m.to != m.from+1 || many < 0 || many > m.from || len(b.s.earlier) > 0 || b.s.has("than", "versus", "if") || len(b.s.groups) > 0 {
		return nil
	}
	isPast := slices.Contains([]string{"rose", "grew", "fell"}, b.tokens[m.from].Text) || strings.HasSuffix(b.tokens[m.from].Text, "ed")
	if !isPast || b.hasWord("did", "has", "much", "by") {
		return nil
	}
	return m
}
