package job_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/server/job"
)

// buffer is a log for concurrent loops.
type buffer struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.all.String()
}

func board() *job.Board { return job.NewBoard(time.Now, strings.ToUpper) }

func TestLoopsRunAtStart(t *testing.T) {
	ran := make(chan string, 2)
	run := func(name string) func(context.Context) error {
		return func(context.Context) error { ran <- name; return nil }
	}
	g := job.Start(slog.New(slog.DiscardHandler), board(),
		job.Loop{Name: "a", Every: time.Hour, Run: run("a")}, job.Loop{Name: "b", Every: time.Hour, Run: run("b")})
	if first, second := <-ran, <-ran; first == second {
		t.Errorf("loop %s ran twice", first)
	}
	g.Stop()
}

func TestLoopSurvivesErrorsAndPanics(t *testing.T) {
	var log buffer
	runs, again := 0, make(chan struct{})
	g := job.Start(slog.New(slog.NewTextHandler(&log, nil)), board(), job.Loop{Name: "sweep", Every: time.Millisecond, Run: func(context.Context) error {
		switch runs++; runs {
		case 1:
			return errors.New("disk full")
		case 2:
			panic("boom")
		case 3:
			close(again)
		}
		return nil
	}})
	<-again
	g.Stop()
	for _, want := range []string{"disk full", "boom", "job=sweep"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("log does not contain %q: %s", want, &log)
		}
	}
}

func TestStopCancelsRunAndWaits(t *testing.T) {
	var log buffer
	var finished atomic.Bool
	began := make(chan struct{})
	g := job.Start(slog.New(slog.NewTextHandler(&log, nil)), board(), job.Loop{Name: "sweep", Every: time.Hour, Run: func(ctx context.Context) error {
		close(began)
		<-ctx.Done()
		finished.Store(true)
		return ctx.Err()
	}})
	<-began
	g.Stop()
	if !finished.Load() {
		t.Error("Stop returned before the run did")
	}
	if log.String() != "" {
		t.Errorf("log of a canceled run: got %s, want nothing", &log)
	}
}

// The board shows each run, its failures, and when the next tick is.
func TestBoard(t *testing.T) {
	var mu sync.Mutex
	now := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	start := now
	clock := func() time.Time { mu.Lock(); defer mu.Unlock(); return now }
	pass := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	b := job.NewBoard(clock, strings.ToUpper)
	wake, running, end := make(chan struct{}), make(chan struct{}), make(chan error)
	g := job.Start(slog.New(slog.DiscardHandler), b, job.Loop{Name: "sweep", Every: time.Hour, Wake: wake, Run: func(context.Context) error {
		running <- struct{}{}
		if err := <-end; err == nil || err.Error() != "panic" {
			return err
		}
		panic("boom")
	}})
	expect := func(want job.State) {
		t.Helper()
		want.Name, want.Every = "sweep", time.Hour
		if all := b.States(); len(all) != 1 || all[0] != want {
			t.Errorf("states\n%+v, want\n%+v", all, want)
		}
	}

	<-running
	expect(job.State{Running: true, Began: start})
	pass(2 * time.Second)
	end <- errors.New("disk full")
	wake <- struct{}{} // the first run has ended
	<-running
	failed := job.State{Running: true, Began: start.Add(2 * time.Second), Took: 2 * time.Second, Failing: true,
		Problem: "DISK FULL", FailedAt: start.Add(2 * time.Second), Runs: 1, Failures: 1, Next: start.Add(time.Hour)}
	expect(failed)
	pass(time.Hour)
	end <- nil
	wake <- struct{}{}
	<-running
	recovered := failed
	recovered.Failing, recovered.Took, recovered.Next = false, time.Hour, start.Add(2*time.Hour)
	recovered.Began = start.Add(time.Hour + 2*time.Second)
	recovered.Runs, recovered.SucceededAt = 2, recovered.Began
	expect(recovered)
	end <- errors.New("panic")
	wake <- struct{}{}
	<-running
	end <- nil
	g.Stop()
	if s := b.States()[0]; s.Running || s.Failing || s.Problem != "PANIC: BOOM" || s.Runs != 4 || s.Failures != 2 {
		t.Errorf("after a panic and a success: %+v", s)
	}
}
