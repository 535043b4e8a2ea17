package account_test

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/servertest"
)

// setupForm returns the form; without a name it has not the field.
func setupForm(email, name, password string) url.Values {
	form := url.Values{"email": {email}, "password": {password}, "timezone": {"london"}}
	if name != "" {
		form.Set("name", name)
	}
	return form
}

func TestSetup(t *testing.T) {
	servertest.Sequential(t)
	good := setupForm(servertest.Boss, " Corner Shop ", servertest.OtherPassword)

	t.Run("MakesTheOperatorOnce", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		b := h.Browser(t)
		for range 2 { // a GET changes nothing
			a := b.Get(t, link)
			a.ExpectPage(t, 200, "Make the operator’s account")
			if forms := a.Forms(); !slices.Equal(forms, []string{servertest.Path(link)}) {
				t.Errorf("forms %q", forms)
			}
			if a.Header.Get("Referrer-Policy") != "no-referrer" {
				t.Error("the page sends its address as a referrer")
			}
		}
		b.Post(t, link, good).ExpectRedirect(t, "/console")
		made := h.Accounts(t)[0]
		if made.Email != servertest.Boss || made.Name != "Corner Shop" || !made.Operator || made.VerifiedAt.IsZero() || made.Plan != db.Business {
			t.Errorf("made %+v", made)
		}
		b.Get(t, "/console").ExpectPage(t, 200, "Corner Shop", "Add your products")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.OtherPassword).ExpectRedirect(t, "/console")

		for range 2 {
			over := h.Browser(t)
			for _, a := range []servertest.Answer{
				over.Get(t, link), over.Post(t, link, setupForm("second@example.com", "", servertest.OtherPassword)), b.Post(t, link, url.Values{}),
			} {
				a.ExpectErrorPage(t, 404, "not_found", "This server is set up")
				a.ExpectNoAction(t)
			}
		}
		if n := len(h.Accounts(t)); n != 1 {
			t.Errorf("%d accounts", n)
		}
		if strings.Contains(h.Log.String(), strings.TrimPrefix(servertest.Path(link), "/setup/")) {
			t.Error("the log contains the link")
		}
	})

	t.Run("WrongLinksAreNotFound", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		token := strings.TrimPrefix(servertest.Path(link), "/setup/")
		for _, wrong := range []string{
			string(db.NewToken()), token[1:], token + "A", token + "=", token[:42], "x", "%00", strings.Repeat("x", 5000), `"><b>`, token + "%0a",
		} {
			b := h.Browser(t)
			for _, a := range []servertest.Answer{
				b.Get(t, "/setup/"+url.PathEscape(wrong)), b.Get(t, "/setup/"+wrong),
				b.Post(t, "/setup/"+wrong, good), b.Post(t, "/setup/"+wrong, setupForm("x", "", "short")), // a bad form, too
			} {
				a.ExpectErrorPage(t, 404, "not_found", "A setup link works for 30 minutes")
				a.ExpectNoAction(t)
			}
		}
		if n := len(h.Accounts(t)); n != 0 {
			t.Errorf("%d accounts", n)
		}
		h.Browser(t).Post(t, link, good).ExpectRedirect(t, "/console")
	})

	t.Run("WorksFor30Minutes", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		h.Browser(t).Get(t, link).ExpectPage(t, 200)
		h.Clock.Advance(time.Millisecond)
		h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, link, good).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, h.SetupLink(t), good).ExpectRedirect(t, "/console")
	})

	t.Run("NewLinkReplacesTheOldOne", func(t *testing.T) {
		h := newHouse(t)
		old := h.SetupLink(t)
		second := servertest.Open(t, h.Path, h.Clock) // svc serve is started again
		fresh, err := second.App.Accounts.SetupLink(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		h.Browser(t).Get(t, old).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, old, good).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, fresh, good).ExpectRedirect(t, "/console")
	})

	t.Run("EndsWhenAnAccountIsMade", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		h.Person(t, servertest.Member) // as svc accounts create does
		a := h.Browser(t).Get(t, link)
		a.ExpectErrorPage(t, 404, "not_found", "This server is set up")
		a.ExpectNoAction(t)
		h.Browser(t).Post(t, link, good).ExpectErrorPage(t, 404, "not_found", "This server is set up")
		if all := h.Accounts(t); len(all) != 1 || all[0].Email != servertest.Member || !all[0].Operator {
			t.Errorf("accounts %+v", all)
		}
	})

	t.Run("ParallelPostsMakeOneAccount", func(t *testing.T) {
		h := newHouse(t)
		link := h.SetupLink(t)
		const n = 4
		answers := make([]servertest.Answer, n)
		var all sync.WaitGroup
		for i := range n {
			b := h.Browser(t)
			all.Go(func() {
				answers[i] = b.Post(t, link, setupForm(fmt.Sprintf("a%d@example.com", i), "", servertest.OtherPassword))
			})
		}
		all.Wait()
		made := h.Accounts(t)
		if len(made) != 1 || !made[0].Operator {
			t.Fatalf("accounts %+v", made)
		}
		for i, a := range answers {
			if made[0].Email == fmt.Sprintf("a%d@example.com", i) {
				a.ExpectRedirect(t, "/console")
			} else {
				a.ExpectErrorPage(t, 404, "not_found", "This server is set up")
			}
		}
	})

	for _, row := range []struct {
		name, email, business, password, sentence string
	}{
		{"NoEmail", "", "Shop", servertest.OtherPassword, "The e-mail is required."},
		{"BadEmail", "boss", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"TwoEmails", "a@example.com, b@example.com", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"EmailWithAName", "Boss <a@example.com>", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"EmailWithALineEnd", "a@example.com\r\nBcc: b@example.com", "Shop", servertest.OtherPassword, "The e-mail must be one e-mail address, like name@example.com."},
		{"ShortPassword", servertest.Boss, "Shop", "123456789", "The password must have 10 to 200 characters."},
		{"LongPassword", servertest.Boss, "Shop", strings.Repeat("x", 201), "The password must have 10 to 200 characters."},
		{"NoPassword", servertest.Boss, "Shop", "", "The password must have 10 to 200 characters."},
		{"BlankName", servertest.Boss, "  ", servertest.OtherPassword, "The name of the business is required."},
		{"LongName", servertest.Boss, strings.Repeat("é", 101), servertest.OtherPassword, "The name of the business must be at most 100 characters."},
		{"Markup", `"><script>alert(1)</script>`, `</title><img src=x onerror=alert(1)>`, servertest.OtherPassword, "The e-mail must be one e-mail address"},
	} {
		t.Run("BadInputKeepsTheLink/"+row.name, func(t *testing.T) {
			h := newHouse(t)
			link := h.SetupLink(t)
			b := h.Browser(t)
			a := b.Post(t, link, setupForm(row.email, row.business, row.password))
			a.ExpectErrorPage(t, 400, "invalid_request", row.sentence)
			if !slices.Equal(a.Forms(), []string{servertest.Path(link)}) {
				t.Errorf("forms %q", a.Forms())
			}
			if row.email != "" && !a.Says(` value="`+html.EscapeString(row.email)+`"`) && !strings.Contains(row.email, "\r") {
				t.Errorf("the form has lost the e-mail: %s", a.Body)
			}
			if !a.Says(` value="` + html.EscapeString(row.business) + `"`) {
				t.Errorf("the form has lost the name: %s", a.Body)
			}
			if a.Says("<script>") || a.Says("<img src=x") || row.password != "" && a.Says(row.password) {
				t.Errorf("the page repeats markup or the password: %s", a.Body)
			}
			if len(b.Cookies(t)) > 0 || len(h.Accounts(t)) > 0 {
				t.Error("an account or a session was made")
			}
			b.Post(t, link, good).ExpectRedirect(t, "/console")
		})
	}

	t.Run("NoName", func(t *testing.T) {
		h := newHouse(t)
		form := setupForm(servertest.Boss, "", servertest.OtherPassword)
		form.Set("name", "")
		h.Browser(t).Post(t, h.SetupLink(t), form).ExpectErrorPage(t, 400, "invalid_request", "The name of the business is required.")
		if all := h.Accounts(t); len(all) != 0 {
			t.Errorf("made %+v", all)
		}
	})

	t.Run("ValidExtremes", func(t *testing.T) {
		for password, name := range map[string]string{
			strings.Repeat("x", 10): "", strings.Repeat("x", 200): strings.Repeat("é", 100), strings.Repeat("🍵", 10): "名前", "пароль пароль": "<b>",
		} {
			h := newHouse(t)
			h.Browser(t).Post(t, h.SetupLink(t), setupForm(servertest.Boss, name, password)).ExpectRedirect(t, "/console")
			want := name
			if want == "" {
				want = "Boss"
			}
			if made := h.Accounts(t)[0]; made.Name != want {
				t.Errorf("made %+v", made)
			}
			h.Browser(t).SignIn(t, strings.ToUpper(servertest.Boss), password).ExpectRedirect(t, "/console")
		}
	})
}

