package db

// KeyUse is what a key has done in the current calendar month (UTC).
type KeyUse struct {
	KeyID      string
	Calls      int64 // that count against the plan
	SpentCents int64 // usd_cents
}

// Debits of the month are the newest rows of the ledger, whose seq rises with time: the
// statement reads no row that is older than the last one before the month.
var usesOfKeys = newQuery(`
SELECT k.id,
  coalesce((SELECT m.month_used FROM meters m WHERE m.key_id = k.id AND m.month = $2), 0),
  coalesce(s.spent, 0)
FROM api_keys k
LEFT JOIN (
  SELECT key_id, -sum(amount_cents) AS spent
  FROM ledger
  WHERE account_id = $1 AND kind = 'debit'
    AND seq > coalesce((
      SELECT seq FROM ledger WHERE account_id = $1 AND created_at < $3 ORDER BY seq DESC LIMIT 1), 0)
  GROUP BY key_id) s ON s.key_id = k.id
WHERE k.account_id = $1`)

func scanKeyUse(row scanner) (u KeyUse, err error) {
	err = row.Scan(&u.KeyID, &u.Calls, &u.SpentCents)
	return u, err
}

// KeyUses returns what each of the account's keys has done this month. It reads the month's
// part of the ledger: use it in a LongView.
func (tx *Tx) KeyUses(accountID string) ([]KeyUse, error) {
	start := nextMonth(tx.Now()).AddDate(0, -1, 0)
	return collect(tx, usesOfKeys, scanKeyUse, accountID, monthOf(tx.Now()), start.UnixMilli())
}
