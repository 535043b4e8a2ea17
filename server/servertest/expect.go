package servertest

import (
	"bytes"
	"html"
	"net/http"
	"testing"
)

// Expect checks status and X-Error-Code; code is empty for a success. It ends the
// test if they differ.
func (a Answer) Expect(t testing.TB, status int, code string) {
	t.Helper()
	if a.Status != status || a.Code() != code {
		t.Fatalf("answer %d %q, want %d %q: %s", a.Status, a.Code(), status, code, a.Body)
	}
}

// ExpectBody checks status and body, byte by byte. It ends the test if they differ.
func (a Answer) ExpectBody(t testing.TB, status int, body string) {
	t.Helper()
	if a.Status != status || string(a.Body) != body {
		t.Fatalf("answer %d %s, want %d %s", a.Status, a.Body, status, body)
	}
}

// ExpectReplay checks that the answer repeats the first one, byte by byte, and is
// marked as a replay.
func (a Answer) ExpectReplay(t testing.TB, first Answer) {
	t.Helper()
	if a.Status != first.Status || !bytes.Equal(a.Body, first.Body) {
		t.Errorf("replay %d %s, want %d %s", a.Status, a.Body, first.Status, first.Body)
	}
	if a.Header.Get("Idempotency-Replayed") != "true" {
		t.Error("no Idempotency-Replayed on a replay")
	}
}

// ExpectRedirect checks for a 303 to an address. It ends the test if it is another
// answer.
func (a Answer) ExpectRedirect(t testing.TB, to string) {
	t.Helper()
	if a.Status != http.StatusSeeOther || a.Header.Get("Location") != to || a.Code() != "" {
		t.Fatalf("%d %q to %q, want 303 to %q: %s", a.Status, a.Code(), a.Header.Get("Location"), to, a.Body)
	}
}

// ExpectPage checks that the answer is a page with this status that contains all
// texts, as they are or escaped for HTML.
func (a Answer) ExpectPage(t testing.TB, status int, texts ...string) {
	t.Helper()
	if a.Status != status || a.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("answer %d %v, want a page with %d: %s", a.Status, a.Header, status, a.Body)
	}
	if (a.Code() == "") != (status < 400) {
		t.Errorf("a page with status %d and code %q", status, a.Code())
	}
	for _, text := range texts {
		if !a.Says(text) && !a.Says(html.EscapeString(text)) {
			t.Errorf("the page does not contain %q: %s", text, a.Body)
		}
	}
}

// ExpectErrorPage checks that the answer is a page with this status and code that
// contains all texts.
func (a Answer) ExpectErrorPage(t testing.TB, status int, code string, texts ...string) {
	t.Helper()
	a.Expect(t, status, code)
	a.ExpectPage(t, status, texts...)
}

// ExpectNoForms checks that a page has no form but the one to sign out.
func (a Answer) ExpectNoForms(t testing.TB) {
	t.Helper()
	if forms := a.Forms(); len(forms) > 0 {
		t.Errorf("the page has forms to %v", forms)
	}
}

// ExpectNoAction checks that a page has neither form nor field and sets no cookie.
func (a Answer) ExpectNoAction(t testing.TB) {
	t.Helper()
	if forms := a.Forms(); len(forms) > 0 || a.Says("<input") || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("forms %q, cookie %q: %s", forms, a.Header.Get("Set-Cookie"), a.Body)
	}
}

// ExpectSame checks that two dumps of the store are equal: nothing was changed between
// them.
func ExpectSame(t testing.TB, before, after string) {
	t.Helper()
	if before != after {
		t.Errorf("the store has changed; before:\n%s\nafter:\n%s", before, after)
	}
}
