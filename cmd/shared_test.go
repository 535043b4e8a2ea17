package cmd_test

import (
	"strconv"
	"strings"
	"sync"
	"testing"
)

// These tests run two servers on one file, which must act as one.

func TestSharedMinute(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	_, key := f.key("test")
	answers := together(50, key, "", f.serve(), f.serve())
	if passed, refused := countStatus(answers, 200), countStatus(answers, 429); passed != 5 || refused != 45 {
		t.Errorf("%d passed and %d were refused, want 5 and 45", passed, refused)
	}
}

func TestSharedTwins(t *testing.T) {
	t.Parallel()
	const twins = 20
	firstRuns, release := make(chan struct{}), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	sender := newProvider(t, func(string) {
		close(firstRuns) // a second message would panic
		<-release
	})
	f := newFolder(t)
	f.account(owner, "growth", "101")
	_, key := f.key("live")
	servers := []*process{f.serve(sender.flags()...), f.serve(sender.flags()...)}
	answers := make(chan []answer)
	go func() { answers <- together(twins, key, "twin", servers...) }()
	<-firstRuns
	// Each twin counts by the minute before it waits.
	file := f.sql("svc.db")
	await(t, "all twins are in", func() bool {
		var used int
		if err := file.QueryRow(`SELECT window_used FROM meters`).Scan(&used); err != nil {
			t.Fatal(err)
		}
		return used == twins
	})
	free()

	checkTwins(t, <-answers, sender)
	if ledger := f.objects(f.ok("wallet", "ledger", owner, "--json")); len(ledger) != 2 || ledger[1]["amount_cents"] != -2.0 {
		t.Errorf("ledger %v, want the credit and one debit of 2", ledger)
	}
}

func checkTwins(t *testing.T, answers []answer, sender *provider) {
	t.Helper()
	replayed := 0
	for _, a := range answers {
		if a.status != 200 || a.body != answers[0].body {
			t.Errorf("a twin got %d %s, another %s", a.status, a.body, answers[0].body)
		}
		if a.header.Get("Idempotency-Replayed") == "true" {
			replayed++
		}
	}
	contains(t, answers[0].body, `"low_balance_warning":true`, `"balance_cents":99`) // the answer of the one call
	if replayed != len(answers)-1 || sender.total() != 1 {
		t.Errorf("%d replays and %d messages, want %d and 1", replayed, sender.total(), len(answers)-1)
	}
}

func TestSharedWallet(t *testing.T) {
	t.Parallel()
	sender := newProvider(t, nil)
	f := newFolder(t)
	f.account(owner, "growth", "3")
	_, key := f.key("live")
	answers := together(10, key, "", f.serve(sender.flags()...), f.serve(sender.flags()...))
	if paid, refused := countStatus(answers, 200), countStatus(answers, 402); paid != 1 || refused != 9 {
		t.Errorf("%d paid and %d were refused, want 1 and 9", paid, refused)
	}
	if w := f.object("wallet", "show", owner); sender.total() != 1 || w["balance_cents"] != 1.0 || w["held_cents"] != 0.0 {
		t.Errorf("%d messages, wallet %v; want 1 message, 1 left and nothing held", sender.total(), w)
	}
	f.ok("wallet", "verify")
}

// TestCommandsTakeEffect checks that a change by a command is in force on the next call of
// every server.
func TestCommandsTakeEffect(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	id, key := f.key("test")
	servers := []*process{f.serve(), f.serve()}
	all := func(status int, limit int) {
		t.Helper()
		for i, p := range servers {
			a := p.send(key, "")
			if a.status != status || a.header.Get("X-RateLimit-Limit") != strconv.Itoa(limit) {
				t.Errorf("server %d: %d, limit %s; want %d, limit %d", i, a.status, a.header.Get("X-RateLimit-Limit"), status, limit)
			}
		}
	}

	all(200, 5)
	f.ok("keys", "disable", id)
	all(403, 5)
	f.ok("keys", "enable", id)
	all(200, 5)
	f.ok("accounts", "plan", owner, "growth")
	all(200, 60)
	f.ok("accounts", "plan", owner, "free")
	all(429, 5)
}

// TestNewerSchema checks that a server writes nothing after a newer svc migrated the file.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	const sentence = "the database was made by a newer svc; use that version or a newer one"
	f := newFolder(t)
	f.account(owner, "growth", "0")
	_, key := f.key("test")
	servers := []*process{f.serve(), f.serve()}
	for _, p := range servers {
		if a := p.send(key, ""); a.status != 200 {
			t.Fatalf("send: %d %s", a.status, a.body)
		}
	}

	f.exec("svc.db", `PRAGMA user_version = 1000000`)
	for _, p := range servers {
		if a, err := roundTrip(newSend(p.url, key, "", receipt)); err == nil && a.status != 503 {
			t.Errorf("send after the migration: %d %s, want 503", a.status, a.body)
		}
		if status := p.wait(); status != 1 || !strings.Contains(p.err.String(), "\nsvc: "+sentence+"\n") {
			t.Errorf("ended with %d and %q", status, p.err)
		}
	}
	for _, line := range []string{"accounts list", "migrate up", "migrate status", "serve --addr 127.0.0.1:0"} {
		contains(t, f.fails(1, words(line)...), sentence)
	}
}
