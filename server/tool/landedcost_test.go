package tool_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
)

// These tests check landed-cost (J5) with figures computed by hand.

const landedCost = "/tools/landed-cost"

type cost struct {
	Incoterm     string
	CustomsValue float64 `json:"customs_value"`
	Duty         float64
	VAT          float64
	Total        float64
	PerUnit      float64 `json:"per_unit"`
	Lines        []struct {
		Name    string
		Amount  float64
		InPrice bool `json:"in_price"`
	}
	Steps []struct {
		Step, Formula, Calculation string
		Result                     float64
	}
	Assumed []string
}

func (d *desk) cost(t *testing.T, query url.Values) (c cost) {
	t.Helper()
	a := d.get(t, landedCost, query)
	a.Expect(t, 200, "")
	if err := json.Unmarshal(a.Body, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// lines lists the lines, with a star at those that are in the price.
func (c cost) lines() string {
	var all []string
	for _, l := range c.Lines {
		star := ""
		if l.InPrice {
			star = "*"
		}
		all = append(all, fmt.Sprintf("%s%s %v", l.Name, star, l.Amount))
	}
	return strings.Join(all, ", ")
}

func (c cost) figures() string {
	return fmt.Sprintf("%v %v %v %v %v", c.CustomsValue, c.Duty, c.VAT, c.Total, c.PerUnit)
}

// The figures are customs value, duty, VAT, total and per_unit.
func TestLandedCost(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct{ name, query, figures string }{
		// DHL's guide to importing into the United Kingdom: 2,000 umbrellas at 5 pounds, 500
		// for freight and insurance, 4 % duty: 420 of duty, 10,920 in all.
		{"Umbrellas", "goods_value=10000&currency=gbp&quantity=2000&freight=400&insurance=100&duty_rate=4", "10500 420 0 10920 5.46"},
		// A common textbook example: a CIF value of 1,000 at 7 % duty and 18 % VAT is
		// 1,262.60; an FOB value of 932 is 65.24 of duty, 179.50 of VAT, 1,176.74.
		{"CIF", "goods_value=1000&currency=usd&duty_rate=7&vat_rate=18&incoterm=cif", "1000 70 192.6 1262.6 1262.6"},
		{"FOB", "goods_value=932&currency=usd&duty_rate=7&vat_rate=18&incoterm=fob&valuation=fob", "932 65.24 179.5 1176.74 1176.74"},
		// 1000 × 2.5 % = 25; VAT on 1000 + 25 + 60 + 5 + 30 + 10 = 1130 at 20 % = 226.
		{"VATOnTransport", "goods_value=1000&currency=eur&freight=60&insurance=5&inland=30&fees=10&duty_rate=2.5&vat_rate=20&valuation=fob&quantity=3", "1000 25 226 1356 452"},
		{"Recoverable", "goods_value=1000&currency=eur&freight=60&insurance=5&inland=30&fees=10&duty_rate=2.5&vat_rate=20&valuation=fob&vat_recoverable=true", "1000 25 226 1130 1130"},
		// Yen have no decimals: 999 × 3.3 % = 32.967, and 1032 × 10 % = 103.2.
		{"Yen", "goods_value=999&currency=JPY&duty_rate=3.3&vat_rate=10&quantity=7", "999 33 103 1135 162.14"},
		// Dinars have three: 1.005 × 5 % = 0.05025.
		{"Dinar", "goods_value=1.005&currency=kwd&duty_rate=5", "1.005 0.05 0 1.055 1.055"},
		// Half a minor unit is rounded up: 0.10 × 5 % = 0.005.
		{"Half", "goods_value=0.10&currency=usd&duty_rate=5", "0.1 0.01 0 0.11 0.11"},
		{"Free", "goods_value=250&currency=usd&duty_rate=0", "250 0 0 250 250"},
		{"Most", "goods_value=1000000000000&currency=usd&freight=1000000000000&insurance=1000000000000&inland=1000000000000&fees=1000000000000&duty_rate=1000&vat_rate=1000",
			"3e+12 3e+13 3.5e+14 3.85e+14 3.85e+14"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := d.cost(t, with(c.query)); got.figures() != c.figures {
				t.Errorf("%s, want %s", got.figures(), c.figures)
			}
		})
	}
}

// Each rule of Incoterms 2020 has its costs in the price or not. The price is 1,320 with
// freight 80, insurance 20 and inland 100; 10 % duty, 20 % VAT, fees 50.
func TestLandedCostIncoterms(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const query = "goods_value=1320&currency=eur&freight=80&insurance=20&inland=100&fees=50&duty_rate=10&vat_rate=20"
	// cif: 1420 of customs value, 142 of duty; VAT on 1420 + 142 + 100 + 50.
	// fob: 1320, 132; VAT on 1320 + 132 + 80 + 20 + 100 + 50.
	buyer := [2]string{"1420 142 342.4 2054.4 2054.4", "1320 132 340.4 2042.4 2042.4"}
	const buyerLines = "goods* 1320, freight 80, insurance 20, duty 142, inland 100, fees 50, vat 342.4"
	// Freight is in the price: cif 1320 + 20, fob 1320 - 80.
	freight := [2]string{"1340 134 324.8 1948.8 1948.8", "1240 124 322.8 1936.8 1936.8"}
	const freightLines = "goods* 1240, freight* 80, insurance 20, duty 134, inland 100, fees 50, vat 324.8"
	// Insurance, too: cif 1320, fob 1320 - 100.
	insured := [2]string{"1320 132 320.4 1922.4 1922.4", "1220 122 318.4 1910.4 1910.4"}
	const insuredLines = "goods* 1220, freight* 80, insurance* 20, duty 132, inland 100, fees 50, vat 320.4"
	// Inland, too, which is no part of the customs value: cif 1220, fob 1120.
	arrived := [2]string{"1220 122 298.4 1790.4 1790.4", "1120 112 296.4 1778.4 1778.4"}
	const arrivedLines = "goods* 1120, freight* 80, insurance* 20, duty 122, inland* 100, fees 50, vat 298.4"
	// All is in the price: cif (1320/1.2 - 100) / 1.1 = 909.0909, fob (1320/1.2 - 200) / 1.1.
	paid := [2]string{"909.09 90.91 220 1370 1370", "818.18 81.82 220 1370 1370"}
	const paidLines = "goods* 809.09, freight* 80, insurance* 20, duty* 90.91, inland* 100, fees 50, vat* 220"

	for _, c := range []struct {
		term    string
		figures [2]string
		lines   string
	}{
		{"EXW", buyer, buyerLines}, {"FCA", buyer, buyerLines}, {"FAS", buyer, buyerLines}, {"FOB", buyer, buyerLines},
		{"CFR", freight, freightLines}, {"CPT", freight, freightLines}, {"CIF", insured, insuredLines}, {"CIP", insured, insuredLines},
		{"DAP", arrived, arrivedLines}, {"DPU", arrived, arrivedLines}, {"DDP", paid, paidLines},
	} {
		cif, fob := d.cost(t, with(query, "incoterm", c.term)), d.cost(t, with(query, "incoterm", c.term, "valuation", "fob"))
		if cif.figures() != c.figures[0] || fob.figures() != c.figures[1] || cif.lines() != c.lines {
			t.Errorf("%s: %s and %s, want %s; lines %s, want %s", c.term, cif.figures(), fob.figures(), c.figures, cif.lines(), c.lines)
		}
		if cif.Incoterm != strings.ToLower(c.term) {
			t.Errorf("incoterm %s", cif.Incoterm)
		}
	}
}

func TestLandedCostNotesDefaults(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, c := range []struct {
		query string
		want  []string // how the notes begin
	}{
		{"goods_value=100&currency=gbp&duty_rate=4", []string{
			"incoterm: fob", "valuation: cif", "freight: 0", "insurance: 0", "inland: 0", "fees: 0", "vat_rate: 0", "quantity: 1", "duty is one rate"}},
		{"goods_value=100&currency=gbp&duty_rate=0&incoterm=fca&valuation=cif&freight=0&insurance=0&inland=0&fees=0&vat_rate=0&quantity=1", nil},
		{"goods_value=100&currency=gbp&duty_rate=0.12&incoterm=ddp&valuation=fob&vat_rate=0.2&vat_recoverable=true&quantity=1", []string{
			"duty_rate: 0.12 %", "vat_rate: 0.2 %", "freight: not taken off", "insurance: not taken off", "inland: not taken off", "vat_recoverable: without effect", "duty is one rate"}},
		{"goods_value=100&currency=gbp&duty_rate=1&incoterm=dap&valuation=cif&fees=1&vat_rate=5&quantity=1", []string{
			"vat_recoverable: false", "inland: not taken off", "duty is one rate"}},
	} {
		got := d.cost(t, with(c.query)).Assumed
		if len(got) != len(c.want) {
			t.Errorf("%s: assumed %q", c.query, got)
			continue
		}
		for i, prefix := range c.want {
			if !strings.HasPrefix(got[i], prefix) {
				t.Errorf("%s: assumed %q, want %q…", c.query, got[i], prefix)
			}
		}
	}
}

func TestLandedCostSteps(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	c := d.cost(t, with("goods_value=1320&currency=eur&freight=80&insurance=20&inland=100&fees=50&duty_rate=10&vat_rate=20&incoterm=cpt&valuation=fob&quantity=4"))
	var got []string
	for _, s := range c.Steps {
		got = append(got, fmt.Sprintf("%s = %s = %s = %v", s.Step, s.Formula, s.Calculation, s.Result))
	}
	want := []string{
		"customs_value = goods_value - freight = 1320 - 80 = 1240",
		"duty = customs_value × duty_rate = 1240 × 10 % = 124",
		"vat_base = customs_value + duty + freight + insurance + inland + fees = 1240 + 124 + 80 + 20 + 100 + 50 = 1614",
		"vat = vat_base × vat_rate = 1614 × 20 % = 322.8",
		"total = goods + freight + insurance + duty + inland + fees + vat = 1240 + 80 + 20 + 124 + 100 + 50 + 322.8 = 1936.8",
		"per_unit = total / quantity = 1936.8 / 4 = 484.2",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("steps\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestLandedCostRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const good = "goods_value=100&currency=gbp&duty_rate=4&quantity=2&freight=1&insurance=1&inland=1&fees=1&vat_rate=20&vat_recoverable=false&incoterm=fob&valuation=cif"
	d.cost(t, with(good))
	for _, bad := range []struct{ name, value, problem string }{
		{"goods_value", "-", "is required"}, {"goods_value", "0", "above zero"}, {"goods_value", "-5", "plain number"}, {"goods_value", "1e3", "plain number"},
		{"goods_value", "NaN", "plain number"}, {"goods_value", "1000000000000.01", "too large"}, {"goods_value", "1.005", "at most 2 digits"}, {"goods_value", "£5", "plain number"},
		{"currency", "-", "is required"}, {"currency", "xyz", "ISO 4217"}, {"currency", "£", "ISO 4217"},
		{"duty_rate", "-", "is required"}, {"duty_rate", "", "is required"}, {"duty_rate", "-4", "plain number"}, {"duty_rate", "1000.0001", "too large"}, {"duty_rate", "4%", "plain number"},
		{"duty_rate", "0.00001", "at most 4 digits"}, {"duty_rate", "Inf", "plain number"},
		{"quantity", "0", "from 1 to"}, {"quantity", "-1", "from 1 to"}, {"quantity", "1.5", "integer"}, {"quantity", "1000000001", "to 1000000000"},
		{"freight", "-1", "plain number"}, {"insurance", "x", "plain number"}, {"inland", "-0.01", "plain number"}, {"fees", "1.001", "at most 2 digits"}, {"freight", strings.Repeat("1", 30), "too large"},
		{"vat_rate", "-20", "plain number"}, {"vat_rate", "2000", "too large"}, {"vat_recoverable", "yes", "true or false"}, {"vat_recoverable", "TRUE", "true or false"},
		{"incoterm", "xxx", "exw, fca, fas, fob, cfr, cpt, cif, cip, dap, dpu, ddp"}, {"incoterm", "DAT", "dat is not in Incoterms 2020; dpu is the nearest rule"},
		{"incoterm", "ddu", "dap is the nearest"}, {"incoterm", "des", "dap is"}, {"incoterm", "DEQ", "dpu is"}, {"incoterm", "daf", "dap is"}, {"incoterm", "c&f", "cfr is"},
		{"valuation", "exw", "must be cif or fob"}, {"valuation", "c.i.f.", "must be cif or fob"},
	} {
		d.refuses(t, landedCost, with(good, bad.name, bad.value), bad.name, bad.problem)
	}
	d.refuses(t, landedCost, with(good, "currency", "jpy", "goods_value", "1.5"), "goods_value", "at most 0 digits")
	d.refuses(t, landedCost, with(good, "incoterm", "cif", "freight", "99.5", "insurance", "0.5"), "goods_value", "contains under cif")
	d.refuses(t, landedCost, with(good, "incoterm", "ddp", "inland", "90"), "goods_value", "contains under ddp")
	d.refuses(t, landedCost, with(good, "incoterm", "ddp", "valuation", "fob", "freight", "82"), "goods_value", "contains under ddp")
	twice := with(good)
	twice.Add("duty_rate", "5")
	d.refuses(t, landedCost, twice, "duty_rate", "more than once")
}

// For any import the lines add up to the total, per_unit is the total's share, and more
// duty never lowers the total.
func TestLandedCostHolds(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	random := rand.New(rand.NewPCG(7, 7))
	codes := []string{"exw", "fca", "fas", "fob", "cfr", "cpt", "cif", "cip", "dap", "dpu", "ddp"}
	for i := range 220 {
		cents := func(limit int) string { return fmt.Sprintf("%d.%02d", random.IntN(limit), random.IntN(100)) }
		duty, quantity := random.IntN(400000), 1+random.IntN(5000)
		query := with("currency=usd", "goods_value", fmt.Sprintf("%d.%02d", 5000+random.IntN(90000), random.IntN(100)),
			"freight", cents(800), "insurance", cents(90), "inland", cents(400), "fees", cents(200), "vat_rate", fmt.Sprintf("%d.%d", random.IntN(30), random.IntN(10)),
			"vat_recoverable", fmt.Sprint(i%2 == 0), "incoterm", codes[i%len(codes)], "valuation", []string{"cif", "fob"}[i/2%2], "quantity", fmt.Sprint(quantity),
			"duty_rate", fmt.Sprintf("%d.%04d", duty/10000, duty%10000))
		c := d.cost(t, query)
		cents64 := func(x float64) int64 { return int64(math.Round(x * 100)) }
		var sum int64
		for _, l := range c.Lines {
			sum += cents64(l.Amount)
		}
		if sum != cents64(c.Total) {
			t.Errorf("%v: the lines are %d, the total %v", query, sum, c.Total)
		}
		if off := math.Abs(c.PerUnit*float64(quantity) - c.Total); off > 0.00005*float64(quantity)+1e-6 {
			t.Errorf("%v: per_unit %v of %v", query, c.PerUnit, c.Total)
		}
		query.Set("duty_rate", fmt.Sprintf("%d.%04d", (duty+1+i*50)/10000, (duty+1+i*50)%10000))
		if more := d.cost(t, query); more.Total < c.Total || more.Duty < c.Duty {
			t.Errorf("%v: more duty makes the total %v, not %v", query, more.Total, c.Total)
		}
	}
}
