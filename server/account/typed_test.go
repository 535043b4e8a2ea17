package account_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svc/server/servertest"
)

const tooShort = "too short"

// A form that is refused comes back with what was typed, except passwords, and says at the
// field why.
func TestFormsKeepWhatWasTyped(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	h.Person(t, servertest.Member)
	h.AskCode(t, "new@example.com").Expect(t, 200, "")
	code := h.Code(t, "new@example.com")
	empty := servertest.NewHouse(t)
	setup := servertest.Path(empty.SetupLink(t))

	in := h.Enter(t, servertest.Member)
	for name, row := range map[string]struct {
		b     *servertest.Browser
		path  string
		form  url.Values
		field string // its id
	}{
		"SignIn":      {h.Browser(t), "/signin", url.Values{"email": {"x@example.com"}, "password": {tooShort}}, "signin-email"},
		"SignUp":      {h.Browser(t), "/signup", url.Values{"email": {"no address"}}, "ask-email"},
		"Recover":     {h.Browser(t), "/recover", url.Values{"email": {"no address"}}, "ask-email"},
		"Code":        {h.Browser(t), "/signup/code", servertest.SignUpForm("new@example.com", "12345", "Shop", tooShort), "account-password"},
		"NewPassword": {h.Browser(t), "/signup/code", servertest.SignUpForm("new@example.com", code, "Shop & Co", tooShort), "account-password"},
		"WrongCode":   {h.Browser(t), "/signup/code", servertest.SignUpForm("new@example.com", "12345", "Shop", servertest.Password), "account-code"},
		"Setup":       {empty.Browser(t), setup, url.Values{"email": {"a@example.com"}, "name": {"Shop"}, "password": {tooShort}, "timezone": {"UTC"}}, "setup-password"},
		"SetupEmail":  {empty.Browser(t), setup, url.Values{"email": {"no address"}, "name": {"Shop"}, "password": {servertest.Password}, "timezone": {"UTC"}}, "setup-email"},
		"SetupZone":   {empty.Browser(t), setup, url.Values{"email": {"a@example.com"}, "name": {"Shop"}, "password": {servertest.Password}, "timezone": {"Londonn"}}, "setup-timezone"},
		"Threshold":   {in, "/console/wallet/threshold", url.Values{"threshold": {"1.505"}}, "threshold"},
		"Present":     {in, "/console/settings/password", url.Values{"current": {"not the password"}, "password": {servertest.Password}}, "settings-current"},
		"New":         {in, "/console/settings/password", url.Values{"current": {servertest.Password}, "password": {tooShort}}, "settings-password"},
	} {
		t.Run(name, func(t *testing.T) {
			a := row.b.Post(t, row.path, row.form)
			if a.Status < 400 || a.Status > 499 {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			expectProblemAt(t, a, row.field)
			for field := range row.form {
				typed := row.form.Get(field)
				secret := field == "password" || field == "current"
				if a.Says(typed) && secret || !secret && !inputOf(a, field, typed) {
					t.Errorf("%s %q: kept %v", field, typed, a.Says(typed))
				}
			}
		})
	}
}

var tags = regexp.MustCompile(`<input [^>]*>`)

// inputOf reports whether a field has a value.
func inputOf(a servertest.Answer, name, value string) bool {
	for _, tag := range tags.FindAllString(string(a.Body), -1) {
		if strings.Contains(tag, `name="`+name+`"`) && strings.Contains(tag, `value="`+strings.ReplaceAll(value, "&", "&amp;")+`"`) {
			return true
		}
	}
	return false
}

var describedBy = regexp.MustCompile(`aria-describedby="([^"]*)"`)

// expectProblemAt checks that the input with an id is marked as invalid and described by a
// text that is announced.
func expectProblemAt(t *testing.T, a servertest.Answer, id string) {
	t.Helper()
	for _, tag := range tags.FindAllString(string(a.Body), -1) {
		if !strings.Contains(tag, `id="`+id+`"`) {
			continue
		}
		found := describedBy.FindStringSubmatch(tag)
		if !strings.Contains(tag, `aria-invalid="true"`) || found == nil {
			t.Errorf("not invalid: %s", tag)
			return
		}
		ids := strings.Fields(found[1])
		problem := regexp.MustCompile(`<p class="[^"]*" id="` + ids[len(ids)-1] + `" role="alert">[^<]+</p>`)
		if !problem.Match(a.Body) {
			t.Errorf("no problem for %s: %s", tag, a.Body)
		}
		return
	}
	t.Errorf("no input %s: %s", id, a.Body)
}
