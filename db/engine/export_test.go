package engine

import (
	"context"
	"sync/atomic"
)

const (
	MaxBatch    = maxBatch
	LockTimeout = lockTimeout
	DeferDelay  = deferDelay
	DeferChunk  = deferChunk
	DeferLimit  = deferLimit
)

var TimeAfter = timeAfter

// SQL runs text on the transaction's own connection, past everything that guards
// it. Tests break the connection with it.
func (tx *Tx) SQL(text string, args ...any) error {
	return tx.conn.execText(context.Background(), text, args...)
}

// ReadOnlyWhile makes the writer's next connections refuse writes while broken is
// true. It must be called inside an Update of this engine.
func (e *Engine) ReadOnlyWhile(broken *atomic.Bool) {
	dial := e.writer.dial
	e.writer.dial = func() (*Conn, error) {
		c, err := dial()
		if err == nil && broken.Load() {
			err = c.execText(context.Background(), "PRAGMA query_only = 1")
		}
		return c, err
	}
}

// LimitLog sets the length of the log, in pages, from which it starts anew.
func (e *Engine) LimitLog(pages int64) { e.checkpointer.maxPages = pages }
