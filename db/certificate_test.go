package db_test

import (
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestCertificateProblem(t *testing.T) {
	const ca = "https://ca.test/directory"
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	set := func(domain, problem string) {
		t.Helper()
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.SetCertificateProblem(ca, domain, problem) })
	}
	of := func(ca, domain string, want db.CertificateProblem) {
		t.Helper()
		dbtest.View(t, store, func(tx *db.Tx) error {
			got, err := tx.CertificateProblem(ca, domain)
			if got != want {
				t.Errorf("%s: %+v, want %+v", domain, got, want)
			}
			return err
		})
	}
	want := func(domain string, want db.CertificateProblem) { t.Helper(); of(ca, domain, want) }
	want("shop.test", db.CertificateProblem{})
	set("shop.test", "refused")
	set("www.shop.test", "no address")
	set("shop.test", "refused again")
	want("shop.test", db.CertificateProblem{Problem: "refused again", At: clock.Now()})
	of("https://other.test", "shop.test", db.CertificateProblem{})
	set("shop.test", "")
	set("shop.test", "")
	want("shop.test", db.CertificateProblem{})
	want("www.shop.test", db.CertificateProblem{Problem: "no address", At: clock.Now()})
}
