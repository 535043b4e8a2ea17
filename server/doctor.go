package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"svc/db"
	"svc/server/certificate"
	"svc/server/stripe"
	"svc/server/views"
)

// Verdict is what a check of the doctor comes to.
type Verdict string

const (
	Sound   Verdict = "ok"
	Warning Verdict = "warning" // works now, and somebody should look at it
	Fault   Verdict = "fault"   // does not work, or something is lost
)

// Finding is what one check of the doctor found. Its detail names no secret.
type Finding struct {
	Check   string // file, datasets, ledger, leases, clock, disk, stripe, mail, messages, certificate DOMAIN, or model NAME
	Verdict Verdict
	Detail  string
}

const (
	// providerTime bounds the check of one provider.
	providerTime = 20 * time.Second
	// clockGrace is how far two clocks that are set well may differ.
	clockGrace = 5 * time.Second
	// leastRoom is what a server needs to go on for a while; below a tenth of it writes are
	// about to fail.
	leastRoom = 500 << 20
)

// Diagnose checks the database, its disk, the clock and the providers. It changes nothing, sends
// nothing to a merchant's customer, and may run while servers do.
func (a *App) Diagnose(ctx context.Context) ([]Finding, error) {
	found := append(a.checkFile(ctx), a.checkLedger(ctx), a.checkStripe(ctx), a.checkMail(ctx), a.messagesFinding())
	if a.Certificates != nil {
		found = append(found, certificateFindings(ctx, a.Certificates, a.config.Clock())...)
	}
	if model := a.AskModel(); model != "" && model != a.VisionModel() {
		found = append(found, a.checkModel(ctx, model, false))
	}
	if model := a.VisionModel(); model != "" {
		found = append(found, a.checkModel(ctx, model, true))
	}
	return found, ctx.Err()
}

// checkFile returns what is known of the database, its disk and the clock.
func (a *App) checkFile(ctx context.Context) []Finding {
	health, err := a.store.Examine(ctx)
	if err != nil {
		return []Finding{{"file", Fault, err.Error()}}
	}
	return []Finding{
		fileFinding(health), datasetsFinding(health), leasesFinding(health),
		clockFinding(health, a.config.Clock()), diskFinding(a.config.DB, health.Bytes),
	}
}

func (a *App) checkLedger(ctx context.Context) Finding {
	faults, checked, err := a.Accounts.VerifyWallets(ctx)
	switch {
	case err != nil:
		return Finding{"ledger", Fault, err.Error()}
	case len(faults) > 0:
		return Finding{"ledger", Fault, fmt.Sprintf("%d of %d wallets contradict their ledgers; svc wallet verify names them", len(faults), checked)}
	}
	return Finding{"ledger", Sound, fmt.Sprintf("all wallets agree with it: %d", checked)}
}

func fileFinding(h db.Health) Finding {
	if len(h.Faults) > 0 {
		return Finding{"file", Fault, strings.Join(h.Faults, "; ") + "; svc restore puts a backup in its place"}
	}
	return Finding{"file", Sound, fmt.Sprintf("whole, schema version %d", h.Schema)}
}

func datasetsFinding(h db.Health) Finding {
	if len(h.Damaged) > 0 {
		return Finding{"datasets", Fault, strings.Join(h.Damaged, "; ") + "; import them again"}
	}
	return Finding{"datasets", Sound, fmt.Sprintf("all whole: %d", h.Datasets)}
}

func leasesFinding(h db.Health) Finding {
	var open []string
	if h.Overdue > 0 {
		open = append(open, fmt.Sprintf("calls of a server that ended, which a running svc serve settles within seconds: %d", h.Overdue))
	}
	if h.InDoubt > 0 {
		open = append(open, fmt.Sprintf("calls of unknown outcome, which svc messages unknown lists by account: %d", h.InDoubt))
	}
	if len(open) > 0 {
		return Finding{"leases", Warning, strings.Join(open, "; ")}
	}
	return Finding{"leases", Sound, "no call is left open"}
}

func clockFinding(h db.Health, now time.Time) Finding {
	behind := h.Newest.Sub(now)
	if behind > clockGrace {
		return Finding{"clock", Fault, fmt.Sprintf("it is %s behind the newest row, of %s; limits and links go by it", behind.Round(time.Second), h.Newest.Format(time.RFC3339))}
	}
	return Finding{"clock", Sound, now.UTC().Format(time.RFC3339)}
}

