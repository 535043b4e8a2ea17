package web

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// clientAddress is the peer's address or, when the peer is a trusted proxy, the
// nearest address in X-Forwarded-For that is not one (A6). Entries further
// left were written by the client and prove nothing.
func clientAddress(r *http.Request, trusted []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap()
	if !anyContains(trusted, address) {
		return address
	}

	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(hops) {
		hop, err := netip.ParseAddr(strings.TrimSpace(text))
		if err != nil {
			return address
		}
		address = hop.Unmap().WithZone("")
		if !anyContains(trusted, address) {
			return address
		}
	}
	return address
}

func anyContains(prefixes []netip.Prefix, address netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(address) })
}

// checkForwarded warns once of a peer that forwards requests and is not trusted to. If it is
// the operator's own proxy, all clients have its address, and share one limit.
func (f *Frame) checkForwarded(r *http.Request) {
	if len(r.Header["X-Forwarded-For"]) == 0 {
		return
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || anyContains(f.Proxies, peer.Addr().Unmap()) {
		return
	}
	f.warnOfProxy.Do(func() {
		f.Log.Warn("X-Forwarded-For is ignored, because the peer is not in --trusted-proxies; "+
			"if it is your proxy, all clients share one limit until it is", "peer", peer.Addr().Unmap().String())
	})
}

// Address returns the address of a page with a query of names and values, in pairs. Those
// without a value are left out.
func Address(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			query.Set(pairs[i], pairs[i+1])
		}
	}
	return (&url.URL{Path: path, RawQuery: query.Encode()}).String()
}
