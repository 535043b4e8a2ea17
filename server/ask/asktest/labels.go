package asktest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// candidate is a list of labels with the cells beside each.
type candidate struct {
	labels []string
	cells  [][]any
}

var rankText = regexp.MustCompile(`^\s*(#?\d{1,3})?\s*$`)

// candidates returns the labels of the table by each column of text, of the chart, and of
// the cards.
func candidates(r Response) []candidate {
	var out []candidate
	if r.Table != nil && len(r.Table.Rows) > 0 {
		width := 0
		for _, row := range r.Table.Rows {
			width = max(width, len(row))
		}
		for c := range width {
			if list, ok := byColumn(r.Table.Rows, c); ok {
				out = append(out, list)
			}
		}
	}
	if r.Chart != nil && len(r.Chart.Labels) > 0 {
		list := candidate{labels: r.Chart.Labels}
		for i := range r.Chart.Labels {
			var cells []any
			if i < len(r.Chart.Values) {
				cells = append(cells, r.Chart.Values[i])
			}
			list.cells = append(list.cells, cells)
		}
		out = append(out, list)
	}
	if len(r.Cards) > 0 {
		var list candidate
		for _, c := range r.Cards {
			list.labels = append(list.labels, c.Label)
			list.cells = append(list.cells, []any{c.Value})
		}
		out = append(out, list)
	}
	return out
}

func byColumn(rows [][]any, c int) (candidate, bool) {
	var list candidate
	texts := 0
	for _, row := range rows {
		var label any = ""
		var rest []any
		for i, cell := range row {
			if i == c {
				label = cell
			} else {
				rest = append(rest, cell)
			}
		}
		if s, ok := label.(string); ok && !rankText.MatchString(s) {
			texts++
		}
		list.labels = append(list.labels, plainText(label))
		list.cells = append(list.cells, rest)
	}
	return list, texts*2 >= len(rows) || c == 0
}

