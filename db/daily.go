package db

import (
	"fmt"
	"time"
)

// Daily is the claim of a job for an account on a day of the account's zone. There is a
// row for each job and account, of the newest day that was claimed. A day before it is not
// claimed again after the account's zone was changed. It is if the newest day was claimed
// by a clock that has been set back since.
//
// A claim has a lease of 5 minutes. If the process that has it dies, another process
// claims the same day after the lease. The work ends with FinishDaily, in the transaction
// that stores its result: of all claims of a day exactly one finishes.
type Daily struct {
	AccountID string
	Job       DailyJob
	Day       string // YYYY-MM-DD

	claim int64 // rises with each claim of the row
}

// DailyJob is the name of a job that is done once a day for each account.
type DailyJob string

// The daily jobs.
const (
	DailyBrief DailyJob = "brief" // at 07:00 (K8)
	ChurnScan  DailyJob = "churn" // at night (K8)
)

// DailyLease is how long a claim lasts.
const DailyLease = 5 * time.Minute

var (
	claimDaily = newQuery(`
INSERT INTO daily_jobs (account_id, job, day, claim, lease_until)
VALUES ($1, $2, $3, 1, $5)
ON CONFLICT (account_id, job) DO UPDATE SET day = $3, claim = claim + 1, lease_until = $5, done_at = NULL
WHERE day < $3
  OR day = $3 AND done_at IS NULL AND (lease_until <= $4 OR lease_until > $5)
  OR day > $3 AND lease_until > $5
RETURNING claim`)

	finishDaily = newQuery(`
UPDATE daily_jobs
SET done_at = $5
WHERE account_id = $1 AND job = $2 AND day = $3 AND claim = $4 AND done_at IS NULL`)

	dailyStates = newQuery(`
SELECT a.id, a.timezone, coalesce(d.day, ''), d.done_at IS NOT NULL,
  coalesce(d.lease_until > $2 AND d.lease_until <= $3, 0), coalesce(d.lease_until > $3, 0)
FROM accounts a
LEFT JOIN daily_jobs d ON d.account_id = a.id AND d.job = $1
WHERE ` + hasData + `
ORDER BY a.id`)
)

// hasData is the condition that an account a is enabled and has any data.
const hasData = `a.disabled_at IS NULL AND a.deleted_at IS NULL AND (
  EXISTS (SELECT 1 FROM shops WHERE account_id = a.id)
  OR EXISTS (SELECT 1 FROM inventories WHERE account_id = a.id)
  OR EXISTS (SELECT 1 FROM pushed_sets WHERE account_id = a.id AND rows > 0)
  OR EXISTS (SELECT 1 FROM datasets WHERE account_id = a.id AND state = 'ready'))`

// ClaimDaily claims a job. ErrStale: the day is done or another claim of it lasts, or a
// later day was claimed.
func (tx *Tx) ClaimDaily(accountID string, job DailyJob, day string) (Daily, error) {
	claim, err := value[int64](tx, claimDaily, accountID, job, day, tx.nowMs(), tx.Now().Add(DailyLease).UnixMilli())
	if err != nil {
		return Daily{}, fmt.Errorf("claim %s of %s: %w", job, day, translate(err, ErrNotFound, ErrStale))
	}
	return Daily{AccountID: accountID, Job: job, Day: day, claim: claim}, nil
}

// FinishDaily marks the job as done. The transaction that calls it stores the job's result,
// and must be undone on ErrStale: the lease has ended and another process claimed the day.
func (tx *Tx) FinishDaily(d Daily) error {
	if err := tx.step(finishDaily, d.AccountID, d.Job, d.Day, d.claim, tx.nowMs()); err != nil {
		return fmt.Errorf("finish %s of %s: %w", d.Job, d.Day, err)
	}
	return nil
}

// DailyState is how far a daily job is for an account.
type DailyState struct {
	AccountID string
	Timezone  string
	Day       string // the newest that was claimed; empty if none was
	Done      bool   // that day's work is done
	Claimed   bool   // its lease lasts
	Future    bool   // it was claimed by a clock that has been set back since
}

// Waits reports whether the job of a day has to be done and may be claimed.
func (s DailyState) Waits(day string) bool {
	return s.Day < day || s.Day == day && !s.Done && !s.Claimed || s.Day > day && s.Future
}

// DailyStates lists how far a job is for each enabled account that has any data: sales,
// orders, customers, an inventory, pushed rows or a dataset. It is the operator's view.
func (tx *Tx) DailyStates(job DailyJob) ([]DailyState, error) {
	return collect(tx, dailyStates, func(row scanner) (s DailyState, err error) {
		err = row.Scan(&s.AccountID, &s.Timezone, &s.Day, &s.Done, &s.Claimed, &s.Future)
		return s, err
	}, job, tx.nowMs(), tx.Now().Add(DailyLease).UnixMilli())
}
