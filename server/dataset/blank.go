package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// blanks are the texts, in lower case, that mean an empty cell. A spreadsheet's error
// values are among them.
var blanks = wordSet(`- -- --- – — . .. ? ?? / * n/a n.a. n.a na #n/a #na nan nil null <null> (null) undefined unknown (unknown) error
	(blank) [blank] blank (none) (empty) empty missing k.a. s/o s.o. n/d n.d. unbekannt inconnu desconocido desconhecido
	#ref! #value! #div/0! #name? #num! #null! #error! #n/v #bezug! #wert! #zahl! #nv #valeur! #¡valor! #¡ref! #valor!`)

// longestBlank is the length of the longest of them.
const longestBlank = 11

// isBlank reports whether a cell is empty in meaning. For columns of places see blankOf.
func isBlank(text string) bool {
	switch {
	case text == "":
		return true
	case len(text) > longestBlank+1, text[0] >= '0' && text[0] <= '9':
		return false
	}
	return blanks[strings.ToLower(text)]
}

// blankOf returns the function that recognizes the blanks of a column, by its role. In
// countries, regions and states NA is Namibia or North America.
func blankOf(hint schema.Role) func(string) bool {
	switch hint {
	case schema.Country, schema.Region, schema.State:
		return func(text string) bool { return text != "NA" && isBlank(text) }
	}
	return isBlank
}

// isNone reports whether a cell is the word "none". It is a value in some columns
// ("discount band: none") and blank in columns of names and numbers.
func isNone(text string) bool { return len(text) == 4 && strings.EqualFold(text, "none") }

// hasWord reports whether one of the words is in a heading.
func hasWord(title string, words map[string]bool) bool {
	return slices.ContainsFunc(strings.Fields(header.Fold(title)), func(word string) bool { return words[word] })
}

// wordSet is header.Set, for the many lists of words here.
var wordSet = header.Set
