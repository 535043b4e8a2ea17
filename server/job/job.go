// Package job runs the background work of the appliance as loops with one way to
// start and to stop. The work of a loop must be safe to run in two processes at
// once and to interrupt at any line.
package job

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// Loop runs work once at the start, then after each interval and whenever it is woken.
type Loop struct {
	Name  string // for the log
	Every time.Duration
	// Wake starts a run at once; the ticks of Every are not shifted. It may be nil.
	Wake <-chan struct{}
	Run  func(context.Context) error
}

// Group is a set of running loops.
type Group struct {
	stop context.CancelFunc
	done sync.WaitGroup
}

// Start starts the loops and shows their states on the board. An error or a panic of a run
// is logged and does not end its loop.
func Start(log *slog.Logger, board *Board, loops ...Loop) *Group {
	ctx, stop := context.WithCancel(context.Background())
	g := &Group{stop: stop}
	for _, loop := range loops {
		at := board.add(loop)
		g.done.Go(func() { loop.repeat(ctx, log, at) })
	}
	return g
}

// Stop cancels the context of the current runs and waits for them to return.
func (g *Group) Stop() {
	g.stop()
	g.done.Wait()
}

func (l Loop) repeat(ctx context.Context, log *slog.Logger, at entry) {
	ticker := time.NewTicker(l.Every)
	defer ticker.Stop()
	for {
		l.once(ctx, log, at)
		select {
		case <-ticker.C:
		case <-l.Wake:
		case <-ctx.Done():
			return
		}
	}
}

func (l Loop) once(ctx context.Context, log *slog.Logger, at entry) {
	problem := ""
	at.began()
	defer func() {
		if v := recover(); v != nil {
			log.Error("job panicked", "job", l.Name, "panic", v)
			problem = fmt.Sprint("panic: ", v)
		}
		at.ended(problem)
	}()
	if err := l.Run(ctx); err != nil && ctx.Err() == nil {
		log.Error("job", "job", l.Name, "cause", err)
		problem = err.Error()
	}
}
