// Package outbound posts to addresses that users of the service have chosen. It keeps such
// an address from reaching what only this machine or its network can reach (K6), and from
// holding a try for long.
package outbound

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Allow is what may be reached beside public addresses. The zero value allows nothing more.
type Allow struct {
	private  bool
	loopback bool
	networks []netip.Prefix
	hosts    []string // lower case
}

// ParseAllow parses "private", "loopback", networks, addresses and host names. The error
// names the entry at fault.
func ParseAllow(entries []string) (a Allow, err error) {
	for _, entry := range entries {
		entry = strings.ToLower(strings.TrimSpace(entry))
		prefix, prefixErr := netip.ParsePrefix(entry)
		if address, err := netip.ParseAddr(entry); err == nil && address.Zone() == "" {
			prefix, prefixErr = netip.PrefixFrom(address, address.BitLen()), nil
		}
		switch {
		case entry == "private":
			a.private = true
		case entry == "loopback":
			a.loopback = true
		case prefixErr == nil:
			a.networks = append(a.networks, prefix.Masked())
		case isHostName(entry):
			a.hosts = append(a.hosts, entry)
		default:
			return Allow{}, fmt.Errorf("%q is not private, loopback, a network like 10.0.0.0/8 or a host name", entry)
		}
	}
	return a, nil
}

func isHostName(text string) bool {
	return text != "" && len(text) <= 253 && strings.ContainsAny(text, "abcdefghijklmnopqrstuvwxyz") &&
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// Problems of an address. Their texts follow the name of the field.
var (
	ErrAddress = errors.New("must be an address like https://example.com/events")
	ErrScheme  = errors.New("must begin with https://, unless it leads to this machine and the operator allows it (svc serve --webhook-allow loopback)")
	ErrUser    = errors.New("must not have a user name or password")
	ErrPort    = errors.New("must have port 443, or one from 1024 to 65535")
	ErrPlain   = errors.New("must begin with https://: plain http:// may lead to this machine alone")
	ErrBlocked = errors.New("must lead to a public address: not to this machine or a private network, unless the operator allows it (svc serve --webhook-allow)")
)

const maxURL = 2048 // bytes

// CheckURL checks an address before it is stored. It looks up nothing: where a name leads is
// checked whenever it is dialled. Of plain HTTP it takes names of this machine, and those that
// the operator allows, which must lead to this machine as well (K1).
func (a Allow) CheckURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Fragment != "" || len(text) > maxURL || strings.ContainsFunc(text, isSpaceOrControl) {
		return nil, ErrAddress
	}
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || !a.loopback):
		return nil, ErrScheme
	case u.User != nil:
		return nil, ErrUser
	case u.Hostname() == "":
		return nil, ErrAddress
	}
	if err := a.checkHost(u.Hostname(), u.Scheme == "http"); err != nil {
		if u.Scheme == "http" {
			err = ErrPlain
		}
		return nil, err
	}
	if !validPort(Port(u)) {
		return nil, ErrPort
	}
	return u, nil
}

func isSpaceOrControl(r rune) bool { return r <= ' ' || r == 0x7f }

// checkHost checks what can be known of a host without a look-up.
func (a Allow) checkHost(host string, plain bool) error {
	if address, err := netip.ParseAddr(host); err == nil {
		return a.check(host, address, plain)
	}
	name := strings.TrimSuffix(strings.ToLower(host), ".")
	local := name == "localhost" || strings.HasSuffix(name, ".localhost")
	switch {
	case slices.Contains(a.hosts, name):
		return nil
	case local && !a.loopback, plain && !local:
		return ErrBlocked
	}
	return nil
}

// Port returns the port of an address, that of its scheme if it names none.
func Port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}

func validPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && (port == 443 || port >= 1024)
}

// check reports as ErrBlocked an address that host must not lead to. Plain HTTP may lead to
// this machine only.
func (a Allow) check(host string, address netip.Addr, plain bool) error {
	address = address.Unmap()
	zoned := address.Zone() != ""
	address = address.WithZone("")
	switch {
	case plain:
		if a.loopback && address.IsLoopback() {
			return nil
		}
		return ErrBlocked
	case slices.Contains(a.hosts, strings.TrimSuffix(strings.ToLower(host), ".")):
		return nil
	case slices.ContainsFunc(a.networks, func(p netip.Prefix) bool { return p.Contains(address) }):
		return nil
	case a.loopback && address.IsLoopback():
		return nil
	case a.private && address.IsPrivate() && address != metadata6:
		return nil
	case zoned || !isPublic(address):
		return ErrBlocked
	}
	return nil
}

// metadata6 is where Amazon's machines read their credentials over IPv6. Other metadata
// services have link-local addresses, or 100.100.100.200.
var metadata6 = netip.MustParseAddr("fd00:ec2::254")

// globalUnicast is all of IPv6 that is assigned to public hosts. Loopback, unique local, link
// local and multicast addresses are outside it, and so is NAT64 (64:ff9b::/96), behind which
// any IPv4 address can be.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// special are the networks that are not public, from IANA's registries of special-purpose
// addresses, and Azure's host of the metadata and DNS of its machines.
var special = mustPrefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

func mustPrefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// isPublic reports whether an unmapped address without a zone is a host's on the internet.
func isPublic(address netip.Addr) bool {
	if address.Is6() && !globalUnicast.Contains(address) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(address) })
}

// Resolver finds the addresses of a host, as *net.Resolver does.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// dialer returns the function with which a transport connects. It looks the host up, checks
// what it found, and connects to that and nothing else, so that a second look-up with
// another answer changes nothing.
func (a Allow) dialer(resolver Resolver, plain bool) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		if !validPort(port) {
			return nil, ErrPort
		}
		found, err := lookUp(ctx, resolver, host)
		if err != nil {
			return nil, err
		}
		return a.dialFirst(ctx, found, host, port, plain)
	}
}

func lookUp(ctx context.Context, resolver Resolver, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	return resolver.LookupNetIP(ctx, "ip", host)
}

// maxDials bounds how many addresses of one host are tried.
const maxDials = 3

// dialFirst connects to the first address that answers. Each has an equal share of the time.
func (a Allow) dialFirst(ctx context.Context, found []netip.Addr, host, port string, plain bool) (net.Conn, error) {
	var allowed []netip.Addr
	for _, address := range found {
		if a.check(host, address, plain) == nil {
			allowed = append(allowed, address.Unmap())
		}
	}
	if len(allowed) == 0 {
		return nil, ErrBlocked
	}
	var all error
	for _, address := range allowed[:min(len(allowed), maxDials)] {
		d := net.Dialer{Timeout: dialTime}
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(address.String(), port))
		if err == nil {
			return conn, nil
		}
		all = errors.Join(all, err)
	}
	return nil, all
}
