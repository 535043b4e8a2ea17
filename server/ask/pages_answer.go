package ask

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/server/ask/plan"
	"svc/server/ask/tell"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/views"
)

// Bounds of what a page shows of an answer; the CSV has all.
const (
	maxShownRows = 100
	maxRanked    = 15 // bars with names
	maxTaught    = 5  // words to teach
)

// answerOf returns an answer as the page shows it.
func answerOf(a answered, chosen Scope, in typed) *views.AskAnswer {
	told := a.answer
	out := &views.AskAnswer{
		ID: a.ID, Question: a.Text, Text: told.Answer, Confidence: told.Confidence,
		Header: text(told.InsightHeader), Verdict: text(told.Verdict), VerdictSentence: text(told.VerdictSentence),
		Recommendations: told.Recommendations, Rivals: told.Rivals, Asked: a.AskedAt, Pinned: !a.PinnedAt.IsZero(),
		Teach: teachOf(told, chosen, in),
	}
	// Low confidence means that nothing was computed (H4).
	out.MayPin = out.Pinned || told.Confidence != tell.Low
	for _, q := range told.FollowUps {
		if !slices.Contains(told.Rivals, q) {
			out.FollowUp = append(out.FollowUp, q)
		}
	}
	cards := told.KPICards
	if countsOneRow(told) {
		out.Header, cards = "", cards[1:]
	}
	for _, card := range cards {
		if !says(told.Answer, card.Value) {
			out.Cards = append(out.Cards, views.AskCard{Label: card.Label, Value: card.Value})
		}
	}
	out.Header, out.Text = headed(out.Header, out.Text)
	if told.Table != nil {
		out.CSV = askPath + "/" + a.ID + "/table.csv"
	}
	if told.Chart != nil {
		out.Chart = chartOf(*told.Chart, told.Table)
	}
	if told.Table != nil && (out.Chart == nil || !hasAll(*out.Chart, *told.Table)) {
		out.Table = tableOf(*told.Table)
	}
	if isOneFigure(out.Table, told.Answer) {
		out.Table, out.CSV = nil, ""
	}
	out.Partly = partly(told)
	if e := told.Explain; e != nil {
		out.Source, out.Rows, out.SQL = e.Source, e.Rows, e.SQL
		out.AsOf = shortDay(e.AsOf)
		if len(e.SQL) > 0 {
			out.ReadAs = e.Text
		}
	}
	return out
}

// says reports whether a text has a value, not as a part of another word or figure.
func says(text, value string) bool {
	isPart := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for at := 0; value != ""; {
		i := strings.Index(text[at:], value)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		rest := text[at+i+len(value):]
		after, size := utf8.DecodeRuneInString(rest)
		next, _ := utf8.DecodeRuneInString(rest[size:])
		goesOn := isPart(after) || strings.ContainsRune(".,", after) && unicode.IsDigit(next)
		if !isPart(before) && !goesOn {
			return true
		}
		at += i + len(value)
	}
	return false
}

// headed returns the headline of an answer and the text below it. A headline whose figures and
// words the text repeats is left out; the text's first sentence takes its place.
func headed(header, text string) (string, string) {
	label, value, ok := strings.Cut(header, ": ")
	repeats := ok && says(text, value) && strings.HasPrefix(strings.ToLower(text), strings.ToLower(label))
	if header != "" && !repeats && !strings.HasPrefix(text, header) {
		return header, text
	}
	if first, rest, ok := strings.Cut(text, ". "); ok && len(first) >= shortestHead {
		return first + ".", rest
	}
	return "", text
}

// shortestHead is how long a sentence is at least that ends at its first full stop: others may
// have that in a name.
const shortestHead = 16

// isOneFigure reports whether a table has one row, of which an answer says each cell.
func isOneFigure(t *views.AskTable, text string) bool {
	return t != nil && t.More == 0 && len(t.Rows) == 1 && !slices.ContainsFunc(t.Rows[0], func(c views.AskCell) bool { return !says(text, c.Text) })
}

