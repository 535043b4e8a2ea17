package cmd_test

import (
	"net/url"
	"os"
	"strings"
	"testing"
)

func TestAccountsDisable(t *testing.T) {
	t.Parallel()
	const second = "second@example.com"
	f := newFolder(t)
	f.account(owner, "growth", "0")
	f.okWith(password, "accounts", "create", "--email", second, "--password-stdin")
	key := f.object("keys", "create", "--account", second)["key"].(string)
	servers := []*process{f.serve(), f.serve()}
	want := func(status int) {
		t.Helper()
		for i, p := range servers {
			if a := p.send(key, ""); a.status != status {
				t.Errorf("server %d: %d %s, want %d", i, a.status, a.body, status)
			}
		}
	}
	want(200)
	cookie := servers[0].signIn(second, strings.TrimSpace(password))

	contains(t, f.ok("accounts", "disable", "SECOND@example.com"), "disabled "+second, "its keys get 403", "all that it has is kept")
	want(403)
	servers[1].wantIn(cookie, false)
	contains(t, f.ok("keys", "create", "--account", second), "the account is disabled", "svc accounts enable "+second)
	if made := f.object("keys", "create", "--account", second); made["account_disabled_at"] == nil {
		t.Errorf("made %v", made)
	}
	if one := f.object("accounts", "show", second); one["status"] != "disabled" || one["disabled_at"] == nil {
		t.Errorf("shown %v", one)
	}
	contains(t, f.ok("accounts", "list"), "STATUS", "active", "disabled")
	contains(t, f.fails(1, "accounts", "disable", owner), owner+" is the only operator's account")
	contains(t, f.fails(1, "accounts", "disable", "none@example.com"), "no account for none@example.com")

	if one := f.object("accounts", "enable", second); one["status"] != "active" || one["disabled_at"] != nil {
		t.Errorf("enabled %v", one)
	}
	want(200)
	servers[0].wantIn(cookie, false)
	servers[0].signIn(second, strings.TrimSpace(password))
}

func TestAccountsDelete(t *testing.T) {
	t.Parallel()
	const second = "second@example.com"
	f := newFolder(t)
	f.account(owner, "growth", "0")
	f.account(second, "growth", "300")
	id := f.object("accounts", "show", second)["id"].(string)
	made := f.object("keys", "create", "--account", second, "--env", "live", "--label", "front desk")
	f.write("sales.csv", salesText)
	f.ok("data", "import", "sales.csv", "--account", second)
	f.write("products.csv", products)
	f.ok("inventory", "import", "products.csv", "--account", second)
	servers := []*process{f.serve(), f.serve()}
	for _, p := range servers {
		if a := p.send(made["key"].(string), ""); a.status != 200 {
			t.Fatalf("send: %d %s", a.status, a.body)
		}
	}

	contains(t, f.fails(2, "accounts", "delete", second), "with a balance of 296 usd_cents", "This cannot be undone; --yes "+second+" confirms it")
	contains(t, f.fails(2, "accounts", "delete", second, "--yes", owner), "--yes must repeat the account's e-mail")
	contains(t, f.fails(1, "accounts", "delete", owner, "--yes", owner), owner+" is the operator's account, which cannot be deleted")
	contains(t, f.fails(1, "accounts", "delete", "none@example.com", "--yes", "none@example.com"), "no account for none@example.com")
	if a := servers[0].send(made["key"].(string), ""); a.status != 200 {
		t.Fatalf("after refusals: %d %s", a.status, a.body)
	}

	contains(t, f.ok("accounts", "delete", second, "--yes", "Second@Example.com"), "deleted "+second, "1 key stopped", "its money records are kept as "+id)
	for i, p := range servers {
		if a := p.send(made["key"].(string), ""); a.status != 401 {
			t.Errorf("server %d: %d %s", i, a.status, a.body)
		}
	}
	if one := f.object("accounts", "list"); one["email"] != owner {
		t.Errorf("listed %v", one)
	}
	if one := f.object("accounts", "show", id); one["status"] != "deleted" || one["email"] != id {
		t.Errorf("shown %v", one)
	}
	if ledger := f.objects(f.ok("wallet", "ledger", id, "--json")); len(ledger) != 4 {
		t.Errorf("ledger %v", ledger)
	}
	f.ok("wallet", "verify")
	if left, err := os.ReadDir(f.path("svc.db-data")); err != nil || len(left) > 0 {
		t.Errorf("datasets %v, %v", left, err)
	}
	for _, args := range [][]string{
		{"accounts", "enable", id}, {"inventory", "list", "--account", id}, {"keys", "enable", made["id"].(string)},
		{"keys", "create", "--account", id}, {"data", "list", "--account", id},
	} {
		if r := f.run("", args...); r.status == 0 || !strings.Contains(r.err, "deleted") && !strings.Contains(r.err, "e-mail") {
			t.Errorf("%v: %+v", args, r)
		}
	}
	f.account(second, "free", "0") // the address is free
	if w := f.object("wallet", "show", second); w["balance_cents"] != 0.0 {
		t.Errorf("wallet %v", w)
	}
	f.ok("backup", "b.tar")
}

// An operator who has lost phone and codes gets in again with the database at hand.
func TestAccountsTwoFactorOff(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.okWith(password, "accounts", "create", "--email", owner, "--password-stdin")
	contains(t, f.fails(1, "accounts", "two-factor-off", owner), owner+" signs in without a code already")
	contains(t, f.fails(1, "accounts", "two-factor-off", "none@example.com"), "nobody signs in as none@example.com")
	raw := f.sql("svc.db")
	defer raw.Close()
	if _, err := raw.Exec(`INSERT INTO two_factors (person_id, id, secret, made_at, confirmed_at, last_step) SELECT id, 'tfa_1', x'00', 1, 1, 1 FROM accounts`); err != nil {
		t.Fatal(err)
	}
	p := f.serve()
	form := url.Values{"email": {owner}, "password": {strings.TrimSpace(password)}}
	if a := p.submit("/signin", "", form); a.status != 303 || !strings.HasPrefix(a.header.Get("Location"), "/signin/code") {
		t.Fatalf("with a second factor: %d %v", a.status, a.header)
	}
	if one := f.object("accounts", "two-factor-off", strings.ToUpper(owner)); one["email"] != owner || one["two_factor"] != false {
		t.Errorf("turned off: %v", one)
	}
	p.signIn(owner, strings.TrimSpace(password))
	contains(t, f.ok("activity"), "two_factor.off", "command")
	contains(t, f.ok("mails", "list"), "Two-factor sign-in is off")
}
