package tool

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"svc/server/fault"
	"svc/server/money"
)

const (
	// maxMinor bounds each amount, in minor units, so that no sum or product overflows.
	maxMinor = 100_000_000_000_000
	// maxQuantity bounds the number of units.
	maxQuantity = 1_000_000_000
	// Rates are percent with ratePercentPlaces digits after the point; maxPercent bounds
	// them.
	percentPlaces = 4
	maxPercent    = 1000
	// hundredPercent is a rate of 100 %.
	hundredPercent = 1_000_000
	// unitPlaces are the further digits of per_unit.
	unitPlaces = 2
)

// LandedRequest is an import. Amounts are minor units of Currency.
type LandedRequest struct {
	Currency       string // in lower case
	Incoterm       string
	Valuation      string // cif or fob
	Goods          int64  // the price under the incoterm
	Quantity       int64
	Freight        int64
	Insurance      int64
	Inland         int64
	Fees           int64
	DutyRate       int64 // in 1/10,000 %
	VATRate        int64 // likewise
	VATRecoverable bool
	term           term
	assumed        []string
}

// ParseLandedCost reads and checks the query of GET /tools/landed-cost. Every fault names
// its parameter.
func ParseLandedCost(q *Query) (r LandedRequest, err error) {
	var known bool
	if r.Currency, known = money.Known(q.text("currency")); !known {
		q.fail("currency", "must be an ISO 4217 code, like gbp")
	}
	r.Goods = q.amount(r.Currency, "goods_value", q.text("goods_value"))
	if r.Goods == 0 {
		q.fail("goods_value", "must be above zero")
	}
	r.DutyRate = q.percent("duty_rate", q.text("duty_rate"))
	r.readTerms(q)
	r.Freight = q.cost(r.Currency, "freight", r.term.freight)
	r.Insurance = q.cost(r.Currency, "insurance", r.term.insurance)
	r.Inland = q.cost(r.Currency, "inland", r.term.inland)
	r.Fees = q.cost(r.Currency, "fees", r.term.duties)
	r.VATRate = q.percent("vat_rate", q.textOr("vat_rate", "0", "no VAT is computed"))
	if q.has("vat_recoverable") || r.VATRate > 0 {
		r.VATRecoverable = q.flag("vat_recoverable", "false", "VAT is part of the total")
	}
	r.Quantity = q.integer("quantity", q.textOr("quantity", "1", "per_unit is the total"), 1, maxQuantity)
	r.noteContained(q)
	r.assumed = q.assumed
	return r, q.err
}

func (r *LandedRequest) readTerms(q *Query) {
	code := q.textOr("incoterm", "fob", "the price contains the costs up to loading on board in the country of export")
	var problem string
	if r.term, problem = findTerm(code); problem != "" {
		q.fail("incoterm", problem)
	}
	r.Incoterm = r.term.code
	r.Valuation = strings.ToLower(q.textOr("valuation", "cif", "the customs value includes freight and insurance, as in the European Union and the United Kingdom, but not in the United States"))
	if r.Valuation != "cif" && r.Valuation != "fob" {
		q.fail("valuation", "must be cif or fob")
	}
}

// amount reads an amount in a currency.
func (q *Query) amount(currency, name, text string) int64 {
	return q.decimal(name, text, money.Decimals(currency), maxMinor)
}

// cost reads a cost that may be left out.
func (q *Query) cost(currency, name string, inPrice bool) int64 {
	if q.has(name) {
		return q.amount(currency, name, q.values.Get(name))
	}
	if !inPrice {
		q.assume(name + ": 0, though the price does not contain it")
	}
	return 0
}

// percent reads a rate in percent. One below 1 is noted, since it may be meant as a
// fraction.
func (q *Query) percent(name, text string) int64 {
	n := q.decimal(name, text, percentPlaces, maxPercent*hundredPercent/100)
	if n > 0 && n < hundredPercent/100 {
		q.assume(fmt.Sprintf("%s: %s %%, since rates are in percent and not fractions", name, rateNumber(n)))
	}
	return n
}

