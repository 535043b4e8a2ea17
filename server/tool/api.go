package tool

import (
	"encoding/json"
	"net/http"

	"svc/server/gate"
	"svc/server/money"
	"svc/server/web"
)

// API answers GET /tools/fx-risk and GET /tools/landed-cost.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }

// number is an exact decimal number.
type number = json.Number

type stepJSON struct {
	Step        string `json:"step"`
	Formula     string `json:"formula"`
	Calculation string `json:"calculation"`
	Result      number `json:"result"`
}

type scenarioJSON struct {
	Name      string  `json:"name"`
	Rate      float64 `json:"rate"`
	Amount    number  `json:"amount"`
	ChangePct float64 `json:"change_pct"`
	Day       *string `json:"day"`
}

// fxAnswer is the answer of fx-risk (J4). Value, var_amount and the scenarios' amounts are
// in the quote currency.
type fxAnswer struct {
	Base        string         `json:"base"`
	Quote       string         `json:"quote"`
	Amount      number         `json:"amount"`
	HorizonDays int            `json:"horizon_days"`
	Confidence  float64        `json:"confidence"`
	Rate        float64        `json:"rate"`
	RateDate    string         `json:"rate_date"`
	Source      string         `json:"source"`
	SigmaDaily  float64        `json:"sigma_daily"`
	Value       number         `json:"value"`
	VaRAmount   number         `json:"var_amount"`
	VaRPct      float64        `json:"var_pct"`
	Scenarios   []scenarioJSON `json:"scenarios"`
	Steps       []stepJSON     `json:"steps"`
	Assumed     []string       `json:"assumed"`
}

type lineJSON struct {
	Name    string `json:"name"`
	Amount  number `json:"amount"`
	InPrice bool   `json:"in_price"`
}

// landedAnswer is the answer of landed-cost (J5).
type landedAnswer struct {
	Currency     string     `json:"currency"`
	Incoterm     string     `json:"incoterm"`
	Valuation    string     `json:"valuation"`
	CustomsValue number     `json:"customs_value"`
	Duty         number     `json:"duty"`
	VAT          number     `json:"vat"`
	Total        number     `json:"total"`
	PerUnit      number     `json:"per_unit"`
	Lines        []lineJSON `json:"lines"`
	Steps        []stepJSON `json:"steps"`
	Assumed      []string   `json:"assumed"`
}

// FXRisk is GET /tools/fx-risk.
func (a *API) FXRisk(w *web.Response, r *http.Request, _ gate.Caller, _ []byte) error {
	req, err := ParseFXRisk(ReadQuery(r.URL.RawQuery))
	if err != nil {
		return err
	}

	f, err := a.service.FXRisk(r.Context(), req)
	if err != nil {
		return err
	}

	answer := fxAnswer{
		Base: f.Base, Quote: f.Quote, Amount: amount(f.Amount, f.Base), HorizonDays: f.HorizonDays, Confidence: f.Confidence,
		Rate: f.Rate, RateDate: f.RateDate, Source: f.Source, SigmaDaily: f.SigmaDaily, Value: amount(f.Value, f.Quote),
		VaRAmount: amount(f.VaRAmount, f.Quote), VaRPct: f.VaRPercent, Steps: steps(f.Steps), Assumed: f.Assumed,
	}
	for _, s := range f.Scenarios {
		answer.Scenarios = append(answer.Scenarios, scenarioJSON{
			Name: s.Name, Rate: s.Rate, Amount: amount(s.Amount, f.Quote), ChangePct: s.ChangePercent, Day: web.NullString(s.Day),
		})
	}
	return w.JSON(http.StatusOK, answer)
}

// LandedCost is GET /tools/landed-cost.
func (a *API) LandedCost(w *web.Response, r *http.Request, _ gate.Caller, _ []byte) error {
	req, err := ParseLandedCost(ReadQuery(r.URL.RawQuery))
	if err != nil {
		return err
	}

	c, err := a.service.LandedCost(r.Context(), req)
	if err != nil {
		return err
	}

	answer := landedAnswer{
		Currency: c.Currency, Incoterm: c.Incoterm, Valuation: c.Valuation, CustomsValue: amount(c.CustomsValue, c.Currency),
		Duty: amount(c.Duty, c.Currency), VAT: amount(c.VAT, c.Currency), Total: amount(c.Total, c.Currency),
		PerUnit: number(money.Number(c.PerUnit, money.Decimals(c.Currency)+unitPlaces)), Steps: steps(c.Steps),
		Assumed: append([]string{}, c.Assumed...),
	}
	for _, l := range c.Lines {
		answer.Lines = append(answer.Lines, lineJSON{l.Name, amount(l.Amount, c.Currency), l.InPrice})
	}
	return w.JSON(http.StatusOK, answer)
}

// amount writes minor units as a number of whole ones: 1250 gbp is 12.5.
func amount(minor int64, currency string) number {
	return number(money.Number(minor, money.Decimals(currency)))
}

func steps(all []Step) (list []stepJSON) {
	for _, s := range all {
		list = append(list, stepJSON{s.Name, s.Formula, s.Calculation, number(s.Result)})
	}
	return list
}