// Before the first account only the paths that L2 names answer, and only the setup link
// makes an account.
func TestClosedBeforeSetup(t *testing.T) {
	servertest.Sequential(t)
	h := newHouse(t, func(c *server.Config) { c.SignupOpen = true })
	link := h.SetupLink(t)
	token := string(db.NewToken())
	code := ""
	dbtest.Update(t, h.Store, func(tx *db.Tx) (err error) {
		code, err = tx.IssueCode("thief@example.com")
		return err
	})

	for _, path := range []string{
		"/", "/signin", "/signup", "/recover", "/reset/" + token, "/connect/" + token, "/connect/" + token + "/logo",
		"/charges/" + token, "/charges/" + token + "/return", "/charges/" + token + "/status",
		"/console", "/console/wallet", "/console/granted", "/console/settings", "/console/operator", "/nowhere", "/setup", "/setup/",
		"/api/v1/connections", "/api/v1/charges",
	} {
		h.Call(t, "GET", path, nil).Expect(t, 503, "setup_required")
	}
	thief := url.Values{
		"email": {"thief@example.com"}, "code": {code}, "name": {"Thief"}, "password": {servertest.OtherPassword}, "next": {"/console"},
		"current": {servertest.OtherPassword}, "threshold": {"5"}, "bundle": {"500-gbp-600"}, "id": {"x"},
	}
	for _, path := range slices.Concat(servertest.PostPages(token), []string{"/webhooks/stripe", "/api/v1/connections", "/api/v1/charges", servertest.SendPath}) {
		if strings.HasPrefix(path, "/setup/") {
			continue
		}
		h.Browser(t).Post(t, path, thief).Expect(t, 503, "setup_required")
	}
	if n := len(h.Accounts(t)); n != 0 {
		t.Fatalf("%d accounts", n)
	}
	if mails := h.Outbox(t, ""); len(mails) != 0 {
		t.Errorf("mails %+v", mails)
	}

	setup := h.Browser(t).Get(t, link)
	style := regexp.MustCompile(`/static/[^"]+\.css`).Find(setup.Body)
	for _, path := range []string{string(style), "/healthz", "/readyz", "/api/v1/pricing"} {
		if a := h.Call(t, "GET", path, nil); a.Status != 200 || len(a.Body) == 0 {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	h.Browser(t).Post(t, link, setupForm(servertest.Boss, "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
	for _, path := range []string{"/", "/signin", "/signup", "/recover"} {
		if a := h.Call(t, "GET", path, nil); a.Status != 200 {
			t.Errorf("%s after setup: %d, want 200", path, a.Status)
		}
	}
}

// firstLink is the link that svc serve prints, as a path; empty if it prints none.
func (h *house) firstLink(t *testing.T, wantEmail string) string {
	t.Helper()
	link, email, err := h.App.Accounts.FirstLink(t.Context())
	if err != nil || email != wantEmail {
		t.Fatalf("link %q for %q, %v", link, email, err)
	}
	if link == "" {
		return ""
	}
	return servertest.Path(link)
}

// As long as no account has a password, svc serve prints a link that sets the operator's.
func TestFirstLink(t *testing.T) {
	servertest.Sequential(t)
	form := url.Values{"password": {servertest.OtherPassword}}
	begin := func(t *testing.T) *house {
		h := newHouse(t)
		if _, _, err := h.App.Accounts.CreateKey(t.Context(), account.NewKey{Account: servertest.Boss}); err != nil {
			t.Fatal(err)
		}
		return h
	}

	t.Run("SetsThePasswordOnce", func(t *testing.T) {
		h := begin(t)
		link, b := h.firstLink(t, servertest.Boss), h.Browser(t)
		for range 2 { // a GET changes nothing
			b.Get(t, link).ExpectPage(t, 200, "Choose a new password")
		}
		b.Post(t, link, url.Values{"password": {"short"}}).ExpectErrorPage(t, 400, "invalid_request", "The password must have")
		b.Post(t, link, form).ExpectRedirect(t, "/console")
		h.Browser(t).SignIn(t, servertest.Boss, servertest.OtherPassword).ExpectRedirect(t, "/console")
		for _, a := range []servertest.Answer{h.Browser(t).Get(t, link), h.Browser(t).Post(t, link, form)} {
			a.ExpectErrorPage(t, 404, "not_found", "This link does not work")
		}
		if again := h.firstLink(t, ""); again != "" {
			t.Errorf("link %s after a password was set", again)
		}
		if strings.Contains(h.Log.String(), strings.TrimPrefix(link, "/reset/")) {
			t.Error("the log contains the link")
		}
	})
	t.Run("WorksFor30Minutes", func(t *testing.T) {
		h := begin(t)
		link := h.firstLink(t, servertest.Boss)
		h.Clock.Advance(30*time.Minute - time.Millisecond)
		h.Browser(t).Get(t, link).ExpectPage(t, 200)
		h.Clock.Advance(time.Millisecond)
		h.Browser(t).Post(t, link, form).ExpectErrorPage(t, 404, "not_found")
	})
	t.Run("NewLinkReplacesTheOldOne", func(t *testing.T) {
		h := begin(t)
		old, fresh := h.firstLink(t, servertest.Boss), h.firstLink(t, servertest.Boss)
		h.Browser(t).Post(t, old, form).ExpectErrorPage(t, 404, "not_found")
		h.Browser(t).Post(t, fresh, form).ExpectRedirect(t, "/console")
	})
	t.Run("EndsWhenACommandSetsThePassword", func(t *testing.T) {
		h := begin(t)
		link := h.firstLink(t, servertest.Boss)
		if err := h.App.Accounts.SetPassword(t.Context(), servertest.Boss, servertest.OtherPassword); err != nil {
			t.Fatal(err)
		}
		h.Browser(t).Post(t, link, form).ExpectErrorPage(t, 404, "not_found")
	})
	t.Run("IsTheSetupLinkOfAnEmptyServer", func(t *testing.T) {
		h := newHouse(t)
		link := h.firstLink(t, "")
		h.Browser(t).Post(t, link, setupForm(servertest.Boss, "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
		if again := h.firstLink(t, ""); again != "" {
			t.Errorf("link %s on a server with an account", again)
		}
	})
}
