package account_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
	"svc/server/servertest"
)

// bench is a developer who is signed in to the console.
type bench struct {
	*servertest.Shop
	id string
	b  *servertest.Browser
}

func newBench(t *testing.T) *bench {
	t.Helper()
	s := &bench{Shop: servertest.NewShop(t, db.Growth, 1000)}
	s.id, s.b = s.Member(t, "dev@example.com")
	return s
}

var (
	ticketField = regexp.MustCompile(`name="ticket" value="([^"]+)"`)
	shownSecret = regexp.MustCompile(`svc_(generic_)?(test|live)_[0-9A-Za-z]{30,}`)
	madeKey     = regexp.MustCompile(`href="/console/keys\?open=(key_[0-9a-z]{26})">I have kept it`)
)

// field finds the first match of a pattern's first group in a page.
func field(t *testing.T, a servertest.Answer, pattern *regexp.Regexp) string {
	t.Helper()
	found := pattern.FindSubmatch(a.Body)
	if found == nil {
		t.Fatalf("%d: no %s in %s", a.Status, pattern, a.Body)
	}
	return string(found[1])
}

// newKeyForm opens the form for a new key and fills it in.
func (s *bench) newKeyForm(t *testing.T, env, mode, label string) url.Values {
	t.Helper()
	ticket := field(t, s.b.Get(t, "/console/keys?new=1"), ticketField)
	return url.Values{"ticket": {ticket}, "env": {env}, "mode": {mode}, "label": {label}, "app": {""}}
}

// create makes a key on the page and returns its id and secret.
func (s *bench) create(t *testing.T, env, mode, label string) (id, secret string) {
	t.Helper()
	a := s.b.Post(t, "/console/keys", s.newKeyForm(t, env, mode, label))
	a.ExpectPage(t, 200, "it is not shown again")
	return field(t, a, madeKey), shownSecret.FindString(string(a.Body))
}

