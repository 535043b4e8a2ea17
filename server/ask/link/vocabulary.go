package link

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"svc/embed"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// vocabulary is the shop talk that all sources share.
type vocabulary struct {
	senses map[string][]sense  // by key
	splits map[string][]string // words of a contraction
	err    error               // of the file, for the test
}

// sense is one meaning of a phrase: a mention without its span.
type sense struct {
	mention Mention
	words   []string // as written, of those that count only so; else ""
}

// shared returns the vocabulary, read at the first use.
var shared = sync.OnceValue(func() *vocabulary {
	text, err := fs.ReadFile(embed.Ask(), "vocabulary.txt")
	if err != nil {
		panic("link: the vocabulary is part of the binary")
	}
	v := &vocabulary{senses: map[string][]sense{}, splits: map[string][]string{}}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' && !strings.HasPrefix(line, "#,") {
			continue
		}
		v.err = errors.Join(v.err, v.addLine(line))
	}
	return v
})

// addLine reads "phrase, phrase = kind argument …".
func (v *vocabulary) addLine(line string) error {
	i := strings.LastIndex(line, " = ")
	if i < 0 {
		if i = strings.LastIndex(line, " ="); i < 0 {
			return fmt.Errorf("%q has no \"=\"", line)
		}
	}
	var errs error
	kind, args, _ := strings.Cut(strings.TrimSpace(line[i+2:]), " ")
	for phrase := range strings.SplitSeq(line[:i], ",") {
		phrase = strings.TrimSpace(phrase)
		if kind == "split" {
			v.splits[fold(phrase)] = strings.Fields(args)
			continue
		}
		s := sense{}
		var err error
		if s.mention, err = meaning(Kind(kind), args); err != nil {
			return fmt.Errorf("%q: %w", phrase, err)
		}
		errs = errors.Join(errs, v.add(phrase, s))
	}
	return errs
}

// add adds a meaning of a phrase.
func (v *vocabulary) add(phrase string, s sense) error {
	var keys []string
	for w := range strings.FieldsSeq(phrase) {
		written, isWritten := strings.CutPrefix(w, "!")
		if written == "=" {
			isWritten = false
		}
		if articles[w] && phrase != w {
			continue
		}
		exact := ""
		if w != "!=" && isWritten {
			w, exact = written, written
		}
		keys = append(keys, lemma(fold(w)))
		s.words = append(s.words, exact)
	}
	key := strings.Join(keys, " ")
	for _, have := range v.senses[key] {
		if have.same(s) {
			return fmt.Errorf("%q has this meaning twice", phrase)
		}
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
	State: set("soldout lowstock runout unsold refund cancelled loss forecast"),
	Word: set("which who where when why howmany howmuch list rank by of for in with without not and or than versus difference ratio share " +
		"running change grown shrunk trend different only all other if would both single same sell buy money expensive cheap unit"),
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

// meaning returns the mention that a line of the vocabulary gives to its phrases.
func meaning(k Kind, args string) (Mention, error) {
	m := Mention{Kind: k, How: Exact, Quality: 1}
	first, rest, _ := strings.Cut(args, " ")
	ok := true
	switch k {
	case Metric:
		m.Metric, m.Per = plan.Metric(first), rest
		ok = m.Metric.Title() != "" && (rest == "" || rest == plan.PerOrder)
	case Dim:
		m.Role = schema.Role(first)
	case Op:
		m.Op, m.Sense = plan.Op(strings.ReplaceAll(first, "_", " ")), Sense(rest)
		ok = rest == "" || rest == "after"
	case Number:
		n, err := strconv.ParseFloat(first, 64)
		m.Number, m.Unit, ok = n, Plain, err == nil
	case Fold, Rank, State, Word:
		m.Sense, m.Arg, ok = Sense(first), rest, senses[k][first]
	case Topic:
		m.Arg, ok = args, args != ""
	case Filler:
		ok = args == ""
	default:
		ok = false
	}
	if !ok {
		return m, fmt.Errorf("no meaning %q %q", k, args)
	}
	return m, nil
}
