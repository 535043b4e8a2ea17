package ask_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/ask"
	"svc/server/fairqueue"
)

// A question is read in a turn, also one that is refused and computes nothing: reading takes
// longer than most computations.
func TestReadingTakesItsTurn(t *testing.T) {
	b := newBooks(t, db.Growth)
	var owner db.Account
	dbtest.View(t, b.Store, func(tx *db.Tx) (err error) {
		owner, err = tx.Account(b.LiveKey.AccountID)
		return err
	})
	queue := fairqueue.New(1)
	busy := ask.New(ask.Config{Store: b.Store, Data: b.App.Datasets, Clock: b.Clock.Now, Queue: queue})
	done := make(chan error)
	err := queue.Do(t.Context(), fairqueue.Photos, "other", func(context.Context) error {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			_, err := busy.Answer(ctx, owner, ask.Question{Text: "What is the colour of the moon?"})
			done <- err
		}()
		for queue.Waiting(fairqueue.Questions) == 0 {
			select {
			case err := <-done:
				t.Errorf("a question was read while a photo had the only slot: %v", err)
				return nil
			default:
				runtime.Gosched()
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
