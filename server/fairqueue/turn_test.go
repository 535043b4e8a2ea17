package fairqueue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// do runs fn in a slot, in a synctest bubble, and returns a channel with its outcome once it
// runs or waits.
func do(ctx context.Context, q *Queue, kind Kind, fn func(context.Context) error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- q.Do(ctx, kind, "a", fn) }()
	synctest.Wait()
	return done
}

// Work with a slot that asks for one, by its context, has it: with one slot it would wait for
// itself.
func TestDoInADo(t *testing.T) {
	q, other := New(1), New(1)
	ran := ""
	err := q.Do(t.Context(), Insights, "a", func(ctx context.Context) error {
		return q.Do(ctx, Questions, "a", func(ctx context.Context) error {
			ran += "inner"
			return other.Do(ctx, Questions, "a", func(context.Context) error {
				if other.free != 0 {
					t.Error("another queue's slot was not taken")
				}
				return errors.New("of fn")
			})
		})
	})
	if ran != "inner" || err == nil || err.Error() != "of fn" || q.free != 1 || other.free != 1 {
		t.Errorf("ran %q, error %v, %d and %d free", ran, err, q.free, other.free)
	}
}

func TestDoPassesPanicsOn(t *testing.T) {
	q := New(1)
	defer func() {
		if v := recover(); !strings.Contains(fmt.Sprint(v), "of fn") || q.free != 1 {
			t.Errorf("recovered %v, %d free", v, q.free)
		}
	}()
	_ = q.Do(t.Context(), Questions, "a", func(context.Context) error { panic("of fn") })
}

func TestDoWaitsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := New(0).Do(ctx, Questions, "a", func(context.Context) error { t.Error("it ran"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Long work gives its slot to what waits, at the end of its slice and not before, and goes on
// after that.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1)
		var order []string
		step := make(chan struct{})
		long := do(t.Context(), q, Files, func(ctx context.Context) error {
			for i := range 3 {
				<-step
				if err := Yield(ctx); err != nil {
					return err
				}
				order = append(order, fmt.Sprint("row ", i))
			}
			return nil
		})
		question := do(t.Context(), q, Questions, func(context.Context) error { order = append(order, "question"); return nil })
		step <- struct{}{}
		synctest.Wait()
		time.Sleep(slice)
		step <- struct{}{}
		synctest.Wait()
		time.Sleep(slice) // nobody waits any more
		step <- struct{}{}
		if err := errors.Join(<-long, <-question); err != nil {
			t.Error(err)
		}
		if got := strings.Join(order, ", "); got != "row 0, question, row 1, row 2" {
			t.Errorf("order: %s", got)
		}
	})
}

func TestYieldEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1)
		ctx, cancel := context.WithCancel(t.Context())
		hold := make(chan struct{})
		long := do(ctx, q, Files, func(ctx context.Context) error {
			time.Sleep(slice)
			return Yield(ctx)
		})
		question := do(t.Context(), q, Questions, func(context.Context) error { <-hold; return nil })
		time.Sleep(slice)
		synctest.Wait()
		cancel()
		if err := <-long; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		close(hold)
		if err := <-question; err != nil || q.free != 1 {
			t.Errorf("error %v, %d free", err, q.free)
		}
	})
	if err := Yield(t.Context()); err != nil {
		t.Errorf("without a slot: %v", err)
	}
}

// Work that waits for something else does not keep its slot.
func TestOutside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := New(1)
		answer, again := make(chan struct{}), false
		asking := do(t.Context(), q, Questions, func(ctx context.Context) error {
			err := Outside(ctx, func() { <-answer })
			again = q.free == 0
			return err
		})
		if err := <-do(t.Context(), q, Photos, func(context.Context) error { return nil }); err != nil {
			t.Error(err)
		}
		close(answer)
		if err := <-asking; err != nil || !again || q.free != 1 {
			t.Errorf("error %v, slot again: %v, %d free", err, again, q.free)
		}
	})
}
