package dataset

import (
	"strings"

	"svc/server/schema"
)

// measures are the units that may follow the numbers of a column: 16GB, 1.37 kg, 15".
var measures = wordSet(`ml cl dl l ltr litre litres liter liters g gr gm gram grams kg kgs kilo kilos mg oz ounce ounces lb lbs pound pounds t ton tons tonnes
	mm cm m km in inch inches ft feet foot yd yards mi mile miles sqm sqft mph kph km/h rpm hp bhp cc gb tb mb kb kw kwh w watt watts v volts mah hz khz mhz ghz mp px dpi
	s sec secs seconds min mins minutes h hr hrs hours days weeks months years nights people persons guests seats pages kcal cal calories joules bar psi db lm lumens
	" ″ ' °c °f c`)

// splitMeasure splits a number from the unit of measure after it. The unit is as it is
// written, with the space before it.
func splitMeasure(text string) (number, unit string, ok bool) {
	end := strings.LastIndexAny(text, "0123456789") + 1
	if end == 0 || end == len(text) || len(text)-end > 9 || strings.ContainsAny(text[:1], "$£€") {
		return "", "", false
	}
	unit = text[end:]
	return text[:end], unit, measures[strings.ToLower(strings.TrimSpace(unit))]
}

// observeMeasure counts a cell that is a number with a unit.
func (p *profile) observeMeasure(text string) {
	number, unit, ok := splitMeasure(text)
	if !ok {
		return
	}
	if p.measured == nil {
		p.measured, p.units = newProfile(p.title, p.home), map[string]int{}
	}
	if p.measured.observeNumber(number) {
		p.units[unit]++
	}
}

// unit returns the only unit of a column of measures, as it is written most often, or "".
func (p *profile) unit() string {
	most := ""
	for unit, n := range p.units {
		same := strings.EqualFold(strings.TrimSpace(unit), strings.TrimSpace(most))
		switch {
		case most != "" && !same:
			return ""
		case n > p.units[most] || n == p.units[most] && unit < most:
			most = unit
		}
	}
	return most
}

// isMeasured reports whether the cells of a column are numbers with one unit of measure.
func (p *profile) isMeasured(hint schema.Role) bool {
	if p.measured == nil || p.unit() == "" || hint != schema.None && !isFigure(hint) || isCodeHeading(p.title) {
		return false
	}
	return nearlyAll(p.measured.numeric, p.filled-p.nones)
}
