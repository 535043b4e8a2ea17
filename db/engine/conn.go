package engine

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strconv"

	"modernc.org/sqlite"
)

// Query is one statement, prepared once on each connection that runs it. It is
// known by its address.
type Query struct {
	Text string
	// Invalidates declares that the statement changes rows which the caller keeps
	// in memory; see Options.Invalidate.
	Invalidates bool
}

// NewQuery returns a statement of this text.
func NewQuery(text string) *Query { return &Query{Text: text} }

// Conn is one connection with its prepared statements. It is used by one goroutine
// at a time.
type Conn struct {
	driver     driverConn
	statements map[*Query]*stmt
}

// driverConn is what the driver's connections can do.
type driverConn interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ExecerContext
}

// Dial opens a connection to an existing file. The pragmas are part of the
// address.
func Dial(ctx context.Context, path string, pragmas ...string) (*Conn, error) {
	connector, err := sqlite.NewConnector(address(path, pragmas...))
	if err != nil {
		return nil, sentinel(err)
	}
	opened, err := connector.Connect(ctx)
	if err != nil {
		return nil, sentinel(err)
	}
	c, ok := opened.(driverConn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("a connection of the driver is %T", opened), opened.Close())
	}
	return &Conn{driver: c, statements: map[*Query]*stmt{}}, nil
}

// dialWriter opens the write connection. It checkpoints by itself only a log that
// the checkpointer let grow long.
func dialWriter(path string) (*Conn, error) {
	return Dial(context.Background(), path,
		"busy_timeout(0)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)",
		"wal_autocheckpoint(8000)", "journal_size_limit(67108864)", "cache_size(-65536)", "temp_store(MEMORY)")
}

func dialCheckpointer(path string) (*Conn, error) {
	return Dial(context.Background(), path, "busy_timeout(0)", "synchronous(NORMAL)")
}

func dialReader(path string) (*Conn, error) {
	return Dial(context.Background(), path,
		"busy_timeout(1000)", "query_only(1)", "cache_size(-16384)")
}

// dialAnchor opens a connection that does nothing but hold SQLite's shared lock on the file:
// with a write-ahead log a connection that has read once keeps that lock until it is
// closed. The others are opened when they are needed and closed after a failure. So Alone
// always finds out that the file is open.
func dialAnchor(ctx context.Context, path string) (*Conn, error) {
	c, err := Dial(ctx, path, "busy_timeout(5000)", "query_only(1)", "cache_size(-64)")
	if err != nil {
		return nil, err
	}
	var version int64
	if err := c.row(userVersion, nil, &version); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// address never creates the file: createFile did, and a file that was removed
// since must not come back empty.
func address(path string, pragmas ...string) string {
	return fileURL(path, url.Values{"mode": {"rw"}, "_dqs": {"0"}, "_pragma": pragmas})
}

func fileURL(path string, values url.Values) string {
	file := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: values.Encode()}
	return file.String()
}

// Close closes the connection and its statements.
func (c *Conn) Close() error {
	for _, statement := range c.statements {
		_ = statement.Close() // its connection is about to close anyway
	}
	return sentinel(c.driver.Close())
}

// disconnect closes *c, if it is open, and sets it to nil. An error is only logged.
func disconnect(c **Conn, log *slog.Logger) {
	if *c == nil {
		return
	}
	if err := (*c).Close(); err != nil {
		log.Warn("database connection closed with an error", "cause", err)
	}
	*c = nil
}

// prepared returns the query's statement on this connection.
func (c *Conn) prepared(q *Query) (*stmt, error) {
	if statement, ok := c.statements[q]; ok {
		return statement, nil
	}
	statement, err := c.prepare(unnumbered(stableText(q.Text)))
	if err == nil {
		c.statements[q] = statement
	}
	return statement, err
}

func (c *Conn) prepare(text string) (*stmt, error) {
	prepared, err := c.driver.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, sentinel(err)
	}
	return newStatement(prepared)
}

// boundLimit is a limit that is one bound value.
var boundLimit = regexp.MustCompile(`\bLIMIT \$\d+`)

// stableText makes each bound limit of a statement a sum. Where a limit is one bound
// value, SQLite's planner looks at the value, and so it prepares the statement again
// whenever another is bound, that is at each execution. That was a sixth of the CPU of
// GET /connections. SQLITE_DBCONFIG_ENABLE_QPSG has the same effect, but the driver does
// not offer it. The plans are the same; TestHotPathsPrepareOnce looks for other causes.
func stableText(text string) string {
	return boundLimit.ReplaceAllStringFunc(text, func(limit string) string { return limit + " + 0" })
}

var numbered = regexp.MustCompile(`\$\d+`)

// unnumbered writes "?" for parameters that a statement has once each and in the order of
// their numbers. The driver makes a string of the name of each parameter at each execution,
// and "?" has none.
func unnumbered(text string) string {
	n := 0
	for _, name := range numbered.FindAllString(text, -1) {
		if n++; name != "$"+strconv.Itoa(n) {
			return text
		}
	}
	return numbered.ReplaceAllString(text, "?")
}

// Exec runs a statement outside any Tx and returns how many rows it changed.
func (c *Conn) Exec(q *Query, args ...any) (int64, error) {
	statement, err := c.prepared(q)
	if err != nil {
		return 0, err
	}
	n, err := statement.run(args)
	return n, sentinel(err)
}

func (c *Conn) row(q *Query, args []any, dest ...any) error {
	statement, err := c.prepared(q)
	if err != nil {
		return err
	}
	return sentinel(statement.first(args, dest))
}

// value reads the first column of the first row of a SELECT that runs once.
func (c *Conn) value(_ context.Context, text string, dest any) error {
	statement, err := c.prepare(text)
	if err != nil {
		return err
	}
	err = sentinel(statement.first(nil, []any{dest}))
	if closeErr := statement.Close(); err == nil {
		err = sentinel(closeErr)
	}
	return err
}

// execText runs a statement once. It ends with ctx.
func (c *Conn) execText(ctx context.Context, text string, args ...any) error {
	values := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		value, err := driverValue(arg)
		if err != nil {
			return err
		}
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	_, err := c.driver.ExecContext(ctx, text, values)
	return err
}
