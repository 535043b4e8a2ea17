package cmd_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// These tests get certificates from a real CA, Debian's pebble, which checks domains as Let's
// Encrypt does. Its own DNS server leads every name to this machine. svc trusts it by
// SSL_CERT_FILE, which is why they run on Linux only.

// ca is a running CA.
type ca struct {
	directory string
	trust     string // SSL_CERT_FILE=…, with the certificate of its API
	roots     *x509.CertPool
	process   *exec.Cmd
}

func portOf(address string) json.Number {
	return json.Number(address[strings.LastIndex(address, ":")+1:])
}

// startCA starts a CA that checks domains on these addresses: over TLS, and in the clear.
func startCA(f *folder, secure, plain string) *ca {
	f.Helper()
	for _, program := range []string{"pebble", "pebble-challtestsrv"} {
		if _, err := exec.LookPath(program); err != nil {
			missing := "no " + program + ": apt-get install pebble (" + err.Error() + ")"
			if os.Getenv("CI") == "true" {
				f.Fatal(missing)
			}
			f.Skip(missing)
		}
	}
	certificate, key := selfSigned(f)
	api, names := freeAddress(f), freeAddress(f)
	management := freeAddress(f)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": api, "managementListenAddress": management,
		"certificate": f.write("ca.pem", certificate), "privateKey": f.write("ca.key", key),
		"tlsPort": portOf(secure), "httpPort": portOf(plain),
	}})
	if err != nil {
		f.Fatal(err)
	}
	background(f, "pebble-challtestsrv", "-defaultIPv4", "127.0.0.1", "-defaultIPv6", "", "-dns01", names,
		"-http01", "", "-https01", "", "-tlsalpn01", "", "-management", freeAddress(f))
	c := &ca{directory: "https://" + api + "/dir", trust: "SSL_CERT_FILE=" + f.path("ca.pem"), roots: x509.NewCertPool()}
	c.process = background(f.with("PEBBLE_VA_NOSLEEP=1", "PEBBLE_WFE_NONCEREJECT=0"), "pebble", "-config", f.write("ca.json", string(config)), "-dnsserver", names)
	c.roots.AppendCertsFromPEM(fetchRoot(f, management, certificate))
	return c
}

// background starts a program that ends with the test.
func background(f *folder, program string, args ...string) *exec.Cmd {
	f.Helper()
	c := f.command(program, args...)
	if err := c.Start(); err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	return c
}

// selfSigned makes a certificate for 127.0.0.1 and its key, in PEM.
func selfSigned(t testing.TB) (certificate, secret string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().AddDate(1, 0, 0), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	return encode("CERTIFICATE", der), encode("EC PRIVATE KEY", keyDER)
}

// fetchRoot waits until the CA answers and returns the root of what it issues, in PEM.
func fetchRoot(f *folder, management, certificate string) (root []byte) {
	f.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(certificate))
	asking := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}}
	await(f, "the CA answers", func() bool {
		response, err := asking.Get("https://" + management + "/roots/0")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		root, err = io.ReadAll(response.Body)
		return err == nil && response.StatusCode == 200
	})
	return root
}

// secured is svc with domains of a CA, on two addresses that are free.
type secured struct {
	*folder
	ca            *ca
	secure, plain string
	args          []string
}

func newSecured(t *testing.T, domains string) *secured {
	t.Helper()
	secure, plain := freeAddress(t), freeAddress(t)
	return newSecuredAt(t, domains, secure, plain, secure, plain)
}

// newSecuredAt returns svc on the first two addresses, with a CA that checks domains on the others.
func newSecuredAt(t *testing.T, domains, secure, plain, caSecure, caPlain string) *secured {
	t.Helper()
	f := newFolder(t)
	s := &secured{secure: secure, plain: plain, ca: startCA(f, caSecure, caPlain)}
	s.folder = f.with(s.ca.trust)
	s.args = []string{
		"--addr", s.secure, "--http-addr", s.plain, "--tls-domain", domains, "--acme-directory", s.ca.directory,
		"--operator-contact", "owner@shop.test",
	}
	return s
}

func (s *secured) start() *process {
	s.Helper()
	p := s.folder.start(s.args...)
	p.until("svc listens on https://" + s.secure + "\nLinks begin with https://shop.test\n")
	return p
}

// dial makes a TLS connection to svc, as a browser that asks for a domain does.
func (s *secured) dial(domain string) (*tls.Conn, error) {
	dialer := &net.Dialer{Timeout: patience}
	return tls.DialWithDialer(dialer, "tcp", s.secure, &tls.Config{ServerName: domain, RootCAs: s.ca.roots})
}

// certificateOf returns the certificate that svc shows for a domain, which the client has checked.
// The CA has svc wait for some seconds, and a handshake may have to be tried again.
func (s *secured) certificateOf(domain string) (shown *x509.Certificate) {
	s.Helper()
	await(s, "a certificate for "+domain, func() bool {
		c, err := s.dial(domain)
		if err != nil {
			return false
		}
		defer c.Close()
		shown = c.ConnectionState().PeerCertificates[0]
		return true
	})
	return shown
}

