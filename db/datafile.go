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

// A dataset is a SQLite file of its own with one table, rows, whose columns are
// c1, c2, … . One DataWriter builds it under a temporary name. After it is published
// under its own name it is only read, by any number of DataFiles, until it is removed.
// So an import never holds the store's write lock, and no question can change a row.

// DataType is the SQL type of a dataset's column.
type DataType string

// The types of columns.
const (
	DataInteger DataType = "INTEGER"
	DataText    DataType = "TEXT"
)

var (
	beginData  = newQuery(`BEGIN`)
	commitData = newQuery(`COMMIT`)
)

// maxParameters keeps a statement small enough that preparing it costs little compared
// with the rows that it inserts.
const maxParameters = 512

// DataColumn returns the SQL name of the column at index, counted from 0.
func DataColumn(index int) string { return fmt.Sprintf("c%d", index+1) }

// DataWriter fills a new dataset. It is used by one goroutine.
type DataWriter struct {
	path    string
	conn    *engine.Conn
	width   int
	batch   int    // rows that many inserts
	many    *query // inserts batch rows
	one     *query // inserts one row
	pending []any
}

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
	w := &DataWriter{path: path, conn: c, width: len(types), batch: max(1, maxParameters/len(types))}
	w.one, w.many = insertRows(len(types), 1), insertRows(len(types), w.batch)
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
	_, err := w.conn.Exec(beginData)
	return err
}

func insertRows(width, rows int) *query {
	var text strings.Builder
	text.WriteString(`INSERT INTO rows VALUES `)
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

// Append adds one row, with an int64, a string or nil for each column.
func (w *DataWriter) Append(row []any) error {
	if len(row) != w.width {
		return fmt.Errorf("dataset: %d values for %d columns", len(row), w.width)
	}
	w.pending = append(w.pending, row...)
	if len(w.pending) < w.batch*w.width {
		return nil
	}
	_, err := w.conn.Exec(w.many, w.pending...)
	w.pending = w.pending[:0]
	return err
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
	for len(w.pending) > 0 {
		if _, err := w.conn.Exec(w.one, w.pending[:w.width]...); err != nil {
			return err
		}
		w.pending = w.pending[w.width:]
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
