package server

import (
	"testing"
	"time"

	"svc/server/certificate"
)

func TestCertificateVerdict(t *testing.T) {
	const day = 24 * time.Hour
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	ending := func(in time.Duration) certificate.Standing {
		return certificate.Standing{Domain: "shop.test", Issuer: "Let's Encrypt", From: now.Add(in - 90*day), Until: now.Add(in)}
	}
	refused := func(s certificate.Standing) certificate.Standing {
		s.Problem, s.ProblemAt = "http-01: connection refused", now
		return s
	}
	for name, row := range map[string]struct {
		standing certificate.Standing
		verdict  Verdict
		detail   string
	}{
		"Fresh":      {ending(60 * day), Sound, "until 2027-01-27, of Let's Encrypt"},
		"NotRenewed": {ending(20 * day), Warning, "it ends on 2026-12-18, and was not renewed: the log of svc serve says why"},
		"Refused":    {refused(ending(20 * day)), Warning, "it ends on 2026-12-18, and was not renewed: http-01: connection refused, at 2026-11-28T12:00:00Z"},
		"Ended":      {ending(0), Fault, "it ended on 2026-11-28: the log of svc serve says why"},
		"NotTried":   {certificate.Standing{}, Warning, "none yet: it is asked for when svc serve starts"},
		"None":       {refused(certificate.Standing{}), Fault, "http-01: connection refused, at 2026-11-28T12:00:00Z"},
	} {
		if verdict, detail := certificateVerdict(row.standing, now); verdict != row.verdict || detail != row.detail {
			t.Errorf("%s: %s: %s, want %s: %s", name, verdict, detail, row.verdict, row.detail)
		}
	}
}
