package english

import (
	"slices"
	"strings"
	"sync"
)

// The kinds that callers ask for by name.
const (
	// Person is the kind of nouns for people: guest, subscriber.
	Person = "person"
	// Event is the kind of nouns for what is done or happens: rental, delivery.
	Event = "event"
)

// loadKinds returns the kinds of each noun, as the file has them.
var loadKinds = sync.OnceValue(func() map[string]string {
	text := string(read("kinds.tsv"))
	kinds := make(map[string]string, strings.Count(text, "\n"))
	for line := range strings.Lines(text) {
		noun, of, _ := strings.Cut(strings.TrimSpace(line), "\t")
		kinds[noun] = of
	}
	return kinds
})

// KindsOf returns the kinds of a noun, a lemma, and other words for it: drink and food of latte.
// It has those of the usual senses, of which the caller's may be another; none if it is not known.
func KindsOf(noun string) []string { return strings.Fields(loadKinds()[noun]) }

// IsA reports whether a noun is of a kind, or another word for it.
func IsA(noun, kind string) bool { return slices.Contains(KindsOf(noun), kind) }

// IsPerson reports whether a noun is for people.
func IsPerson(noun string) bool { return noun == "people" || noun == Person || IsA(noun, Person) }
