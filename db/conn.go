package db

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"regexp"

	_ "modernc.org/sqlite" // the driver
)

// query is one statement of the store, prepared once on each connection.
type query struct {
	text string
	// changesPrincipals: the statement writes a table that the cache of
	// principals is made from, so the cache is emptied after its batch.
	changesPrincipals bool
}

var principalTables = regexp.MustCompile(`^\s*(INSERT INTO|UPDATE|DELETE FROM)\s+(accounts|api_keys)\b`)

func newQuery(text string) *query {
	return &query{text: text, changesPrincipals: principalTables.MatchString(text)}
}

// conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
type conn struct {
	pool       *sql.DB
	sql        *sql.Conn
	statements map[*query]*sql.Stmt
}

// dial opens a connection. The pragmas stand in the address, where they hold
// for whatever connection the pool makes.
func dial(ctx context.Context, path string, pragmas ...string) (*conn, error) {
	pool, err := sql.Open("sqlite", address(path, pragmas...))
	if err != nil {
		return nil, sentinel(err)
	}
	pool.SetMaxOpenConns(1)

	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, closing(pool, sentinel(err))
	}
	return &conn{pool: pool, sql: c, statements: map[*query]*sql.Stmt{}}, nil
}

// address never makes the file: ensureFile did, and one that has gone since must
// not come back empty.
func address(path string, pragmas ...string) string {
	return fileURL(path, url.Values{"mode": {"rw"}, "_dqs": {"0"}, "_pragma": pragmas})
}

func fileURL(path string, values url.Values) string {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: values.Encode()}
	return file.String()
}

func closing(pool *sql.DB, err error) error {
	if closeErr := pool.Close(); closeErr != nil {
		return fmt.Errorf("%w (and on closing: %w)", err, closeErr)
	}
	return err
}

func (c *conn) close() error {
	for _, statement := range c.statements {
		statement.Close() // its connection is about to close anyway
	}
	c.sql.Close()
	return c.pool.Close()
}

// prepared returns the query's statement on this connection. The background
// context is deliberate: a context that ends in the middle of a statement would
// roll the transaction back silently, and cancellable ones halve the speed.
func (c *conn) prepared(q *query) (*sql.Stmt, error) {
	if statement, ok := c.statements[q]; ok {
		return statement, nil
	}
	statement, err := c.sql.PrepareContext(context.Background(), q.text)
	if err != nil {
		return nil, sentinel(err)
	}
	c.statements[q] = statement
	return statement, nil
}

func (c *conn) exec(q *query, args ...any) (int64, error) {
	statement, err := c.prepared(q)
	if err != nil {
		return 0, err
	}
	result, err := statement.Exec(args...)
	if err != nil {
		return 0, sentinel(err)
	}
	return result.RowsAffected()
}

func (c *conn) row(q *query, args []any, dest ...any) error {
	statement, err := c.prepared(q)
	if err != nil {
		return err
	}
	return sentinel(statement.QueryRow(args...).Scan(dest...))
}
