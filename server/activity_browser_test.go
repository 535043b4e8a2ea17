package server_test

import (
	"net/http"
	"strings"
	"testing"

	"svc/db"
	"svc/server/account"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// An owner sees what was done to the account and by whom, and nothing of others; the
// operator sees all.
func TestBrowserActivity(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	operator := s.Person(t, "boss@example.com")
	if !operator.Operator {
		t.Fatal("the first account is not the operator's")
	}
	shop := s.Person(t, "shop@example.com")
	key, secret := s.Key(t, shop.Email, db.Live, db.AccountMode)
	ctx := db.WithActor(t.Context(), db.ActorCommand)
	if _, err := s.App.Accounts.Credit(ctx, shop.Email, 1000, "for May"); err != nil {
		t.Fatal(err)
	}
	if err := s.App.Accounts.SetKeyEnabled(ctx, account.KeyRef{ID: key.ID}, false); err != nil {
		t.Fatal(err)
	}

	b := viewstest.Open(t)
	enter(b, s.Server, shop.Email)
	b.Go(s.URL + "/console/activity")
	look(b, "activity")
	text := b.Text()
	for _, want := range []string{"Credit changed: $10.00", "disabled", "The operator, by command", "made: live account"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "boss@") || strings.Contains(text, secret) {
		t.Errorf("shows what is not the owner's: %s", text)
	}

	for email, all := range map[string]bool{shop.Email: false, operator.Email: true} {
		page := s.Enter(t, email).Get(t, "/console/activity?all=1")
		page.Expect(t, http.StatusOK, "")
		if got := strings.Contains(string(page.Body), "Of all accounts") || strings.Contains(string(page.Body), "Only mine"); got != all {
			t.Errorf("%s: all %v", email, got)
		}
		if email == shop.Email && strings.Contains(string(page.Body), operator.ID) {
			t.Error("the shop sees acts of others")
		}
	}
}