// flag reads true or false.
func (q *Query) flag(name, otherwise, meaning string) bool {
	text := q.textOr(name, otherwise, meaning)
	if text != "true" && text != "false" {
		q.fail(name, "must be true or false")
	}
	return text == "true"
}

// noteContained notes the costs that the price contains, that belong not to the customs
// value, and that cannot be taken off because they were not given.
func (r *LandedRequest) noteContained(q *Query) {
	for _, c := range []struct {
		name         string
		amount       int64
		in, dutiable bool
	}{
		{"freight", r.Freight, r.term.freight, r.Valuation == "cif"},
		{"insurance", r.Insurance, r.term.insurance, r.Valuation == "cif"},
		{"inland", r.Inland, r.term.inland, false},
	} {
		if c.in && !c.dutiable && c.amount == 0 {
			q.assume(fmt.Sprintf("%s: not taken off the customs value, since the part of the price under %s that pays for it was not given", c.name, r.Incoterm))
		}
	}
	if r.term.duties && r.VATRecoverable {
		q.assume("vat_recoverable: without effect under ddp, where the seller imports the goods and the price contains the VAT")
	}
	if r.DutyRate > 0 || r.VATRate > 0 {
		q.assume("duty is one rate on the value; quotas, anti-dumping and excise duties, preferences and thresholds are not considered")
	}
}

func rateNumber(n int64) string { return money.Number(n, percentPlaces) }

// LandedCost is what goods cost at their destination. Amounts are minor units of the
// currency, PerUnit has unitPlaces further digits.
type LandedCost struct {
	LandedRequest
	CustomsValue int64
	Duty         int64
	VAT          int64
	Total        int64
	PerUnit      int64
	Lines        []CostLine // their sum is the total
	Steps        []Step
	Assumed      []string
}

// CostLine is a part of the total.
type CostLine struct {
	Name    string
	Amount  int64
	InPrice bool // goods_value contains it
}

// LandedCost computes the landed cost.
func (s *Service) LandedCost(_ context.Context, r LandedRequest) (c LandedCost, err error) {
	c = LandedCost{LandedRequest: r, Assumed: r.assumed}
	if r.term.duties {
		c.solve()
	} else {
		c.value()
	}
	c.addLines()
	if c.Lines[0].Amount <= 0 || c.CustomsValue <= 0 {
		return c, fault.Invalid("goods_value", "is not more than the freight, insurance, inland, duty and VAT that it contains under "+r.Incoterm)
	}
	sum := sum{currency: r.Currency}
	for _, l := range c.Lines {
		sum.add(l.Name, l.Amount)
	}
	c.Total = sum.total
	c.Steps = append(c.Steps, sum.step("total"))
	c.PerUnit = mulDiv(c.Total, pow10(unitPlaces), r.Quantity)
	c.Steps = append(c.Steps, Step{
		"per_unit", "total / quantity", fmt.Sprintf("%s / %d", c.number(c.Total), r.Quantity),
		money.Number(c.PerUnit, money.Decimals(r.Currency)+unitPlaces),
	})
	return c, nil
}

func (c *LandedCost) number(amount int64) string {
	return money.Number(amount, money.Decimals(c.Currency))
}

// value computes customs value, duty and VAT of a price that contains neither duty nor VAT.
func (c *LandedCost) value() {
	customs := sum{currency: c.Currency}
	customs.add("goods_value", c.Goods)
	for _, t := range []struct {
		name   string
		amount int64
		in     bool
	}{{"freight", c.Freight, c.term.freight}, {"insurance", c.Insurance, c.term.insurance}} {
		if c.Valuation == "cif" && !t.in {
			customs.add(t.name, t.amount)
		}
		if c.Valuation == "fob" && t.in {
			customs.add(t.name, -t.amount)
		}
	}
	if c.term.inland {
		customs.add("inland", -c.Inland)
	}
	c.CustomsValue = customs.total
	c.Steps = append(c.Steps, customs.step("customs_value"))
	c.tax(c.Fees)
}

