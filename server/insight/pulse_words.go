package insight

import (
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"svc/server/ask/compute"
	"svc/server/money"
)

// Card is a KPI as the API writes it. Money is in units of the currency, rounded to its
// decimals; per cents have one decimal.
type Card struct {
	Key        string       `json:"key"`
	Label      string       `json:"label"`
	Value      *json.Number `json:"value"` // null: unknown
	Unit       Unit         `json:"unit"`
	ChangePct  *json.Number `json:"change_pct"`
	ComparedTo *string      `json:"compared_to"`
	Previous   *json.Number `json:"previous"` // the figure of compared_to
}

// Cards returns the KPIs as the API writes them.
func (p Pulse) Cards() []Card {
	cards := []Card{}
	for _, k := range p.KPIs {
		c := Card{Key: k.Key, Label: k.Label, Unit: k.Unit}
		c.Value = jsonNumber(k.Value, places(k.Unit, p.Currency))
		c.Previous = jsonNumber(k.Previous, places(k.Unit, p.Currency))
		c.ChangePct = jsonNumber(k.Change(), places(Percent, ""))
		if k.ComparedTo != "" {
			c.ComparedTo = &k.ComparedTo
		}
		cards = append(cards, c)
	}
	return cards
}

// places returns the decimals of figures of a unit.
func places(u Unit, currency string) int {
	switch u {
	case Money:
		return money.Decimals(currency)
	case Percent:
		return 1
	}
	return 3
}

// jsonNumber returns a figure as a JSON number; nil for nil.
func jsonNumber(r *big.Rat, places int) *json.Number {
	if r == nil {
		return nil
	}
	n := json.Number(money.BigNumber(compute.Rounded(r, places), places))
	return &n
}

// text returns a figure in a sentence: £1,234.50, 12.5 %, 3.
func (p Pulse) text(r *big.Rat, u Unit) string {
	decimals := places(u, p.Currency)
	if u == Count {
		decimals = 1
	}
	n := compute.Rounded(r, decimals)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	if new(big.Int).Rem(n, unit).Sign() == 0 {
		n, decimals = n.Quo(n, unit), 0
	}
	digits := money.BigDigits(n, decimals)
	switch u {
	case Money:
		return money.Mark(digits, p.Currency)
	case Percent:
		return digits + " %"
	}
	return digits
}

// Text returns the value of a KPI in words; it must be known.
func (p Pulse) Text(k KPI) string { return p.text(k.Value, k.Unit) }

// Against returns how a KPI compares: "12.5 % more than the 7 days before (£1,100)". Per
// cents differ by points.
func (p Pulse) Against(k KPI) string {
	change := k.Change()
	if change == nil {
		return ""
	}
	tenths := compute.Rounded(change, 1)
	than := fmt.Sprintf("%s (%s)", k.ComparedTo, p.text(k.Previous, k.Unit))
	size := p.text(new(big.Rat).Abs(change), Percent)
	if k.Unit == Percent {
		points := new(big.Rat).Sub(k.Value, k.Previous)
		tenths = compute.Rounded(points, 1)
		size = p.text(new(big.Rat).Abs(points), Count) + " points"
	}
	switch tenths.Sign() {
	case 1:
		return size + " more than " + than
	case -1:
		return size + " less than " + than
	}
	return "as much as " + k.ComparedTo
}

// kpi returns the KPI of a key.
func (p Pulse) kpi(key string) KPI {
	for _, k := range p.KPIs {
		if k.Key == key {
			return k
		}
	}
	return KPI{}
}

// spanText writes a run of days: "23 February to 1 March 2026".
func spanText(s Span) string {
	from := s.From.Format("2 January 2006")
	switch {
	case s.From.Equal(s.To):
		return from
	case s.From.Year() == s.To.Year() && s.From.Month() == s.To.Month():
		from = s.From.Format("2")
	case s.From.Year() == s.To.Year():
		from = s.From.Format("2 January")
	}
	return from + " to " + s.To.Format("2 January 2006")
}

// dayText writes a day: "1 March", or with its year if that is not today's.
func dayText(day, today time.Time) string {
	if day.Year() != today.Year() {
		return day.Format("2 January 2006")
	}
	return day.Format("2 January")
}

// weekdayText is dayText after the name of the day: "Sunday 1 March".
func weekdayText(day, today time.Time) string {
	return day.Weekday().String() + " " + dayText(day, today)
}

// ordinal writes a day of the month: 1st, 22nd.
func ordinal(n int) string {
	suffix := "th"
	switch {
	case n%10 == 1 && n != 11:
		suffix = "st"
	case n%10 == 2 && n != 12:
		suffix = "nd"
	case n%10 == 3 && n != 13:
		suffix = "rd"
	}
	return fmt.Sprint(n, suffix)
}
