package engine

import (
	"database/sql"
	"reflect"
	"testing"
)

// A value of the driver is stored in a variable of a type that fits. One that does not is an
// error and leaves the variable.
func TestAssign(t *testing.T) {
	type state string
	type price int64
	seven := int64(7)
	for _, c := range []struct {
		value any
		dest  any // pointer
		want  any // nil: an error
	}{
		{"tea", new(string), "tea"},
		{"tea", new(state), state("tea")},
		{"tea", new([]byte), []byte("tea")},
		{"tea", new(any), "tea"},
		{"tea", new(sql.NullString), sql.NullString{String: "tea", Valid: true}},
		{int64(7), new(int64), int64(7)},
		{int64(7), new(int), 7},
		{int64(7), new(uint8), uint8(7)},
		{int64(7), new(price), price(7)},
		{int64(7), new(float64), 7.0},
		{int64(7), new(*int64), &seven},
		{int64(1), new(bool), true},
		{2.5, new(float64), 2.5},
		{[]byte("tea"), new([]byte), []byte("tea")},
		{[]byte("tea"), new(string), "tea"},
		{nil, new(*int64), (*int64)(nil)},
		{nil, new([]byte), []byte(nil)},
		{nil, new(sql.NullString), sql.NullString{}},
		{nil, new(string), nil},
		{nil, new(int64), nil},
		{"tea", new(int64), nil},
		{int64(7), new(string), nil},
		{int64(7), new(bool), nil},
		{int64(300), new(uint8), nil},
		{int64(-1), new(uint8), nil},
		{2.5, new(int64), nil},
	} {
		err := assign(c.dest, c.value)
		got := reflect.ValueOf(c.dest).Elem()
		switch {
		case c.want == nil && (err == nil || !got.IsZero()):
			t.Errorf("%v into %T: got %v, error %v; want an error", c.value, c.dest, got, err)
		case c.want != nil && (err != nil || !reflect.DeepEqual(got.Interface(), c.want)):
			t.Errorf("%v into %T: got %v, error %v", c.value, c.dest, got, err)
		}
	}
	if err := assign("tea", "tea"); err == nil {
		t.Error("a value is no pointer")
	}
}

// Bound values may be of named types, and what a Valuer returns.
func TestDriverValue(t *testing.T) {
	type state string
	for _, c := range []struct{ arg, want any }{
		{nil, nil}, {"tea", "tea"}, {state("tea"), "tea"}, {7, int64(7)}, {uint8(7), int64(7)}, {true, true}, {2.5, 2.5},
		{sql.NullString{String: "tea", Valid: true}, "tea"}, {sql.NullInt64{}, nil},
	} {
		if got, err := driverValue(c.arg); err != nil || got != c.want {
			t.Errorf("%v: got %v, error %v", c.arg, got, err)
		}
	}
	if _, err := driverValue(struct{}{}); err == nil {
		t.Error("a struct is no value")
	}
}
