package certificate

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
)

// handshakeWait is how long a handshake waits for the first try of its domain. It is below the
// time that the server gives a handshake.
const handshakeWait = 8 * time.Second

// TLS returns the settings of a listener. HTTP/2 is left out: the limits of connections and
// the drain count on one request at a time on a connection.
func (s *Service) TLS() *tls.Config {
	return &tls.Config{GetCertificate: s.forHandshake, NextProtos: []string{"http/1.1", acme.ALPNProto}}
}

// errNone ends a handshake for a domain of ours.
var errNone = errors.New("there is no certificate for this domain yet")

// forHandshake returns the certificate of the domain that a client names. It waits for the
// first try of the process, but asks the CA for nothing.
func (s *Service) forHandshake(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := strings.ToLower(strings.TrimSuffix(hello.ServerName, "."))
	d := s.domains[name]
	switch {
	case name == "":
		return s.withoutName()
	case d == nil:
		return nil, nil // crypto/tls answers that it does not know the name
	case slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}): // the CA
		return s.manager.GetCertificate(hello)
	}
	select {
	case <-d.tried:
	case <-time.After(handshakeWait):
	}
	if !d.has.Load() {
		return nil, errNone
	}
	return s.manager.GetCertificate(helloOf(name))
}

// withoutName returns a certificate for a client that names no domain: svc healthcheck, which
// connects by address, or a device so old that it cannot. Before the first domain has one, it is a
// certificate that proves nothing, so that a server that waits for its CA is still healthy.
func (s *Service) withoutName() (*tls.Certificate, error) {
	if first := s.Domains[0]; s.domains[first].has.Load() {
		return s.manager.GetCertificate(helloOf(first))
	}
	return s.unnamed, nil
}

// helloOf returns what a client of today says. autocert would get another certificate, with an
// RSA key, for a client that says it knows no other.
func helloOf(name string) *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// selfSigned makes a certificate for no name, which no client that checks takes.
func selfSigned(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "svc"},
		NotBefore:    now.Add(-24 * time.Hour),
		NotAfter:     now.AddDate(10, 0, 0),
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
