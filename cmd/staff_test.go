package cmd_test

import (
	"strings"
	"testing"
)

// The operator lists, invites and removes the people of an account.
func TestPeopleCommand(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	made := f.object("people", "invite", "sam@example.com", "--account", owner)
	if link, _ := made["link"].(string); !strings.Contains(link, "/join/") || made["email"] != "sam@example.com" {
		t.Errorf("invited %v", made)
	}
	if out := f.ok("people", "list", "--account", owner); !strings.Contains(out, owner) || !strings.Contains(out, "invited") {
		t.Errorf("list %s", out)
	}
	if text := f.ok("people", "invite", "sam@example.com", "--account", owner); !strings.Contains(text, "http://127.0.0.1:8080/join/") || !strings.Contains(text, "--console-url") {
		t.Errorf("a second invitation: %s", text)
	}
	for want, variables := range map[string][]string{
		"http://127.0.0.1:9090/join/": {"SVC_ADDR=127.0.0.1:9090"},
		"https://api.example/join/":   {"SVC_ADDR=127.0.0.1:9090", "SVC_BASE_URL=https://api.example/"},
		"https://shop.example/join/":  {"SVC_BASE_URL=https://api.example", "SVC_CONSOLE_URL=https://shop.example"},
	} {
		if text := f.with(variables...).ok("people", "invite", "sam@example.com", "--account", owner); !strings.Contains(text, want) || strings.Contains(text, "--console-url") {
			t.Errorf("with %s: %s", variables, text)
		}
	}
	again := f.object("people", "invite", "SAM@example.com", "--account", owner, "--console-url", "https://shop.example")
	if link, _ := again["link"].(string); !strings.HasPrefix(link, "https://shop.example/join/") || link == made["link"] {
		t.Errorf("invited again: %v", again)
	}
	if out := f.ok("people", "list", "--account", owner); strings.Count(strings.ToLower(out), "sam@example.com") != 1 {
		t.Errorf("after three invitations: %s", out)
	}
	f.account("rival@example.com", "growth", "0")
	if text := f.fails(2, "people", "invite", "rival@example.com", "--account", owner); !strings.Contains(text, "signs in here already, in another account") {
		t.Errorf("another owner: %s", text)
	}
	f.ok("people", "remove", "SAM@example.com", "--account", owner)
	if text := f.fails(1, "people", "remove", "sam@example.com", "--account", owner); !strings.Contains(text, "neither staff") {
		t.Errorf("a second removal: %s", text)
	}
	if out := f.ok("people", "list", "--account", owner); strings.Contains(out, "sam@") {
		t.Errorf("after the removal: %s", out)
	}
}
