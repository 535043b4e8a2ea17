package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"svc/db/engine"
)

// A dataset is a SQLite file of its own with three tables: rows, whose columns are c1, c2, …,
// is what questions read, raw has the cells as they were typed, so that the dataset can be
// built again with further rows, and faulty says which rows have cells that do not fit. One DataWriter builds it under a temporary name.
// After it is published under its own name it is only read, by any number of DataFiles,
// until it is removed. So an import never holds the store's write lock, and no question can
// change a row.

// DataType is the SQL type of a dataset's column.
type DataType string

// The types of columns.
const (
	DataInteger DataType = "INTEGER"
	DataText    DataType = "TEXT"
)

var (
	createRaw    = newQuery(`CREATE TABLE raw (file INTEGER NOT NULL, line INTEGER NOT NULL, cells TEXT NOT NULL) STRICT`)
	createFaulty = newQuery(`CREATE TABLE faulty (row INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (row, reason)) STRICT, WITHOUT ROWID`)
	beginData    = newQuery(`BEGIN`)
	commitData   = newQuery(`COMMIT`)
)

// maxParameters keeps a statement small enough that preparing it costs little compared
// with the rows that it inserts.
const maxParameters = 512

// DataColumn returns the SQL name of the column at index, counted from 0.
func DataColumn(index int) string { return fmt.Sprintf("c%d", index+1) }

// DataWriter fills a new dataset. It is used by one goroutine.
type DataWriter struct {
	path      string
	conn      *engine.Conn
	rows, raw *inserter
	faulty    *inserter
}

// RawRow is a row of an imported file as it was typed.
type RawRow struct {
	File  int    // index among the files of the dataset
	Line  int    // of that file
	Cells string // JSON of the caller
}

// faultyColumns is the number of columns of the table faulty.
const faultyColumns = 2

// rawColumns is the number of columns of the table raw.
const rawColumns = 3

// CreateDataFile creates a dataset file at path (0600, in a folder of 0700), which must
// not exist. Either Finish or Abandon ends it.
func CreateDataFile(ctx context.Context, path string, types []DataType) (*DataWriter, error) {
	if len(types) == 0 {
		return nil, errors.New("dataset: no columns")
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}
	if err := file.Close(); err != nil {
		return nil, fmt.Errorf("dataset: %w", err)
	}

	c, err := dialDataWriter(ctx, path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("dataset: %w", err), os.Remove(path))
	}
	w := &DataWriter{path: path, conn: c, rows: newInserter(c, "rows", len(types)), raw: newInserter(c, "raw", rawColumns), faulty: newInserter(c, "faulty", faultyColumns)}
	if err := w.begin(types); err != nil {
		w.Abandon()
		return nil, fmt.Errorf("dataset: %w", err)
	}
	return w, nil
}

// dialDataWriter connects without a journal and without fsync: no other process reads
// the file before it is published, and after a crash it is deleted.
func dialDataWriter(ctx context.Context, path string) (*engine.Conn, error) {
	return engine.Dial(ctx, path, "journal_mode(OFF)", "synchronous(OFF)", "locking_mode(EXCLUSIVE)", "cache_size(-16384)", "temp_store(MEMORY)")
}

func (w *DataWriter) begin(types []DataType) error {
	var columns []string
	for i, t := range types {
		columns = append(columns, DataColumn(i)+" "+string(t))
	}
	if _, err := w.conn.Exec(&query{Text: `CREATE TABLE rows (` + strings.Join(columns, ", ") + `) STRICT`}); err != nil {
		return err
	}
	for _, create := range []*query{createRaw, createFaulty} {
		if _, err := w.conn.Exec(create); err != nil {
			return err
		}
	}
	_, err := w.conn.Exec(beginData)
	return err
}

// inserter inserts rows into one table, many at a time.
type inserter struct {
	conn    *engine.Conn
	width   int
	batch   int    // rows that many inserts
	many    *query // inserts batch rows
	one     *query // inserts one row
	pending []any
}

func newInserter(c *engine.Conn, table string, width int) *inserter {
	i := &inserter{conn: c, width: width, batch: max(1, maxParameters/width)}
	i.one, i.many = insertRows(table, width, 1), insertRows(table, width, i.batch)
	return i
}

func insertRows(table string, width, rows int) *query {
	var text strings.Builder
	text.WriteString(`INSERT INTO ` + table + ` VALUES `)
	for i := range width * rows {
		switch {
		case i == 0:
			text.WriteString("(")
		case i%width == 0:
			text.WriteString("), (")
		default:
			text.WriteString(", ")
		}
		text.WriteString("?") // the driver searches for the name of each $1 every time
	}
	return &query{Text: text.String() + ")"}
}

