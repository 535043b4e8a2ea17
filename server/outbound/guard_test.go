package outbound_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/server/outbound"
)

func allow(t testing.TB, entries ...string) outbound.Allow {
	t.Helper()
	a, err := outbound.ParseAllow(entries)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		url   string
		allow string
		want  error
	}{
		{"https://example.com/events?token=1", "", nil},
		{"https://example.com:8443", "", nil},
		{"https://93.184.215.14/", "", nil},
		{"https://[2606:2800:21f::1]/", "", nil},
		{"https://[::ffff:93.184.215.14]/", "", nil},
		{"http://example.com/", "", outbound.ErrScheme},
		{"http://example.com:8080/", "private", outbound.ErrScheme},
		{"http://localhost:3000/", "loopback", nil},
		{"http://127.0.0.1:3000/", "loopback", nil},
		{"http://hooks.Localhost.:3000/", "loopback", nil},
		{"http://93.184.215.14:3000/", "loopback", outbound.ErrPlain},
		{"http://example.com:3000/", "loopback", outbound.ErrPlain},
		{"http://example.com/", "loopback", outbound.ErrPlain},
		{"http://example.com:3000/", "loopback,till.example", outbound.ErrPlain},
		{"http://Till.example:3000/", "loopback,till.example", nil},
		{"http://localhost/", "loopback", outbound.ErrPort},
		{"ftp://example.com/", "loopback", outbound.ErrScheme},
		{"example.com/events", "", outbound.ErrScheme},
		{"https:example.com", "", outbound.ErrAddress},
		{"https:///events", "", outbound.ErrAddress},
		{"https://", "", outbound.ErrAddress},
		{"https://exa mple.com/", "", outbound.ErrAddress},
		{"https://example.com/\x00", "", outbound.ErrAddress},
		{"https://example.com/#top", "", outbound.ErrAddress},
		{"https://example.com/" + strings.Repeat("x", 2048), "", outbound.ErrAddress},
		{"https://user:password@example.com/", "", outbound.ErrUser},
		{"https://user@example.com/", "", outbound.ErrUser},
		{"https://example.com:25/", "", outbound.ErrPort},
		{"https://example.com:80/", "", outbound.ErrPort},
		{"https://example.com:1023/", "", outbound.ErrPort},
		{"https://example.com:1024/", "", nil},
		{"https://example.com:65536/", "", outbound.ErrPort},
		{"https://example.com:0/", "", outbound.ErrPort},
		{"https://localhost/", "", outbound.ErrBlocked},
		{"https://api.LOCALHOST./", "", outbound.ErrBlocked},
		{"https://127.0.0.1/", "", outbound.ErrBlocked},
		{"https://10.1.2.3/", "", outbound.ErrBlocked},
		{"https://10.1.2.3/", "private", nil},
		{"https://10.1.2.3/", "10.1.0.0/16", nil},
		{"https://10.2.2.3/", "10.1.0.0/16", outbound.ErrBlocked},
		{"https://169.254.169.254/", "private,loopback", outbound.ErrBlocked},
		{"https://[fd00:ec2::254]/", "private", outbound.ErrBlocked},
		{"https://[fd00::1]/", "private", nil},
		{"https://[::1]/", "loopback", nil},
		{"https://[fe80::1%25eth0]/", "private,loopback", outbound.ErrBlocked},
	} {
		var entries []string
		if row.allow != "" {
			entries = strings.Split(row.allow, ",")
		}
		if _, err := allow(t, entries...).CheckURL(row.url); !errors.Is(err, row.want) {
			t.Errorf("%.60q with %q: %v, want %v", row.url, row.allow, err, row.want)
		}
	}
}

func TestAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.8.8.8", "169.254.169.254",
		"172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		"224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "168.63.129.16",
		"[::]", "[::1]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]",
		"[64:ff9b::a00:1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::1]", "[100::1]", "[2001::1]", "[2001:db8::1]", "[2002:7f00:1::]",
		"[3fff::1]", "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]", "[fe80::1]", "[fec0::1]", "[ff02::1]",
	} {
		if _, err := allow(t).CheckURL("https://" + address + "/"); !errors.Is(err, outbound.ErrBlocked) {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"1.1.1.1", "172.32.0.1", "100.128.0.1", "192.0.1.1", "223.255.255.255", "[2606:4700::1111]", "[2a00:1450::1]"} {
		if _, err := allow(t).CheckURL("https://" + address + "/"); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestParseAllowRefuses(t *testing.T) {
	t.Parallel()
	for _, entry := range []string{"", "10.0.0.0/33", "1.2.3", "https://example.com", "a b", "*.example.com", "fe80::1%eth0"} {
		if _, err := outbound.ParseAllow([]string{entry}); err == nil {
			t.Errorf("%q is accepted", entry)
		}
	}
}

// names is a resolver whose answers change with each look-up; the last one repeats.
type names struct {
	answers []string
	asked   atomic.Int32
}

func (n *names) LookupNetIP(_ context.Context, network, host string) ([]netip.Addr, error) {
	if network != "ip" || host != "hooks.example.com" {
		return nil, errors.New("unexpected look-up of " + host)
	}
	i := int(n.asked.Add(1)) - 1
	var all []netip.Addr
	for text := range strings.SplitSeq(n.answers[min(i, len(n.answers)-1)], " ") {
		all = append(all, netip.MustParseAddr(text))
	}
	return all, nil
}

// receiver is a TLS server on this machine, with a client that trusts it. 127.0.0.1 counts
// as a public address.
func receiver(t *testing.T, answer http.HandlerFunc, change func(*outbound.Config)) (*outbound.Client, string, *atomic.Int32) {
	t.Helper()
	arrived := &atomic.Int32{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c := outbound.Config{Allow: allow(t, "127.0.0.1/32"), Clock: time.Now, Roots: roots}
	change(&c)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return outbound.New(c), u.Port(), arrived
}

func ok(http.ResponseWriter, *http.Request) {}

// The name leads to a public address when it is first looked up, and to this machine's
// network from then on.
func TestNameThatChanges(t *testing.T) {
	t.Parallel()
	for _, private := range []string{"10.0.0.1", "169.254.169.254", "::ffff:192.168.0.1", "::1", "127.0.0.2 0.0.0.0"} {
		resolver := &names{answers: []string{"127.0.0.1", private}}
		client, port, arrived := receiver(t, ok, func(c *outbound.Config) { c.Resolver = resolver })
		address := "https://hooks.example.com:" + port + "/"
		first := client.Post(t.Context(), address, nil, nil)
		if first.Code != 200 || resolver.asked.Load() != 1 {
			t.Errorf("%s: first %+v after %d look-ups", private, first, resolver.asked.Load())
		}
		reached := arrived.Load()
		second := client.Post(t.Context(), address, nil, nil)
		if !errors.Is(second.Err, outbound.ErrBlocked) || second.Problem != "the host leads to an address that is not public" ||
			resolver.asked.Load() != 2 || arrived.Load() != reached {
			t.Errorf("%s: second %+v after %d look-ups", private, second, resolver.asked.Load())
		}
	}
}

// Of several addresses only the public ones are dialled.
func TestPrivateAddressBesidePublic(t *testing.T) {
	t.Parallel()
	resolver := &names{answers: []string{"10.0.0.1 127.0.0.1"}}
	client, port, _ := receiver(t, ok, func(c *outbound.Config) { c.Resolver = resolver })
	if a := client.Post(t.Context(), "https://hooks.example.com:"+port+"/", nil, nil); a.Code != 200 {
		t.Errorf("answer %+v", a)
	}
}

// An allowed host may lead anywhere.
func TestAllowedHost(t *testing.T) {
	t.Parallel()
	client, port, arrived := receiver(t, ok, func(c *outbound.Config) {
		c.Allow, c.Resolver = allow(t, "hooks.example.com"), &names{answers: []string{"127.0.0.1"}}
	})
	if a := client.Post(t.Context(), "https://hooks.example.com:"+port+"/", nil, nil); a.Code != 200 {
		t.Errorf("answer %+v", a)
	}
	if a := client.Post(t.Context(), "https://127.0.0.1:"+port+"/", nil, nil); !errors.Is(a.Err, outbound.ErrBlocked) || arrived.Load() != 1 {
		t.Errorf("another host: %+v", a)
	}
}

func TestPost(t *testing.T) {
	t.Parallel()
	client, port, arrived := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Test") != "1" || r.Method != http.MethodPost || r.Proto != "HTTP/1.1" {
			t.Errorf("%s %s %v", r.Method, r.Proto, r.Header)
		}
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(429)
		_, _ = w.Write([]byte("later"))
	}, func(*outbound.Config) {})
	a := client.Post(t.Context(), "https://127.0.0.1:"+port+"/", []outbound.Header{{Name: "X-Test", Value: "1"}}, []byte("{}"))
	if a.Code != 429 || a.Body != "later" || a.RetryAfter != 7*time.Second || a.Problem != "" || arrived.Load() != 1 {
		t.Errorf("answer %+v", a)
	}
}

