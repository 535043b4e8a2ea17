package engine

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// SummaryFunction is the name of an SQL aggregate function that describes several columns
// in one pass: summary(spec, column1 …). The constant spec has a letter for each column: v
// for a text whose values are listed, n for one whose values are only counted. It returns a
// JSON array of the number of rows and, for each column, [different values, nulls, [value,
// …]], the most frequent values first.
const SummaryFunction = "summary"

func init() {
	sqlite.MustRegisterFunction(SummaryFunction, &sqlite.FunctionImpl{
		NArgs:         -1,
		Deterministic: true,
		VolatileArgs:  true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &summary{}, nil },
	})
}

// summary is the state of one call of the function.
type summary struct {
	rows    int64
	columns []summaryColumn
}

type summaryColumn struct {
	listed bool
	nulls  int64
	counts map[string]*int64
	others distinctSet
}

// Step adds one row.
func (s *summary) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	if len(args) == 0 {
		return errors.New("summary: no arguments")
	}
	if s.columns == nil {
		spec, _ := args[0].(string)
		for _, letter := range spec {
			s.columns = append(s.columns, summaryColumn{listed: letter == 'v', counts: map[string]*int64{}})
		}
	}
	if len(args) != len(s.columns)+1 {
		return fmt.Errorf("summary: %d columns, want %d", len(args)-1, len(s.columns))
	}
	s.rows++
	for i, v := range args[1:] {
		if err := s.columns[i].add(v); err != nil {
			return err
		}
	}
	return nil
}

func (c *summaryColumn) add(v driver.Value) error {
	text, isText := v.(string)
	switch {
	case v == nil:
		c.nulls++
		return nil
	case !c.listed:
		_, err := c.others.add(0, v)
		return err
	case !isText:
		return fmt.Errorf("summary: a listed value is %T", v)
	}
	n := c.counts[text]
	if n == nil {
		n = new(int64)
		c.counts[strings.Clone(text)] = n
	}
	*n++
	return nil
}

// WindowInverse is called for moving windows only, which are not supported.
func (s *summary) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("summary: not over a window")
}

// WindowValue returns the description.
func (s *summary) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	out := []any{s.rows}
	for i := range s.columns {
		c := &s.columns[i]
		distinct := len(c.counts)
		if !c.listed {
			distinct = c.others.used
		}
		out = append(out, []any{distinct, c.nulls, c.values()})
	}
	body, err := json.Marshal(out)
	return string(body), err
}

// values returns the values that are listed, the most frequent first.
func (c *summaryColumn) values() []string {
	all := make([]string, 0, len(c.counts))
	for v := range c.counts {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(*c.counts[b], *c.counts[a]), cmp.Compare(a, b)) })
	return all
}

// Final has nothing to release.
func (s *summary) Final(*sqlite.FunctionContext) {}
