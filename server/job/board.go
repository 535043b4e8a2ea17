package job

import (
	"slices"
	"sync"
	"time"
)

// State is what is known of a loop.
type State struct {
	Name    string
	Every   time.Duration
	Running bool
	Began   time.Time     // the last run, or the one that runs; zero: none has begun
	Took    time.Duration // the last run that ended
	Failing bool          // the last run that ended has failed
	// Problem is the newest error of any run, and FailedAt when that run ended; empty and
	// zero if none has failed.
	Problem  string
	FailedAt time.Time
	// Runs and Failures count the runs that ended. SucceededAt is when the newest one that did
	// not fail has ended; zero: none has.
	Runs, Failures int
	SucceededAt    time.Time
	Next           time.Time // when it runs again, unless it is woken before
}

// Board has the states of the loops of this process since its start. It may be used
// concurrently.
type Board struct {
	clock func() time.Time
	clean func(string) string // makes the text of an error fit to be shown

	mu     sync.Mutex
	states []State
}

// NewBoard returns a board without loops.
func NewBoard(clock func() time.Time, clean func(string) string) *Board {
	return &Board{clock: clock, clean: clean}
}

// States returns the loops in the order in which they were started.
func (b *Board) States() []State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.states)
}

// entry is the place of a loop on its board.
type entry struct {
	board *Board
	at    int
	start time.Time // of its ticks
}

func (b *Board) add(l Loop) entry {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.states = append(b.states, State{Name: l.Name, Every: l.Every})
	return entry{b, len(b.states) - 1, b.clock()}
}

func (e entry) began() {
	e.change(func(s *State, now time.Time) { s.Running, s.Began = true, now })
}

// ended stores how a run ended; an empty problem is a success.
func (e entry) ended(problem string) {
	e.change(func(s *State, now time.Time) {
		s.Running, s.Took, s.Failing = false, now.Sub(s.Began), problem != ""
		s.Runs++
		if problem != "" {
			s.Failures++
			s.Problem, s.FailedAt = e.board.clean(problem), now
		} else {
			s.SucceededAt = now
		}
		if ticks := now.Sub(e.start) / s.Every; ticks >= 0 {
			s.Next = e.start.Add((ticks + 1) * s.Every)
		}
	})
}

func (e entry) change(fn func(s *State, now time.Time)) {
	e.board.mu.Lock()
	defer e.board.mu.Unlock()
	fn(&e.board.states[e.at], e.board.clock())
}
