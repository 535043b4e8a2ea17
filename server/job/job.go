// Package job runs what the appliance does in the background: loops with one way
// to start and to stop. What a loop does must be safe to do in two processes at
// once, and to be cut off at any line.
package job

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Loop is work that is done at the start, then every so often, and when woken.
type Loop struct {
	Name  string
	Every time.Duration
	// Wake runs it now and then again in its time; nil: nothing does.
	Wake <-chan struct{}
	Run  func(context.Context) error
}

// Group is a set of running loops.
type Group struct {
	stop context.CancelFunc
	done sync.WaitGroup
}

// Start starts the loops. An error or a panic of one run is logged, and the next
// run comes in its time.
func Start(log *slog.Logger, loops ...Loop) *Group {
	ctx, stop := context.WithCancel(context.Background())
	g := &Group{stop: stop}
	for _, loop := range loops {
		g.done.Go(func() { loop.repeat(ctx, log) })
	}
	return g
}

// Stop ends the loops and waits for the runs under way.
func (g *Group) Stop() {
	g.stop()
	g.done.Wait()
}

func (l Loop) repeat(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(l.Every)
	defer ticker.Stop()
	for {
		l.once(ctx, log)
		select {
		case <-ticker.C:
		case <-l.Wake:
		case <-ctx.Done():
			return
		}
	}
}

func (l Loop) once(ctx context.Context, log *slog.Logger) {
	defer func() {
		if v := recover(); v != nil {
			log.Error("job panicked", "job", l.Name, "panic", v)
		}
	}()
	if err := l.Run(ctx); err != nil && ctx.Err() == nil {
		log.Error("job", "job", l.Name, "cause", err)
	}
}
