package connection_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
	"svc/server/servertest"
)

// approve has the merchant approve a request with read_inventory ticked.
func (d *desk) approve(t *testing.T, link string) {
	t.Helper()
	d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
}

// plantItems stores items of an account.
func (d *desk) plantItems(t *testing.T, accountID string, items ...db.ItemChange) {
	t.Helper()
	for _, item := range items {
		d.Clock.Advance(time.Millisecond) // items are listed by age
		dbtest.MustItem(t, d.Store, accountID, item)
	}
}

// offers returns the actions of the page's forms in order, with a space between them.
func offers(t *testing.T, a servertest.Answer) string {
	t.Helper()
	var actions []string
	for _, address := range a.Forms() {
		path, action := address[:max(0, strings.LastIndexByte(address, '/'))], address[strings.LastIndexByte(address, '/')+1:]
		if !connectPath.MatchString(path) {
			t.Errorf("a form is posted to %s", address)
		}
		actions = append(actions, action)
	}
	return strings.Join(actions, " ")
}

// expectPage checks status, code and forms of a page, and that it contains each text.
func expectPage(t *testing.T, a servertest.Answer, status int, code, forms string, texts ...string) {
	t.Helper()
	a.Expect(t, status, code)
	if got := offers(t, a); got != forms {
		t.Errorf("the page offers %q, want %q: %s", got, forms, a.Body)
	}
	for _, text := range texts {
		if !a.Says(text) {
			t.Errorf("the page does not contain %q: %s", text, a.Body)
		}
	}
}

// expectNoRequest checks for the page of an unknown link.
func expectNoRequest(t *testing.T, a servertest.Answer) {
	t.Helper()
	expectPage(t, a, 404, "not_found", "", "This link does not work")
}

// Texts of the pages.
const (
	saysNothingChanged = "Nothing was changed: "
	saysAnswered       = saysNothingChanged + "the request had been answered before."
	saysSignInFirst    = saysNothingChanged + "sign in first."
	saysSomebodyElse   = "This request is for somebody else"
	saysConnected      = "is connected to your account"
	saysDeclined       = "This request was declined"
	saysRevoked        = "This access was revoked"
	saysExpired        = "This request has expired"
	saysEnded          = "This request has ended"
	saysExists         = "This connection exists already"
)

func TestConsentNeedsSignIn(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.plantItems(t, d.MerchantID, db.ItemChange{Name: "Secret Blend", CostPrice: new(int64(270))})
	link := d.Ask(t)
	a := d.Browser(t).Get(t, link)
	expectPage(t, a, 200, "", "signin code", "m…@shop.example", "read_inventory", "<bdi>dev</bdi>")
	if a.Says(servertest.Mia) || a.Says("Secret Blend") {
		t.Errorf("the page shows the merchant to a stranger: %s", a.Body)
	}
	for _, action := range decisions {
		d.expectUntouched(t, func() {
			a := d.Browser(t).Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
			expectPage(t, a, 401, "sign_in_required", "signin code", saysSignInFirst)
		})
	}
}

