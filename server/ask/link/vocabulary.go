package link

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"svc/embed"
	"svc/server/ask/plan"
	"svc/server/header"
	"svc/server/schema"
)

// vocabulary is the shop talk that all sources share.
type vocabulary struct {
	senses     map[string][]sense       // by key: lemmas with spaces
	splits     map[string][]string      // words of a contraction, by its letters and apostrophes
	sets       map[string][]*synonymSet // by key
	dims       []*synonymSet            // words for roles
	short      map[string]string        // abbreviation → word in full
	shortsOf   map[string][]string      // word in full → abbreviations
	units      map[string]bool          // letters that follow a number as its unit
	attributes map[string]bool          // measures that adjectives name
	times      map[string]bool          // lemmas of words that package when reads
	words      map[string]bool          // lemmas of all words of phrases
	typos      *typos                   // words of phrases as written
	written    map[string]bool
	err        error // of the file, for the test
}

// sense is one meaning of a phrase: a mention without its span.
type sense struct {
	mention Mention
	words   []string // as written, of those that count only so; else ""
}

// synonymSet is phrases of the same meaning.
type synonymSet struct {
	phrases [][]string // lemmas
	role    schema.Role
	metric  plan.Metric
	values  schema.Role // of a column with such values
}

// shared returns the vocabulary, read at the first use.
var shared = sync.OnceValue(func() *vocabulary {
	text, err := fs.ReadFile(embed.Ask(), "vocabulary.txt")
	if err != nil {
		panic("link: the vocabulary is part of the binary")
	}
	v := &vocabulary{
		senses: map[string][]sense{}, splits: map[string][]string{}, sets: map[string][]*synonymSet{}, short: map[string]string{}, shortsOf: map[string][]string{},
		units: map[string]bool{}, attributes: map[string]bool{}, times: map[string]bool{}, words: map[string]bool{}, written: map[string]bool{},
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' && !strings.HasPrefix(line, "#,") {
			continue
		}
		v.err = errors.Join(v.err, v.addLine(line))
	}
	v.typos = newTypos(slices.Sorted(maps.Keys(v.written)))
	return v
})

// addLine reads "phrase, phrase = kind argument …".
func (v *vocabulary) addLine(line string) error {
	phrases, meant, ok := cutLast(line, " = ")
	if !ok {
		return fmt.Errorf("%q has no meaning", line)
	}
	kind, args, _ := strings.Cut(strings.TrimSpace(meant), " ")
	var errs error
	set := &synonymSet{}
	switch Kind(kind) {
	case Dim:
		role, only, _ := strings.Cut(args, " ")
		if set.role = schema.Role(role); only == "" {
			v.dims = append(v.dims, set)
		} else {
			set = &synonymSet{} // its phrases are no names of a heading with the role
		}
	case Metric:
		set.metric = plan.Metric(args)
	}
	for phrase := range strings.SplitSeq(phrases, ",") {
		phrase = strings.TrimSpace(phrase)
		switch kind {
		case "split":
			v.splits[phrase] = strings.Fields(args)
		case "short":
			v.short[phrase] = args
			v.shortsOf[args] = append(v.shortsOf[args], phrase)
		case "unit":
			v.units[phrase] = true
		case "time":
			v.addWord(phrase)
			v.times[lemma(phrase)] = true
		case "same":
			set.values = schema.Role(args)
			errs = errors.Join(errs, v.addSynonym(phrase, set))
		default:
			errs = errors.Join(errs, v.addSense(phrase, Kind(kind), args))
			if set.role != "" || set.metric != "" {
				errs = errors.Join(errs, v.addSynonym(phrase, set))
			}
		}
	}
	return errs
}

