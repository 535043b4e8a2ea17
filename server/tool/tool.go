// Package tool computes two figures that importers and exporters ask for: the risk of an
// exchange rate (J4) and the landed cost of goods (J5). Both are functions of their
// parameters and, for the first, of the stored exchange rates; they store nothing and know
// nothing of the account. An answer has the formula and the numbers of each step, and names
// everything that it assumed.
//
// # Exchange rates
//
// The rates are the euro foreign exchange reference rates of the European Central Bank,
// which it publishes on banking days at about 16:00 CET. A cross rate is quote per euro /
// base per euro on the days that have both. The binary has those of three years; the operator
// stores newer ones with svc rates import.
//
// # The risk of an exchange rate
//
// The figure is the parametric value at risk of one position under a normal distribution
// with mean zero (J.P. Morgan/Reuters, RiskMetrics – Technical Document, 4th edition, 1996,
// chapters 4 and 5; Jorion, Value at Risk, 3rd edition, 2006, chapter 5):
//
//	u_t         = ln(rate_t / rate_(t-1))                     daily log return
//	sigma_daily = √( Σ(u_t - ū)² / (n-1) )                    sample standard deviation
//	z           = √2 × erfinv(2 × confidence - 1)             quantile of the normal distribution
//	var_pct     = z × sigma_daily × √horizon_days             square root of time
//	var_amount  = amount × rate × var_pct                     in the quote currency
//
// The estimate of sigma_daily is that of Hull, Options, Futures, and Other Derivatives,
// "Estimating volatility from historical data". It gives each of the last 250 returns, about
// a year, the same weight; RiskMetrics itself weighs recent ones more. rate, z and
// sigma_daily are rounded to eight digits and then used, so that a reader who repeats the
// steps gets the same amounts.
//
// # Landed cost
//
// The customs value is the price paid, adjusted (WTO Agreement on Implementation of Article
// VII of GATT 1994, articles 1 and 8). By article 8.2 each member decides whether it
// includes transport and insurance to the place of importation. Valuation cif includes
// them, as in the European Union (Regulation (EU) No 952/2013, article 71(1)(e)); fob does
// not, as in the United States (19 U.S.C. 1401a(b)(4)(A)). Transport after importation,
// duties and taxes of the country of importation are left out if they are known apart from
// the price (note to article 1, paragraph 3, of the WTO agreement; article 72(a) and (f) of
// the Regulation).
//
// The Incoterms 2020 rule (ICC publication 723, the articles "Allocation of costs") decides
// which costs the price already contains; see terms.
//
//	duty  = customs value × duty_rate
//	vat   = (customs value + duty + other costs to the destination) × vat_rate
//	total = price + costs that it does not contain + duty + vat that is not recovered
//
// The base of the VAT is that of Directive 2006/112/EC, articles 85 and 86(1): it includes
// transport, insurance and fees up to the destination. Under DDP the price contains duty and
// VAT, and the same equations are solved for the customs value.
//
// Amounts are integers of minor units. A product with a rate is rounded once, to the nearest
// minor unit and half away from zero; sums are exact.
package tool

import (
	"io/fs"
	"time"

	"svc/db"
)

// Config names what a Service works with.
type Config struct {
	Store *db.DB
	Clock func() time.Time
	// Bundled has the files of the rates that are part of the binary: at most one CSV or
	// ZIP file of the ECB. Nil: there are none.
	Bundled fs.FS
}

// Service computes the tools' answers.
type Service struct {
	Config
	bundled func() ([]db.RateDay, error)
	cache   ratesCache
}

// Step is one step of a computation, with its formula in the names of the parameters and
// with the numbers.
type Step struct {
	Name        string
	Formula     string
	Calculation string
	Result      string // a number, as JSON writes it
}
