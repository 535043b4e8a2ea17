package gate

import (
	"sync"
	"time"

	"svc/server/fault"
)

// quiet lets one refusal of a kind through for each key and minute. A caller that
// runs against its limit as fast as it can would otherwise fill the disk with log
// rows: refusals over a limit are the only ones that no limit bounds.
type quiet struct {
	mu     sync.Mutex
	minute time.Time
	logged map[refusalKind]bool
}

type refusalKind struct {
	keyID string
	code  fault.Code
}

func newQuiet() *quiet { return &quiet{logged: map[refusalKind]bool{}} }

// first reports whether this is the first refusal of its kind in this minute.
func (q *quiet) first(kind refusalKind, now time.Time) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if minute := now.Truncate(time.Minute); !minute.Equal(q.minute) {
		q.minute = minute
		clear(q.logged)
	}
	if q.logged[kind] {
		return false
	}
	q.logged[kind] = true
	return true
}
