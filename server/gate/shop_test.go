package gate_test

import (
	"testing"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// shop adds to the shop of servertest what only the tests of the gate need.
type shop struct{ *servertest.Shop }

func newShop(t *testing.T, plan db.Plan, cents int64, change ...func(*server.Config)) *shop {
	t.Helper()
	return &shop{servertest.NewShop(t, plan, cents, change...)}
}

// again opens a second appliance on the shop's file.
func (s *shop) again(t *testing.T) *shop {
	t.Helper()
	return &shop{s.OpenAgain(t)}
}

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")