func (s *bench) keys(t *testing.T) []db.Key {
	t.Helper()
	all, err := s.App.Accounts.Keys(context.Background(), "dev@example.com")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// calls checks the status of a call with a secret.
func (s *bench) calls(t *testing.T, secret string, status int) {
	t.Helper()
	if a := s.Call(t, http.MethodGet, "/api/v1/connections", nil, servertest.WithKey(secret)); a.Status != status {
		t.Errorf("a call: %d %s, want %d", a.Status, a.Body, status)
	}
}

func TestKeyPageCreates(t *testing.T) {
	s := newBench(t)
	s.b.Get(t, "/console/keys").ExpectPage(t, 200, "No keys yet")
	for _, row := range []struct{ env, mode, prefix string }{
		{"test", "account", "svc_test_"}, {"live", "account", "svc_live_"}, {"test", "generic", "svc_generic_test_"}, {"live", "generic", "svc_generic_live_"},
	} {
		id, secret := s.create(t, row.env, row.mode, "Till <1>")
		if !strings.HasPrefix(secret, row.prefix) {
			t.Errorf("%s %s: secret %s", row.env, row.mode, secret)
		}
		s.calls(t, secret, 200)
		page := s.b.Get(t, "/console/keys?open="+id)
		page.ExpectPage(t, 200, "Till <1>", "…"+secret[len(secret)-4:])
		if page.Says(secret) || strings.Contains(s.Log.String(), secret) {
			t.Error("the secret is shown again, or in the log")
		}
	}
}

// A reload of the answer, or a double click, sends the same form again.
func TestKeyPageMakesOneKeyOfAForm(t *testing.T) {
	s := newBench(t)
	form := s.newKeyForm(t, "test", "account", "Till")
	first := s.b.Post(t, "/console/keys", form)
	secret := shownSecret.FindString(string(first.Body))
	for range 2 {
		again := s.b.Post(t, "/console/keys", form)
		again.ExpectErrorPage(t, 409, "conflict", "This form was sent before", "Rotate secret")
		if shownSecret.Match(again.Body) {
			t.Error("a secret is shown again")
		}
	}
	if all := s.keys(t); len(all) != 1 {
		t.Errorf("%d keys", len(all))
	}
	s.calls(t, secret, 200)

	form = s.newKeyForm(t, "test", "account", "Twice")
	got := servertest.Parallel(6, func(int) int { return s.b.Post(t, "/console/keys", form).Status })
	if got[200] != 1 || got[409] != 5 {
		t.Errorf("the same form six times at once: %v", got)
	}
}

// A ticket that no page of the session made asks for no id.
func TestKeyPageRefusesOtherTickets(t *testing.T) {
	s := newBench(t)
	_, other := s.Member(t, "other@example.com")
	theirs := field(t, other.Get(t, "/console/keys?new=1"), ticketField)
	var a servertest.Answer
	for _, ticket := range []string{"", "x", "key_00000000000000000000000000.x", theirs, strings.Split(theirs, ".")[0] + "."} {
		form := s.newKeyForm(t, "live", "generic", "Kept as typed")
		form.Set("ticket", ticket)
		a = s.b.Post(t, "/console/keys", form)
		if ticket == "" {
			a.ExpectErrorPage(t, 400, "invalid_request", "This form came without its ticket", "Kept as typed")
			continue
		}
		a.ExpectErrorPage(t, 409, "conflict", "This form is not of this sign-in", "Kept as typed")
	}
	if len(s.keys(t)) != 0 {
		t.Fatal("a key was made")
	}
	form := url.Values{"ticket": {field(t, a, ticketField)}, "env": {"live"}, "mode": {"generic"}}
	s.b.Post(t, "/console/keys", form).ExpectPage(t, 200, "svc_generic_live_")
}

func TestKeyPageRefuses(t *testing.T) {
	s := newBench(t)
	for name, row := range map[string]struct{ field, value, text string }{
		"Env":   {"env", "prod", "The environment must be test or live."},
		"Mode":  {"mode", "x", "The mode must be account or generic."},
		"Label": {"label", strings.Repeat("x", 101), "The label must have at most 100 characters."},
		"App":   {"app", "Nothing", "no app named"},
	} {
		t.Run(name, func(t *testing.T) {
			form := s.newKeyForm(t, "test", "account", "Till")
			form.Set(row.field, row.value)
			s.b.Post(t, "/console/keys", form).ExpectErrorPage(t, 400, "invalid_request", row.text)
		})
	}
	if len(s.keys(t)) != 0 {
		t.Error("a key was made")
	}
}

func TestKeyPageRotates(t *testing.T) {
	servertest.Sequential(t)
	s := newBench(t)
	id, old := s.create(t, "test", "account", "Till")
	form := url.Values{"id": {id}, "grace": {"24"}, "last-four": {old[len(old)-4:]}}
	a := s.b.Post(t, "/console/keys/rotate", form)
	a.ExpectPage(t, 200, "The new secret", "The old secret works until", "two secrets", "I have kept it")
	fresh := shownSecret.FindString(string(a.Body))
	s.calls(t, old, 200)
	s.calls(t, fresh, 200)

	again := s.b.Post(t, "/console/keys/rotate", form)
	again.ExpectErrorPage(t, 409, "conflict", "This form was sent before")
	if shownSecret.Match(again.Body) || s.keys(t)[0].LastFour != fresh[len(fresh)-4:] {
		t.Error("the same form has rotated again")
	}

	s.b.Post(t, "/console/keys/end-old", url.Values{"id": {id}}).ExpectRedirect(t, "/console/keys?done=ended&open="+id)
	s.calls(t, old, 401)
	s.calls(t, fresh, 200)

	form.Set("last-four", fresh[len(fresh)-4:])
	for _, grace := range []string{"-1", "721", "x", ""} {
		form.Set("grace", grace)
		s.b.Post(t, "/console/keys/rotate", form).Expect(t, 400, "invalid_request")
	}
	form.Set("grace", "0")
	s.b.Post(t, "/console/keys/rotate", form).ExpectPage(t, 200, "The old secret has ended")
	s.calls(t, fresh, 401)
	form.Del("last-four")
	s.b.Post(t, "/console/keys/rotate", form).Expect(t, 400, "invalid_request")
}

func TestKeyPageSwitches(t *testing.T) {
	s := newBench(t)
	id, secret := s.create(t, "test", "account", "Till")
	form := url.Values{"id": {id}}
	s.b.Post(t, "/console/keys/disable", form).ExpectRedirect(t, "/console/keys?done=disabled&open="+id)
	s.calls(t, secret, 403)
	page := s.b.Get(t, "/console/keys?open="+id+"&done=disabled")
	page.ExpectPage(t, 200, "Its next call is refused", "disabled", "Enable")

	// A rotated key that is disabled shows no call that would be refused.
	rotated := s.b.Post(t, "/console/keys/rotate", url.Values{"id": {id}, "grace": {"24"}, "last-four": {secret[len(secret)-4:]}})
	rotated.ExpectPage(t, 200, "No secret of it works before you enable it")
	if rotated.Says("curl ") {
		t.Error("a curl line with a disabled key")
	}
	s.b.Post(t, "/console/keys/enable", form).ExpectRedirect(t, "/console/keys?done=enabled&open="+id)
	s.calls(t, secret, 200)

}

func TestKeyPageEdits(t *testing.T) {
	s := newBench(t)
	id, _ := s.create(t, "test", "account", "Till")
	form := url.Values{"id": {id}, "label": {strings.Repeat("y", 101)}}
	s.b.Post(t, "/console/keys/edit", form).ExpectErrorPage(t, 400, "invalid_request", "at most 100 characters", strings.Repeat("y", 101))

	app, err := s.App.Accounts.CreateApp(t.Context(), account.NewApp{Account: "dev@example.com", Name: "Counter"})
	if err != nil {
		t.Fatal(err)
	}
	expect := func(label, appID string) {
		t.Helper()
		if k := s.keys(t)[0]; k.Label != label || k.AppID != appID {
			t.Errorf("label %q, app %q", k.Label, k.AppID)
		}
	}
	form.Set("label", " Second till ")
	form.Set("app", "Nothing")
	s.b.Post(t, "/console/keys/edit", form).Expect(t, 400, "invalid_request")
	expect("Till", "")
	form.Set("app", "Counter")
	s.b.Post(t, "/console/keys/edit", form).ExpectRedirect(t, "/console/keys?done=saved&open="+id)
	expect("Second till", app.ID)
	form.Set("app", "")
	s.b.Post(t, "/console/keys/edit", form).ExpectRedirect(t, "/console/keys?done=saved&open="+id)
	expect("Second till", "")
}

func TestKeyPageCreatesSimilar(t *testing.T) {
	s := newBench(t)
	if _, err := s.App.Accounts.CreateApp(t.Context(), account.NewApp{Account: "dev@example.com", Name: "Counter"}); err != nil {
		t.Fatal(err)
	}
	form := s.newKeyForm(t, "live", "generic", "Till")
	form.Set("app", "Counter")
	id := field(t, s.b.Post(t, "/console/keys", form), madeKey)
	page := s.b.Get(t, "/console/keys?like="+id)
	page.ExpectPage(t, 200, "Connections belong to one key", "must approve this one too", `value="Till"`,
		`<option value="live" selected>`, `<option value="generic" selected>`, `<option value="Counter" selected>`)
}

// Another account's key does not exist for anything that a page can ask.
func TestKeyPageHidesOthersKeys(t *testing.T) {
	s := newBench(t)
	key := s.LiveKey
	before := s.Query(t, `SELECT * FROM api_keys`)
	for _, path := range []string{"open=", "like="} {
		s.b.Get(t, "/console/keys?"+path+key.ID).Expect(t, 404, "not_found")
	}
	form := url.Values{"id": {key.ID}, "label": {"mine"}, "app": {""}, "grace": {"0"}, "last-four": {key.LastFour}}
	for _, path := range servertest.PostPages("") {
		if strings.HasPrefix(path, "/console/keys/") {
			s.b.Post(t, path, form).ExpectErrorPage(t, 404, "not_found")
		}
	}
	if after := s.Query(t, `SELECT * FROM api_keys`); !slices.Equal(before, after) {
		t.Errorf("changed: %q", after)
	}
	if page := s.b.Get(t, "/console/keys"); page.Says(key.ID) || page.Says("…"+key.LastFour) {
		t.Error("another account's key is listed")
	}
}

// Calls and spend are those of the calendar month, for each key.
func TestKeyPageShowsTheMonth(t *testing.T) {
	s := servertest.NewShop(t, db.Growth, 1000)
	other, otherSecret := s.Key(t, s.Email, db.Live, db.AccountMode)
	unused, _ := s.Key(t, s.Email, db.Live, db.AccountMode)
	state := func(id string) account.KeyState {
		all, err := s.App.Accounts.KeyStates(t.Context(), s.LiveKey.AccountID)
		if err != nil {
			t.Fatal(err)
		}
		return all[slices.IndexFunc(all, func(k account.KeyState) bool { return k.ID == id })]
	}
	expect := func(id string, calls, cents int64) {
		t.Helper()
		if k := state(id); k.Use.Calls != calls || k.Use.SpentCents != cents {
			t.Errorf("%s: %+v, want %d calls and %d cents", id, k.Use, calls, cents)
		}
	}
	s.Send(t).Expect(t, 200, "")
	s.Send(t).Expect(t, 200, "")
	s.Call(t, http.MethodGet, "/api/v1/connections", nil, servertest.WithKey(otherSecret)).Expect(t, 200, "")
	expect(s.LiveKey.ID, 2, 4)
	expect(other.ID, 1, 0)
	expect(unused.ID, 0, 0)
	s.Credit(t, 50) // no spend

	month := s.Clock.Now().AddDate(0, 1, 0)
	s.Clock.Advance(time.Date(month.Year(), month.Month(), 1, 0, 0, 0, 0, time.UTC).Sub(s.Clock.Now()))
	expect(s.LiveKey.ID, 0, 0)
	s.Send(t).Expect(t, 200, "")
	expect(s.LiveKey.ID, 1, 2)
	expect(other.ID, 0, 0)
}

func TestKeyFilter(t *testing.T) {
	now := dbtest.NewClock().Now()
	var keys []account.KeyState
	for i, row := range []struct {
		label, app string
		env        db.Env
		off        bool
		calls      int64
	}{
		{"beta", "Till", db.Test, false, 5}, {"Alpha", "", db.Live, false, 9}, {"gamma", "Counter", db.Live, true, 1},
	} {
		k := account.KeyState{Key: db.Key{ID: fmt.Sprintf("key_%d", i), Label: row.label, Env: row.env, CreatedAt: now.Add(time.Duration(i) * time.Hour)}, App: row.app}
		k.Use.Calls = row.calls
		if row.off {
			k.DisabledAt = now
		}
		keys = append(keys, k)
	}
	for _, row := range []struct {
		filter account.KeyFilter
		want   string
	}{
		{account.KeyFilter{}, "gamma Alpha beta"},
		{account.KeyFilter{Sort: "created"}, "beta Alpha gamma"},
		{account.KeyFilter{Sort: "label"}, "Alpha beta gamma"},
		{account.KeyFilter{Sort: "-calls"}, "Alpha beta gamma"},
		{account.KeyFilter{Sort: "nonsense"}, "gamma Alpha beta"},
		{account.KeyFilter{Search: " TILL "}, "beta"},
		{account.KeyFilter{Search: "key_2"}, "gamma"},
		{account.KeyFilter{Env: db.Live}, "gamma Alpha"},
		{account.KeyFilter{State: "on"}, "Alpha beta"},
		{account.KeyFilter{State: "off"}, "gamma"},
		{account.KeyFilter{State: "off", Env: db.Test}, ""},
	} {
		var got []string
		for _, k := range row.filter.Apply(keys) {
			got = append(got, k.Label)
		}
		if strings.Join(got, " ") != row.want {
			t.Errorf("%+v: %q, want %q", row.filter, got, row.want)
		}
	}
}

func TestKeyPagePages(t *testing.T) {
	s := newBench(t)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for i := range 51 {
			if _, _, err := tx.CreateKey(db.Key{AccountID: s.id, Env: db.Test, Mode: db.AccountMode, Label: fmt.Sprintf("till %02d", i)}); err != nil {
				return err
			}
		}
		return nil
	})
	rows := regexp.MustCompile(`<th scope="row">`)
	first := s.b.Get(t, "/console/keys?sort=label")
	if n := len(rows.FindAll(first.Body, -1)); n != 50 || first.Says("till 50") {
		t.Errorf("%d rows on the first page", n)
	}
	first.ExpectPage(t, 200, `href="/console/keys?from=50&amp;sort=label"`)
	second := s.b.Get(t, "/console/keys?from=50&sort=label")
	second.ExpectPage(t, 200, "till 50", `href="/console/keys?sort=label"`)
	if n := len(rows.FindAll(second.Body, -1)); n != 1 {
		t.Errorf("%d rows on the second page", n)
	}
	s.b.Get(t, "/console/keys?q=TILL+07").ExpectPage(t, 200, "till 07")
	s.b.Get(t, "/console/keys?q=nothing").ExpectPage(t, 200, "No key is like that")
}

