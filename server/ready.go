package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"svc/db"
	"svc/server/web"
)

// readiness is the last finding of /readyz. The check writes to the store, so it runs at
// most once in readinessAge however often anyone asks.
type readiness struct {
	store *db.DB
	clock func() time.Time

	mu   sync.Mutex
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
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	if age := now.Sub(r.at); age >= 0 && age < readinessAge {
		return r.fail
	}
	r.at = now
	r.fail = r.store.Update(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		return tx.SetSetting("ready_at", tx.Now().Format(time.RFC3339))
	})
	return r.fail
}