func TestConsentRefusesSomebodyElse(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.plantItems(t, d.MerchantID, db.ItemChange{Name: "Secret Blend", CostPrice: new(int64(270))})
	otherID, other := d.PlantMember(t, "max@other.example")
	d.plantItems(t, otherID, db.ItemChange{Name: "Max's Blend", CostPrice: new(int64(270))})
	link := d.Ask(t)

	refused := func(t *testing.T) {
		t.Helper()
		d.expectUntouched(t, func() {
			a := other.Get(t, link)
			expectPage(t, a, 403, "forbidden", "", saysSomebodyElse, "m…@shop.example", "max@other.example", "/signout")
			if a.Says(servertest.Mia) || a.Says("Blend") || a.Says("read_inventory") || a.Says("Read your inventory") {
				t.Errorf("the page shows the merchant to somebody else: %s", a.Body)
			}
			for _, action := range decisions {
				a := other.Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
				expectPage(t, a, 403, "forbidden", "", saysSomebodyElse, saysNothingChanged+"the request is for somebody else.")
				if a.Says(servertest.Mia) || a.Says("Blend") {
					t.Errorf("the page shows the merchant to somebody else: %s", a.Body)
				}
			}
		})
	}
	refused(t)
	d.approve(t, link)
	refused(t)

	t.Run("SignOutLeadsBack", func(t *testing.T) {
		// The page has no-referrer, so its origin is "null"; over plain HTTP the browser sends
		// no Sec-Fetch-Site.
		hidden := []servertest.Option{servertest.WithHeader("Origin", "null"), func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") }}
		other.Post(t, "/signout", url.Values{"next": {servertest.Path(link)}}, hidden...).ExpectDone(t, link)
		expectPage(t, other.Get(t, link), 200, "", "signin code", "m…@shop.example")
	})
}

// An account with an unverified e-mail decides nothing, whatever its address (D5).
func TestConsentRefusesAnUnverifiedAccount(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	const address = "una@shop.example"
	id := d.PlantAccount(t, address, false)
	d.plantItems(t, id, db.ItemChange{Name: "Una's Blend"})
	una := d.signedIn(t, id)
	link := servertest.ConfirmationURL(t, d.Request(t, asking(`"`+address+`"`)))
	d.expectUntouched(t, func() {
		a := d.Browser(t).Get(t, link, una)
		expectPage(t, a, 403, "forbidden", "", saysSomebodyElse)
		if a.Says("Blend") {
			t.Errorf("the inventory is shown: %s", a.Body)
		}
		for _, action := range []string{"approve", "decline"} {
			d.Browser(t).Post(t, link+"/"+action, servertest.Ticked("read_inventory"), una).Expect(t, 403, "forbidden")
		}
	})
}

// An address that looks the same, or has the same lower case, is another address.
func TestConsentRefusesALookalike(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	const kim, kelvin = "kim@shop.example", "\u212aim@shop.example"
	for asked, visitor := range map[string]string{kim: kelvin, kelvin: kim} {
		link := servertest.ConfirmationURL(t, d.Request(t, asking(`"`+asked+`"`)))
		as := d.signedIn(t, d.PlantAccount(t, visitor, true))
		d.expectUntouched(t, func() {
			expectPage(t, d.Browser(t).Get(t, link, as), 403, "forbidden", "", saysSomebodyElse)
			d.Browser(t).Post(t, link+"/approve", servertest.Ticked(), as).Expect(t, 403, "forbidden")
		})
	}
}

// signedIn plants a session and returns an option that sends its cookie.
func (d *desk) signedIn(t *testing.T, accountID string) servertest.Option {
	t.Helper()
	var token db.Token
	dbtest.Update(t, d.Store, func(tx *db.Tx) (err error) {
		_, token, err = tx.StartSession(db.Session{AccountID: accountID, PersonID: accountID})
		return err
	})
	return servertest.WithHeader("Cookie", "svc_session="+string(token))
}

// The merchant sees who asks, for what, their own rows with the cost price, when the
// link ends and how to revoke (D7).
func TestConsentPage(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.plantItems(t, d.MerchantID,
		db.ItemChange{Name: "Ground Coffee 250g", SKU: "COF-250", Price: new(int64(450)), CostPrice: new(int64(271)), StockMilli: new(int64(24_000)), Unit: "bag"},
		db.ItemChange{Name: "Loose Leaf Assam", SKU: "TEA-ASM", Price: new(int64(3200)), CostPrice: new(int64(1853)), StockMilli: new(int64(4_250)), Unit: "kg"},
		db.ItemChange{Name: "Gift Card", Price: new(int64(0)), CostPrice: new(int64(0)), StockMilli: new(int64(0))},
		db.ItemChange{Name: "The Fourth", CostPrice: new(int64(99))},
	)
	otherID := d.PlantAccount(t, "max@shop.example", true)
	d.plantItems(t, otherID, db.ItemChange{Name: "Of Somebody Else"})
	link := d.Ask(t)

	a := d.Merchant.Get(t, link)
	expectPage(t, a, 200, "", "approve decline", servertest.Mia, "<bdi>dev</bdi>", "No app name.", `name="scope" value="read_inventory" checked`,
		"Ground Coffee 250g", "COF-250", "4.50", "2.71", "24 bags", "Loose Leaf Assam", "32.00", "18.53", "4.25 kg", "Gift Card",
		`datetime="2026-03-09T10:00:00Z"`, "What is not shared", `href="/console/granted"`)
	for _, hidden := range []string{"The Fourth", "Of Somebody Else", "<script", "/logo"} {
		if a.Says(hidden) {
			t.Errorf("the page shows %q", hidden)
		}
	}

	t.Run("InTheMerchantsMoneyAndZone", func(t *testing.T) {
		currency, zone := "jpy", "Asia/Tokyo"
		refused := d.App.Accounts.SetProfile(context.Background(), servertest.Mia, account.ProfileChange{Currency: &currency})
		if refused == nil || !strings.Contains(refused.Error(), "currency: has another number of decimals than GBP") {
			t.Errorf("the currency was changed to one without decimals: %v", refused)
		}
		dbtest.Update(t, d.Store, func(tx *db.Tx) error { // as an account that had yen from the start
			return tx.SetProfile(d.MerchantID, db.Profile{BizType: "retail", Currency: currency, Timezone: zone})
		})
		a := d.Merchant.Get(t, link)
		expectPage(t, a, 200, "", "approve decline", `datetime="2026-03-09T19:00:00+09:00"`, "1,853")
		if a.Says("18.53") {
			t.Error("the page shows yen with decimals")
		}
	})

	t.Run("WithoutAnInventory", func(t *testing.T) {
		d := newDesk(t)
		expectPage(t, d.Merchant.Get(t, d.Ask(t)), 200, "", "approve decline", "There is nothing in your inventory yet")
	})
}

func TestConsentShowsWhoAsks(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	plant := func(name, label string, logo []byte) (link string) {
		var secret string
		dbtest.Update(t, d.Store, func(tx *db.Tx) error {
			k := db.Key{AccountID: d.LiveKey.AccountID, Env: db.Live, Mode: db.AccountMode, Label: label}
			if name != "" {
				app, err := tx.CreateApp(db.App{AccountID: d.LiveKey.AccountID, Name: name, Logo: logo, LogoType: "image/svg+xml"})
				if err != nil {
					return err
				}
				k.AppID = app.ID
			}
			_, made, err := tx.CreateKey(k)
			secret = string(made)
			return err
		})
		return d.Ask(t, servertest.WithKey(secret))
	}
	logo := []byte("<svg xmlns='http://www.w3.org/2000/svg'/>")

	t.Run("AppWithLogo", func(t *testing.T) {
		link := plant("Acme POS", "the key's label", logo)
		for _, b := range []*servertest.Browser{d.Browser(t), d.Merchant} {
			a := b.Get(t, link)
			if a.Expect(t, 200, ""); !a.Says("<bdi>Acme POS</bdi>") || !a.Says("<bdi>dev</bdi>") || a.Says("the key") ||
				!a.Says(`src="`+servertest.Path(link)+`/logo"`) {
				t.Errorf("page %s", a.Body)
			}
			got := b.Get(t, link+"/logo")
			if got.Status != 200 || got.Header.Get("Content-Type") != "image/svg+xml" || !bytes.Equal(got.Body, logo) {
				t.Errorf("logo %d %v %q", got.Status, got.Header, got.Body)
			}
			if got.Header.Get("X-Robots-Tag") != "noindex" || got.Header.Get("Cache-Control") != "no-store" ||
				got.Header.Get("Referrer-Policy") != "no-referrer" || got.Header.Get("X-Content-Type-Options") != "nosniff" ||
				!strings.Contains(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("logo with %v", got.Header)
			}
		}
		d.Merchant.Get(t, "/connect/"+string(db.NewToken())+"/logo").Expect(t, 404, "not_found")
		d.Merchant.Get(t, "/connect/short/logo").Expect(t, 404, "not_found")
	})
	t.Run("AppWithoutLogo", func(t *testing.T) {
		link := plant("Acme Scan", "", nil)
		if a := d.Merchant.Get(t, link); !a.Says("<bdi>Acme Scan</bdi>") || a.Says("/logo") {
			t.Errorf("page %s", a.Body)
		}
		d.Merchant.Get(t, link+"/logo").Expect(t, 404, "not_found")
	})
	t.Run("KeyWithoutApp", func(t *testing.T) {
		link := plant("", "till in Leeds", nil)
		if a := d.Merchant.Get(t, link); !a.Says("No app name.") || !a.Says("<bdi>till in Leeds</bdi>") {
			t.Errorf("page %s", a.Body)
		}
		d.Merchant.Get(t, link+"/logo").Expect(t, 404, "not_found")
	})
}

// Names chosen by others are escaped, inside <bdi>, on every page.
func TestConsentEscapesNames(t *testing.T) {
	servertest.Sequential(t)
	const hostile = `"'><script>alert(1)</script>` + "\u202e"
	const escaped = `&#34;&#39;&gt;&lt;script&gt;alert(1)&lt;/script&gt;` + "\u202e"
	d := newDesk(t)
	d.plantItems(t, d.MerchantID, db.ItemChange{Name: hostile + "item", SKU: hostile + "sku", Unit: "<b>bag</b>"})
	link := d.Ask(t, servertest.WithKey(d.hostileKey(t, hostile+"app", hostile+"dev")))

	look := func(a servertest.Answer, names ...string) {
		t.Helper()
		for _, name := range names {
			if !a.Says("<bdi>" + escaped + name + "</bdi>") {
				t.Errorf("%s is not shown as text: %s", name, a.Body)
			}
		}
		if a.Says("<script>") || a.Says("<b>bag") || a.Says(`"'>`) {
			t.Errorf("the page contains the names' markup: %s", a.Body)
		}
		for _, part := range strings.Split(string(a.Body), "\u202e")[1:] {
			if inside, _, ok := strings.Cut(part, "</bdi>"); !ok || strings.ContainsAny(inside, "<\n") {
				t.Errorf("the text direction changes outside of <bdi>: %.80q", part)
			}
		}
	}
	look(d.Browser(t).Get(t, link), "app", "dev")
	look(d.Merchant.Get(t, link), "app", "dev", "item", "sku")
	_, other := d.PlantMember(t, "max@other.example")
	look(other.Get(t, link), "app", "dev")
	d.approve(t, link)
	look(d.Merchant.Get(t, link), "app", "dev")
	look(d.Merchant.Get(t, "/console/granted"), "app", "dev")
}
