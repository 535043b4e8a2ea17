// Package asktest judges answers to business questions against gold figures, so that a
// change of the engine shows in one number. It owns the rules of right and wrong, and the
// report; it does not know how an answer is made.
//
// The rules are those of the questions' own scorer. A number counts within a tolerance in
// the text or a card; labels count in the order of a table, a chart or the text; a
// comparison counts by both figures or by its change; and a question without an answer in
// the data needs low confidence, a sentence on what is missing, and no number.
package asktest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Question is one line of a question file.
type Question struct {
	ID       string `json:"id"`
	Dataset  string `json:"dataset"`
	File     string `json:"file"`
	Today    string `json:"today"`
	Currency string `json:"currency"`
	Question string `json:"question"`
	Kind     string `json:"kind"`
	Exact    bool   `json:"exact"` // a table has no further rows
	Standard
	GoldAlt []Standard `json:"gold_alt"` // other accepted readings
	Accept  []string   `json:"accept_labels"`
}

// Standard is what a right answer has.
type Standard struct {
	GoldType  string          `json:"gold_type"` // number, labels, pairs, grid, numbers, comparison, none
	Gold      json.RawMessage `json:"gold"`
	Unit      string          `json:"-"` // currency, percent, count
	Tolerance Tolerance       `json:"-"`
	Ordered   bool            `json:"ordered"`
	GoldSQL   string          `json:"gold_sql"`
	// Units and Tolerances are those of each of the gold's numbers, if it has several.
	Units      []string    `json:"-"`
	Tolerances []Tolerance `json:"-"`
}

// UnmarshalJSON reads a question, whose unit and tolerance may be lists.
func (q *Question) UnmarshalJSON(data []byte) error {
	type plain Question
	var alternatives struct {
		GoldAlt []json.RawMessage `json:"gold_alt"`
	}
	if err := errors.Join(json.Unmarshal(data, (*plain)(q)), q.readUnits(data), json.Unmarshal(data, &alternatives)); err != nil {
		return err
	}
	for i, alt := range alternatives.GoldAlt {
		q.GoldAlt[i] = q.Standard // what an alternative does not say
		q.GoldAlt[i].Gold = nil   // its bytes are the question's
		if err := errors.Join(json.Unmarshal(alt, &q.GoldAlt[i]), q.GoldAlt[i].readUnits(alt)); err != nil {
			return err
		}
	}
	return nil
}

// readUnits reads the fields unit and tolerance, if they are there, each one or a list.
func (s *Standard) readUnits(data []byte) error {
	var raw struct{ Unit, Tolerance json.RawMessage }
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	read := func(from json.RawMessage, one, list any) error {
		switch {
		case len(from) == 0 || string(from) == "null":
			return nil
		case from[0] == '[':
			return json.Unmarshal(from, list)
		}
		return json.Unmarshal(from, one)
	}
	return errors.Join(read(raw.Unit, &s.Unit, &s.Units), read(raw.Tolerance, &s.Tolerance, &s.Tolerances))
}

// Tolerance bounds the error of a number; the wider bound counts.
type Tolerance struct{ Abs, Rel float64 }

// Response is the part of an answer that is judged.
type Response struct {
	Answer     string `json:"answer"`
	Header     string `json:"insight_header"`
	Confidence string `json:"confidence"`
	Cards      []struct {
		Label string `json:"label"`
		Value string `json:"value"`
	} `json:"kpi_cards"`
	Chart *struct {
		Labels []string `json:"labels"`
		Values []any    `json:"values"`
	} `json:"chart"`
	Table *struct {
		Headers []string `json:"headers"`
		Rows    [][]any  `json:"rows"`
	} `json:"table"`
}

// text returns what a person reads first.
func (r Response) text() string { return r.Answer + "\n" + r.Header }

// Judge reports whether a response is right.
func Judge(q Question, r Response) bool {
	if r.Answer == "" {
		return false
	}
	if q.GoldType == "none" {
		return refused(r)
	}
	for _, standard := range append([]Standard{q.Standard}, q.GoldAlt...) {
		alternative := q
		alternative.Standard = standard
		if alternative.matches(r) {
			return true
		}
	}
	return false
}