// over sends a request to an address with a host of its own and does not follow the answer.
func (s *secured) over(address, host, method, path string) *http.Response {
	s.Helper()
	request, err := http.NewRequest(method, path, nil)
	if err != nil {
		s.Fatal(err)
	}
	request.URL.Scheme, request.URL.Host, request.Host = "http", address, host
	transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{ServerName: host, RootCAs: s.ca.roots}}
	if address == s.secure {
		request.URL.Scheme = "https"
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { response.Body.Close() })
	return response
}

// The first start gets certificates, and later ones serve them without the CA.
func TestTLSDomain(t *testing.T) {
	t.Parallel()
	s := newSecured(t, "Shop.test, www.shop.test")
	p := s.start()
	first := s.certificateOf("shop.test")
	if own := s.certificateOf("www.shop.test"); own.DNSNames[0] != "www.shop.test" || own.Equal(first) {
		t.Errorf("the second domain has the certificate of %v", own.DNSNames)
	}
	contains(t, p.out.String(), "svc gets and renews the certificates of shop.test, www.shop.test", "https://shop.test/setup/")

	t.Run("ServesOverTLS", func(t *testing.T) {
		a := s.over(s.secure, "shop.test", "GET", "/healthz")
		if a.StatusCode != 200 || a.Header.Get("Strict-Transport-Security") == "" || a.ProtoMajor != 1 {
			t.Errorf("%s %s, header %v", a.Proto, a.Status, a.Header)
		}
		contains(t, s.ok("healthcheck", "--addr", s.secure, "--tls-domain", "shop.test"), "ok")
	})
	t.Run("RefusesOtherNames", func(t *testing.T) {
		for _, name := range []string{"other.test", "test", "api.shop.test"} {
			if c, err := s.dial(name); err == nil {
				c.Close()
				t.Errorf("a handshake for %s succeeds", name)
			} else {
				contains(t, err.Error(), "unrecognized name")
			}
		}
	})
	t.Run("LeadsFromHTTP", func(t *testing.T) {
		for host, want := range map[string]string{
			"shop.test": "https://shop.test/console?a=b", "WWW.shop.test:80": "https://www.shop.test/console?a=b",
			"evil.test": "https://shop.test/console?a=b", "": "https://shop.test/console?a=b",
		} {
			for _, method := range []string{"GET", "HEAD"} {
				a := s.over(s.plain, host, method, "/console?a=b")
				if a.StatusCode != 301 || a.Header.Get("Location") != want {
					t.Errorf("%s on host %q: %s to %q, want %q", method, host, a.Status, a.Header.Get("Location"), want)
				}
			}
		}
		a := s.over(s.plain, "shop.test", "POST", sendPath)
		body, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != 400 || !strings.Contains(string(body), `{"error":"use https://shop.test;`) {
			t.Errorf("a POST over http://: %s, %s, %v", a.Status, body, err)
		}
		if a := s.over(s.plain, "shop.test", "GET", "/.well-known/acme-challenge/x"); a.StatusCode != 404 {
			t.Errorf("a challenge that there is not: %s", a.Status)
		}
	})
	t.Run("IsSeenByTheDoctor", func(t *testing.T) {
		found := s.folder.with("SVC_TLS_DOMAIN=shop.test", "SVC_ACME_DIRECTORY="+s.ca.directory).doctor(0)
		if got, want := found["certificate shop.test"], "ok: until "+first.NotAfter.UTC().Format(time.DateOnly)+", of Pebble"; !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})

	s.ok("backup", "backup.tar")
	p.stop()
	t.Run("IsSealedInTheDatabase", func(t *testing.T) {
		for _, file := range []string{"svc.db", "svc.db-wal"} {
			if s.has(file) && bytes.Contains([]byte(s.read(file)), []byte("PRIVATE KEY")) {
				t.Errorf("%s has a private key in the clear", file)
			}
		}
		var kept int
		if err := s.sql("svc.db").QueryRow(`SELECT count(*) FROM acme_secrets`).Scan(&kept); err != nil || kept != 3 {
			t.Errorf("%d secrets are kept (%v), want two certificates and the key of the account", kept, err)
		}
	})

	t.Run("IsHadAgainWithoutTheKeyFile", func(t *testing.T) {
		other := s.restored(t)
		if err := os.Remove(other.path("svc.db.key")); err != nil {
			t.Fatal(err)
		}
		p := other.start()
		if other.certificateOf("shop.test").Equal(first) {
			t.Error("the certificate is that of before, which cannot be opened")
		}
		p.stop()
	})
	_ = s.ca.process.Process.Kill()
	for name, again := range map[string]*secured{"SurvivesARestart": s, "IsInABackup": s.restored(t)} {
		t.Run(name, func(t *testing.T) {
			p := again.start()
			if !again.certificateOf("shop.test").Equal(first) {
				t.Error("another certificate is shown")
			}
			p.stop()
			if strings.Contains(p.err.String(), "the CA") {
				t.Errorf("the CA was asked: %s", p.err)
			}
		})
	}
}