func (i *inserter) append(row ...any) error {
	i.pending = append(i.pending, row...)
	if len(i.pending) < i.batch*i.width {
		return nil
	}
	_, err := i.conn.Exec(i.many, i.pending...)
	i.pending = i.pending[:0]
	return err
}

func (i *inserter) flush() error {
	for len(i.pending) > 0 {
		if _, err := i.conn.Exec(i.one, i.pending[:i.width]...); err != nil {
			return err
		}
		i.pending = i.pending[i.width:]
	}
	return nil
}

// Append adds one row, with an int64, a string or nil for each column.
func (w *DataWriter) Append(row []any) error {
	if len(row) != w.rows.width {
		return fmt.Errorf("dataset: %d values for %d columns", len(row), w.rows.width)
	}
	return w.rows.append(row...)
}

// AppendRaw adds one row as it was typed.
func (w *DataWriter) AppendRaw(row RawRow) error {
	return w.raw.append(int64(row.File), int64(row.Line), row.Cells)
}

// AppendFaulty says of a row, by its number, why a cell of it was left blank. A row has each
// reason once.
func (w *DataWriter) AppendFaulty(number int64, reason string) error {
	return w.faulty.append(number, reason)
}

// Finish writes the pending rows and syncs the file, which may then be published. After
// an error it removes the file.
func (w *DataWriter) Finish() error {
	if err := w.flush(); err != nil {
		w.Abandon()
		return fmt.Errorf("dataset: %w", err)
	}
	err := w.conn.Close()
	if err == nil {
		err = syncPath(w.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("dataset: %w", err), RemoveDataFile(w.path))
	}
	return nil
}

func (w *DataWriter) flush() error {
	if err := errors.Join(w.rows.flush(), w.raw.flush(), w.faulty.flush()); err != nil {
		return err
	}
	_, err := w.conn.Exec(commitData)
	return err
}

// IndexDataFile adds indexes to a finished dataset before it is published. Each index is
// a list of columns, or of expressions over them. After an error some may be missing.
func IndexDataFile(ctx context.Context, path string, indexes [][]string) (err error) {
	c, err := dialDataWriter(ctx, path)
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	for i, columns := range indexes {
		if ctx.Err() != nil {
			return errors.Join(ctx.Err(), c.Close())
		}
		text := fmt.Sprintf("CREATE INDEX i%d ON rows (%s)", i+1, strings.Join(columns, ", "))
		if _, err := c.Exec(&query{Text: text}); err != nil {
			return errors.Join(fmt.Errorf("dataset: %w", err), c.Close())
		}
	}
	if err := c.Close(); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return syncPath(path)
}

// Abandon removes the file.
func (w *DataWriter) Abandon() {
	w.conn.Close() // the file is removed, so an error does not matter
	RemoveDataFile(w.path)
}

// syncPath syncs a file or a folder to disk.
func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// PublishDataFile renames a finished dataset to its own name and syncs the rename.
func PublishDataFile(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	if runtime.GOOS == "windows" {
		return nil // it cannot fsync folders and orders such changes itself
	}
	folder := filepath.Dir(to)
	return errors.Join(syncPath(folder), syncPath(filepath.Dir(folder)))
}

// RemoveDataFile deletes a dataset, if it exists.
func RemoveDataFile(path string) error {
	err := os.Remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DataFile is a published dataset, open for reading. Its methods may be called from
// any goroutine.
type DataFile = engine.Pool

// OpenDataFile opens the dataset at path. It fails with ErrNotFound if there is no
// file. The file must not change while it is open; removing it does no harm.
func OpenDataFile(path string) (*DataFile, error) { return engine.OpenImmutable(path) }

// rawPage is how many raw rows are read at once.
const rawPage = 1000

// EachRaw calls fn with the raw rows of a dataset in their order. The error is ErrNotFound
// if the dataset has none, because it was made by a version that did not keep them.
func EachRaw(ctx context.Context, file *DataFile, fn func(RawRow) error) error {
	found, err := file.Query(ctx, 1, `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'raw'`)
	if err != nil {
		return err
	}
	if len(found.Rows) == 0 {
		return fmt.Errorf("raw rows: %w", ErrNotFound)
	}
	for last, more := int64(0), true; more; {
		page, err := file.Query(ctx, rawPage, `SELECT rowid, file, line, cells FROM raw WHERE rowid > $1 ORDER BY rowid`, last)
		if err != nil {
			return err
		}
		for _, row := range page.Rows {
			last = row[0].(int64)
			if err := fn(RawRow{File: int(row[1].(int64)), Line: int(row[2].(int64)), Cells: row[3].(string)}); err != nil {
				return err
			}
		}
		more = page.More
	}
	return nil
}
