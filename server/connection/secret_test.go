package connection_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// The log contains no token, code, password, cookie or key, whatever happens on the pages
// (D3, L6).
func TestConsentLogsNoSecrets(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	secrets := map[string]string{"the live key": d.Secret, "the password": servertest.Password}
	token := func(link string) string { return link[strings.LastIndexByte(link, '/')+1:] }
	visit := func(b *servertest.Browser, link string) {
		for _, action := range allActions {
			d.Clock.Advance(time.Second)
			b.Post(t, link+"/"+action, formOf(action))
			b.Get(t, link)
			b.Get(t, link+"/logo")
			b.Get(t, link+"/"+action)
		}
	}

	const nia = "nia@shop.example"
	b, link, code := d.newMerchant(t, nia)
	wrong := signup(otherCode(code))
	wrong.Set("password", "a wrong password")
	b.Post(t, link+"/signup", wrong)
	b.Post(t, link+"/signin", url.Values{"email": {nia}, "password": {"a wrong password"}})
	b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	visit(b, link)
	secrets["the code"], secrets["the link"], secrets["a wrong password"] = code, token(link), "a wrong password"
	secrets["the new merchant's cookie"] = b.Cookies(t)[0].Value

	mias := d.Ask(t)
	visit(d.Browser(t), mias)
	visit(d.Merchant, mias)
	secrets["mia's link"], secrets["mia's cookie"] = token(mias), d.Merchant.Cookies(t)[0].Value
	reset := regexp.MustCompile(`/reset/(\S+)`).FindStringSubmatch(d.Outbox(t, servertest.Mia)[0].Text)
	secrets["the reset link"] = reset[1]

	_, testKey := d.Key(t, d.Developer, db.Test, db.AccountMode)
	preview := d.Ask(t, servertest.WithKey(testKey))
	visit(d.Merchant, preview)
	secrets["the test key"], secrets["the preview's link"] = testKey, token(preview)
	d.Merchant.Post(t, mias+"/approve", servertest.Ticked(), servertest.WithHeader("Sec-Fetch-Site", "cross-site"))
	d.Merchant.Get(t, "/connect/"+token(mias)[1:])
	d.Request(t, asking(`"secret-address"`))
	secrets["a refused address"] = "secret-address"
	d.Merchant.Post(t, "/console/granted/revoke", url.Values{"id": {"conn_secret"}})
	d.Clock.Advance(servertest.LinkLife)
	visit(d.Merchant, mias)

	logged := d.Log.String()
	if strings.Count(logged, "\n") < 100 || !strings.Contains(logged, "/connect/:token/approve") {
		t.Fatalf("the log has %d lines", strings.Count(logged, "\n"))
	}
	for name, secret := range secrets {
		if i := strings.Index(logged, secret); i >= 0 || len(secret) < 6 {
			t.Errorf("the log contains %s: …%s…", name, logged[max(0, i-200):max(0, i)])
		}
	}
	if strings.Contains(logged, `"level":"ERROR"`) {
		t.Errorf("the log has an error: %s", logged)
	}
	stored := d.dump(t, "connections", "sessions", "codes", "links", "previews", "accounts", "requests")
	for name, secret := range secrets {
		if strings.Contains(stored, secret) {
			t.Errorf("%s is stored", name)
		}
	}
}