// restored returns the same server with its backup restored in a new folder.
func (s *secured) restored(t *testing.T) *secured {
	t.Helper()
	other := *s
	other.folder = newFolder(t).with(s.ca.trust)
	other.ok("restore", s.path("backup.tar"))
	return &other
}

// A domain can be proven on port 80 alone, where another program has port 443 of the domain.
func TestTLSDomainProvenOverHTTP(t *testing.T) {
	t.Parallel()
	plain := freeAddress(t)
	s := newSecuredAt(t, "shop.test", freeAddress(t), plain, freeAddress(t), plain)
	p := s.start()
	s.certificateOf("shop.test")
	contains(t, p.err.String(), "the CA could not check a domain", "tls-alpn-01: ")
	p.stop()
}

// A server that gets no certificate says why, lives, and lets nobody in.
func TestTLSDomainWithoutCertificate(t *testing.T) {
	t.Parallel()
	s := newSecuredAt(t, "shop.test", freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t))
	p := s.start()
	if c, err := s.dial("shop.test"); err == nil {
		c.Close()
		t.Error("a handshake succeeds")
	}
	contains(t, s.ok("healthcheck", "--addr", s.secure, "--tls-domain", "shop.test"), "ok")
	doctor := s.folder.with("SVC_TLS_DOMAIN=shop.test", "SVC_ACME_DIRECTORY="+s.ca.directory)
	await(t, "the reason is stored", func() bool {
		r := doctor.run("", "doctor")
		return r.status == 1 && strings.Contains(r.out, "fault") && strings.Contains(r.out, "no certificate: tls-alpn-01: ")
	})
	contains(t, doctor.doctor(1)["certificate shop.test"], "fault: no certificate: tls-alpn-01: ", "http-01: ")
	contains(t, p.err.String(), "shop.test: no certificate: ")
	p.stop()
}

// Port 80 is not needed, unless it is asked for.
func TestTLSDomainWithoutPort80(t *testing.T) {
	t.Parallel()
	const host = "127.0.0.80"
	if taken, err := net.Listen("tcp", host+":80"); err == nil { // else nobody may listen there
		defer taken.Close()
	}
	f := newFolder(t)
	args := words("--addr " + host + ":0 --tls-domain shop.test --acme-directory https://127.0.0.1:1/")
	p := f.start(args...)
	p.until("svc listens on https://" + host)
	contains(t, p.err.String(), "http:// does not lead to https://")
	p.stop()
	contains(t, f.fails(1, append(append([]string{"serve"}, args...), "--http-addr", host+":80")...), "--http-addr: listen on "+host+":80: ")
	contains(t, f.with("SVC_TLS_DOMAIN=shop.test", "SVC_ACME_DIRECTORY=https://127.0.0.1:2/").ok("doctor"), "certificate shop.test  warning", "none yet")
}

func TestTLSDomainSettings(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	got := f.with("SVC_TLS_DOMAIN=Bücher.example,shop.example.com.,bücher.example").settingsOf()
	for name, want := range map[string]string{
		"tls-domain":     "xn--bcher-kva.example,shop.example.com variable SVC_TLS_DOMAIN",
		"addr":           "0.0.0.0:443 default ",
		"http-addr":      "0.0.0.0:80 default ",
		"base-url":       "https://xn--bcher-kva.example default ",
		"console-url":    "https://xn--bcher-kva.example default ",
		"acme-directory": "https://acme-v02.api.letsencrypt.org/directory default ",
		"messaging":      "none default ",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	own := f.settingsOf("--tls-domain", "shop.example.com", "--addr", "[::1]:8443", "--base-url", "https://api.example.com")
	for name, want := range map[string]string{"addr": "[::1]:8443", "http-addr": "[::1]:80", "base-url": "https://api.example.com"} {
		if !strings.HasPrefix(own[name], want+" ") {
			t.Errorf("%s: %q, want %q", name, own[name], want)
		}
	}

	for _, domain := range []string{
		"https://shop.example.com", "shop.example.com:443", "*.example.com", "203.0.113.7", "[2001:db8::1]", "2001:db8::1", "localhost",
		"shop.example.com/", "shop..example.com", "-shop.example.com", "my_shop.example.com", "shop example.com", "shop.example.com,x",
		strings.Repeat("a", 64) + ".example.com", strings.Repeat("a.", 127) + "example",
	} {
		contains(t, wrongHere(t, "serve", "--tls-domain", domain), "--tls-domain: must be names like shop.example.com")
	}
	for line, want := range map[string]string{
		"--acme-directory https://ca.example/dir":                      "--acme-directory: needs --tls-domain",
		"--http-addr :80":                                              "--http-addr: needs --tls-domain",
		"--tls-domain shop.example.com --acme-directory ca.example":    "--acme-directory: must be like https://",
		"--tls-domain shop.example.com --http-addr 80":                 "--http-addr: must be a host and a port",
		"--tls-domain shop.example.com --base-url http://api.example":  "--base-url: must begin with https:// with --tls-domain",
		"--tls-domain shop.example.com --console-url http://a.example": "--console-url: must begin with https:// with --tls-domain",
	} {
		contains(t, wrongHere(t, append([]string{"serve"}, words(line)...)...), want)
	}
}
