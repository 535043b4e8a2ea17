package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"svc/db"
	"svc/server/web"
)

// readiness is what /readyz found, and when: the check writes, so that anyone
// who asks often must not make us write often.
type readiness struct {
	mu   sync.Mutex
	at   time.Time
	fail error
}

const readinessAge = time.Second

// readyz says whether calls can be served: the file is at this schema (it was
// migrated when it was opened, and is watched since) and takes a write.
func (a *App) readyz(w *web.Response, r *http.Request) error {
	w.Quiet = true
	if err := a.checkReady(r.Context()); err != nil {
		return err
	}
	return w.JSON(http.StatusOK, map[string]string{"status": "ok", "database": "writable", "migrations": "current"})
}

func (a *App) checkReady(ctx context.Context) error {
	a.readiness.mu.Lock()
	defer a.readiness.mu.Unlock()
	now := a.config.Clock()
	if age := now.Sub(a.readiness.at); age >= 0 && age < readinessAge {
		return a.readiness.fail
	}
	a.readiness.at = now
	a.readiness.fail = a.store.RelaxedUpdate(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		return tx.SetSetting("ready_at", tx.Now().Format(time.RFC3339))
	})
	return a.readiness.fail
}