// tax computes duty and VAT on the customs value. fees are those that are part of the VAT's
// base.
func (c *LandedCost) tax(fees int64) {
	c.Duty = c.charge("duty", "customs_value", c.CustomsValue, c.DutyRate)
	base := sum{currency: c.Currency}
	base.add("customs_value", c.CustomsValue)
	base.add("duty", c.Duty)
	if c.Valuation == "fob" {
		base.add("freight", c.Freight)
		base.add("insurance", c.Insurance)
	}
	base.add("inland", c.Inland)
	base.add("fees", fees)
	if c.VATRate > 0 {
		c.Steps = append(c.Steps, base.step("vat_base"))
	}
	c.VAT = c.charge("vat", "vat_base", base.total, c.VATRate)
}

// charge computes a rate on a base. It adds no step for a VAT of zero.
func (c *LandedCost) charge(name, baseName string, base, rate int64) int64 {
	amount := mulDiv(max(base, 0), rate, hundredPercent)
	if rate > 0 || name == "duty" {
		c.Steps = append(c.Steps, Step{
			name, fmt.Sprintf("%s × %s_rate", baseName, name), fmt.Sprintf("%s × %s %%", c.number(base), rateNumber(rate)), c.number(amount),
		})
	}
	return amount
}

// solve finds the customs value in a price that contains duty and VAT:
//
//	price = (1 + vat_rate) × (customs value × (1 + duty_rate) + other)
//
// where other is the transport in the price that is not in the customs value.
func (c *LandedCost) solve() {
	other, names, numbers := c.Inland, "inland", c.number(c.Inland)
	if c.Valuation == "fob" {
		other += c.Freight + c.Insurance
		names, numbers = "freight - insurance - inland", c.number(c.Freight)+" - "+c.number(c.Insurance)+" - "+numbers
	}
	one := int64(hundredPercent)
	withVAT, withDuty := one+c.VATRate, one+c.DutyRate
	numerator := new(big.Int).Sub(product(c.Goods, one), product(other, withVAT))
	c.CustomsValue = roundedRatio(numerator.Mul(numerator, big.NewInt(one)), product(withVAT, withDuty))
	c.Steps = append(c.Steps, Step{
		"customs_value", fmt.Sprintf("(goods_value / (1 + vat_rate) - %s) / (1 + duty_rate)", names),
		fmt.Sprintf("(%s / (1 + %s %%) - %s) / (1 + %s %%)", c.number(c.Goods), rateNumber(c.VATRate), numbers, rateNumber(c.DutyRate)),
		c.number(c.CustomsValue),
	})
	c.tax(0)
}

// addLines divides the total. The first line is the price without what else it contains.
func (c *LandedCost) addLines() {
	in := c.term.duties
	goods := CostLine{Name: "goods", Amount: c.Goods, InPrice: true}
	rest := []CostLine{
		{"freight", c.Freight, c.term.freight}, {"insurance", c.Insurance, c.term.insurance}, {"duty", c.Duty, in},
		{"inland", c.Inland, c.term.inland}, {"fees", c.Fees, false},
	}
	if in || !c.VATRecoverable {
		rest = append(rest, CostLine{"vat", c.VAT, in})
	}
	c.Lines = []CostLine{goods}
	for _, l := range rest {
		if l.InPrice {
			c.Lines[0].Amount -= l.Amount
		}
		if l.Amount > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
}

// sum is a sum of named amounts, with the text of its formula.
type sum struct {
	currency         string
	total            int64
	formula, numbers strings.Builder
}

// add adds an amount, which may be negative. Zero is left out.
func (s *sum) add(name string, amount int64) {
	if amount == 0 {
		return
	}
	sign := " + "
	if amount < 0 {
		sign = " - "
	}
	if s.formula.Len() > 0 {
		s.formula.WriteString(sign)
		s.numbers.WriteString(sign)
	}
	s.formula.WriteString(name)
	s.numbers.WriteString(money.Number(max(amount, -amount), money.Decimals(s.currency)))
	s.total += amount
}

func (s *sum) step(name string) Step {
	return Step{name, s.formula.String(), s.numbers.String(), money.Number(s.total, money.Decimals(s.currency))}
}