func cutLast(s, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// addWord makes a word known, so that it is what a typing error was.
func (v *vocabulary) addWord(w string) {
	v.words[lemma(w)] = true
	if len(w) > 3 {
		v.written[w] = true
	}
}

// addSynonym adds a phrase to a set.
func (v *vocabulary) addSynonym(phrase string, set *synonymSet) error {
	words, _ := v.split(phrase)
	key := strings.Join(words, " ")
	if slices.Contains(v.sets[key], set) {
		return fmt.Errorf("%q is twice in its set", phrase)
	}
	v.sets[key] = append(v.sets[key], set)
	set.phrases = append(set.phrases, words)
	return nil
}

// split returns the lemmas of a phrase without articles, and the words that count only as
// written, else "".
func (v *vocabulary) split(phrase string) (words, written []string) {
	all := strings.Fields(phrase)
	for i, w := range all {
		exact := ""
		if len(w) > 1 && w[0] == '!' {
			w = w[1:]
			exact = w
		}
		w = fold(w)
		if isLeftOut(w, i, len(all)) {
			continue
		}
		v.addWord(w)
		words, written = append(words, lemma(w)), append(written, exact)
	}
	return words, written
}

// addSense adds a meaning of a phrase.
func (v *vocabulary) addSense(phrase string, k Kind, args string) error {
	m, err := v.meaning(k, args)
	if err != nil {
		return fmt.Errorf("%q: %w", phrase, err)
	}
	words, written := v.split(phrase)
	s := sense{m, written}
	key := strings.Join(words, " ")
	if slices.ContainsFunc(v.senses[key], s.same) {
		return fmt.Errorf("%q has this meaning twice", phrase)
	}
	v.senses[key] = append(v.senses[key], s)
	return nil
}

// same reports whether two meanings are equal.
func (s sense) same(o sense) bool {
	a, b := s.mention, o.mention
	return strings.Join(s.words, " ") == strings.Join(o.words, " ") && a.Kind == b.Kind && a.Metric == b.Metric && a.Per == b.Per &&
		a.Role == b.Role && a.Op == b.Op && a.Sense == b.Sense && a.Arg == b.Arg && a.Number == b.Number
}

// senses are the known meanings of the kinds that have a Sense.
var senses = map[Kind]map[string]bool{
	Fold:  set("mean median sum least most count"),
	Rank:  set("top bottom"),
	State: set("slow soldout lowstock runout unsold refund cancelled missed loss forecast"),
	Word: set("which who where when why howmany howmuch howlong howoften claim net gross stop ascending descending how perform relate before after until times more less row distribution rated list rank by of for in with without not and or than versus difference ratio share " +
		"running occupancy conversion whether minus leaving taxed untaxed leftout some negative change grown shrunk trend different only all other if would both single same sell buy money expensive cheap unit late duration plus valued quiet supply delay away nothing yesno off season told soon expire partpaid short overstock shelfprofit enough"),
}

// rankArgs are arguments of superlatives that are no measure.
var rankArgs = set("units polar many sell")

// set is header.Set, for the many lists of words here.
var set = header.Set

// meaning returns the mention that a line of the vocabulary gives to its phrases.
func (v *vocabulary) meaning(k Kind, args string) (Mention, error) {
	m := Mention{Kind: k, How: Exact, Quality: 1}
	first, rest, _ := strings.Cut(args, " ")
	ok := true
	switch k {
	case Metric:
		m.Metric, m.Per = plan.Metric(first), rest
		ok = m.Metric.Title() != "" && (rest == "" || rest == plan.PerOrder)
	case Dim:
		m.Role, ok = schema.Role(first), rest == "" || rest == "only"
	case Op:
		m.Op, m.Arg = plan.Op(strings.ReplaceAll(first, "_", " ")), rest
		if rest == "after" {
			m.Sense, m.Arg = Sense(rest), ""
		}
	case Number:
		n, err := strconv.ParseFloat(first, 64)
		if m.Number, m.Unit, ok = n, Plain, err == nil; rest == string(Ordinal) || rest == string(Money) {
			m.Unit = Unit(rest)
		}
	case Fold, Rank, State, Word:
		m.Sense, m.Arg, ok = Sense(first), rest, senses[k][first]
	case Topic:
		m.Arg, ok = args, args != ""
	case Filler:
		ok = args == ""
	default:
		ok = false
	}
	if (k == Op || k == Rank || m.Sense == "howmuch" || m.Sense == "more" || m.Sense == "less") && m.Arg != "" && !rankArgs[m.Arg] {
		v.attributes[m.Arg] = true
	}
	if !ok {
		return m, fmt.Errorf("no meaning %q %q", k, args)
	}
	return m, nil
}
