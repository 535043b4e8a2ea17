package server_test

import (
	"testing"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// shop adds to the shop of servertest what only these tests need.
type shop struct{ *servertest.Shop }

func newShop(t *testing.T, plan db.Plan, cents int64, change ...func(*server.Config)) *shop {
	t.Helper()
	return &shop{servertest.NewShop(t, plan, cents, change...)}
}

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")