// plainText returns a cell as Python prints it.
func plainText(v any) string {
	if f, ok := v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// oneYear reports whether all gold labels are dates of one year, so that months need no
// year.
func oneYear(golds []string) bool {
	years := map[string]bool{}
	for _, g := range golds {
		if isDate(g) {
			years[g[:4]] = true
		}
	}
	return len(years) == 1
}

func (q Question) labelsRight(golds []string, r Response) bool {
	free := oneYear(golds)
	lists := candidates(r)
	for _, list := range lists {
		if q.listRight(golds, list.labels, free) {
			return true
		}
	}
	at := q.positions(golds, r.text(), free)
	if slices.Min(at) >= 0 {
		if len(golds) == 1 {
			if q.firstMentioned(golds[0], at[0], lists, r.text(), free) {
				return true
			}
		} else if !q.Ordered || slices.IsSorted(at) {
			return true
		}
	}
	if len(golds) > 1 {
		return false
	}
	for _, c := range r.Cards[:min(2, len(r.Cards))] {
		if q.same(golds[0], c.Value, free) || q.mention(golds[0], c.Value, free) >= 0 {
			return true
		}
	}
	return false
}

func (q Question) listRight(golds, labels []string, free bool) bool {
	n := len(golds)
	if len(labels) < n {
		return false
	}
	if q.Ordered || n == 1 {
		for i, g := range golds {
			if !q.same(g, labels[i], free) {
				return false
			}
		}
		return true
	}
	if len(labels) != n {
		return false
	}
	return !slices.ContainsFunc(golds, func(g string) bool {
		return !slices.ContainsFunc(labels, func(s string) bool { return q.same(g, s, free) })
	})
}

func (q Question) positions(golds []string, text string, free bool) []int {
	var at []int
	for _, g := range golds {
		at = append(at, q.mention(g, text, free))
	}
	return at
}

// firstMentioned reports whether the gold label is mentioned before all other labels.
func (q Question) firstMentioned(gold string, at int, lists []candidate, text string, free bool) bool {
	bare := Question{}
	for _, list := range lists {
		for _, s := range list.labels {
			if q.same(gold, s, free) || len(normal(s)) <= 2 {
				continue
			}
			if i := bare.mention(s, text, free); i >= 0 && i <= at {
				return false
			}
		}
	}
	return true
}

// leastPairs is the share of values that must be right.
const leastPairs = 0.9

func (q Question) pairsRight(gold []pair, r Response) bool {
	var golds []string
	for _, p := range gold {
		golds = append(golds, p.label)
	}
	free := oneYear(golds)
	for _, list := range candidates(r) {
		if index, ok := q.align(golds, list.labels, free); ok && q.hits(gold, list, index) >= leastPairs*float64(len(gold)) {
			return true
		}
	}
	at := q.positions(golds, r.text(), free)
	if slices.Min(at) < 0 || q.Ordered && !slices.IsSorted(at) {
		return false
	}
	found, right := numbers(r.text()), 0.0
	for _, p := range gold {
		if q.anyClose(found, p.value) {
			right++
		}
	}
	return right >= leastPairs*float64(len(gold))
}

// align returns the index of each gold label among the labels. A time series may be newest
// first.
func (q Question) align(golds, labels []string, free bool) ([]int, bool) {
	n := len(golds)
	if len(labels) < n {
		return nil, false
	}
	straight, reversed := len(labels) >= n, len(labels) == n && n > 2
	var index, forward, backward []int
	for i, g := range golds {
		straight = straight && q.same(g, labels[i], free)
		reversed = reversed && q.same(g, labels[n-1-i], free)
		forward, backward = append(forward, i), append(backward, n-1-i)
		if j := slices.IndexFunc(labels, func(s string) bool { return q.same(g, s, free) }); j >= 0 {
			index = append(index, j)
		}
	}
	switch {
	case q.Ordered && straight:
		return forward, true
	case !q.Ordered && len(index) == n:
		return index, true
	case reversed:
		return backward, true
	}
	return nil, false
}

func (q Question) hits(gold []pair, list candidate, index []int) float64 {
	right := 0.0
	for i, p := range gold {
		if slices.ContainsFunc(list.cells[index[i]], func(c any) bool { return q.anyClose(cellNumbers(c), p.value) }) {
			right++
		}
	}
	return right
}

// normal returns the form in which labels are compared.
func normal(s string) string {
	var b strings.Builder
	space := false
	for _, c := range norm.NFKD.String(s) {
		if c > unicode.MaxASCII {
			continue
		}
		c = unicode.ToLower(c)
		if !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.ContainsRune("#&+%", c)) {
			space = true
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		b.WriteRune(c)
	}
	return b.String()
}

func isDate(g string) bool { return dateLabel.MatchString(g) }

var (
	dateLabel  = regexp.MustCompile(`^\d{4}-(\d{2}(-\d{2})?|Q[1-4])$`)
	floatText  = regexp.MustCompile(`^\d+(\.0+)?$`)
	wholeText  = regexp.MustCompile(`^\d+$`)
	monthAlone = regexp.MustCompile(`^` + monthPattern + `\.?$`)
)

// same reports whether a label is the gold one; with free a month needs no year.
func (q Question) same(gold, s string, free bool) bool {
	n := normal(s)
	if slices.ContainsFunc(q.Accept, func(a string) bool { return normal(a) == n }) {
		return true
	}
	if isDate(gold) {
		return sameDate(gold, s, free)
	}
	g := normal(gold)
	if g == n {
		return true
	}
	if floatText.MatchString(s) && wholeText.MatchString(gold) {
		a, _ := strconv.ParseFloat(s, 64)
		b, _ := strconv.ParseFloat(gold, 64)
		return a == b
	}
	return len(n) >= 12 && strings.HasPrefix(g, strings.TrimRight(n, ".")) && (strings.Contains(s, "...") || strings.Contains(s, "…"))
}

func sameDate(gold, s string, free bool) bool {
	if dateKeys(s)[gold] {
		return true
	}
	if !free || len(gold) != 7 {
		return false
	}
	t := strings.ToLower(strings.TrimSpace(s))
	if gold[5] == 'Q' {
		return t == "q"+gold[6:]
	}
	return monthAlone.MatchString(t) && fmt.Sprintf("%02d", monthNumber(t)) == gold[5:]
}

// mention returns the first position of a gold label in a text, or -1.
func (q Question) mention(gold, text string, free bool) int {
	if isDate(gold) {
		return mentionDate(gold, text, free)
	}
	best := -1
	t := normal(text)
	for _, c := range append([]string{gold}, q.Accept...) {
		n := normal(c)
		if n == "" || len(n) < 3 && n != normal(gold) {
			continue
		}
		if i := wholeWord(t, n); i >= 0 && (best < 0 || i < best) {
			best = i
		}
	}
	return best
}

// wholeWord returns the first position of n without a letter or digit beside it, or -1.
func wholeWord(t, n string) int {
	for from := 0; ; {
		i := strings.Index(t[from:], n)
		if i < 0 {
			return -1
		}
		i += from
		if (i == 0 || !alnum(t[i-1])) && (i+len(n) == len(t) || !alnum(t[i+len(n)])) {
			return i
		}
		from = i + 1
	}
}

func alnum(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
