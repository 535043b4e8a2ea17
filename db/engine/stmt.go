package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// stmt is a prepared statement of the driver. It is used by its connection's goroutine
// alone, so that nothing is locked and its buffers are reused: database/sql, which is made
// for connections that many goroutines share, locks six times for each execution.
type stmt struct {
	driver.Stmt
	exec   driver.StmtExecContext
	query  driver.StmtQueryContext
	args   []driver.NamedValue
	values []driver.Value // of a row
}

func newStatement(s driver.Stmt) (*stmt, error) {
	exec, canExec := s.(driver.StmtExecContext)
	query, canQuery := s.(driver.StmtQueryContext)
	if !canExec || !canQuery {
		return nil, fmt.Errorf("a statement of the driver is %T", s)
	}
	return &stmt{Stmt: s, exec: exec, query: query}, nil
}

// run executes the statement and returns how many rows it changed. The context is the
// background one on purpose: one that ends in the middle of a statement would roll the
// transaction back silently, and a goroutine would wait for its end.
func (s *stmt) run(args []any) (int64, error) {
	if err := s.bind(args); err != nil {
		return 0, err
	}
	defer clear(s.args)
	result, err := s.exec.ExecContext(context.Background(), s.args)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// rows executes a query. The caller closes the rows before the statement is run again.
func (s *stmt) rows(args []any) (*rows, error) {
	if err := s.bind(args); err != nil {
		return nil, err
	}
	defer clear(s.args)
	found, err := s.query.QueryContext(context.Background(), s.args)
	if err != nil {
		return nil, err
	}
	if width := len(found.Columns()); len(s.values) != width {
		s.values = make([]driver.Value, width)
	}
	return &rows{Rows: found, values: s.values}, nil
}

// first reads the first row of a query into dest, or returns sql.ErrNoRows.
func (s *stmt) first(args []any, dest []any) error {
	found, err := s.rows(args)
	if err != nil {
		return err
	}
	more, err := found.next()
	switch {
	case err == nil && !more:
		err = sql.ErrNoRows
	case err == nil:
		err = found.Scan(dest...)
	}
	if closeErr := found.close(); err == nil {
		err = closeErr
	}
	return err
}

// bind converts arguments to values of the driver.
func (s *stmt) bind(args []any) error {
	s.args = s.args[:0]
	for i, arg := range args {
		value, err := driverValue(arg)
		if err != nil {
			return fmt.Errorf("argument %d: %w", i+1, err)
		}
		s.args = append(s.args, driver.NamedValue{Ordinal: i + 1, Value: value})
	}
	return nil
}

func driverValue(arg any) (driver.Value, error) {
	switch arg := arg.(type) {
	case nil, string, int64, bool, float64, []byte:
		return arg, nil
	case int:
		return int64(arg), nil
	}
	return driver.DefaultParameterConverter.ConvertValue(arg) // sql.NullString, named types, pointers
}

// rows are the rows of a query. It implements Scanner for the row at which it is.
type rows struct {
	driver.Rows
	values []driver.Value
}

// next goes to the next row and reports whether there is one.
func (r *rows) next() (bool, error) {
	err := r.Next(r.values)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

func (r *rows) close() error {
	clear(r.values)
	return r.Close()
}

// Scan implements Scanner.
func (r *rows) Scan(dest ...any) error {
	if len(dest) != len(r.values) {
		return fmt.Errorf("scan: %d columns into %d variables", len(r.values), len(dest))
	}
	for i, value := range r.values {
		if err := assign(dest[i], value); err != nil {
			return fmt.Errorf("scan: column %d: %w", i+1, err)
		}
	}
	return nil
}

// assign stores a value of the driver in the variable that dest points to. The types must
// fit: the tables are STRICT, so that a column has one type. NULL fits a scanner, a pointer,
// a []byte and an any.
func assign(dest any, value driver.Value) error {
	switch dest := dest.(type) {
	case *string:
		if v, ok := value.(string); ok {
			*dest = v
			return nil
		}
	case *int64:
		if v, ok := value.(int64); ok {
			*dest = v
			return nil
		}
	case *[]byte:
		if v, ok := value.([]byte); ok || value == nil {
			*dest = v
			return nil
		}
	case *any:
		*dest = value
		return nil
	case sql.Scanner:
		return dest.Scan(value)
	}
	to := reflect.ValueOf(dest)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return fmt.Errorf("cannot scan into %T", dest)
	}
	return assignKind(to.Elem(), value)
}

// assignKind is assign for variables of other types, by their kind.
func assignKind(to reflect.Value, value driver.Value) error {
	switch v := value.(type) {
	case nil:
		if to.Kind() == reflect.Pointer {
			to.SetZero()
			return nil
		}
	case string:
		switch {
		case to.Kind() == reflect.String:
			to.SetString(v)
			return nil
		case isBytes(to):
			to.SetBytes([]byte(v))
			return nil
		}
	case []byte:
		switch {
		case isBytes(to):
			to.SetBytes(v)
			return nil
		case to.Kind() == reflect.String:
			to.SetString(string(v))
			return nil
		}
	case int64:
		switch {
		case to.CanInt() && !to.OverflowInt(v):
			to.SetInt(v)
			return nil
		case to.CanUint() && v >= 0 && !to.OverflowUint(uint64(v)):
			to.SetUint(uint64(v))
			return nil
		case to.CanFloat():
			to.SetFloat(float64(v))
			return nil
		case to.Kind() == reflect.Bool && (v == 0 || v == 1):
			to.SetBool(v == 1)
			return nil
		}
	case float64:
		if to.CanFloat() {
			to.SetFloat(v)
			return nil
		}
	}
	if to.Kind() == reflect.Pointer {
		to.Set(reflect.New(to.Type().Elem()))
		return assign(to.Interface(), value)
	}
	return fmt.Errorf("cannot scan %T into a variable of type %s", value, to.Type())
}

func isBytes(to reflect.Value) bool {
	return to.Kind() == reflect.Slice && to.Type().Elem().Kind() == reflect.Uint8
}
