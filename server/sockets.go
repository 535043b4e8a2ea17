package server

import (
	"container/list"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"svc/server/throttle"
)

const (
	// maxSockets bounds the connections whatever the descriptors allow: an idle one takes
	// about 20 KiB, over TLS 36.
	maxSockets = 4096
	// idleTime ends connections that wait for their next request.
	idleTime = 60 * time.Second
)

// sockets bounds the open connections, so that those of one caller leave room for others: in
// all below the process's limit of descriptors, and a quarter of them for one network. A
// connection beyond a bound takes the place of the one that has been idle for longest, of
// its network or of all. If none is idle, it is refused.
type sockets struct {
	limit, each int
	trusted     []netip.Prefix // proxies: whoever comes through them is not one network

	mu       sync.Mutex
	open     map[net.Conn]*socket
	refused  int // since the start
	networks map[netip.Addr]*peers
	idle     *list.List // of *socket, the one that has been idle for longest first
}

// socket is an open connection.
type socket struct {
	conn    net.Conn
	network netip.Addr // zero if it is not bounded
	// Its places in the lists of idle connections, nil while it is at work.
	inAll, inNetwork *list.Element
}

// peers are the connections of a network.
type peers struct {
	open int
	idle *list.List // of *socket
}

// newSockets returns the bounds for a limit of connections; 0: what the descriptors allow.
func newSockets(limit int, trusted []netip.Prefix) *sockets {
	if limit == 0 {
		limit = forSockets(descriptors())
	}
	return &sockets{
		limit: limit, each: max(limit/4, 1), trusted: trusted,
		open: map[net.Conn]*socket{}, networks: map[netip.Addr]*peers{}, idle: list.New(),
	}
}

// forSockets returns how many connections may be open with a limit of descriptors; 0: there is
// none. A quarter is left, and at least 64: for the database and for calls to others.
func forSockets(descriptors uint64) int {
	if descriptors == 0 || descriptors > 2*maxSockets {
		return maxSockets
	}
	n := int(descriptors)
	return min(max(n-max(n/4, 64), 8), maxSockets)
}

// watch makes the server report its connections.
func (s *sockets) watch(server *http.Server) {
	inner := server.ConnState
	server.ConnState = func(c net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.admit(c)
		case http.StateActive:
			s.work(c)
		case http.StateIdle:
			s.rest(c)
		case http.StateClosed, http.StateHijacked:
			s.forget(c)
		}
		if inner != nil {
			inner(c, state)
		}
	}
}

// admit counts a new connection, which is idle until its first byte. It makes room for it, or
// closes it. net/http calls it before it accepts the next one.
func (s *sockets) admit(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	network := s.network(c)
	if p := s.networks[network]; p != nil && p.open >= s.each && !s.shed(p.idle) ||
		len(s.open) >= s.limit && !s.shed(s.idle) {
		s.refused++
		refuse(c)
		return
	}
	one := &socket{conn: c, network: network}
	s.open[c] = one
	if network.IsValid() {
		if s.networks[network] == nil {
			s.networks[network] = &peers{idle: list.New()}
		}
		s.networks[network].open++
	}
	s.addIdle(one)
}

// counts returns how many connections are open, and how many were refused.
func (s *sockets) counts() (open, refused int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open), s.refused
}

// network returns the network that a connection counts for, or the zero address.
func (s *sockets) network(c net.Conn) netip.Addr {
	peer, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap()
	for _, p := range s.trusted {
		if p.Contains(address) {
			return netip.Addr{}
		}
	}
	return throttle.Network(address)
}

// shed closes the first connection of a list of idle ones, and reports whether there was one.
func (s *sockets) shed(idle *list.List) bool {
	first := idle.Front()
	if first == nil {
		return false
	}
	c := first.Value.(*socket).conn
	s.remove(c)
	_ = rawConn(c).Close() // net/http then ends its goroutine
	return true
}

// rawConn returns the connection below TLS. To close that of TLS says goodbye to the peer first,
// and may wait for one that does not read.
func rawConn(c net.Conn) net.Conn {
	if t, ok := c.(*tls.Conn); ok {
		return t.NetConn()
	}
	return c
}

// refusal is the answer to a connection for which there is no room.
const refusal = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"

// refuse closes a connection. Its answer fits into the socket's buffer and does not block. Over
// TLS there is none: a handshake would have to come first.
func refuse(c net.Conn) {
	raw := rawConn(c)
	if raw == c {
		_ = c.SetWriteDeadline(time.Now().Add(time.Second))
		_, _ = c.Write([]byte(refusal))
	}
	_ = raw.Close()
}

func (s *sockets) work(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[c]; one != nil {
		s.removeIdle(one)
	}
}

func (s *sockets) rest(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.open[c]; one != nil {
		s.addIdle(one)
	}
}

func (s *sockets) forget(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(c)
}

// The caller of the following holds mu.

// remove forgets a connection, if it is not forgotten yet.
func (s *sockets) remove(c net.Conn) {
	one := s.open[c]
	if one == nil {
		return
	}
	s.removeIdle(one)
	delete(s.open, c)
	if p := s.networks[one.network]; p != nil {
		if p.open--; p.open == 0 {
			delete(s.networks, one.network)
		}
	}
}

func (s *sockets) addIdle(one *socket) {
	if one.inAll != nil {
		return
	}
	one.inAll = s.idle.PushBack(one)
	if p := s.networks[one.network]; p != nil {
		one.inNetwork = p.idle.PushBack(one)
	}
}

func (s *sockets) removeIdle(one *socket) {
	if one.inAll == nil {
		return
	}
	s.idle.Remove(one.inAll)
	if one.inNetwork != nil {
		s.networks[one.network].idle.Remove(one.inNetwork)
	}
	one.inAll, one.inNetwork = nil, nil
}
