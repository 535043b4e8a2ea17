package engine

import (
	"context"
	"database/sql"
	"net/url"
)

// poolConns is how many SELECTs may run at once in one Pool; others wait.
const poolConns = 2

// Querier runs SELECTs that were composed at run time. It cannot write.
type Querier interface {
	// Query runs one SELECT and reads at most limit rows. If ctx ends, the SELECT is
	// interrupted and the error is ctx's.
	Query(ctx context.Context, limit int, text string, args ...any) (Rows, error)
}

// Rows is the result of a SELECT.
type Rows struct {
	Columns []string
	Rows    [][]any // each value is an int64, a float64, a string or nil
	More    bool    // there were more rows than the limit
}

// Pool is a file open for SELECTs composed at run time, on read-only connections
// of its own. Its methods may be called from any goroutine.
type Pool struct{ sql *sql.DB }

// OpenImmutable opens a file that nobody changes while it is open; removing it
// does no harm. It fails with ErrNotFound if there is no file.
func OpenImmutable(path string) (*Pool, error) {
	if err := mustExist(path); err != nil {
		return nil, err
	}
	return openPool(fileURL(path, url.Values{"mode": {"ro"}, "immutable": {"1"}, "_dqs": {"0"}, "_pragma": {
		"query_only(1)", "trusted_schema(0)", "cache_size(-16384)", "temp_store(MEMORY)"}}))
}

func openPool(address string) (*Pool, error) {
	pool, err := sql.Open("sqlite", address)
	if err != nil {
		return nil, sentinel(err)
	}
	pool.SetMaxOpenConns(poolConns)
	return &Pool{pool}, nil
}

// Close closes the pool's connections.
func (p *Pool) Close() error { return p.sql.Close() }

// Query implements Querier.
func (p *Pool) Query(ctx context.Context, limit int, text string, args ...any) (Rows, error) {
	return selectRows(ctx, p.sql, limit, text, args...)
}

func (p *Pool) snapshot(ctx context.Context, fn func(Querier) error) error {
	tx, err := p.sql.BeginTx(ctx, nil)
	if err != nil {
		return selectError(ctx, err)
	}
	defer tx.Rollback() // it has only read

	return fn(snapshot{tx})
}

// snapshot is a Querier on one read transaction.
type snapshot struct{ tx *sql.Tx }

func (s snapshot) Query(ctx context.Context, limit int, text string, args ...any) (Rows, error) {
	return selectRows(ctx, s.tx, limit, text, args...)
}

// queryer is a sql.DB or a sql.Tx.
type queryer interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

func selectRows(ctx context.Context, on queryer, limit int, text string, args ...any) (found Rows, err error) {
	rows, err := on.QueryContext(ctx, text, args...)
	if err != nil {
		return Rows{}, selectError(ctx, err)
	}
	defer func() {
		if closeErr := rows.Close(); err == nil && closeErr != nil {
			err = selectError(ctx, closeErr)
		}
	}()
	if found.Columns, err = rows.Columns(); err != nil {
		return Rows{}, selectError(ctx, err)
	}
	for rows.Next() {
		if len(found.Rows) == limit {
			found.More = true
			return found, nil
		}
		row, err := scanValues(rows, len(found.Columns))
		if err != nil {
			return Rows{}, selectError(ctx, err)
		}
		found.Rows = append(found.Rows, row)
	}
	return found, selectError(ctx, rows.Err())
}

func scanValues(row Scanner, width int) ([]any, error) {
	values, dest := make([]any, width), make([]any, width)
	for i := range values {
		dest[i] = &values[i]
	}
	return values, row.Scan(dest...)
}

// selectError returns the context's error if it has ended: SQLite reports its end
// as an interrupt.
func selectError(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return sentinel(err)
}
