package dataset

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"svc/server/schema"
)

// spellings counts the texts of a column as they were typed. People type Beer, beer and BEER and
// mean one: where few texts differ in case and spaces alone, all are read in the spelling that most
// cells have. An export has them as they were typed.
type spellings struct {
	cells  map[string]int // by text; nil once there are too many
	isFull bool
}

// mostSpellings bounds the texts of a column that are counted, and longestSpelled their bytes: a
// column with more has names or remarks of which each is one.
const mostSpellings, longestSpelled = 500, 60

func (s *spellings) observe(text string) {
	switch _, known := s.cells[text]; {
	case s.isFull:
	case len(text) > longestSpelled:
	case !known && len(s.cells) == mostSpellings:
		s.cells, s.isFull = nil, true
	case s.cells == nil:
		s.cells = map[string]int{text: 1}
	default:
		s.cells[text]++
	}
}

// others returns the spelling that is read for each of the others; nil if no text has any.
func (s *spellings) others() (usual map[string]string) {
	alike := map[string][]string{}
	for _, text := range slices.Sorted(maps.Keys(s.cells)) {
		key := strings.ToLower(strings.Join(strings.Fields(text), " "))
		alike[key] = append(alike[key], text)
	}
	for _, texts := range alike {
		if len(texts) == 1 {
			continue
		}
		most := slices.MaxFunc(texts, func(a, b string) int {
			return cmp.Or(cmp.Compare(s.cells[a], s.cells[b]), cmp.Compare(caseOf(a), caseOf(b)), cmp.Compare(b, a))
		})
		for _, text := range texts {
			if text != most {
				if usual == nil {
					usual = map[string]string{}
				}
				usual[text] = most
			}
		}
	}
	return usual
}

// caseOf ranks spellings that are as usual: a name with capitals and small letters before others.
func caseOf(text string) int {
	if text != strings.ToUpper(text) && text != strings.ToLower(text) {
		return 1
	}
	return 0
}

// isSpelled reports whether the texts of a column are words and no codes, whose case may matter.
func (p *profile) isSpelled(hint schema.Role) bool {
	return hint != schema.Order && hint != schema.SKU && !isCodeHeading(p.title)
}
