package engine

import (
	"database/sql/driver"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// GroupsFunction returns the name of an SQL aggregate function for SELECTs over large
// tables that adds rows up by their keys in a hash table: its arguments are as many keys as
// given, then values of which the different ones are counted, then integers that are
// summed. It returns a JSON array of [key1 …, rows, number of each counted value …, sum and
// count of each integer …]. SQLite's GROUP BY sorts all rows, which takes ten times as long.
// As with SQLite's sum, the sum of no value is null, and a sum beyond 64 bits is an error.
func GroupsFunction(keys, counted int) string { return fmt.Sprintf("groups%d%d", keys, counted) }

// Bounds of the arguments.
const (
	MaxGroupKeys    = 3
	MaxGroupCounted = 3
)

// MaxGroups is how many groups the function holds; one more is an error.
const MaxGroups = 100_000

func init() {
	for keys := 1; keys <= MaxGroupKeys; keys++ {
		for counted := range MaxGroupCounted + 1 {
			sqlite.MustRegisterFunction(GroupsFunction(keys, counted), &sqlite.FunctionImpl{
				NArgs:         -1,
				Deterministic: true,
				VolatileArgs:  true, // texts are copied when they become keys
				MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) {
					return &grouping{keys: keys, sets: make([]distinctSet, counted), byText: map[string]*group{}, byKey: map[string]*group{}}, nil
				},
			})
		}
	}
}

// grouping is the state of one call of the function.
type grouping struct {
	keys   int
	sets   []distinctSet     // of the counted values
	byText map[string]*group // by a single key that is a text
	byKey  map[string]*group // by the encoding of any other keys
	order  []*group
	last   *group // of the row before, by a single text
	key    []byte // encoded keys of the current row
}

type group struct {
	index  uint32
	keys   []driver.Value
	rows   int64
	sums   []int64
	counts []int64
}

// Step adds one row.
func (g *grouping) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	if len(args) < g.keys+len(g.sets) {
		return fmt.Errorf("groups: %d arguments, want at least %d", len(args), g.keys+len(g.sets))
	}
	keys, values := args[:g.keys], args[g.keys:]
	at, err := g.find(keys, len(values))
	if err != nil {
		return err
	}
	at.rows++
	for i, v := range values {
		switch {
		case v == nil:
		case i < len(g.sets):
			isNew, err := g.sets[i].add(at.index, v)
			if err != nil {
				return err
			}
			if isNew {
				at.counts[i]++
			}
		default:
			if err := at.add(i, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the group of the keys, a new one if there is none.
func (g *grouping) find(keys []driver.Value, values int) (*group, error) {
	if text, ok := keys[0].(string); ok && len(keys) == 1 {
		if g.last != nil && g.last.keys[0] == keys[0] { // rows of a day follow one another
			return g.last, nil
		}
		if g.last = g.byText[text]; g.last != nil {
			return g.last, nil
		}
		return g.make(g.byText, strings.Clone(text), keys, values)
	}
	g.key = g.key[:0]
	for _, k := range keys {
		switch k := k.(type) {
		case string:
			g.key = binary.AppendUvarint(append(g.key, 's'), uint64(len(k)))
			g.key = append(g.key, k...)
		case int64:
			g.key = binary.AppendVarint(append(g.key, 'i'), k)
		case nil:
			g.key = append(g.key, 'n')
		default:
			return nil, fmt.Errorf("groups: a key is %T", k)
		}
	}
	if found := g.byKey[string(g.key)]; found != nil {
		return found, nil
	}
	return g.make(g.byKey, string(g.key), keys, values)
}

func (g *grouping) make(in map[string]*group, key string, keys []driver.Value, values int) (*group, error) {
	if len(g.order) == MaxGroups {
		return nil, fmt.Errorf("groups: more than %d", MaxGroups)
	}
	made := &group{index: uint32(len(g.order)), keys: slices.Clone(keys), sums: make([]int64, values), counts: make([]int64, values)}
	for i, k := range made.keys {
		if text, ok := k.(string); ok {
			made.keys[i] = strings.Clone(text)
		}
	}
	in[key] = made
	g.order = append(g.order, made)
	return made, nil
}

func (at *group) add(i int, v driver.Value) error {
	n, ok := v.(int64)
	switch {
	case !ok:
		return fmt.Errorf("groups: a value is %T", v)
	case n > 0 && at.sums[i] > math.MaxInt64-n, n < 0 && at.sums[i] < math.MinInt64-n:
		return errors.New("groups: integer overflow")
	}
	at.sums[i] += n
	at.counts[i]++
	return nil
}

// WindowInverse is called for moving windows only, which are not supported.
func (g *grouping) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("groups: not over a window")
}

// WindowValue returns the groups in the order of their first rows.
func (g *grouping) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	out := make([][]any, 0, len(g.order))
	for _, at := range g.order {
		line := make([]any, 0, len(at.keys)+1+2*len(at.sums))
		for _, k := range at.keys {
			line = append(line, k)
		}
		line = append(line, at.rows)
		for i, n := range at.counts {
			switch {
			case i < len(g.sets):
				line = append(line, n)
			case n == 0:
				line = append(line, nil, 0)
			default:
				line = append(line, at.sums[i], n)
			}
		}
		out = append(out, line)
	}
	body, err := json.Marshal(out)
	return string(body), err
}

// Final has nothing to release.
func (g *grouping) Final(*sqlite.FunctionContext) {}
