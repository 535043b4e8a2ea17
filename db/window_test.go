package db_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// countRolling counts one call of an endpoint.
func countRolling(t *testing.T, store *db.DB, key, endpoint string) (r db.Rolling, over db.Over) {
	t.Helper()
	err := store.RelaxedUpdate(t.Context(), func(tx *db.Tx) (err error) {
		r, _, over, err = tx.CountRolling(key, endpoint, boundless)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return r, over
}

func TestRollingWindows(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)

	t.Run("CallLeavesAfterExactlyAMinute", func(t *testing.T) {
		start := clock.Now()
		for i := range int64(10) {
			r, over := countRolling(t, store, "minute", "ask")
			want := db.Rolling{Limit: 10, Remaining: 9 - i, NextAt: start.Add(time.Minute)}
			if over != db.Within || r != want {
				t.Errorf("call %d: %v, %+v, want %+v", i, over, r, want)
			}
			clock.Advance(time.Second)
		}
		clock.Set(start.Add(time.Minute - time.Millisecond))
		if r, over := countRolling(t, store, "minute", "ask"); over != db.OverWindow || !r.NextAt.Equal(start.Add(time.Minute)) {
			t.Errorf("before the minute is over: %v, %+v", over, r)
		}
		clock.Advance(time.Millisecond)
		want := db.Rolling{Limit: 10, Remaining: 0, NextAt: start.Add(61 * time.Second)}
		if r, over := countRolling(t, store, "minute", "ask"); over != db.Within || r != want {
			t.Errorf("one more: %v, %+v, want %+v", over, r, want)
		}
	})

	t.Run("HourIsShownWhenLessIsLeft", func(t *testing.T) {
		start := clock.Now()
		var r db.Rolling
		for i := range 100 {
			if i > 0 && i%10 == 0 {
				clock.Advance(time.Minute)
			}
			var over db.Over
			if r, over = countRolling(t, store, "hour", "ask"); over != db.Within {
				t.Fatalf("call %d: %v, %+v", i, over, r)
			}
		}
		want := db.Rolling{Limit: 100, Remaining: 0, NextAt: start.Add(time.Hour)}
		if r != want {
			t.Errorf("after the last call: %+v, want %+v", r, want)
		}
		clock.Set(start.Add(time.Hour - time.Millisecond))
		if r, over := countRolling(t, store, "hour", "ask"); over != db.OverWindow || r != want {
			t.Errorf("%v, %+v", over, r)
		}
		clock.Advance(time.Millisecond)
		if r, over := countRolling(t, store, "hour", "ask"); over != db.Within || r.Remaining != 9 || r.Limit != 10 {
			t.Errorf("the first ten have left, and nine of the minute are left: %v, %+v", over, r)
		}
	})

	t.Run("ClockSetBackBlocksAnHourAtMost", func(t *testing.T) {
		for range 10 {
			countRolling(t, store, "back", "ask")
		}
		clock.Advance(-300 * time.Hour)
		r, over := countRolling(t, store, "back", "ask")
		if over != db.OverWindow || !r.NextAt.Equal(clock.Now().Add(time.Minute)) {
			t.Errorf("%v, %+v", over, r)
		}
		clock.Advance(time.Minute)
		if r, over := countRolling(t, store, "back", "ask"); over != db.Within {
			t.Errorf("after the promised minute: %v, %+v", over, r)
		}
	})

	t.Run("EndpointsAndKeysAreSeparate", func(t *testing.T) {
		for range 10 {
			countRolling(t, store, "one", "ask")
		}
		for _, other := range [][2]string{{"two", "ask"}, {"one", "pulse"}} {
			if r, over := countRolling(t, store, other[0], other[1]); over != db.Within {
				t.Errorf("%v: %v, %+v", other, over, r)
			}
		}
	})

	t.Run("OverTheMonthNothingCounts", func(t *testing.T) {
		quota := db.Limits{Month: 1, Minute: 1}
		for i, want := range []db.Over{db.Within, db.OverMonth, db.OverMonth} {
			dbtest.Update(t, store, func(tx *db.Tx) error {
				r, m, over, err := tx.CountRolling("quota", "ask", quota)
				if over != want || r.Remaining != 9 || m.MonthUsed != 1 || m.WindowUsed != 0 {
					t.Errorf("call %d: %v, %+v, %+v", i, over, r, m)
				}
				return err
			})
		}
	})

	t.Run("SweepRemovesRowsWithoutCalls", func(t *testing.T) {
		deleted := func() (n int64) {
			dbtest.Update(t, store, func(tx *db.Tx) (err error) {
				n, err = tx.DeleteOldRolling(1000)
				return err
			})
			return n
		}
		clock.Advance(1000 * time.Hour)
		deleted()
		countRolling(t, store, "swept", "ask")
		clock.Advance(time.Hour - time.Millisecond)
		if n := deleted(); n != 0 {
			t.Errorf("%d rows with a call in the last hour", n)
		}
		clock.Advance(time.Hour + time.Millisecond)
		if n := deleted(); n != 1 {
			t.Errorf("%d rows two hours after the call", n)
		}
	})
}

// Of 61 calls of /pulse from two processes exactly 60 pass, and never more in any 60 s.
func TestRollingWindowsAreSharedByProcesses(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	path := t.TempDir() + "/svc.db"
	stores := []*db.DB{dbtest.OpenAt(t, path, clock), dbtest.OpenAt(t, path, clock)}
	call := func(n int) (passed int) {
		var wait sync.WaitGroup
		var mu sync.Mutex
		for i := range n {
			wait.Go(func() {
				if _, over := countRolling(t, stores[i%2], "key", "pulse"); over == db.Within {
					mu.Lock()
					passed++
					mu.Unlock()
				}
			})
		}
		wait.Wait()
		return passed
	}

	if n := call(30); n != 30 {
		t.Fatalf("%d of the first 30 passed", n)
	}
	clock.Advance(30 * time.Second)
	if n := call(31); n != 30 {
		t.Errorf("%d of 31 passed beside the first 30", n)
	}
	clock.Advance(30*time.Second - time.Millisecond)
	if n := call(2); n != 0 {
		t.Errorf("%d passed before the first calls were a minute old", n)
	}
	clock.Advance(time.Millisecond)
	if n := call(61); n != 30 {
		t.Errorf("%d passed when the first 30 had left, want 30", n)
	}
}

// rollingModel is the admitted calls of a key at an endpoint, as the clock then showed
// them, until a write finds them older than an hour.
type rollingModel struct{ calls []time.Time }

// want counts the calls of each window one by one.
func (m *rollingModel) want(now time.Time, l db.EndpointLimits) (admitted bool, minute, hour int64) {
	for _, at := range m.calls {
		if at.After(now) {
			at = now
		}
		if now.Sub(at) < time.Minute {
			minute++
		}
		if now.Sub(at) < time.Hour {
			hour++
		}
	}
	return minute < l.Minute && hour < l.Hour, minute, hour
}

// count is a call. An admitted one writes, and so does one that finds the clock set back.
func (m *rollingModel) count(now time.Time, admitted bool) {
	setBack := slices.ContainsFunc(m.calls, now.Before)
	if !admitted && !setBack {
		return
	}
	for i, at := range m.calls {
		if at.After(now) {
			m.calls[i] = now
		}
	}
	m.calls = slices.DeleteFunc(m.calls, func(at time.Time) bool { return now.Sub(at) >= time.Hour })
	if admitted {
		m.calls = append(m.calls, now)
	}
}

// TestRollingModel counts at random, with a clock that advances and is set back, on the
// store and on a plain model.
func TestRollingModel(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	const seed, steps = 20261122, 6000
	random := rand.New(rand.NewPCG(seed, 0))
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	limits, _ := db.DefaultLimits("ask")
	models := []*rollingModel{{}, {}}
	refused := 0
	for step := range steps {
		moveWindows(clock, random)
		n := random.IntN(len(models))
		model, now := models[n], clock.Now()
		admitted, minute, hour := model.want(now, limits)
		model.count(now, admitted)
		if admitted {
			minute, hour = minute+1, hour+1
		} else {
			refused++
		}
		r, over := countRolling(t, store, fmt.Sprint("key_", n), "ask")
		if (over == db.Within) != admitted || r.Remaining != max(0, min(limits.Minute-minute, limits.Hour-hour)) {
			t.Fatalf("seed %d, step %d at %v: %v, %+v; want admitted %v with %d and %d used", seed, step, now, over, r, admitted, minute, hour)
		}
		if over == db.OverWindow {
			if early, _, _ := model.want(r.NextAt.Add(-time.Millisecond), limits); early {
				t.Fatalf("seed %d, step %d: a call passes before %v", seed, step, r.NextAt)
			}
			if passes, _, _ := model.want(r.NextAt, limits); !passes {
				t.Fatalf("seed %d, step %d: no call passes at %v", seed, step, r.NextAt)
			}
		}
	}
	if refused < steps/10 || refused > steps*9/10 {
		t.Errorf("%d of %d calls were refused: the test shows little", refused, steps)
	}
}

// moveWindows moves the clock by up to 10 s, to the ends of windows, or back.
func moveWindows(clock *dbtest.Clock, random *rand.Rand) {
	switch n := random.IntN(100); {
	case n < 50: // does not move
	case n < 85:
		clock.Advance(time.Duration(random.IntN(10_000)) * time.Millisecond)
	case n < 95:
		clock.Advance(time.Duration(59_999+random.IntN(3)) * time.Millisecond)
	case n < 97:
		clock.Advance(time.Hour + time.Duration(random.IntN(3)-1)*time.Millisecond)
	case n < 99:
		clock.Advance(-time.Duration(random.IntN(120)) * time.Minute)
	default:
		clock.Advance(-time.Duration(random.IntN(100)) * time.Hour)
	}
}

// While the clock is only ever set back, no 60 s and no 3,600 s of real time have more
// calls than the limits.
func TestRollingWindowsHoldInRealTime(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(20261123, 0))
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	real := clock.Now()
	var passed []time.Time
	for range 3000 {
		step := time.Duration(random.IntN(4000)) * time.Millisecond
		real = real.Add(step)
		clock.Advance(step)
		if random.IntN(50) == 0 {
			clock.Advance(-time.Duration(random.IntN(7200)) * time.Second)
		}
		if _, over := countRolling(t, store, "key", "ask"); over == db.Within {
			passed = append(passed, real)
		}
	}
	for _, w := range []struct {
		length time.Duration
		limit  int
	}{{time.Minute, 10}, {time.Hour, 100}} {
		for i := range passed {
			end, _ := slices.BinarySearchFunc(passed, passed[i].Add(w.length), time.Time.Compare)
			if end-i > w.limit {
				t.Fatalf("%d calls within %v from %v", end-i, w.length, passed[i])
			}
		}
	}
	if len(passed) < 100 {
		t.Errorf("only %d calls passed", len(passed))
	}
}

