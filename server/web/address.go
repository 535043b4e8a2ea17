package web

import (
	"net/http"
	"net/netip"
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
	for i := len(hops) - 1; i >= 0; i-- {
		hop, err := netip.ParseAddr(strings.TrimSpace(hops[i]))
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
	for _, prefix := range prefixes {
		if prefix.Contains(address) {
			return true
		}
	}
	return false
}
