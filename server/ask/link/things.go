package link

import (
	"slices"
	"strings"

	"svc/server/english"
	"svc/server/schema"
)

// kindsOfThings are nouns for what each row is of, by words of headings that only such rows have: cars of a
// garage's jobs with a Reg, books of a list with an ISBN.
var kindsOfThings = []struct {
	headings, nouns map[string]bool
	kind            schema.Kind
}{
	{set("reg registration vrm odometer mileage rego"), set("car vehicle motor"), schema.Sales},
	{set("breed"), set("dog pet"), schema.Sales},
	{set("imei handset"), set("phone handset device mobile"), schema.Sales},
	{set("isbn author publisher"), set("book"), schema.Stocklist},
}

// nounsOfPeople are what people call the rows of a list of people, besides customers.
var nounsOfPeople = []string{"membership", "joiner", "new joiner", "new member", "sign up", "signup", "new sign up", "subscriber", "starter", "new starter", "new start"}

// ofClients are headings of those for whom clients come, of whom each row is one.
var ofClients = []string{"dog", "cat", "pet", "horse", "child", "pupil", "swimmer", "rider"}

// workedOn are kinds of what a shop does jobs on.
var workedOn = strings.Fields("vehicle animal device instrument furniture clothing")

// findThings finds nouns for the thing that each row is of, which no heading has: in jobs and repairs also by
// the name of the source, bike of bike_jobs.
func (x *Lexicon) findThings() {
	x.things = map[string]bool{}
	order := x.roles[schema.Order]
	isJob := x.source.Kind == schema.Sales && x.roles[schema.Quantity] == nil && order != nil && order.Distinct == x.source.Rows
	for _, of := range kindsOfThings {
		if of.kind != x.source.Kind || of.kind == schema.Sales && !isJob {
			continue
		}
		if slices.ContainsFunc(x.headings.words, func(w string) bool { return of.headings[w] }) {
			for noun := range of.nouns {
				x.things[noun] = true
			}
		}
	}
	for noun := range x.rows {
		if isJob && slices.ContainsFunc(workedOn, func(kind string) bool { return english.IsA(noun, kind) }) {
			x.things[noun] = true
		}
	}
	if customer := x.roles[schema.Customer]; x.source.Kind == schema.Customers && customer != nil && customer.Distinct == x.source.Rows {
		for _, noun := range nounsOfPeople {
			x.things[noun] = true
		}
	}
	isValue := func(noun string) bool { // dogs beside cats
		return slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
			return slices.ContainsFunc(c.Values, func(v string) bool { return strings.EqualFold(v, noun) || strings.EqualFold(v, noun+"s") })
		})
	}
	for noun := range x.things {
		if len(x.headings.whole[noun]) > 0 || isValue(noun) {
			delete(x.things, noun)
		}
	}
	for _, noun := range ofClients { // two dogs may have one name
		if x.source.Kind == schema.Customers && len(x.headings.whole[noun]) > 0 {
			x.things[noun] = true
		}
	}
}

// isChild reports whether a word is for the customers of a source that has their parents: kids, of swimmers.
func (x *Lexicon) isChild(f form) bool {
	isOf := func(w string) bool { return w == "parent" || w == "guardian" }
	customer := x.roles[schema.Customer]
	return len(f.words) == 1 && (f.words[0] == "kid" || f.words[0] == "child") && customer != nil && slices.ContainsFunc(x.headings.words, isOf) && !slices.ContainsFunc(lemmas(Spaced(customer.Heading)), isOf) && !x.values.has(f.words[0])
}

// questionWords are words of questions that a heading may have for itself.
var questionWords = []string{"how", "what", "who", "when", "where", "which", "why"}

// perWords are before a word for customers of whom each counts by itself.
var perWords = []string{"per", "each", "every", "a", "average"}

// countsReceipts reports whether a word is for customers of sales that do not name them: each receipt is of one.
func (x *Lexicon) countsReceipts(text string) bool {
	return x.source.Kind == schema.Sales && x.roles[schema.Customer] == nil && x.roles[schema.Order] != nil &&
		slices.Contains([]string{"customer", "person", "head", "visitor", "shopper", "punter", "guest"}, text)
}