// matches reports whether a response has the question's first gold.
func (q Question) matches(r Response) bool {
	switch q.GoldType {
	case "number":
		n, ok := decode[float64](q.Gold)
		return ok && q.numberRight(n, r)
	case "numbers":
		all, ok := decode[[]float64](q.Gold)
		return ok && q.numbersRight(all, r)
	case "grid":
		cells, ok := decode[[]gridCell](q.Gold)
		return ok && q.gridRight(cells, r)
	case "labels":
		labels, ok := decode[[]string](q.Gold)
		return ok && q.exactRows(len(labels), r) && (q.shortLabelRight(labels, r) || q.labelsRight(labels, r))
	case "pairs":
		pairs, ok := decode[[]pair](q.Gold)
		return ok && q.exactRows(len(pairs), r) && q.pairsRight(pairs, r)
	case "comparison":
		c, ok := decode[comparison](q.Gold)
		return ok && q.comparisonRight(c, r)
	}
	return false
}

func decode[T any](data json.RawMessage) (v T, ok bool) {
	return v, json.Unmarshal(data, &v) == nil
}

// shortLabelRight reports whether the one label, of one or two letters, is a cell of the
// table's first row; in a text it could be any word.
func (q Question) shortLabelRight(labels []string, r Response) bool {
	return len(labels) == 1 && len(labels[0]) < 3 && r.Table != nil && len(r.Table.Rows) > 0 &&
		slices.ContainsFunc(r.Table.Rows[0], func(c any) bool { return q.same(labels[0], plainText(c), false) })
}

// exactRows reports whether a table has as many rows as the gold, if the question needs it.
func (q Question) exactRows(n int, r Response) bool {
	return !q.Exact || r.Table == nil || len(r.Table.Rows) == 0 || len(r.Table.Rows) == n
}

// pair is a label and its number.
type pair struct {
	label string
	value float64
}

// UnmarshalJSON reads ["West", 12.5].
func (p *pair) UnmarshalJSON(data []byte) error {
	var parts [2]any
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	p.label = plainText(parts[0])
	p.value, _ = parts[1].(float64)
	return nil
}

// comparison is two figures of which the first is set against the second. Of two values, A and
// B, no direction is asked for.
type comparison struct {
	Current   float64
	Previous  float64
	Change    float64
	ChangePct float64 `json:"change_pct"`
	Direction string
	A, B      *float64
}

var admits = regexp.MustCompile(`(?i)(no (?:such )?(?:\w+ ){0,4}(?:data|column|field|information|info|record|records|figures?|sales|rows|cost|stock)|not? (?:in|part of|available|recorded|present|tracked|held|included|covered|enough)|isn'?t|aren'?t|does ?n[o']?t|do ?n[o']?t|can ?n?[o']?t|cannot|unable|missing|outside|only covers|lacks?|without|needs? (?:a|an|your|the)|unknown|nothing in)`)

// refused reports whether a response admits that the data have no answer.
func refused(r Response) bool {
	for _, c := range r.Cards {
		if len(numbers(c.Value)) > 0 {
			return false
		}
	}
	return r.Confidence == "low" && admits.MatchString(r.text()) && (r.Table == nil || len(r.Table.Rows) == 0) && (r.Chart == nil || len(r.Chart.Values) == 0)
}

// maxNumbers bounds the different numbers of a text and its cards, since many numbers are
// no answer.
const maxNumbers = 15

func (q Question) numberRight(gold float64, r Response) bool {
	found := headNumbers(r)
	return !tooMany(found) && q.anyClose(found, gold)
}

// headNumbers returns the numbers of the text and the cards.
func headNumbers(r Response) []num {
	found := numbers(r.text())
	for _, c := range r.Cards {
		found = append(found, numbers(c.Value)...)
	}
	return found
}

func tooMany(found []num) bool {
	seen := map[string]bool{}
	for _, n := range found {
		seen[strconv.FormatFloat(n.value, 'f', 6, 64)] = true
	}
	return len(seen) > maxNumbers
}

func (q Question) anyClose(found []num, gold float64) bool {
	return slices.ContainsFunc(found, func(n num) bool { return close(n, gold, q.Tolerance, q.Unit) })
}

var (
	upWords   = regexp.MustCompile(`\b(up|increase[ds]?|increasing|rose|rise[ns]?|grew|grow[ns]?|growth|higher|gain(?:ed|s)?|ahead|improv\w+|better|more|above|jump\w*|outsell\w*|outsold|beat)\b`)
	downWords = regexp.MustCompile(`\b(down|decrease[ds]?|decreasing|fell|fall(?:en|s|ing)?|drop\w*|declin\w+|lower|worse|less|fewer|below|shrank|behind|slipp?\w*)\b`)
)

