package asktest

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// gridCell is a number with the labels of its row and column.
type gridCell struct {
	a, b  string
	value float64
}

// UnmarshalJSON reads ["West", "2021-03", 12.5].
func (c *gridCell) UnmarshalJSON(data []byte) error {
	var parts [3]any
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	c.a, c.b = plainText(parts[0]), plainText(parts[1])
	c.value, _ = parts[2].(float64)
	return nil
}

// maxGrid bounds the cells that must be there.
const maxGrid = 300

// gridRight reports whether an answer has nine tenths of the numbers of two groupings: in a
// long table with both labels, in a table across, or as composite labels of a chart.
func (q Question) gridRight(gold []gridCell, r Response) bool {
	g := &grid{q: q, want: map[[2]string]float64{}, seen: map[[2]string]bool{}}
	for _, c := range gold {
		g.want[[2]string{labelKey(c.a), labelKey(c.b)}] = c.value
	}
	need := 0.9 * float64(min(len(gold), maxGrid))
	for _, look := range []func(Response){g.long, g.across, g.composite} {
		clear(g.seen)
		if look(r); float64(len(g.seen)) >= need {
			return true
		}
	}
	return false
}

type grid struct {
	q    Question
	want map[[2]string]float64
	seen map[[2]string]bool
}

// mark notes a wanted number that a cell has under two labels, in either order.
func (g *grid) mark(as, bs []string, cell any) {
	for _, a := range as {
		for _, b := range bs {
			for _, k := range [][2]string{{a, b}, {b, a}} {
				want, ok := g.want[k]
				if ok && !g.seen[k] && g.q.anyClose(cellNumbers(cell), want) {
					g.seen[k] = true
				}
			}
		}
	}
}

// long looks for a table whose rows have both labels and the number.
func (g *grid) long(r Response) {
	if r.Table == nil {
		return
	}
	for _, row := range r.Table.Rows {
		keys := make([][]string, len(row))
		for i, c := range row {
			keys[i] = cellKeys(c)
		}
		for i := range row {
			for j := i + 1; j < len(row); j++ {
				for n, c := range row {
					if n != i && n != j {
						g.mark(keys[i], keys[j], c)
					}
				}
			}
		}
	}
}

// across looks for a table with one label in the row and the other in the header.
func (g *grid) across(r Response) {
	if r.Table == nil {
		return
	}
	for _, row := range r.Table.Rows {
		for i, c := range row {
			for j, d := range row {
				if i != j && j < len(r.Table.Headers) {
					g.mark(cellKeys(c), cellKeys(r.Table.Headers[j]), d)
				}
			}
		}
	}
}

// composite looks for chart labels that contain both.
func (g *grid) composite(r Response) {
	if r.Chart == nil {
		return
	}
	for i, label := range r.Chart.Labels {
		if i >= len(r.Chart.Values) {
			return
		}
		text, dates := " "+normal(label)+" ", dateKeys(label)
		for k, want := range g.want {
			in := func(s string) bool { return strings.Contains(text, " "+s+" ") || dates[s] }
			if in(k[0]) && in(k[1]) && g.q.anyClose(cellNumbers(r.Chart.Values[i]), want) {
				g.seen[k] = true
			}
		}
	}
}

// labelKey returns the form in which a label is compared; a date stays as it is.
func labelKey(label string) string {
	if isDate(label) {
		return label
	}
	return normal(label)
}

// cellKeys returns the forms of a cell as a label.
func cellKeys(cell any) []string {
	switch c := cell.(type) {
	case string:
		return slices.AppendSeq([]string{normal(c)}, maps.Keys(dateKeys(c)))
	case float64:
		if c == math.Trunc(c) {
			return []string{strconv.FormatFloat(c, 'f', 0, 64)}
		}
	}
	return nil
}

// numbersRight reports whether an answer has the number of every clause, among at most 15
// different ones in its text and cards.
func (q Question) numbersRight(golds []float64, r Response) bool {
	found := headNumbers(r)
	if tooMany(found) {
		return false
	}
	const few = 6
	if r.Table != nil {
		for _, row := range r.Table.Rows[:min(few, len(r.Table.Rows))] {
			for _, c := range row {
				found = append(found, cellNumbers(c)...)
			}
		}
	}
	if r.Chart != nil {
		for _, v := range r.Chart.Values[:min(few, len(r.Chart.Values))] {
			found = append(found, cellNumbers(v)...)
		}
	}
	for i, gold := range golds {
		one := q
		if i < len(q.Tolerances) {
			one.Tolerance = q.Tolerances[i]
		}
		if i < len(q.Units) {
			one.Unit = q.Units[i]
		}
		if !one.anyClose(found, gold) {
			return false
		}
	}
	return true
}
