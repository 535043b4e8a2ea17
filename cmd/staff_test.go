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
	if text := f.fails(2, "people", "invite", "sam@example.com", "--account", owner); !strings.Contains(text, "is invited already") {
		t.Errorf("a second invitation: %s", text)
	}
	f.ok("people", "remove", "SAM@example.com", "--account", owner)
	if text := f.fails(1, "people", "remove", "sam@example.com", "--account", owner); !strings.Contains(text, "neither staff") {
		t.Errorf("a second removal: %s", text)
	}
	if out := f.ok("people", "list", "--account", owner); strings.Contains(out, "sam@") {
		t.Errorf("after the removal: %s", out)
	}
}
