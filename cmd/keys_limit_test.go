package cmd_test

import "testing"

// The limits hold from the next call on in every process, and what was counted outlives a
// kill -9 of the process that counted it.
func TestKeysLimit(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	id, secret := f.key("test")
	first, second := f.serve(), f.serve()
	ask := func(p *process, want int) {
		t.Helper()
		if a := p.postJSON("/ask", secret, `{}`); a.status != want { // a 400 is admitted
			t.Errorf("%d %s, want %d", a.status, a.body, want)
		}
	}
	contains(t, f.ok("keys", "limit", id, "ask", "2", "2"), "key "+id+" may call /ask 2 times a minute and 2 times an hour")
	ask(first, 400)
	ask(second, 400)
	ask(second, 429)
	first.kill()
	first.wait()
	first = f.serve()
	ask(first, 429)

	made := f.object("keys", "limit", id, "ask", "3", "3")
	if made["id"] != id || made["endpoint"] != "ask" || made["per_minute"] != 3.0 || made["per_hour"] != 3.0 || made["default"] != false {
		t.Errorf("made %v", made)
	}
	ask(second, 400)
	ask(first, 429)
	contains(t, f.ok("keys", "list"), "LIMITS", "ask 3/3")
	f.ok("keys", "limit", id, "data/push", "60", "600")
	contains(t, f.ok("keys", "list"), "ask 3/3, data/push 60/600")

	contains(t, f.ok("keys", "limit", id, "ask", "--default"), "may call /ask 10 times a minute and 100 times an hour, as all keys")
	ask(first, 400)
	contains(t, f.ok("keys", "limit", id, "data/push", "--default"), "30 times a minute and 500")
	if listed := f.object("keys", "list"); listed["limits"] != nil {
		t.Errorf("listed %v", listed)
	}

	for want, args := range map[string][]string{
		"per_minute: must be from 1 to 36000":                     {id, "ask", "0", "10"},
		"per_hour: must be from the limit a minute, 20, to 36000": {id, "ask", "20", "10"},
		"to 36000": {id, "ask", "20", "36001"},
		`PER_MINUTE must be a whole number, not "x"`:               {id, "ask", "x", "10"},
		`PER_HOUR must be a whole number, not "1.5"`:               {id, "ask", "1", "1.5"},
		`not "puls"; did you mean pulse?`:                          {id, "puls", "1", "2"},
		`not "/ask"; did you mean ask?`:                            {id, "/ask", "--default"},
		`not "scan"`:                                               {id, "scan", "1", "2"},
		"usage: svc keys limit ID pulse|":                          {id, "ask", "20"},
		"--default restores the limits, so it takes no PER_MINUTE": {id, "ask", "1", "2", "--default"},
	} {
		contains(t, f.fails(2, append([]string{"keys", "limit"}, args...)...), want)
	}
	contains(t, f.fails(1, "keys", "limit", "key_none", "ask", "1", "2"), "no key key_none")
	contains(t, f.fails(1, "keys", "limit", "key_none", "ask", "--default"), "no key key_none")
}
