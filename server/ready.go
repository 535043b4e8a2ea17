package server

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/web"
)

// readiness is the last finding of /readyz. The check writes to the store, so one runs at a
// time, and at most one in readinessAge however often anyone asks.
type readiness struct {
	store *db.DB
	clock func() time.Time

	checking sync.Mutex
	found    atomic.Pointer[finding]
}

// finding is what a check found when it ended. A nil fail: calls can be served.
type finding struct {
	at   time.Time
	fail error
}

func newReadiness(store *db.DB, clock func() time.Time) *readiness {
	return &readiness{store: store, clock: clock}
}

const readinessAge = time.Second

// readyz reports whether calls can be served: the file has this schema (it was migrated
// when it was opened, and the writer watches its version) and takes a durable write, as paid
// calls need it: a disk may take writes and fail to sync them.
func (r *readiness) readyz(w *web.Response, req *http.Request) error {
	w.Quiet = true
	if err := r.check(req.Context()); err != nil {
		return err
	}
	return w.JSON(http.StatusOK, map[string]string{"status": "ok", "database": "writable", "migrations": "current"})
}

func (r *readiness) check(ctx context.Context) error {
	r.checking.Lock()
	defer r.checking.Unlock()
	if f := r.found.Load(); f != nil {
		if age := r.clock().Sub(f.at); age >= 0 && age < readinessAge {
			return f.fail
		}
	}
	err := r.store.Update(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		return tx.SetSetting("ready_at", tx.Now().Format(time.RFC3339))
	})
	r.found.Store(&finding{r.clock(), err})
	return err
}

// last returns what the last check found, at once; nil before the first.
func (r *readiness) last() error {
	if f := r.found.Load(); f != nil {
		return f.fail
	}
	return nil
}
