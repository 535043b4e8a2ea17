package views

import (
	"math"
	"slices"
	"strconv"
)

// Point is a figure of a chart. Text is Value as people read it, like "£1,204.50".
type Point struct {
	Label, Text string
	Value       float64
	// More is the text of the table's third column; may be empty.
	More string
	// Link is the address of what the figure is made of; may be empty.
	Link string
	// Part: the figure is of a time that is not over, or not whole. It is drawn paler.
	Part bool
	// Bad is the part of Value that is drawn as a fault, and BadText as people read it.
	Bad     float64
	BadText string
}

// Chart is a drawing of figures, with their table behind it. The template "chart" shows it,
// and says so if there is none.
type Chart struct {
	ID, Title string
	// Of names what the labels are, like "Day", and Unit what the values are, like "Calls".
	Of, Unit string
	// Beside names the third column of the table; empty: it has none.
	Beside string
	// BadUnit names Point.Bad, like "Refused or failed"; empty: no point has it.
	BadUnit string
	Points  []Point
	// Ranked draws a line of text and a bar for each point, for labels that are names.
	// Otherwise the points are columns from left to right, for labels in an order.
	Ranked bool
}

// Bars returns a chart of columns, for points in an order such as days. The id is unique
// on its page.
func Bars(id, title, of, unit string, points []Point) Chart {
	return Chart{ID: id, Title: title, Of: of, Unit: unit, Points: points}
}

// Ranking returns a chart of bars under one another, for points with names. The id is
// unique on its page.
func Ranking(id, title, of, unit string, points []Point) Chart {
	return Chart{ID: id, Title: title, Of: of, Unit: unit, Points: points, Ranked: true}
}

// A column of the drawing is columnStep wide, and the drawing columnHeight high. The
// browser stretches it to its place.
const (
	columnStep   = 10
	columnWidth  = 7
	columnHeight = 100
)

// Column is a rectangle of the drawing, whose foot is that of Point.Bad.
type Column struct {
	X, Y, Width, Height string
	FootY, Foot         string // top and height of the foot; empty: it has none
	Below               bool   // the value is below 0
	Point
}

// Width returns the width of the drawing of columns.
func (c Chart) Width() int { return max(1, len(c.Points)) * columnStep }

// Columns returns the rectangles of the points. A value that is not 0 is always seen.
func (c Chart) Columns() []Column {
	low, high := c.span()
	unit := columnHeight / (high - low)
	out := make([]Column, len(c.Points))
	for i, p := range c.Points {
		height := math.Abs(p.Value) * unit
		if p.Value != 0 {
			height = max(height, 1)
		}
		top := (high - max(p.Value, 0)) * unit
		out[i] = Column{
			X: decimal(float64(i*columnStep) + (columnStep-columnWidth)/2.0), Y: decimal(min(top, columnHeight-height)),
			Width: decimal(columnWidth), Height: decimal(height), Below: p.Value < 0, Point: p,
		}
		if p.Bad > 0 {
			foot := min(height, max(p.Bad*unit, 1))
			out[i].FootY, out[i].Foot = decimal(high*unit-foot), decimal(foot)
		}
	}
	return out
}

// Legend says what the feet of the columns are; empty if none has one.
func (c Chart) Legend() string {
	if slices.ContainsFunc(c.Points, func(p Point) bool { return p.Bad > 0 }) {
		return c.BadUnit
	}
	return ""
}

// Rows returns the bars of a ranking; their Width is of 100.
func (c Chart) Rows() []Column {
	_, high := c.span()
	out := make([]Column, len(c.Points))
	for i, p := range c.Points {
		out[i] = Column{Width: decimal(100 * math.Abs(p.Value) / high), Below: p.Value < 0, Point: p}
	}
	return out
}

// span returns the lowest value, or 0 if none is below, and the highest; they differ.
func (c Chart) span() (low, high float64) {
	for _, p := range c.Points {
		low, high = min(low, p.Value), max(high, p.Value)
		if c.Ranked {
			high = max(high, -p.Value)
		}
	}
	if low == high {
		high = low + 1
	}
	return low, high
}

// Peak returns the point with the highest value, whose text stands beside the drawing.
func (c Chart) Peak() (peak Point) {
	for i, p := range c.Points {
		if i == 0 || p.Value > peak.Value {
			peak = p
		}
	}
	return peak
}

// Ends returns the labels under the drawing: the first, the middle and the last.
func (c Chart) Ends() []string {
	n := len(c.Points)
	switch {
	case n == 0:
		return nil
	case n < 3:
		return []string{c.Points[0].Label, c.Points[n-1].Label}[:n]
	}
	return []string{c.Points[0].Label, c.Points[(n-1)/2].Label, c.Points[n-1].Label}
}

// Empty reports whether there is nothing to draw.
func (c Chart) Empty() bool {
	for _, p := range c.Points {
		if p.Value != 0 {
			return false
		}
	}
	return true
}

func decimal(f float64) string {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return "0"
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}
