package engine

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// snapshots bounds the long reads of the file that run at once, and lets the checkpointer
// hold back new ones: the write-ahead log can start anew only while no snapshot of it is
// open, and long reads that overlap would never leave such a moment. Short views do.
type snapshots struct {
	views   *semaphore.Weighted // LongView
	selects *semaphore.Weighted // Query and Snapshot
}

func newSnapshots() *snapshots {
	return &snapshots{views: semaphore.NewWeighted(maxLongViews), selects: semaphore.NewWeighted(poolConns)}
}

// read runs fn, which opens a snapshot, when kind has a free place. While it waits only ctx
// bounds it.
func read[T any](ctx context.Context, kind *semaphore.Weighted, fn func() (T, error)) (result T, err error) {
	if err := kind.Acquire(ctx, 1); err != nil {
		return result, err
	}
	defer kind.Release(1)
	return fn()
}

// pause waits until no long read runs and holds back new ones until resume is called.
func (s *snapshots) pause(ctx context.Context) (resume func(), err error) {
	if err := s.views.Acquire(ctx, maxLongViews); err != nil {
		return nil, err
	}
	if err := s.selects.Acquire(ctx, poolConns); err != nil {
		s.views.Release(maxLongViews)
		return nil, err
	}
	return func() {
		s.views.Release(maxLongViews)
		s.selects.Release(poolConns)
	}, nil
}
