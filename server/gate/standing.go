package gate

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/throttle"
	"svc/server/web"
)

// standing is what the rate headers show: of a key its minute, of an address its
// failed authentications (A6, A7).
type standing throttle.Standing

func standingOf(m db.Meter, limits db.Limits) standing {
	return standing{Limit: limits.Minute, Remaining: max(0, limits.Minute-m.WindowUsed), Reset: m.WindowEnds}
}

// addressStanding returns how many failed authentications an address has left.
func (g *Gate) addressStanding(address netip.Addr) standing {
	return standing(g.addresses.Standing(throttle.Network(address), g.now()))
}

func (s standing) show(w *web.Response) {
	header := w.Header()
	header[limitHeader] = []string{strconv.FormatInt(s.Limit, 10)}
	header[remainingHeader] = []string{strconv.FormatInt(s.Remaining, 10)}
	header[resetHeader] = []string{strconv.FormatInt(ceilSeconds(s.Reset), 10)}
}

// The rate headers, spelled as the contract does; Header.Set would write
// X-Ratelimit-Limit.
const (
	limitHeader     = "X-RateLimit-Limit"
	remainingHeader = "X-RateLimit-Remaining"
	resetHeader     = "X-RateLimit-Reset"
)

// ceilSeconds returns the first Unix second that is not before t.
func ceilSeconds(t time.Time) int64 { return (t.UnixMilli() + 999) / 1000 }

// FillHeaders adds the standing of the address to an answer of the API that shows no
// key's standing, so that every answer has rate headers (seed 8.1).
func (g *Gate) FillHeaders(w *web.Response, r *http.Request) {
	//lint:ignore SA1008 the header is written as the contract spells it
	if _, shown := w.Header()[limitHeader]; !shown && strings.HasPrefix(r.URL.Path, "/api/v1/") {
		g.addressStanding(w.Address).show(w)
	}
}

// ShowStanding adds the key's standing to the answer, if the request has a valid key.
// It counts nothing. 404 and 405 use it (A6).
func (g *Gate) ShowStanding(w *web.Response, r *http.Request) error {
	secret, ok := db.ParseSecret(r.Header.Get(keyHeader))
	if !ok {
		return nil
	}
	hash := secret.Hash()
	if !g.mayLookUp(hash, w.Address) {
		return nil
	}
	return g.Store.View(r.Context(), func(tx *db.Tx) error {
		p, err := tx.Principal(hash)
		if err != nil {
			return ignoreNotFound(err)
		}
		m, err := tx.Meter(p.KeyID)
		if err == nil {
			standingOf(m, p.Plan.Limits()).show(w)
		}
		return err
	})
}
