package ask

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/tell"
	"svc/server/money"
	"svc/server/views"
)

// Bounds of what a page shows of an answer; the CSV has all.
const (
	maxShownRows = 100
	maxRanked    = 15 // bars with names
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
	for _, q := range told.FollowUps {
		if !slices.Contains(told.Rivals, q) {
			out.FollowUp = append(out.FollowUp, q)
		}
	}
	for _, card := range told.KPICards {
		out.Cards = append(out.Cards, views.AskCard{Label: card.Label, Value: card.Value})
	}
	if told.Table != nil {
		out.CSV = askPath + "/" + a.ID + "/table.csv"
	}
	if told.Chart != nil {
		out.Chart = chartOf(*told.Chart, told.Table)
	}
	if told.Table != nil && (out.Chart == nil || !hasAll(*out.Chart, *told.Table)) {
		out.Table = tableOf(*told.Table)
	}
	if e := told.Explain; e != nil {
		out.Source, out.Rows, out.SQL = e.Source, e.Rows, e.SQL
		out.AsOf = shortDay(e.AsOf)
		if len(e.SQL) > 0 {
			out.ReadAs = e.Text
		}
	}
	return out
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
		points = append(points, views.Point{Label: label, Text: c.Texts[i], Value: value})
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
	for _, row := range t.Rows[:min(len(t.Rows), maxShownRows)] {
		var cells []views.AskCell
		for i, value := range row {
			cells = append(cells, views.AskCell{Text: cellText(value), Number: i > 0 && out.Heads[i].Number})
		}
		out.Rows = append(out.Rows, cells)
	}
	return out
}

// cellText writes a value with thousands separators if it is a number.
func cellText(value any) string {
	number, ok := value.(json.Number)
	if !ok {
		if value == nil {
			return "–"
		}
		return fmt.Sprint(value)
	}
	whole, rest, _ := strings.Cut(number.String(), ".")
	n, ok := new(big.Int).SetString(whole+rest, 10)
	if !ok {
		return number.String()
	}
	digits := money.BigDigits(n, len(rest))
	if strings.HasPrefix(whole, "-") && n.Sign() == 0 {
		return "-" + digits
	}
	return digits
}

// teachOf returns the form for a word: the first that was not understood, unless one is
// typed already. It is nil for an answer of the shop's own tables, which learn no words.
func teachOf(a tell.Answer, chosen Scope, in typed) *views.AskTeach {
	set := DatasetOf(a)
	at := slices.IndexFunc(chosen.Sources, func(s ScopeSource) bool { return s.ID == set && set != "" })
	if at < 0 {
		return nil
	}
	t := &views.AskTeach{Dataset: chosen.Sources[at].Name, Targets: chosen.Sources[at].Targets, Word: in.word, Target: in.target}
	t.Open = in.problem != nil && (in.word != "" || in.target != "")
	if !t.Open && len(a.Unread) > 0 {
		t.Word, t.Open = a.Unread[0], a.Confidence == tell.Low
	}
	return t
}
