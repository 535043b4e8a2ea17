package cmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"svc/server"
	"svc/server/tool"
)

type ratesReportJSON struct {
	Days       int    `json:"days"`
	Currencies int    `json:"currencies"`
	First      string `json:"first"`
	Last       string `json:"last"`
	Added      int    `json:"added"`
	Changed    int    `json:"changed"`
	Unchanged  int    `json:"unchanged"`
	Dropped    int    `json:"dropped"` // older than what is kept
}

type currencyRatesJSON struct {
	Currency string `json:"currency"`
	Days     int    `json:"days"`
	First    string `json:"first"`
	Last     string `json:"last"`
	PerEuro  string `json:"per_euro"` // of the last day
	Source   string `json:"source"`
}

func toCurrencyRatesJSON(c tool.CurrencyRates) currencyRatesJSON {
	return currencyRatesJSON{Currency: c.Code, Days: c.Days, First: c.First, Last: c.Last, PerEuro: c.PerEuro, Source: c.Source}
}

func (currencyRatesJSON) header() string { return "CURRENCY DAYS FIRST LAST PER-EURO" }

func (c currencyRatesJSON) cells() []any {
	return []any{c.Currency, c.Days, c.First, c.Last, c.PerEuro}
}

type rateJSON struct {
	Day     string `json:"day"`
	PerEuro string `json:"per_euro"`
}

func toRateJSON(p tool.Point) rateJSON { return rateJSON{Day: p.Day, PerEuro: p.Text()} }

func (rateJSON) header() string { return "DAY PER-EURO" }

func (r rateJSON) cells() []any { return []any{r.Day, r.PerEuro} }

func newRates() *cobra.Command {
	var limit int
	load := command("import FILE", "Store exchange rates for fx-risk: the ECB's eurofxref-hist.csv, eurofxref.csv or either as ZIP", exactly("FILE"), withApp(importRates))
	load.Long = "Store the ECB's euro reference rates, which GET /tools/fx-risk computes with, beside those that the binary has:\n" +
		"eurofxref-hist.csv has all days, eurofxref.csv has one, and both may be in a ZIP file. All lines are checked first,\n" +
		"and all are stored or none. A rate of the file replaces that of its day. Rates are kept for three years, counted\n" +
		"from the newest day."
	return group("rates", "Exchange rates for GET /tools/fx-risk", load,
		command("list", "List the currencies with their days and last rate", exactly(), withApp(listRates)),
		limitFlag(command("show CURRENCY", "List the newest rates of a currency", exactly("CURRENCY"),
			withApp(func(c *cobra.Command, app *server.App, args []string) error {
				all, err := app.Tools.History(c.Context(), args[0], limit)
				return list(c, toRateJSON, all, err)
			})), &limit, 30))
}

func importRates(c *cobra.Command, app *server.App, args []string) (err error) {
	var r tool.RatesReport
	err = withFile(args[0], func(name string, content io.ReaderAt, size int64) (err error) {
		r, err = app.Tools.ImportRates(c.Context(), tool.File{Name: name, Content: content, Size: size})
		return err
	})
	if err != nil {
		return err
	}
	dropped := ""
	if r.Dropped > 0 {
		dropped = fmt.Sprintf("; %s too old to be kept", counted(r.Dropped, "day"))
	}
	return show(c, ratesReportJSON(r), "read %s of rates of %d currencies, from %s to %s: %d new, %d changed, %d as before%s",
		counted(r.Days, "day"), r.Currencies, r.First, r.Last, r.Added, r.Changed, r.Unchanged, dropped)
}

func listRates(c *cobra.Command, app *server.App, _ []string) error {
	all, err := app.Tools.Currencies(c.Context())
	return list(c, toCurrencyRatesJSON, all, err)
}