// The line that is shown with a new key asks a question only where there is something to ask
// about: before, it is a call that is answered without any data.
func TestNewKeyShowsACallThatAnswers(t *testing.T) {
	s := servertest.NewHouse(t)
	shop := s.Person(t, "shop@example.com")
	b := s.Enter(t, shop.Email)
	create := func(label string) servertest.Answer {
		ticket := regexp.MustCompile(`name="ticket" value="([^"]+)"`).FindSubmatch(b.Get(t, "/console/keys?new=1").Body)
		if ticket == nil {
			t.Fatal("the form has no ticket")
		}
		return b.Post(t, "/console/keys", url.Values{"ticket": {string(ticket[1])}, "env": {"test"}, "mode": {"account"}, "label": {label}})
	}
	if first := create("first"); !first.Says("/api/v1/tools/landed-cost ") || first.Says("/api/v1/ask") {
		t.Errorf("without data: %s", first.Body)
	}
	_, key := s.Key(t, shop.Email, db.Test, db.AccountMode)
	s.Call(t, http.MethodPost, "/data/push", map[string]any{"records": []any{map[string]any{
		"type": "sale", "occurred_at": s.Clock.Now().Add(-time.Hour).UTC().Format(time.RFC3339),
		"items": []any{map[string]any{"name": "Tea", "quantity": 1, "price": 4.5}},
	}}}, servertest.WithKey(key)).Expect(t, http.StatusOK, "")
	if second := create("second"); !second.Says("/api/v1/ask") {
		t.Errorf("with a sale: %s", second.Body)
	}
}