func (q Question) comparisonRight(g comparison, r Response) bool {
	head := numbers(r.text())
	plus := false
	for _, c := range r.Cards {
		head = append(head, numbers(c.Value)...)
		plus = plus || strings.Contains(c.Value, "+")
	}
	all := slices.Clone(head)
	if r.Table != nil {
		for _, row := range r.Table.Rows {
			for _, c := range row {
				all = append(all, cellNumbers(c)...)
			}
		}
	}
	if r.Chart != nil {
		for _, v := range r.Chart.Values {
			all = append(all, cellNumbers(v)...)
		}
	}
	if g.A != nil && g.B != nil {
		return q.anyClose(all, *g.A) && q.anyClose(all, *g.B)
	}
	lower := strings.ToLower(r.text())
	first := direction(lower)
	if q.anyClose(all, g.Current) && q.anyClose(all, g.Previous) {
		words := map[string]*regexp.Regexp{"up": upWords, "down": downWords}[g.Direction]
		return first == "" || first == g.Direction || words != nil && words.MatchString(lower)
	}
	return q.changeRight(g, head, first, plus)
}

// direction returns the direction of the first word of change, or "".
func direction(lower string) string {
	up, down := upWords.FindStringIndex(lower), downWords.FindStringIndex(lower)
	switch {
	case up != nil && (down == nil || up[0] < down[0]):
		return "up"
	case down != nil:
		return "down"
	}
	return ""
}

// changeRight reports whether a change has the right size and direction.
func (q Question) changeRight(g comparison, head []num, first string, plus bool) bool {
	p := math.Abs(g.ChangePct)
	percent := Tolerance{Abs: 0.5}
	if p >= 50 {
		percent.Abs = 0.01 * p
	}
	amount := Tolerance{Rel: 0.01}
	if q.Unit == "count" {
		amount = Tolerance{}
	}
	for _, n := range head {
		if n.percent && !close(n, p, percent, "percent") || !n.percent && !close(n, g.Change, amount, q.Unit) {
			continue
		}
		d := first
		if n.negative {
			d = "down"
		} else if d == "" && plus {
			d = "up"
		}
		if d == g.Direction {
			return true
		}
	}
	return false
}

// Score counts right answers.
type Score struct{ Right, Asked int }

// Tally has the scores of a set.
type Tally struct {
	Kinds     map[string]Score
	All       Score
	High      Score    // answers with high confidence
	HighWrong []string // questions answered wrongly with high confidence
	Answered  []string // unanswerable ones that were answered
}

// Add judges and counts one question; it reports whether the response is right.
func (t *Tally) Add(q Question, r Response) bool {
	if t.Kinds == nil {
		t.Kinds = map[string]Score{}
	}
	right := Judge(q, r)
	t.Kinds[q.Kind] = t.Kinds[q.Kind].with(right)
	t.All = t.All.with(right)
	if r.Confidence == "high" {
		t.High = t.High.with(right)
	}
	if !right && r.Confidence == "high" {
		t.HighWrong = append(t.HighWrong, q.ID)
	}
	if !right && q.GoldType == "none" {
		t.Answered = append(t.Answered, q.ID)
	}
	return right
}

func (s Score) with(right bool) Score {
	s.Asked++
	if right {
		s.Right++
	}
	return s
}

// Line returns the rate in one line, with the share of wrong answers at high confidence.
func (t *Tally) Line() string {
	return fmt.Sprintf("%3d of %3d right (%.1f %%), wrong at high %d of %d", t.All.Right, t.All.Asked,
		100*float64(t.All.Right)/float64(max(t.All.Asked, 1)), len(t.HighWrong), t.High.Asked)
}

// String returns the report, with a line for each kind.
func (t *Tally) String() string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(t.Kinds)) {
		s := t.Kinds[k]
		fmt.Fprintf(&b, "%-34s %3d/%3d\n", k, s.Right, s.Asked)
	}
	fmt.Fprintf(&b, "%s: %v; unanswerable but answered %v\n", t.Line(), t.HighWrong, t.Answered)
	return b.String()
}
