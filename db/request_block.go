package db

import (
	"fmt"
	"time"
)

// An index of the request log by account would cost each call a scattered write. Instead its
// rows are counted a block at a time, some time after they were stored: block n has the rows
// with n*RequestBlock < seq <= (n+1)*RequestBlock, and is counted once it is full. So the
// rows of an account are in the blocks that name it, and in those that are not counted yet.
//
// A block's row without an account counts all of it. It is stored once and says that the
// block is counted.

// RequestBlock is the number of rows of a block. One is read in about a millisecond.
const RequestBlock = 4096

// RequestSum counts the calls of an account in a block, or in a part of the log, that have a
// day, a key, a route and a status.
type RequestSum struct {
	AccountID   string
	Day         string // YYYY-MM-DD, see SumRequests
	KeyID       string
	Route       string
	Status      int
	Calls       int64
	ChargeCents int64
	First       int64 // seq of the first of the calls
	Last        int64
}

// quarter is the part of a day to which SumRequests counts: all zones are whole quarters of
// an hour from UTC.
const quarter = 15 * time.Minute

var (
	sumRequests = newQuery(`
SELECT r.account_id, r.key_id, r.route, r.status, r.created_at / $4, count(*), sum(r.charge_cents), min(r.seq), max(r.seq),
  coalesce((SELECT timezone FROM accounts WHERE id = r.account_id), '')
FROM requests r
WHERE r.seq > $1 AND r.seq <= $2 AND ($3 = '' OR r.account_id = $3)
GROUP BY 1, 2, 3, 4, 5`)

	lastRequestBlock = newQuery(`SELECT coalesce((SELECT max(block) FROM request_blocks WHERE account_id = ''), -1)`)

	insertRequestSum = newQuery(`
INSERT INTO request_blocks (account_id, block, day, key_id, route, status, calls, charge_cents, first_seq, last_seq)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

	blocksOfAccount = newQuery(`
SELECT min(first_seq), max(last_seq)
FROM request_blocks
WHERE account_id = $1 AND block <= $2
  AND ($3 = '' OR key_id = $3)
  AND ($4 = 0 OR status = $4 OR status / 100 = $4)
  AND ($5 = '' OR route = $5)
  AND day >= $6 AND ($7 = '' OR day <= $7)
GROUP BY block
ORDER BY block DESC
LIMIT $8`)

	requestSums = newQuery(`
SELECT day, key_id, route, status, calls, charge_cents
FROM request_blocks
WHERE account_id = $1 AND block >= $2 AND day >= $3`)

	lastUsesInBlocks = newQuery(`
SELECT used.key_id, r.created_at
FROM (
  SELECT key_id, max(last_seq) AS seq
  FROM request_blocks
  WHERE account_id = $1 AND block >= $2 AND block < $3
  GROUP BY key_id) used
JOIN requests r ON r.seq = used.seq`)

	accountsWithBlocks = newQuery(`
SELECT id
FROM accounts a
WHERE EXISTS (SELECT 1 FROM request_blocks b WHERE b.account_id = a.id AND b.block < $1)`)

	dropRequestBlocks = newQuery(`DELETE FROM request_blocks WHERE account_id = $1 AND block < $2`)
)

// SumRequests counts the rows with after < seq ≤ last of an account, or of all if its id is
// empty. dayOf returns the day of a time in a zone, as YYYY-MM-DD. It reads last-after rows.
func (tx *Tx) SumRequests(after, last int64, accountID string, dayOf func(t time.Time, timezone string) string) ([]RequestSum, error) {
	sums := map[RequestSum]*RequestSum{}
	var all []*RequestSum
	_, err := collect(tx, sumRequests, func(row scanner) (struct{}, error) {
		var s RequestSum
		var part, calls, cents, first, last int64
		var timezone string
		if err := row.Scan(&s.AccountID, &s.KeyID, &s.Route, &s.Status, &part, &calls, &cents, &first, &last, &timezone); err != nil {
			return struct{}{}, err
		}
		s.Day = dayOf(millis(part*quarter.Milliseconds()), timezone)
		if sums[s] == nil {
			counted := s
			counted.First = first
			sums[s] = &counted
			all = append(all, &counted)
		}
		sums[s].Calls += calls
		sums[s].ChargeCents += cents
		sums[s].First, sums[s].Last = min(sums[s].First, first), max(sums[s].Last, last)
		return struct{}{}, nil
	}, after, last, accountID, quarter.Milliseconds())
	out := make([]RequestSum, len(all))
	for i, s := range all {
		out[i] = *s
	}
	return out, err
}

// NextRequestBlock returns the first block that is not counted, and whether it is full.
func (tx *Tx) NextRequestBlock() (block int64, full bool, err error) {
	first, last, err := tx.RequestBounds()
	if err != nil {
		return 0, false, err
	}
	counted, err := value[int64](tx, lastRequestBlock)
	if err != nil {
		return 0, false, err
	}
	block = max(counted+1, BlockOf(max(first, 1)))
	return block, last >= (block+1)*RequestBlock, nil
}

// StoreRequestBlock stores what SumRequests has counted of a full block. A block can be
// stored once, whoever counts it: ErrConflict.
func (tx *Tx) StoreRequestBlock(block int64, sums []RequestSum) error {
	whole := RequestSum{First: block*RequestBlock + 1, Last: (block + 1) * RequestBlock}
	for _, s := range sums {
		whole.Calls += s.Calls
		whole.ChargeCents += s.ChargeCents
	}
	for _, s := range append([]RequestSum{whole}, sums...) {
		err := tx.exec(insertRequestSum, s.AccountID, block, s.Day, s.KeyID, s.Route, s.Status, s.Calls, s.ChargeCents, s.First, s.Last)
		if err != nil {
			return fmt.Errorf("store request block %d: %w", block, err)
		}
	}
	return nil
}

// RequestSpan is a run of rows of the log.
type RequestSpan struct{ First, Last int64 }

// RequestSpans lists where the rows are that a filter of an account may pick, in counted
// blocks up to the one of a seq: a span for each block, at most limit, newest first. The
// filter's times are rounded up to whole days of any zone.
func (tx *Tx) RequestSpans(f RequestFilter, last int64, limit int) ([]RequestSpan, error) {
	from, until := "", ""
	if !f.From.IsZero() {
		from = f.From.UTC().AddDate(0, 0, -1).Format(time.DateOnly)
	}
	if !f.Until.IsZero() {
		until = f.Until.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	}
	return collect(tx, blocksOfAccount, func(row scanner) (s RequestSpan, err error) {
		err = row.Scan(&s.First, &s.Last)
		return s, err
	}, f.AccountID, BlockOf(last), f.KeyID, f.Status, f.Route, from, until, limit)
}

// BlockOf returns the block of a row.
func BlockOf(seq int64) int64 { return (seq - 1) / RequestBlock }

// RequestSums returns the counts of the account's calls of the counted blocks from one on, since
// a day, YYYY-MM-DD. A day, key, route and status has one for each block: callers add them up,
// which costs less than an order by all four.
func (tx *Tx) RequestSums(accountID string, from int64, since string) ([]RequestSum, error) {
	return collect(tx, requestSums, func(row scanner) (s RequestSum, err error) {
		s.AccountID = accountID
		err = row.Scan(&s.Day, &s.KeyID, &s.Route, &s.Status, &s.Calls, &s.ChargeCents)
		return s, err
	}, accountID, from, since)
}

// LastUsesInBlocks is LastUses in the counted blocks from one to before another. It reads their
// counts and a row for each key.
func (tx *Tx) LastUsesInBlocks(accountID string, from, until int64) ([]LastUse, error) {
	return collect(tx, lastUsesInBlocks, scanLastUse, accountID, from, until)
}

// AccountsWithRequestBlocks lists the accounts with counts of blocks before one. It is the
// operator's view.
func (tx *Tx) AccountsWithRequestBlocks(before int64) ([]string, error) {
	return collect(tx, accountsWithBlocks, scanText, before)
}

// DropRequestBlocks removes an account's counts of blocks before one. Those of the account
// "" count whole blocks.
func (tx *Tx) DropRequestBlocks(accountID string, before int64) error {
	return tx.exec(dropRequestBlocks, accountID, before)
}