// A receiver that takes the request and never answers costs the time of one try.
func TestPostTimesOut(t *testing.T) {
	t.Parallel()
	client, port, arrived := receiver(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		func(c *outbound.Config) { c.Timeout = time.Second })
	a := client.Post(t.Context(), "https://127.0.0.1:"+port+"/", nil, nil)
	if a.Problem != "there was no answer in time" || a.Code != 0 || a.Duration < time.Second || arrived.Load() != 1 {
		t.Errorf("answer %+v, %d arrived", a, arrived.Load())
	}
}

// A status that came counts, even if the rest of the answer never does.
func TestEndlessAnswer(t *testing.T) {
	t.Parallel()
	client, port, _ := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("a"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}, func(c *outbound.Config) { c.Timeout = time.Second })
	if a := client.Post(t.Context(), "https://127.0.0.1:"+port+"/", nil, nil); a.Code != 200 || a.Body != "a" || a.Problem != "" {
		t.Errorf("answer %+v", a)
	}
}

func TestUntrustedCertificate(t *testing.T) {
	t.Parallel()
	client, port, arrived := receiver(t, ok, func(c *outbound.Config) { c.Roots = x509.NewCertPool() })
	if a := client.Post(t.Context(), "https://127.0.0.1:"+port+"/", nil, nil); a.Problem != "the certificate is not valid" || arrived.Load() != 0 {
		t.Errorf("answer %+v", a)
	}
}

// No proxy is taken from the environment, which could reach what the guard refuses.
func TestNoProxy(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	client, port, arrived := receiver(t, ok, func(*outbound.Config) {})
	if a := client.Post(t.Context(), "https://127.0.0.1:"+port+"/", nil, nil); a.Code != 200 || arrived.Load() != 1 {
		t.Errorf("answer %+v", a)
	}
}

// The path and the query of an address may have a token, which no log shows.
func TestErrorsHideURL(t *testing.T) {
	t.Parallel()
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for _, row := range []struct {
		name, host string
		answer     http.HandlerFunc
		problem    string
	}{
		{"Broken", "127.0.0.1", abort, "the connection broke off before the answer"},
		{"Late", "127.0.0.1", never, "there was no answer in time"},
		{"Blocked", "hooks.example.com", ok, "the host leads to an address that is not public"},
		{"Unresolved", "other.example.com", ok, "there was no valid answer"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			client, port, _ := receiver(t, row.answer, func(c *outbound.Config) {
				c.Resolver, c.Timeout = &names{answers: []string{"10.0.0.1"}}, time.Second
			})
			a := client.Post(t.Context(), "https://"+row.host+":"+port+"/hidden-path?key=hidden-key", nil, nil)
			if a.Err == nil || strings.Contains(a.Err.Error(), "hidden") || a.Problem != row.problem {
				t.Errorf("problem %q, error %v", a.Problem, a.Err)
			}
		})
	}
}
