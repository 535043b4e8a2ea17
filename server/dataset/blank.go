package dataset

import (
	"strings"

	"svc/server/schema"
)

// blanks are the ways to write that there is nothing in a cell, in small letters.
// A spreadsheet's own errors say no more.
var blanks = wordSet(`- -- --- – — . .. ? ?? / * n/a n.a. n.a na #n/a #na nan nil null <null> (null) undefined unknown (unknown) error
	(blank) [blank] blank (none) (empty) empty missing k.a. s/o s.o. n/d n.d. unbekannt inconnu desconocido desconhecido
	#ref! #value! #div/0! #name? #num! #null! #error! #n/v #bezug! #wert! #zahl! #nv #valeur! #¡valor! #¡ref! #valor!`)

// longestBlank is the longest of them.
const longestBlank = 11

// isBlank says that a cell tells nothing. In a column of places NA is Namibia, or North
// America: see isBlankPlace.
func isBlank(text string) bool {
	switch {
	case text == "":
		return true
	case len(text) > longestBlank+1, text[0] >= '0' && text[0] <= '9':
		return false
	}
	return blanks[strings.ToLower(text)]
}

// isBlankPlace is isBlank for the columns of countries, regions and states.
func isBlankPlace(text string) bool { return text != "NA" && isBlank(text) }

// blankOf is what tells a column's blanks, by its heading.
func blankOf(hint schema.Role) func(string) bool {
	switch hint {
	case schema.Country, schema.Region, schema.State:
		return isBlankPlace
	}
	return isBlank
}

// isNone knows the word that is a value beside others ("discount band: none"), and
// no thing's name: nobody sells a product called None, nor at that price.
func isNone(text string) bool {
	return len(text) == 4 && strings.EqualFold(text, "none")
}

func wordSet(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
