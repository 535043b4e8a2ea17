package db

// ImportFault is a row of a file that an import leaves out.
type ImportFault struct {
	Seq int    // in the order of the file
	Row []byte // JSON of the service
}

var (
	insertImportFault = newQuery(`
INSERT INTO import_faults (account_id, import_id, seq, row)
SELECT account_id, id, $2, $3
FROM imports
WHERE id = $1 AND state = 'staged'`)

	importFaults = newQuery(`
SELECT seq, row
FROM import_faults
WHERE account_id = $1 AND import_id = $2 AND seq >= $3
ORDER BY seq
LIMIT $4`)

	deleteImportFaults = newQuery(`
DELETE FROM import_faults
WHERE account_id = $1 AND import_id = $2 AND seq IN (SELECT seq FROM import_faults WHERE account_id = $1 AND import_id = $2 LIMIT $3)`)
)

// StageImportFault keeps a row that the import leaves out. ErrStale: the import was dropped
// meanwhile, or is ready.
func (tx *Tx) StageImportFault(i Import, f ImportFault) error {
	return tx.step(insertImportFault, i.ID, f.Seq, string(f.Row))
}

// ImportFaults lists rows that an import of the account leaves out or has left out, from seq on,
// at most limit.
func (tx *Tx) ImportFaults(accountID, id string, seq, limit int) ([]ImportFault, error) {
	scan := func(row scanner) (f ImportFault, err error) {
		var text string
		err = row.Scan(&f.Seq, &text)
		f.Row = []byte(text)
		return f, err
	}
	return collect(tx, importFaults, scan, accountID, id, seq, limit)
}
