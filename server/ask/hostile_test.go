package ask_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
)

// Questions and headings that are made to cost much. Each is answered in well under a second
// of work, and a minute's or more would end in "takes too long", or in no answer at all.

func TestAskWordWithoutEnd(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	b.importFile(t, "sales.csv", csvFile(makeLines("2026-01-01", 60)))
	for _, letter := range []string{"x", "é"} {
		r := b.ask(t, strings.Repeat(letter, 2000))
		r.expectRefusal(t)
		if r.says("too long") {
			t.Errorf("%s: %s", letter, r.Answer)
		}
	}
}

// TestAskAmongHeadingsAlike asks with words that are in the headings of all columns.
func TestAskAmongHeadingsAlike(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	const columns = 100
	headings, cells := "Date", "2026-01-02"
	for i := range columns {
		headings += fmt.Sprintf(",revenue margin sales profit %d", i)
		cells += fmt.Sprintf(",%d", i)
	}
	b.importFile(t, "wide.csv", headings+"\n"+strings.Repeat(cells+"\n", 30))
	r := b.ask(t, strings.Repeat("revenue margin sales profit ", 20))
	r.expectRefusal(t)
	r.expectSays(t, "too much at once")
}

// No follow-up is made of a heading that nobody would type.
func TestAskContextOfLongHeadings(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	long := strings.TrimSpace(strings.Repeat("kappa ", 16))
	context := fmt.Sprintf(`{"kappa":1,"%s":2,"lambda":3}`, long)
	r := readReply(t, b.askWith(t, "What is our kappa?", context, b.generic(t, db.Live)))
	if got, want := strings.Join(r.FollowUps, " "), "What is our lambda?"; got != want {
		t.Errorf("follow-ups %q, want %q", got, want)
	}
}
