package cmd_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"svc/server/llm/llmtest"
	"svc/server/mail/mailtest"
	"svc/server/stripe/stripetest"
)

// doctor returns the findings of a run with the given exit status, each as "verdict: detail"
// by its check.
func (f *folder) doctor(status int, args ...string) map[string]string {
	f.Helper()
	r := f.run("", append([]string{"doctor", "--json"}, args...)...)
	if r.status != status {
		f.Errorf("doctor: status %d, want %d; %s%s", r.status, status, r.out, r.err)
	}
	found := map[string]string{}
	for _, line := range f.objects(r.out) {
		found[line["check"].(string)] = line["verdict"].(string) + ": " + line["detail"].(string)
	}
	return found
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	f := withSales(t)
	p := f.serve() // it may run
	found := f.doctor(0)
	for check, want := range map[string]string{
		"file": "ok: whole", "datasets": "ok: all whole: 1", "ledger": "ok: all wallets agree with it: 1", "leases": "ok: no call",
		"clock": "ok: 20", "disk": "", "stripe": "ok: not set up", "mail": "ok: not set up", "messages": "ok: outbox",
	} {
		if !strings.HasPrefix(found[check], want) {
			t.Errorf("%s is %q, want %q", check, found[check], want)
		}
	}
	if len(found) != 9 {
		t.Errorf("findings: %v", found)
	}
	p.stop()
	contains(t, f.ok("doctor"), "CHECK", "VERDICT", "whole, schema version")
	contains(t, newFolder(t).fails(1, "doctor"), "no database at svc.db")
	contains(t, f.fails(2, "doctor", "--smtp", "smtp://127.0.0.1:25"), "--mail-from")
}

// Each fault is found, and the others are not taken for one.
func TestDoctorFindsFaults(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int
		harm   func(f *folder)
		check  string
		want   string
	}{
		"Ledger": {1, func(f *folder) { f.exec("svc.db", `UPDATE wallets SET balance_cents = balance_cents + 1`) }, "ledger", "fault: 1 of 1 wallets"},
		"Clock":  {1, func(f *folder) { f.exec("svc.db", `UPDATE ledger SET created_at = created_at + 7200000`) }, "clock", "fault: it is "},
		"Reference": {1, func(f *folder) {
			f.exec("svc.db", `PRAGMA foreign_keys = OFF; UPDATE api_keys SET account_id = 'acct_gone'`)
		}, "file", "fault: api_keys: row"},
		"Dataset": {1, func(f *folder) {
			for _, name := range f.dataFiles(".db") {
				if err := os.Remove(f.path("svc.db-data/" + name)); err != nil {
					f.Fatal(err)
				}
			}
		}, "datasets", "fault: ds_"},
		"Lease": {0, func(f *folder) {
			f.exec("svc.db", `INSERT INTO calls SELECT 'req_gone', id, account_id, '/api/v1/scan', NULL, NULL, 'calling', 0, 1, 1, 0, NULL, 1, 1, '' FROM api_keys`)
		}, "leases", "warning: calls of a server that ended"},
		"InDoubt": {0, func(f *folder) {
			f.exec("svc.db", `INSERT INTO calls SELECT 'req_odd', id, account_id, '/api/v1/messaging/send', NULL, NULL, 'unknown', 0, 1, 1, 0, NULL, 1, 1, '' FROM api_keys`)
		}, "leases", "warning: calls of unknown outcome"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.account(owner, "growth", "100")
			f.key("live")
			f.write("sales.csv", shopSales)
			f.ok(words("data import sales.csv")...)
			row.harm(f)
			found := f.doctor(row.status)
			if !strings.HasPrefix(found[row.check], row.want) {
				t.Errorf("%s is %q, want %q", row.check, found[row.check], row.want)
			}
			for check, text := range found {
				if check != row.check && check != "disk" && !strings.HasPrefix(text, "ok: ") {
					t.Errorf("%s is %q", check, text)
				}
			}
		})
	}
}

// The providers are asked with their secrets, which no finding shows, and nothing is sent.
func TestDoctorAsksProviders(t *testing.T) {
	t.Parallel()
	stripe, sink, ollama := stripetest.New(t, time.Now), mailtest.New(t, mailtest.Auth("shop", "sesame")), llmtest.New(t)
	ollama.Add("qwen3:4b", "completion")
	f := newFolder(t).with("SVC_STRIPE_KEY="+stripe.Key, "SVC_STRIPE_API="+stripe.URL, "SVC_STRIPE_WEBHOOK_SECRET=whsec_x",
		"SVC_SMTP="+sink.URL(), "SVC_MAIL_FROM=shop@example.com", "SVC_OLLAMA="+ollama.URL, "SVC_ASK_MODEL=qwen3:4b",
		"SVC_MESSAGING=webhook", "SVC_MESSAGING_URL=http://127.0.0.1:1/hook", "SVC_MESSAGING_SECRET=0123456789abcdef0123")
	f.account(owner, "free", "0")
	found := f.doctor(0)
	for check, want := range map[string]string{
		"stripe": "ok: test mode", "mail": "ok: smtp://" + sink.Address + " takes mails", "model qwen3:4b": "ok: Ollama at ", "messages": "ok: webhook is set up; it is not asked",
	} {
		if !strings.HasPrefix(found[check], want) {
			t.Errorf("%s is %q, want %q", check, found[check], want)
		}
	}
	if mails := sink.Mails(); len(mails) > 0 || len(stripe.Sessions()) > 0 || len(ollama.Questions()) > 0 {
		t.Errorf("sent: %v", mails)
	}

	if blind := f.with("SVC_VISION_MODEL=qwen3:4b").doctor(1); !strings.HasPrefix(blind["model qwen3:4b"], "fault: ") {
		t.Errorf("a vision model that does not see: %q", blind)
	}
	ollama.Remove("qwen3:4b")
	stripe.Down()
	down := f.with("SVC_SMTP=" + strings.Replace(sink.URL(), "sesame", "swordfish", 1)).doctor(1)
	for check, want := range map[string]string{"stripe": "fault: stripe: ", "mail": "fault: the mail server ", "model qwen3:4b": "fault: model qwen3:4b: "} {
		if !strings.HasPrefix(down[check], want) {
			t.Errorf("%s is %q, want %q", check, down[check], want)
		}
	}
	wrong := f.with("SVC_STRIPE_KEY=sk_test_wrong").doctor(1)
	for _, text := range []string{"sesame", "swordfish", stripe.Key, "sk_test_wrong"} {
		for check, detail := range wrong {
			if strings.Contains(detail+down[check], text) {
				t.Errorf("%s shows %q: %s %s", check, text, detail, down[check])
			}
		}
	}
}
