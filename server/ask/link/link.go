// Package link gives the words of a question their meanings over one source. Tokenize cuts
// a question into tokens; a Lexicon, made once from a source, finds for every run of tokens
// all that it may mean: shop talk, headings, cells' values, numbers, operators, and words of
// function. It chooses none of them: package grammar composes the meanings and takes the
// reading that fits best. Expressions of time are package when's.
//
// The shop talk is data, embed/ask/vocabulary.txt. What an English word is (its lemma, its
// part of speech, its neighbours) comes from package english.
package link

import (
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// Kind is what sort of thing a mention means.
type Kind string

// The kinds. The fields named after each are set, besides the common ones.
const (
	// Metric is a figure of shop talk or of a heading with a role: Metric and Per. It is
	// given also if the source cannot give the figure, so that it can be refused by name.
	Metric Kind = "metric"
	// Column is a heading: Column.
	Column Kind = "column"
	// Value is some values of one column: Column, Values or Contains.
	Value Kind = "value"
	// Dim is a word for a role, such as "shop": Role, and Column if the source has it. If no
	// column has the role, there is a mention for each column whose heading or values fit it.
	Dim Kind = "dim"
	// Number is a number: Number and Unit; Arg is a unit of measure ("kg"), if one follows.
	Number Kind = "number"
	// Op is a comparison: Op; Sense is "after" if it follows its number ("or more"). Arg and
	// Column are as those of a Rank.
	Op Kind = "op"
	// Fold is a way to make one figure of many: Sense.
	Fold Kind = "fold"
	// Rank is a superlative: Sense "top" or "bottom". Arg is "polar" if the measure decides
	// what is good (best), "many" of counts (most), "sell" or "units" of what sells, or else
	// the measure that the adjective names ("weight" of heaviest); Column is the measure's.
	Rank Kind = "rank"
	// State is a condition of rows or goods, such as "out of stock": Sense.
	State Kind = "state"
	// Word is a word of function: Sense; Arg and Column of some, as those of a Rank.
	Word Kind = "word"
	// Topic is a thing that a shop's data do not have, such as "footfall": Arg names it.
	// A heading or a value of the same words is a mention, too, and the better one.
	Topic Kind = "topic"
	// Filler carries nothing: "please".
	Filler Kind = "filler"
	// Unknown is a word without another meaning: Senses. Its span is one token.
	Unknown Kind = "unknown"
)

// How is the way in which the words were linked to what they mean.
type How string

// The ways, the surest first.
const (
	Taught      How = "taught"      // as the merchant has taught; other meanings of the words count half
	Exact       How = "exact"       // up to inflection, case and accents
	Abbreviated How = "abbreviated" // "qty", "NY"
	Partial     How = "partial"     // by some words of a heading or a value
	Near        How = "near"        // by a word that is used alike: "vendor" for Supplier
	Corrected   How = "corrected"   // with a typing error
)

// Unit is what a number in a question counts.
type Unit string

// The units of numbers.
const (
	Plain   Unit = "plain"
	Money   Unit = "money"
	Percent Unit = "percent"
	Ordinal Unit = "ordinal" // 3rd
	Days    Unit = "days"    // Number is in days: "2 weeks" is 14
)

// Sense is the canonical meaning of a mention of the kinds Op, Fold, Rank, State and Word.
// The vocabulary file lists the phrases of each.
type Sense string

// Token is a word, a number or a sign of a question.
type Token struct {
	Raw        string // as typed; "" of a part that a contraction hides
	Text       string // lower case, no accents, no apostrophes; "'s" of a possessive
	Lemma      string
	Start, End int      // bytes of the question
	Number     float64  // if Unit is set
	Unit       Unit     // of a number that one token writes, else ""
	Mark       string   // the last punctuation mark before it: , ; : . ? ! ( ) / or a dash; else ""
	Fixes      []string // words that it may be a typing error of; nil if it is known
	Quote      int      // 1, 2, …: the quoted span that the token is in; 0: none
	Upper      bool     // typed in capitals only, or no word but a country in any case: uk, the us
}

// IsUS reports whether the token is the country, and not the pronoun.
func (t Token) IsUS() bool { return t.Text == "us" && t.Upper }

// Mention is one meaning of a span of tokens.
type Mention struct {
	From, To int // tokens, To excluded
	Kind     Kind
	How      How
	Quality  float64 // 1 if exact, falling to 0; of alike mentions the higher fits better

	Metric   plan.Metric
	Per      string         // as plan.Measure.Per: "order" of "average order value"
	Column   *schema.Column // in the lexicon's source; nil: none
	Values   []string       // as stored
	Contains string         // in place of Values if there are more than plan.MaxValues: text that all have
	Role     schema.Role
	Number   float64
	Unit     Unit
	Op       plan.Op
	Sense    Sense
	Arg      string

	Plural bool           // the last word is a plural
	Text   string         // the words as they were taken: corrected, else as typed
	Senses english.Senses // of an Unknown
}

// Hint is the quality up to which a mention is a guess: to be used only where nothing else
// gives the question a meaning.
const Hint = 0.3

// maxSpan bounds the tokens of a mention.
const maxSpan = 8
