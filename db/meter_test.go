package db_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestCount(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	countCall := func(t *testing.T, key string, limits db.Limits, byMonth bool) (m db.Meter, over db.Over) {
		t.Helper()
		dbtest.Update(t, store, func(tx *db.Tx) (err error) {
			m, over, err = tx.Count(key, limits, byMonth)
			return err
		})
		return m, over
	}

	t.Run("MinuteStartsWithFirstCall", func(t *testing.T) {
		start := clock.Now()
		limits := db.Limits{Month: db.Unlimited, Minute: 2}
		steps := []struct {
			after time.Duration
			over  db.Over
			used  int64
			ends  time.Time
		}{
			{0, db.Within, 1, start.Add(db.Window)},
			{59 * time.Second, db.Within, 2, start.Add(db.Window)},
			{999 * time.Millisecond, db.OverMinute, 2, start.Add(db.Window)},
			{time.Millisecond, db.Within, 1, start.Add(2 * db.Window)},
		}
		for i, step := range steps {
			clock.Advance(step.after)
			m, over := countCall(t, "minute", limits, true)
			if over != step.over || m.WindowUsed != step.used || !m.WindowEnds.Equal(step.ends) {
				t.Errorf("call %d: over %v, %+v", i, over, m)
			}
		}
	})

	t.Run("MonthEnds", func(t *testing.T) {
		clock.Set(time.Date(2026, time.December, 31, 23, 59, 59, 0, time.UTC))
		limits := db.Limits{Month: 1, Minute: 10}
		newYear := time.Date(2027, time.January, 1, 0, 0, 0, 0, time.UTC)
		if m, over := countCall(t, "month", limits, true); over != db.Within || m.MonthUsed != 1 || m.MonthEnds != newYear {
			t.Errorf("first call: %v, %+v", over, m)
		}
		if m, over := countCall(t, "month", limits, true); over != db.OverMonth || m.MonthUsed != 1 || m.WindowUsed != 1 {
			t.Errorf("over the month: %v, %+v", over, m)
		}
		if m, over := countCall(t, "month", limits, false); over != db.Within || m.MonthUsed != 1 || m.WindowUsed != 2 {
			t.Errorf("a replay counts by the minute alone: %v, %+v", over, m)
		}
		clock.Advance(time.Second)
		if m, over := countCall(t, "month", limits, true); over != db.Within || m.MonthUsed != 1 || m.WindowUsed != 3 {
			t.Errorf("next month, same minute: %v, %+v", over, m)
		}
	})

	t.Run("FutureMinuteEnds", func(t *testing.T) {
		limits := db.Limits{Month: db.Unlimited, Minute: 1}
		countCall(t, "future", limits, true)
		clock.Advance(-10 * time.Minute)
		if m, over := countCall(t, "future", limits, true); over != db.Within || m.WindowUsed != 1 {
			t.Errorf("%v, %+v", over, m)
		}
	})

	t.Run("KeysAreSeparate", func(t *testing.T) {
		limits := db.Limits{Month: 1, Minute: 1}
		for _, key := range []string{"one", "two"} {
			if _, over := countCall(t, key, limits, true); over != db.Within {
				t.Errorf("key %s is over: %v", key, over)
			}
		}
	})

	t.Run("CountMonthOpensNoMinute", func(t *testing.T) {
		dbtest.Update(t, store, func(tx *db.Tx) error {
			m, over, err := tx.CountMonth("by month", boundless)
			if over != db.Within || m.MonthUsed != 1 || m.WindowUsed != 0 || !m.WindowEnds.Equal(tx.Now()) {
				t.Errorf("%v, %+v", over, m)
			}
			return err
		})
	})
}

// meterModel is a key's meter according to A4 and A5.
type meterModel struct {
	start     time.Time // of the last minute
	used      int64
	month     int64 // of month counts
	monthUsed int64
}

// at returns the model's meter at a time.
func (m *meterModel) at(now time.Time) (windowUsed int64, windowEnds time.Time, monthUsed int64) {
	windowEnds = now
	if ends := m.start.Add(time.Minute); !m.start.After(now) && now.Before(ends) {
		windowUsed, windowEnds = m.used, ends
	}
	if m.month == int64(now.Year()*100+int(now.Month())) {
		monthUsed = m.monthUsed
	}
	return windowUsed, windowEnds, monthUsed
}

func (m *meterModel) addMinute(now time.Time) {
	if used, _, _ := m.at(now); used == 0 {
		m.start, m.used = now, 0
	}
	m.used++
}

