package gate

import (
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/throttle"
	"svc/server/web"
)

// standing is what the rate headers show: of a key its minute or an endpoint's rolling
// window, of an address its failed authentications (A6, A7, J2).
type standing throttle.Standing

// standingOf reads a key's standing at an endpoint with rolling windows, or by its plan if
// rolling is empty. It counts nothing.
func standingOf(tx *db.Tx, p db.Principal, rolling string) (standing, error) {
	if rolling != "" {
		state, err := tx.Rolling(p.KeyID, rolling)
		return windowOf(state), err
	}
	m, err := tx.Meter(p.KeyID)
	return minuteOf(m, p.Plan.Limits()), err
}

func windowOf(r db.Rolling) standing {
	return standing{Limit: r.Limit, Remaining: r.Remaining, Reset: r.NextAt}
}

func minuteOf(m db.Meter, limits db.Limits) standing {
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
	retryHeader     = "X-RateLimit-Retry-After"
)

// showRetry adds the header that a 429 of an endpoint with rolling windows has beside
// Retry-After (seed 8.4).
func showRetry(w *web.Response, t Terms, e *fault.Error) {
	if t.Rolling != "" && e.RetryAfter > 0 {
		w.Header()[retryHeader] = []string{strconv.FormatInt(web.Seconds(e.RetryAfter), 10)}
	}
}

// ceilSeconds returns the first Unix second that is not before t.
func ceilSeconds(t time.Time) int64 { return (t.UnixMilli() + 999) / 1000 }

// FillHeaders adds the standing of the address to an answer of the API that shows no
// key's standing, so that every answer has rate headers (seed 8.1), also at the paths of
// seed 8.4.
func (g *Gate) FillHeaders(w *web.Response, r *http.Request) {
	//lint:ignore SA1008 the header is written as the contract spells it
	if _, shown := w.Header()[limitHeader]; !shown && isAPIPath(r.URL.Path) {
		g.addressStanding(w.Address).show(w)
	}
}

func isAPIPath(path string) bool {
	_, windowed := db.DefaultLimits(strings.TrimPrefix(path, "/"))
	return windowed || strings.HasPrefix(path, "/api/v1/")
}

// ShowStanding adds the standing of the key's plan to the answer, if the request has a
// valid key. It counts nothing. 404 and 405 use it (A6).
func (g *Gate) ShowStanding(w *web.Response, r *http.Request) error {
	return g.showStanding(w, r, "")
}

func (g *Gate) showStanding(w *web.Response, r *http.Request, rolling string) error {
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
		s, err := standingOf(tx, p, rolling)
		if err == nil {
			s.show(w)
		}
		return err
	})
}
