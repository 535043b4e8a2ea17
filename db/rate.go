package db

import (
	"encoding/json"
	"fmt"
	"time"
)

// RateDay has the euro reference rates of one day (J4). They belong to no account.
type RateDay struct {
	Day        string           // 2026-11-20
	PerEuro    map[string]int64 // by code in lower case: millionths of a unit for one euro
	ImportedAt time.Time
}

const rateColumns = `day, per_euro, imported_at`

var (
	putRates = newQuery(`
INSERT INTO rates (` + rateColumns + `)
VALUES ($1, $2, $3)
ON CONFLICT (day) DO UPDATE SET per_euro = excluded.per_euro, imported_at = excluded.imported_at`)

	allRates = newQuery(`
SELECT ` + rateColumns + `
FROM rates
ORDER BY day`)

	deleteOldRates = newQuery(`DELETE FROM rates WHERE day < $1`)
)

func scanRateDay(row scanner) (d RateDay, err error) {
	var text string
	if err = row.Scan(&d.Day, &text, timestamp(&d.ImportedAt)); err != nil {
		return d, err
	}
	return d, json.Unmarshal([]byte(text), &d.PerEuro)
}

// ratesVersion is a setting with a token of the stored rates.
const ratesVersion = "rates_version"

// RatesVersion returns a token that changes with the stored rates, empty if there never
// were any.
func (tx *Tx) RatesVersion() (string, error) { return tx.Setting(ratesVersion) }

// Rates returns the rates of all days, the oldest first.
func (tx *Tx) Rates() ([]RateDay, error) {
	return collect(tx, allRates, scanRateDay)
}

// PutRates stores the rates of days in place of those that the days had, and deletes the
// days before oldest.
func (tx *Tx) PutRates(days []RateDay, oldest string) error {
	for _, d := range days {
		text, err := json.Marshal(d.PerEuro)
		if err == nil {
			err = tx.exec(putRates, d.Day, string(text), tx.nowMs())
		}
		if err != nil {
			return fmt.Errorf("put rates: %w", err)
		}
	}
	if err := tx.exec(deleteOldRates, oldest); err != nil {
		return fmt.Errorf("put rates: %w", err)
	}
	return tx.SetSetting(ratesVersion, tx.newID("rates_"))
}