func (m *meterModel) addMonth(now time.Time, n int64) {
	_, _, m.monthUsed = m.at(now)
	m.month = int64(now.Year()*100 + int(now.Month()))
	m.monthUsed += n
}

// want returns the expected result of Count or CountMonth.
func (m *meterModel) want(now time.Time, limits db.Limits, byMinute, byMonth bool) db.Over {
	windowUsed, _, monthUsed := m.at(now)
	switch {
	case byMinute && windowUsed >= limits.Minute:
		return db.OverMinute
	case byMonth && limits.Month >= 0 && monthUsed >= limits.Month:
		return db.OverMonth
	}
	return db.Within
}

// TestMeterModel counts at random, with changing plans and clocks, on the store and on a
// plain model.
func TestMeterModel(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	const seed, steps = 20260302, 6000
	random := rand.New(rand.NewPCG(seed, 0))
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	models := map[string]*meterModel{}
	limits := []db.Limits{
		db.Free.Limits(), db.Growth.Limits(), db.Business.Limits(),
		{Month: 4, Minute: 3}, {Month: 20, Minute: 2}, {Month: db.Unlimited, Minute: 1},
	}

	for step := range steps {
		moveClock(clock, random)
		key := fmt.Sprint("key_", random.IntN(3))
		limit := limits[random.IntN(len(limits))]
		model, known := models[key]
		if !known {
			model = &meterModel{}
			models[key] = model
		}

		var what string
		var err error
		update := store.RelaxedUpdate(t.Context(), func(tx *db.Tx) error {
			now := tx.Now()
			switch n := random.IntN(10); {
			case !known || n < 5:
				byMonth := random.IntN(4) > 0
				what = fmt.Sprintf("Count(%s, %+v, %v) at %v", key, limit, byMonth, now)
				m, over, countErr := tx.Count(key, limit, byMonth)
				wanted := model.want(now, limit, true, byMonth)
				if wanted == db.Within {
					model.addMinute(now)
					model.addMonth(now, map[bool]int64{true: 1}[byMonth])
				}
				err = sameMeter(model, now, m, over, wanted, countErr)
			case n < 7:
				what = fmt.Sprintf("CountMonth(%s, %+v) at %v", key, limit, now)
				m, over, countErr := tx.CountMonth(key, limit)
				wanted := model.want(now, limit, false, true)
				if wanted == db.Within {
					model.addMonth(now, 1)
				}
				err = sameMeter(model, now, m, over, wanted, countErr)
			case n < 9:
				month := []int64{tx.Month(), model.month, 202601}[random.IntN(3)]
				what = fmt.Sprintf("Uncount(%s, %d) at %v", key, month, now)
				err = tx.Uncount(key, month)
				if model.month == month && model.monthUsed > 0 {
					model.monthUsed--
				}
			default:
				what = fmt.Sprintf("Meter(%s) at %v", key, now)
			}
			if err != nil {
				return nil
			}
			m, readErr := tx.Meter(key)
			err = sameMeter(model, now, m, db.Within, db.Within, readErr)
			return nil
		})
		if update != nil || err != nil {
			t.Fatalf("seed %d, step %d: %s: %v, %v", seed, step, what, update, err)
		}
	}
}

// moveClock moves the clock a little, past the end of a minute or a month, or back.
func moveClock(clock *dbtest.Clock, random *rand.Rand) {
	switch n := random.IntN(100); {
	case n < 40: // does not move
	case n < 80:
		clock.Advance(time.Duration(random.IntN(10_000)) * time.Millisecond)
	case n < 88:
		clock.Advance(time.Duration(59_999+random.IntN(3)) * time.Millisecond)
	case n < 93:
		clock.Advance(-time.Duration(random.IntN(3_000)) * time.Millisecond)
	case n < 96:
		clock.Advance(-time.Duration(random.IntN(100)) * time.Hour)
	case n < 98:
		now := clock.Now()
		clock.Set(time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Millisecond))
	default:
		clock.Advance(time.Millisecond)
	}
}

func sameMeter(model *meterModel, now time.Time, m db.Meter, over, wanted db.Over, err error) error {
	if err != nil {
		return err
	}
	windowUsed, windowEnds, monthUsed := model.at(now)
	monthEnds := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	want := db.Meter{WindowUsed: windowUsed, WindowEnds: windowEnds, MonthUsed: monthUsed, MonthEnds: monthEnds}
	if m != want || over != wanted {
		return fmt.Errorf("over %v, meter %+v; want %v, %+v", over, m, wanted, want)
	}
	return nil
}
