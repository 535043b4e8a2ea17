package tell

import (
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/money"
	"svc/server/schema"
)

// places returns how many decimals of a number are shown: two, or none if it is whole.
func places(r *big.Rat) int {
	if r.IsInt() || new(big.Int).Rem(compute.Rounded(r, 2), big.NewInt(100)).Sign() == 0 {
		return 0
	}
	return 2
}

// digits returns a number with thousands separators.
func digits(r *big.Rat) string {
	p := places(r)
	return money.BigDigits(compute.Rounded(r, p), p)
}

// show returns a figure with its unit.
func (v *verbalizer) show(r *big.Rat, u schema.Unit) string {
	if r == nil {
		return "none"
	}
	text := digits(r)
	switch u {
	case schema.Percent:
		text += " %"
	case schema.Money:
		text = v.withCurrency(text)
	}
	return text
}

// withCurrency returns a number with the sign or the code of the currency before it.
func (v *verbalizer) withCurrency(text string) string {
	if v.currency == "" {
		return text
	}
	return money.Mark(text, v.currency)
}

// plainNumber returns a figure as a JSON number with at most two decimals, or nil.
func plainNumber(r *big.Rat) any {
	if r == nil {
		return nil
	}
	p := places(r)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(p)), nil)
	return json.Number(new(big.Rat).SetFrac(compute.Rounded(r, p), unit).FloatString(p))
}

// labelText returns the name of a group in a sentence: March 2021, Q3 2021, 5 March 2021,
// the week of 1 March 2021.
func labelText(d plan.Dimension, label string) string {
	switch d.Part {
	case plan.Daytype:
		return label + "s"
	case plan.Month:
		if t, err := time.Parse("2006-01", label); err == nil {
			return t.Format("January 2006")
		}
	case plan.Quarter:
		if year, q, ok := strings.Cut(label, "-"); ok {
			return q + " " + year
		}
	case plan.Day:
		return longDay(label)
	case plan.Week:
		if day := longDay(label); day != label {
			return "the week of " + day
		}
	}
	return label
}

// longDay returns a day as 5 March 2021; any other text stays as it is.
func longDay(iso string) string {
	t, err := time.Parse(time.DateOnly, iso)
	if err != nil {
		return iso
	}
	return t.Format("2 January 2006")
}

// pretty returns a heading without underscores.
func pretty(heading string) string { return strings.ReplaceAll(heading, "_", " ") }

// Joined returns a list in words: a, b and c.
func Joined(names []string) string {
	switch len(names) {
	case 0:
		return ""
	case 1:
		return names[0]
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