// diskFinding asks for leastRoom and for the room of a backup, which needs twice the size of the database.
func diskFinding(path string, bytes int64) Finding {
	free, known := freeBytes(filepath.Dir(path))
	if !known {
		return Finding{"disk", Sound, "the free room is not known on this system"}
	}
	detail := fmt.Sprintf("%s free; the database has %s", humanize.IBytes(free), humanize.IBytes(uint64(bytes)))
	switch {
	case free < leastRoom/10:
		return Finding{"disk", Fault, detail}
	case free < 2*uint64(bytes):
		return Finding{"disk", Warning, detail + "; a backup needs twice the size of the database"}
	case free < leastRoom:
		return Finding{"disk", Warning, detail}
	}
	return Finding{"disk", Sound, detail}
}

// noSession is the id of a checkout session that no account has. Stripe answers that it
// does not know it, if it takes the key.
const noSession = "cs_svc_doctor"

func (a *App) checkStripe(ctx context.Context) Finding {
	part := a.config.stripePart()
	if a.outside.payments == nil {
		return partFinding("stripe", part)
	}
	ctx, cancel := context.WithTimeout(ctx, providerTime)
	defer cancel()
	_, err := a.outside.payments.Session(ctx, noSession)
	if e, ok := errors.AsType[*stripe.Error](err); err != nil && (!ok || e.Kind != stripe.NotFound) {
		return Finding{"stripe", Fault, err.Error()}
	}
	return partFinding("stripe", part)
}

func (a *App) checkMail(ctx context.Context) Finding {
	if a.outside.smtp == nil {
		return partFinding("mail", a.config.mailPart())
	}
	ctx, cancel := context.WithTimeout(ctx, providerTime)
	defer cancel()
	if err := a.outside.smtp.Check(ctx); err != nil {
		return Finding{"mail", Fault, "the mail server " + err.Reason}
	}
	return Finding{"mail", Sound, a.outside.smtp.String() + " takes mails"}
}

// certificateCheck begins the name of the check of a domain.
const certificateCheck = "certificate "

// certificateFindings asks nobody: it reads what a server has stored.
func certificateFindings(ctx context.Context, certificates *certificate.Service, now time.Time) (found []Finding) {
	all, err := certificates.Standings(ctx)
	if err != nil {
		return []Finding{{certificateCheck + strings.Join(certificates.Domains, ", "), Fault, err.Error()}}
	}
	for _, s := range all {
		verdict, detail := certificateVerdict(s, now)
		found = append(found, Finding{certificateCheck + s.Domain, verdict, detail})
	}
	return found
}

func certificateVerdict(s certificate.Standing, now time.Time) (Verdict, string) {
	until, why := s.Until.UTC().Format(time.DateOnly), "the log of svc serve says why"
	if s.Problem != "" {
		why = s.Problem + ", at " + s.ProblemAt.Format(time.RFC3339)
	}
	switch {
	case s.Until.IsZero() && s.Problem == "":
		return Warning, "none yet: it is asked for when svc serve starts"
	case s.Until.IsZero():
		return Fault, why
	case !now.Before(s.Until):
		return Fault, "it ended on " + until + ": " + why
	case s.Late(now):
		return Warning, "it ends on " + until + ", and was not renewed: " + why
	}
	return Sound, "until " + until + ", of " + s.Issuer
}

// messagesFinding asks nobody: the providers have no call that sends nothing.
func (a *App) messagesFinding() Finding {
	finding := partFinding("messages", messagingPart(a.Carrier()))
	if a.outside.carrier.Remote() {
		finding.Detail = a.Carrier() + " is set up; it is not asked, since that would send a message"
	}
	return finding
}

func (a *App) checkModel(ctx context.Context, model string, sees bool) Finding {
	ctx, cancel := context.WithTimeout(ctx, providerTime)
	defer cancel()
	if err := a.outside.models.Check(ctx, model, sees); err != nil {
		return Finding{"model " + model, Fault, err.Error()}
	}
	return Finding{"model " + model, Sound, "Ollama at " + hostOf(a.config.Ollama.URL) + " has it"}
}

// partFinding is the finding of a part that is told by the settings alone. What is not set up
// is no fault.
func partFinding(check string, p views.Part) Finding {
	verdict := Sound
	if !p.Works && p.State != views.NotSetUp {
		verdict = Warning
	}
	return Finding{check, verdict, p.State + ": " + p.Detail}
}
