package certificate

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"time"

	"svc/db"
)

// Standing is what is known of the certificate of a domain.
type Standing struct {
	Domain      string
	Issuer      string
	From, Until time.Time // zero: there is none
	// Problem is why the last try got none, and ProblemAt when that was; empty: it did, or there
	// was no try.
	Problem   string
	ProblemAt time.Time
}

// Standings returns what is known of each domain, in their order, from the database alone. That a
// certificate cannot be opened is its problem; an error is that of the store.
func (s *Service) Standings(ctx context.Context) (all []Standing, err error) {
	for _, name := range s.Domains {
		standing, err := s.standing(ctx, name)
		if err != nil {
			return nil, err
		}
		all = append(all, standing)
	}
	return all, nil
}

func (s *Service) standing(ctx context.Context, name string) (Standing, error) {
	found := Standing{Domain: name}
	kept, err := s.kept.read(ctx, name)
	var leaf *x509.Certificate
	switch {
	case err == nil:
		leaf, err = leafOf(kept)
	case errors.Is(err, db.ErrNotFound):
		err = nil
	case !isSealError(err):
		return found, err
	}
	if err != nil {
		found.Problem, found.ProblemAt = "what is kept cannot be read: "+err.Error(), s.Clock()
		return found, nil
	}
	if leaf != nil {
		found = standingOf(name, leaf)
	}
	last, err := s.problem(ctx, name)
	found.Problem, found.ProblemAt = last.Problem, last.At
	return found, err
}

// problem returns why the last try for a domain got no certificate.
func (s *Service) problem(ctx context.Context, name string) (db.CertificateProblem, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.CertificateProblem, error) { return tx.CertificateProblem(s.Directory, name) })
}

func standingOf(name string, leaf *x509.Certificate) Standing {
	issuer := leaf.Issuer.CommonName
	if len(leaf.Issuer.Organization) > 0 {
		issuer = leaf.Issuer.Organization[0]
	}
	return Standing{Domain: name, Issuer: issuer, From: leaf.NotBefore, Until: leaf.NotAfter}
}

// leafOf returns the first certificate of what autocert keeps: a key and a chain, in PEM.
func leafOf(kept []byte) (*x509.Certificate, error) {
	for block, rest := pem.Decode(kept); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
	return nil, errors.New("there is none in what is kept")
}

// Late reports whether the certificate should have been renewed long ago: autocert does when a
// third of its life is left, or 30 days of a long one, and a quarter of that time has passed.
func (s Standing) Late(now time.Time) bool {
	renewal := min(s.Until.Sub(s.From)/3, 30*24*time.Hour)
	return !now.Before(s.Until.Add(-renewal / 4 * 3))
}
