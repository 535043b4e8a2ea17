package db

// What the tests use from inside the package.

const SchemaVersion = schemaVersion

var PublishBackup = publishBackup

// SQL runs text in the transaction.
func (tx *Tx) SQL(text string) error { return tx.exec(newQuery(text)) }

// SweepQueries returns the statements that the sweep runs, by name.
func SweepQueries() map[string]string {
	return map[string]string{
		"deleteOldRequests":    deleteOldRequests.Text,
		"deleteExpiredAnswers": deleteExpiredAnswers.Text,
		"overdueCalls":         overdueCalls.Text,
	}
}

// BacklogQueries returns the statements of a look at the backlog, by name.
func BacklogQueries() map[string]string {
	return map[string]string{
		"openCalls":         openCalls.Text,
		"unsettledCalls":    unsettledCalls.Text,
		"queuedDeliveries":  queuedDeliveries.Text,
		"sendingDeliveries": sendingDeliveries.Text,
		"waitingMails":      waitingMails.Text,
	}
}

// Plan returns how SQLite would run a statement, one step an element.
func (tx *Tx) Plan(text string) (steps []string, err error) {
	return collect(tx, newQuery("EXPLAIN QUERY PLAN "+text), func(row scanner) (step string, err error) {
		var id, parent, unused int
		err = row.Scan(&id, &parent, &unused, &step)
		return step, err
	}, 1, 2, 3)
}
