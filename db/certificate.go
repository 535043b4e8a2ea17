package db

import (
	"fmt"
	"time"
)

// Certificates of the server's own domains come from a CA by ACME. What that needs is kept
// under names that the client of ACME chooses, sealed with the key file. None of it is lost for
// good: the CA gives another certificate, to another account if need be.

var (
	acmeSecret    = newQuery(`SELECT secret FROM acme_secrets WHERE directory = $1 AND name = $2`)
	setACMESecret = newQuery(`
INSERT INTO acme_secrets (directory, name, secret)
VALUES ($1, $2, $3)
ON CONFLICT (directory, name) DO UPDATE SET secret = excluded.secret`)
	deleteACMESecret = newQuery(`DELETE FROM acme_secrets WHERE directory = $1 AND name = $2`)

	certificateProblem    = newQuery(`SELECT problem, at FROM certificate_problems WHERE directory = $1 AND domain = $2`)
	setCertificateProblem = newQuery(`
INSERT INTO certificate_problems (directory, domain, problem, at)
VALUES ($1, $2, $3, $4)
ON CONFLICT (directory, domain) DO UPDATE SET problem = excluded.problem, at = excluded.at`)
	deleteCertificateProblem = newQuery(`DELETE FROM certificate_problems WHERE directory = $1 AND domain = $2`)
)

// ACMESecret returns what is kept, still sealed, under a name for the CA of a directory.
// ErrNotFound: nothing is.
func (tx *Tx) ACMESecret(directory, name string) (sealed []byte, err error) {
	return value[[]byte](tx, acmeSecret, directory, name)
}

// SetACMESecret keeps a sealed secret, in the place of the one before.
func (tx *Tx) SetACMESecret(directory, name string, sealed []byte) error {
	return tx.exec(setACMESecret, directory, name, sealed)
}

// DeleteACMESecret removes what is kept under a name, if anything is.
func (tx *Tx) DeleteACMESecret(directory, name string) error {
	return tx.exec(deleteACMESecret, directory, name)
}

// CertificateProblem is why a CA gave no certificate for a domain, and when it was tried.
type CertificateProblem struct {
	Problem string
	At      time.Time
}

// CertificateProblem returns the problem of a domain with the CA of a directory; the zero value:
// the last try, if there was one, had none.
func (tx *Tx) CertificateProblem(directory, domain string) (p CertificateProblem, err error) {
	err = tx.row(certificateProblem, []any{directory, domain}, &p.Problem, timestamp(&p.At))
	return p, translate(err, ErrNotFound, nil)
}

// SetCertificateProblem stores how the last try for a domain ended; an empty problem is a
// success.
func (tx *Tx) SetCertificateProblem(directory, domain, problem string) (err error) {
	if problem == "" {
		err = tx.exec(deleteCertificateProblem, directory, domain)
	} else {
		err = tx.exec(setCertificateProblem, directory, domain, problem, tx.nowMs())
	}
	if err != nil {
		return fmt.Errorf("problem of a certificate: %w", err)
	}
	return nil
}
