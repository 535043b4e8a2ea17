//go:build unix

package gate_test

import (
	"net/http"
	"testing"

	"svc/db"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/servertest"
	"svc/server/web"
)

// A free call that cannot be counted is refused, and its answer shows the key's standing.
func TestFreeCallRefusedOnFullDisk(t *testing.T) {
	k := newKit(t, db.AccountMode, 0)
	h := k.Free(gate.Terms{}, func(w *web.Response, _ *http.Request, _ gate.Caller, _ []byte) error { return w.JSON(200, 1) })
	k.call(h)
	mend := servertest.FillDisk(t)
	a := k.call(h)
	mend()
	expect(t, a, 500, fault.Internal) // the kit's frame translates nothing
	expectRemaining(t, a, "4")        // the key's
	expect(t, k.call(h), 200, "")
}