// An arrangement holds for one key at one endpoint, from the next call on; so does its end.
func TestKeyLimits(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	clock := p.clock
	key, _ := dbtest.MustKey(t, p.store, p.anna.ID, db.Test, db.AccountMode)
	other, _ := dbtest.MustKey(t, p.store, p.ben.ID, db.Test, db.AccountMode)
	set := func(l db.KeyLimits) {
		t.Helper()
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.SetKeyLimits(l) })
	}
	want := db.KeyLimits{KeyID: key.ID, Endpoint: "ask", EndpointLimits: db.EndpointLimits{Minute: 12, Hour: 12}}
	set(db.KeyLimits{KeyID: key.ID, Endpoint: "ask", EndpointLimits: db.EndpointLimits{Minute: 1, Hour: 1}})
	set(want)
	for account, number := range map[string]int{p.anna.ID: 1, p.ben.ID: 0} {
		all := get(t, p.store, func(tx *db.Tx) ([]db.KeyLimits, error) { return tx.KeyLimits(account) })
		if len(all) != number || number > 0 && all[0] != want {
			t.Errorf("%s has %+v", account, all)
		}
	}
	for range 12 {
		if r, over := countRolling(t, p.store, key.ID, "ask"); over != db.Within || r.Limit != 12 {
			t.Errorf("%v, %+v", over, r)
		}
	}
	for _, own := range [][2]string{{key.ID, "pulse"}, {other.ID, "ask"}} {
		limits, _ := db.DefaultLimits(own[1])
		if r, _ := countRolling(t, p.store, own[0], own[1]); r.Limit != limits.Minute {
			t.Errorf("%v: %+v", own, r)
		}
	}

	// The 12 calls are then more than the limit, and three of them must leave.
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.ResetKeyLimits(key.ID, "ask") })
	r, over := countRolling(t, p.store, key.ID, "ask")
	if over != db.OverWindow || r.Limit != 10 || r.Remaining != 0 || !r.NextAt.Equal(clock.Now().Add(time.Minute)) {
		t.Errorf("%v, %+v", over, r)
	}
}
