package read

import "svc/server/ask/link"

// The cost of a reading is the sum of what is unusual in it. The weights are set by hand;
// their order is what matters.
const (
	costFunction = 0.05 // of a word of function
	costMention  = 0.15 // of each mention, so that one long mention beats several short ones

	// Links.
	costAbbreviated = 0.2
	costOtherColumn = 0.003 // of a value that several columns have
	costWithin      = 0.3   // a mention within a longer one
	costInflected   = 0.3   // a value in another form: shipped of ships
	costPartial     = 0.5   // and up to as much again for a small part
	costNear        = 1.2
	costCorrected   = 0.9
	costHint        = 2.2 // a mention that counts only where nothing else has a meaning
	sureQuality     = 0.8 // of a partial link that is no guess

	// Words without a use. A noun is a thing that the answer would be wrong without.
	costNounUnused     = 3
	costWordUnused     = 1.2
	costNumberUnused   = 4
	costNegationUnused = 4
	costMeaningUnused  = 2.5 // a word with a meaning in the source
	costMarkUnused     = 0.8 // a word of function
	costSmallWord      = 0.1
	costNumericValue   = 0.8 // a number that is a value of a column of names

	costThing      = 1.6 // names what the source does not have
	costPhrase     = 0   // three words that do so
	costTopicNamed = 1.2 // a topic where a heading or a value has its word
	costAttribute  = 0.5 // a superlative of what no column has
	costNotGiven   = 0.8 // a figure that the source cannot give
	costFlag       = 0.3 // a heading that means yes
	costVerb       = 1.5 // a figure, where its words are a noun and a verb

	costUnlikelyTime = 1
	costNoDays       = 1.5 // a period in a source without dates
	gainLongTime     = 0.1

	// looseWord is the cost of a word of function without a production.
	looseWord = 0.1

	gainCover = 0.5 // of stock beside sales, which words of stock usually mean

	// Assumptions.
	costNoFigure   = 0.2 // a figure that the words do not name
	costIncidental = 0.1 // a noun that says nothing
	costNoGroup    = 0.6 // "which" without a name
	costBareGroup  = 0.4 // a noun that makes groups by itself
	costTwoValues  = 0.8 // two values of one column that nothing joins
	costNestedDays = 0.3 // a period within another
	costTwoPeriods = 0.6 // two periods that nothing compares
	costUnfit      = 1   // a plan that cannot be computed

	// costAnswer is how much less a refusal must cost than an answer to win.
	costAnswer  = 0
	costMissing = 2 // of refusals by several sources, one for a missing column
	costLost    = 1_000
	// rivalMargin is how much more a reading may cost that makes the first uncertain.
	rivalMargin = 0.25
)

// looseCost is what an item costs that merges without a production; below 0: it cannot.
var looseCost = map[string]float64{
	figureCat: 0.2, nameCat: 0.5, valueCat: 0.2, timeCat: 0.2, rankCat: 0.3, foldCat: 0.3, groupCat: 0.15, clauseCat: 0.15, thingCat: 0.2,
	boundCat: 0.6, numberCat: 0.6, opCat: -1, afterCat: -1,
	"by": -1, "conversion": -1, "divisor": 0.1, "valued": -1, "rate of": -1, eventCat: -1, "duration": -1, "holding": -1, "not": -1, "without": -1, "told": -1, "owed": 0.2, "leftout": -1, "off": -1, "minus": -1, "taxed": 0, "untaxed": 0, "bare net": -1, "negative": -1, "some": 0.1, "row": 0.3, "how": 0, "which": 0, "list": 0, "buy": 0.35, "sell": 0.15, "of": 0, "in": 0, "for": 0, "and": 0.05, "or": 0.05,
}

// costOfLink is what a mention costs for the way in which its words were linked.
func costOfLink(m link.Mention) float64 {
	if m.Quality <= link.Hint {
		return costHint
	}
	switch m.How {
	case link.Abbreviated:
		return costAbbreviated
	case link.Partial:
		return costPartial * (2 - m.Quality)
	case link.Near:
		return costNear * (2 - m.Quality)
	case link.Corrected:
		return costCorrected * (2 - m.Quality)
	}
	return 0
}
