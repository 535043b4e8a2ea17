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

func TestLoopsRunAtStart(t *testing.T) {
	ran := make(chan string, 2)
	run := func(name string) func(context.Context) error {
		return func(context.Context) error { ran <- name; return nil }
	}
	g := job.Start(slog.New(slog.DiscardHandler),
		job.Loop{Name: "a", Every: time.Hour, Run: run("a")}, job.Loop{Name: "b", Every: time.Hour, Run: run("b")})
	if first, second := <-ran, <-ran; first == second {
		t.Errorf("loop %s ran twice", first)
	}
	g.Stop()
}

func TestLoopSurvivesErrorsAndPanics(t *testing.T) {
	var log buffer
	runs, again := 0, make(chan struct{})
	g := job.Start(slog.New(slog.NewTextHandler(&log, nil)), job.Loop{Name: "sweep", Every: time.Millisecond, Run: func(context.Context) error {
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
	g := job.Start(slog.New(slog.NewTextHandler(&log, nil)), job.Loop{Name: "sweep", Every: time.Hour, Run: func(ctx context.Context) error {
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
