package cmd_test

import (
	"strings"
	"testing"
	"time"
)

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	id, old := f.key("test")
	servers := []*process{f.serve(), f.serve()}
	want := func(status int, secret string) {
		t.Helper()
		for i, p := range servers {
			if a := p.send(secret, ""); a.status != status {
				t.Errorf("server %d: %d %s, want %d", i, a.status, a.body, status)
			}
		}
	}
	want(200, old)

	made := f.object("keys", "rotate", id)
	second := made["key"].(string)
	ends, err := time.Parse(time.RFC3339, made["old_ends_at"].(string))
	if fieldsOf(made) != "env id key label mode old_ends_at" || made["id"] != id || err != nil || time.Until(ends) < 23*time.Hour || time.Until(ends) > 24*time.Hour {
		t.Errorf("rotated %v", made)
	}
	want(200, old)
	want(200, second)

	text := f.ok("keys", "rotate", id, "--grace", "0")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	third := lines[len(lines)-1]
	contains(t, text, "rotated test key "+id+"; the old secret has ended; keep the new one")
	want(401, old)
	want(401, second)
	want(200, third)
	if one := f.object("keys", "list"); !strings.HasSuffix(one["key"].(string), third[len(third)-4:]) {
		t.Errorf("listed %v", one)
	}

	contains(t, f.fails(1, "keys", "rotate", "key_none"), "no key key_none")
	contains(t, f.fails(2, "keys", "rotate", id, "--grace", "721h"), "grace: must be from 0 to 720h")
	contains(t, f.fails(2, "keys", "rotate", id, "--grace", "-1h"), "grace: must be from 0 to 720h")
	want(200, third)
}

func TestKeysEndOld(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	id, old := f.key("test")
	p := f.serve()
	want := func(status int, secret string) {
		t.Helper()
		if a := p.send(secret, ""); a.status != status {
			t.Errorf("%d %s, want %d", a.status, a.body, status)
		}
	}
	contains(t, f.ok("keys", "rotate", id, "--end-old"), "has no old secret that works; nothing was changed")
	made := f.object("keys", "rotate", id)
	fresh := made["key"].(string)
	want(200, old)
	if one := f.object("keys", "list"); one["old_ends_at"] != made["old_ends_at"] {
		t.Errorf("listed %v, rotated %v", one, made)
	}
	contains(t, f.ok("keys", "list"), "OLD_ENDS", made["old_ends_at"].(string))

	contains(t, f.fails(2, "keys", "rotate", id, "--end-old", "--grace", "1h"), "--end-old makes no new secret, so it takes no --grace")
	contains(t, f.fails(1, "keys", "rotate", "key_none", "--end-old"), "no key key_none")
	if ended := f.object("keys", "rotate", id, "--end-old"); ended["id"] != id || ended["ended"] != 1.0 {
		t.Errorf("ended %v", ended)
	}
	want(401, old)
	want(200, fresh)
	if one := f.object("keys", "list"); one["old_ends_at"] != nil {
		t.Errorf("listed %v", one)
	}

	f.ok("keys", "disable", id)
	contains(t, f.ok("keys", "rotate", id), ", but the key is disabled: no secret works before svc keys enable "+id)
	want(403, fresh)
}

func TestKeysLabelAndUse(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	f.ok("apps", "create", "--name", "Till app")
	made := f.object("keys", "create", "--account", owner, "--app", "Till app", "--label", "old name")
	id, unused := made["id"].(string), f.object("keys", "create", "--account", owner)["id"]

	contains(t, f.ok("keys", "label", id, "front desk"), "key "+id+" is called front desk")
	contains(t, f.fails(2, "keys", "label", id, strings.Repeat("x", 101)), "label: must have at most 100 characters")
	contains(t, f.fails(1, "keys", "label", "key_none", "x"), "no key key_none")

	p := f.serve()
	p.send(made["key"].(string), "")
	p.stop() // the log rows are stored
	all := f.objects(f.ok("keys", "list", "--json"))
	if len(all) != 2 || all[0]["id"] != id || all[0]["label"] != "front desk" || all[0]["app"] != "Till app" {
		t.Fatalf("keys %v", all)
	}
	used, err := time.Parse(time.RFC3339, all[0]["last_used_at"].(string))
	if err != nil || time.Since(used) > time.Hour || time.Since(used) < 0 {
		t.Errorf("used at %v", all[0]["last_used_at"])
	}
	if all[1]["id"] != unused || all[1]["last_used_at"] != nil {
		t.Errorf("the unused key: %v", all[1])
	}
	contains(t, f.ok("keys", "list"), "USED", "APP", "Till app", "front desk", all[0]["last_used_at"].(string))
}