// countsOneRow reports whether the headline and the first card of an answer only count the
// one row of its table, which says more.
func countsOneRow(a tell.Answer) bool {
	if a.Table == nil || len(a.Table.Rows) != 1 || len(a.KPICards) == 0 {
		return false
	}
	first := a.KPICards[0]
	return first.Value == "1" && text(a.InsightHeader) == first.Label+": 1"
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// chartOf returns a chart of columns for a series, and of bars with names otherwise.
func chartOf(c tell.Chart, t *tell.Table) *views.Chart {
	of := "Of"
	if t != nil && len(t.Headers) > 0 {
		of = t.Headers[0]
	}
	var points []views.Point
	for i, label := range c.Labels {
		value, _ := strconv.ParseFloat(fmt.Sprint(c.Values[i]), 64) // a missing figure is drawn as none
		point := views.Point{Label: label, Text: c.Texts[i], Value: value}
		if len(c.Notes) > i {
			point.Label, point.Part = timed(label, c.Notes[i]), c.Notes[i] != ""
		}
		points = append(points, point)
	}
	drawn := views.Ranking("", c.Label, of, c.Label, points[:min(len(points), maxRanked)])
	if c.Type == "line" {
		drawn = views.Bars("", c.Label, of, c.Label, points)
	}
	return &drawn
}

// hasAll reports whether a chart shows all that a table has.
func hasAll(c views.Chart, t tell.Table) bool {
	const labelAndFigure = 2
	return len(t.Headers) == labelAndFigure && len(t.Rows) == len(c.Points)
}

// tableOf returns the first rows of a table, with the numbers as people write them.
func tableOf(t tell.Table) *views.AskTable {
	out := &views.AskTable{More: int64(max(0, len(t.Rows)-maxShownRows))}
	for i, heading := range t.Headers {
		isNumber := len(t.Rows) > 0 && !slices.ContainsFunc(t.Rows, func(row []any) bool { _, ok := row[i].(string); return ok })
		out.Heads = append(out.Heads, views.AskCell{Text: heading, Number: isNumber && i > 0})
	}
	for n, row := range t.Rows[:min(len(t.Rows), maxShownRows)] {
		var cells []views.AskCell
		for i, value := range row {
			text := cellText(value, t.Units[i], t.Currency)
			if i == t.Timed && len(t.Notes) > n {
				text = timed(text, t.Notes[n])
			}
			cells = append(cells, views.AskCell{Text: text, Number: i > 0 && out.Heads[i].Number})
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// timed writes a label, a month as Nov 2026 and a quarter as Q4 2026, with the note of a part
// of time that is not whole.
func timed(label, note string) string {
	if at, err := time.Parse("2006-01", label); err == nil {
		label = at.Format("Jan 2006")
	} else if _, _, ok := plan.PartDays(plan.Quarter, label); ok {
		year, quarter, _ := strings.Cut(label, "-")
		label = quarter + " " + year
	}
	if note != "" {
		label += " (" + note + ")"
	}
	return label
}

// partly names what an answer shows of a time that is not whole; empty if there is nothing.
func partly(a tell.Answer) string {
	var labels []string
	if t := a.Table; t != nil {
		for i, note := range t.Notes {
			label := timed(fmt.Sprint(t.Rows[i][t.Timed]), note)
			if note != "" && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
	}
	if len(labels) == 0 {
		return ""
	}
	verb := " is"
	if len(labels) > 1 {
		verb = " are"
	}
	return tell.Joined(labels) + verb + " only partly in these figures."
}

// cellText writes a value; a number with thousands separators and its unit, as cards do.
func cellText(value any, u schema.Unit, currency string) string {
	number, ok := value.(json.Number)
	if !ok {
		if value == nil {
			return "–"
		}
		return fmt.Sprint(value)
	}
	digits := separated(number.String())
	switch {
	case u == schema.Money && currency != "":
		return money.Mark(digits, currency)
	case u == schema.Percent:
		return digits + " %"
	}
	return digits
}

// separated writes a decimal number with thousands separators.
func separated(number string) string {
	whole, rest, _ := strings.Cut(number, ".")
	n, ok := new(big.Int).SetString(whole+rest, 10)
	if !ok {
		return number
	}
	digits := money.BigDigits(n, len(rest))
	if strings.HasPrefix(whole, "-") && n.Sign() == 0 {
		return "-" + digits
	}
	return digits
}

// teachable returns the dataset for which a question's words can be taught: the one that its
// answer is of. For a question that was not understood it may be any that was asked, since
// the answer then names the table that fitted least badly. The shop's own tables learn no
// words.
func teachable(a tell.Answer, chosen Scope) (ScopeSource, bool) {
	set := DatasetOf(a)
	isUnknown := a.Confidence == tell.Low && len(a.Unread) > 0
	at := slices.IndexFunc(chosen.Sources, func(s ScopeSource) bool {
		return set != "" && s.ID == set || set == "" && isUnknown && len(s.Targets) > 0
	})
	if at < 0 {
		return ScopeSource{}, false
	}
	return chosen.Sources[at], true
}

// teachOf returns the form for the words that were not understood, unless some are typed
// already; nil: none can be taught.
func teachOf(a tell.Answer, chosen Scope, in typed) *views.AskTeach {
	source, ok := teachable(a, chosen)
	if !ok {
		return nil
	}
	t := &views.AskTeach{Dataset: source.Name, Words: in.words, Unread: a.Confidence == tell.Low && len(a.Unread) > 0, Cut: source.Cut}
	t.More = "/console/data/set/" + source.ID + "?part=columns"
	for _, g := range source.Targets {
		t.Targets = append(t.Targets, views.AskTargets{Title: g.Title, Values: g.Values})
	}
	t.Open = t.Unread || in.problem != nil && len(in.words) > 0
	if len(t.Words) > 0 {
		return t
	}
	for _, word := range a.Unread {
		isNew := !slices.ContainsFunc(t.Words, func(x views.AskWord) bool { return strings.EqualFold(x.Word, word) })
		if isNew && len(t.Words) < maxTaught {
			t.Words = append(t.Words, views.AskWord{Word: word})
		}
	}
	if len(t.Words) == 0 {
		t.Words = []views.AskWord{{}}
	}
	return t
}
