package cmd_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/server/mail/mailtest"
)

// These tests run the commands with which the operator looks at what others made.

// postJSON posts a JSON body to the API.
func (p *process) postJSON(path, key, body string) answer {
	p.Helper()
	r, err := http.NewRequest(http.MethodPost, p.url+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("x-api-key", key)
	a, err := roundTrip(r)
	if err != nil {
		p.Fatal(err)
	}
	return a
}

// post is postJSON for a call that must succeed. It returns the answer's fields.
func (p *process) post(path, key, body string) map[string]any {
	p.Helper()
	a := p.postJSON(path, key, body)
	var fields map[string]any
	if err := json.Unmarshal([]byte(a.body), &fields); err != nil || a.status != 200 {
		p.Fatalf("POST %s: %d %s %v", path, a.status, a.body, err)
	}
	return fields
}

func fieldsOf(object map[string]any) string {
	return strings.Join(slices.Sorted(maps.Keys(object)), " ")
}

func TestConnectionsCommand(t *testing.T) {
	t.Parallel()
	const merchant = "Merchant@example.com"
	f := newFolder(t)
	secret := strings.TrimSpace(password)
	f.account(owner, "growth", "0")
	f.okWith(password, "accounts", "create", "--email", merchant, "--password-stdin")
	f.account("third@example.com", "free", "0")
	p := f.serve()
	made := f.object("keys", "create", "--account", owner, "--env", "live", "--label", "Stock sync")
	ask := func(email string) (id, path string) {
		a := p.post("/api/v1/connections", made["key"].(string), `{"merchant_email":"`+email+`"}`)
		return a["connection"].(map[string]any)["id"].(string), strings.TrimPrefix(a["confirmation_url"].(string), p.url)
	}
	id, path := ask("merchant@example.com")
	if a := p.submit(path+"/approve", p.signIn(merchant, secret), url.Values{"scope": {"read_inventory"}}); a.status != 303 {
		t.Fatalf("approve: %d %s", a.status, a.body)
	}
	pending, _ := ask("nobody@example.com")

	contains(t, f.ok("connections", "list"), "MERCHANT", id, pending, "approved", "merchant@example.com", owner, "Stock sync")
	all := f.objects(f.ok("connections", "list", "--json"))
	if len(all) != 2 || all[0]["id"] != pending || all[0]["status"] != "pending" ||
		fieldsOf(all[1]) != "approved_at created_at developer_email id key_id key_label merchant_email scopes status" ||
		all[1]["developer_email"] != owner || all[1]["key_label"] != "Stock sync" {
		t.Errorf("listed %v", all)
	}
	for email, want := range map[string]int{owner: 2, merchant: 1, "third@example.com": 0} {
		if n := len(f.objects(f.ok("connections", "list", "--account", email, "--json"))); n != want {
			t.Errorf("%d connections of %s, want %d", n, email, want)
		}
	}
	if one := f.object("connections", "list", "--limit", "1"); one["id"] != pending {
		t.Errorf("newest %v", one)
	}

	contains(t, f.fails(1, "connections", "revoke", pending), "is pending; only an approved one can be revoked")
	contains(t, f.fails(1, "connections", "revoke", "conn_none"), "no connection conn_none")
	contains(t, f.ok("connections", "revoke", id), "revoked "+id, "merchant@example.com")
	if again := f.object("connections", "revoke", id); again["status"] != "revoked" {
		t.Errorf("revoked again: %v", again)
	}
	if now := f.object("connections", "list", "--account", merchant); now["status"] != "revoked" || now["revoked_at"] == nil {
		t.Errorf("after the revocation: %v", now)
	}
}

func TestChargesList(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	f.account("merchant@shop.example", "free", "0")
	f.account("third@example.com", "free", "0")
	p := f.serve()
	made := f.object("keys", "create", "--account", owner, "--env", "test", "--label", "Till 3")
	long := strings.Repeat("Bags of coffee ", 10)
	a := p.post("/api/v1/charges", made["key"].(string), `{"merchant_email":"Merchant@shop.example","amount_cents":1250,"description":"`+long+`"}`)
	id := a["charge"].(map[string]any)["id"].(string)

	text := f.ok("charges", "list")
	contains(t, text, id, "test", "pending", "12.50", "Merchant@shop.example", owner, "Till 3", "Bags of coffee", "…\n")
	for line := range strings.Lines(text) {
		if strings.Contains(line, strings.TrimSpace(long)) {
			t.Errorf("a long description stands in the row %q", line)
		}
	}
	one := f.object("charges", "list")
	if fieldsOf(one) != "amount_cents created_at currency description developer_email expires_at id key_env key_id key_label merchant_email status" ||
		one["amount_cents"] != 1250.0 || strings.TrimSpace(one["description"].(string)) != strings.TrimSpace(long) {
		t.Errorf("listed %v", one)
	}
	for email, want := range map[string]int{owner: 1, "merchant@shop.example": 1, `"Merchant"@shop.example`: 1, "third@example.com": 0} {
		if n := len(f.objects(f.ok("charges", "list", "--account", email, "--json"))); n != want {
			t.Errorf("%d charges of %s, want %d", n, email, want)
		}
	}
}

func TestMessagesShow(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "100")
	made := f.object("keys", "create", "--account", owner, "--env", "live", "--label", "front desk")
	p := f.serve()
	first, last := "Thank you for "+strings.Repeat("your visit, ", 12)+"see you.", "The end."
	p.post(sendPath, made["key"].(string), `{"phone":"+447700900123","template":"receipt","text":"`+first+`\n`+last+`"}`)

	listed := f.object("messages", "list")
	if fieldsOf(listed) != "created_at email id key_id key_label phone provider provider_id request_id template text" ||
		listed["email"] != owner || listed["key_label"] != "front desk" || listed["text"] != first+"\n"+last {
		t.Errorf("listed %v", listed)
	}
	id := listed["id"].(string)
	row := f.ok("messages", "list")
	contains(t, row, id, "front desk", "Thank you for", "…")
	if strings.Contains(row, "see you") {
		t.Errorf("the whole text stands in the row: %s", row)
	}
	contains(t, f.ok("messages", "show", id), id, owner, "front desk", "+447700900123", "\n\n"+first+"\n"+last+"\n")
	if shown := f.object("messages", "show", id); !maps.Equal(shown, listed) {
		t.Errorf("shown %v, listed %v", shown, listed)
	}
	contains(t, f.fails(1, "messages", "show", "msg_none"), "no message msg_none")
	contains(t, f.ok("wallet", "ledger", owner), "front desk")
}

// TestMailsResend checks that a mail of the outbox is sent once there is a mail server.
func TestMailsResend(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	p := f.serve()
	if a := p.submit("/recover", "", url.Values{"email": {owner}}); a.status != 200 {
		t.Fatalf("status %d, body %s", a.status, a.body)
	}
	p.stop()
	id := f.object("mails", "list")["id"].(string)
	contains(t, f.ok("mails", "resend", id), "queued "+id+" to "+owner, "svc serve with --smtp sends it within seconds, and without --smtp it stays queued")
	contains(t, f.fails(1, "mails", "resend", id), "it waits to be sent already")
	contains(t, f.fails(1, "mails", "resend", "mail_none"), "no mail mail_none")

	sink := mailtest.New(t)
	f.serve("--smtp", sink.URL(), "--mail-from", "post@shop.example")
	contains(t, sink.Wait(1)[0].Text, "/reset/")
	await(t, "the mail is marked as sent", func() bool { return f.object("mails", "show", id)["status"] == "sent" })
	contains(t, f.fails(1, "mails", "resend", id), "it was sent, and its text was then deleted")
}
