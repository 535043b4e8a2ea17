package connection_test

import (
	"bytes"
	"context"
	"encoding/base64"
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

// plantItems stores items of an account.
func (d *desk) plantItems(t *testing.T, accountID string, items ...db.ItemChange) {
	t.Helper()
	for _, item := range items {
		d.Clock.Advance(time.Millisecond) // they are listed by their age
		dbtest.MustItem(t, d.Store, accountID, item)
	}
}

// offers are the actions of the page's forms, in their order.
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

// expectPage checks status, code and forms of a page, and that it says each text.
func expectPage(t *testing.T, a servertest.Answer, status int, code, forms string, texts ...string) {
	t.Helper()
	a.Expect(t, status, code)
	if got := offers(t, a); got != forms {
		t.Errorf("the page offers %q, want %q: %s", got, forms, a.Body)
	}
	for _, text := range texts {
		if !a.Says(text) {
			t.Errorf("the page does not say %q: %s", text, a.Body)
		}
	}
}

// expectNoRequest checks for the page of a link that leads nowhere.
func expectNoRequest(t *testing.T, a servertest.Answer) {
	t.Helper()
	expectPage(t, a, 404, "not_found", "", "This link does not work")
}

// What each page says.
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

func TestConsentSignedOut(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.plantItems(t, d.MerchantID, db.ItemChange{Name: "Secret Blend", CostPrice: new(int64(270))})
	link := d.Ask(t)
	a := d.Browser(t).Get(t, link)
	expectPage(t, a, 200, "", "signin code", "m…@shop.example", "read_inventory", "<bdi>dev</bdi>")
	if a.Says(servertest.Mia) || a.Says("Secret Blend") {
		t.Errorf("a stranger learns of the merchant: %s", a.Body)
	}
	for _, action := range decisions {
		d.expectUntouched(t, func() {
			a := d.Browser(t).Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
			expectPage(t, a, 401, "sign_in_required", "signin code", saysSignInFirst)
		})
	}
}

func TestConsentOfSomebodyElse(t *testing.T) {
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
				t.Errorf("somebody else learns of the merchant: %s", a.Body)
			}
			for _, action := range decisions {
				a := other.Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
				expectPage(t, a, 403, "forbidden", "", saysSomebodyElse, saysNothingChanged+"the request is for somebody else.")
				if a.Says(servertest.Mia) || a.Says("Blend") {
					t.Errorf("somebody else learns of the merchant: %s", a.Body)
				}
			}
		})
	}
	refused(t)
	d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
	refused(t)

	t.Run("SignsOutAndIsAskedAgain", func(t *testing.T) {
		// The page hides its address, so its origin is "null"; plain HTTP says no more.
		hidden := []servertest.Option{servertest.WithHeader("Origin", "null"), func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") }}
		other.Post(t, "/signout", url.Values{"next": {servertest.Path(link)}}, hidden...).ExpectDone(t, link)
		expectPage(t, other.Get(t, link), 200, "", "signin code", "m…@shop.example")
	})
}

// An account whose e-mail nobody has proven decides nothing, whatever its address (D5).
func TestConsentOfAnUnverifiedAccount(t *testing.T) {
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

// A mailbox whose letters only look alike, or have the same lower case, is another's.
func TestConsentOfALookalike(t *testing.T) {
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

// signedIn plants a session and is the cookie of it.
func (d *desk) signedIn(t *testing.T, accountID string) servertest.Option {
	t.Helper()
	var token db.Token
	dbtest.Update(t, d.Store, func(tx *db.Tx) (err error) {
		_, token, err = tx.StartSession(db.Session{AccountID: accountID})
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
		"Ground Coffee 250g", "COF-250", "4.50", "2.71", "24 bag", "Loose Leaf Assam", "32.00", "18.53", "4.25 kg", "Gift Card",
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
			t.Errorf("prices in pence became yen: %v", refused)
		}
		dbtest.Update(t, d.Store, func(tx *db.Tx) error { // of an account that had it from the beginning
			return tx.SetProfile(d.MerchantID, db.Profile{BizType: "retail", Currency: currency, Timezone: zone})
		})
		a := d.Merchant.Get(t, link)
		expectPage(t, a, 200, "", "approve decline", `datetime="2026-03-09T19:00:00+09:00"`, "1,853")
		if a.Says("18.53") {
			t.Error("yen have no decimals")
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

// Names that others chose are text between <bdi> and nothing else, on every page.
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
			t.Errorf("markup of others: %s", a.Body)
		}
		for _, part := range strings.Split(string(a.Body), "\u202e")[1:] {
			if inside, _, ok := strings.Cut(part, "</bdi>"); !ok || strings.ContainsAny(inside, "<\n") {
				t.Errorf("the direction of writing is turned outside of <bdi>: %.80q", part)
			}
		}
	}
	look(d.Browser(t).Get(t, link), "app", "dev")
	look(d.Merchant.Get(t, link), "app", "dev", "item", "sku")
	_, other := d.PlantMember(t, "max@other.example")
	look(other.Get(t, link), "app", "dev")
	d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
	look(d.Merchant.Get(t, link), "app", "dev")
	look(d.Merchant.Get(t, "/console/granted"), "app", "dev")
}

func TestConsentSignIn(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	signin := func(b *servertest.Browser, address, password string) servertest.Answer {
		return b.Post(t, link+"/signin", url.Values{"email": {address}, "password": {password}})
	}

	t.Run("Addressee", func(t *testing.T) {
		b := d.Browser(t)
		signin(b, "MIA@shop.example", servertest.Password).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 200, "", "approve decline")
	})
	t.Run("SomebodyElse", func(t *testing.T) {
		d.PlantAccount(t, "max@other.example", true)
		b := d.Browser(t)
		signin(b, "max@other.example", servertest.Password).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 403, "forbidden", "", saysSomebodyElse)
	})
	t.Run("NextIsNotObeyed", func(t *testing.T) {
		a := d.Browser(t).Post(t, link+"/signin", url.Values{
			"email": {servertest.Mia}, "password": {servertest.Password}, "next": {"https://evil.example/"},
		})
		a.ExpectDone(t, link)
	})
	t.Run("WrongPassword", func(t *testing.T) {
		d.expectUntouched(t, func() {
			for _, address := range []string{servertest.Mia, "nobody@shop.example", ""} {
				b := d.Browser(t)
				a := signin(b, address, "not the password")
				expectPage(t, a, 401, "wrong_password", "signin code", "The e-mail or the password is wrong.", `id="signin-problem"`, `value="`+address+`"`)
				if a.Says("not the password") || len(b.Cookies(t)) != 0 {
					t.Errorf("cookies %v, page %s", b.Cookies(t), a.Body)
				}
			}
		})
	})
	t.Run("TooManyWrongPasswords", func(t *testing.T) {
		d.Clock.Advance(time.Hour)
		for range 10 {
			signin(d.Browser(t), servertest.Mia, "not the password").Expect(t, 401, "wrong_password")
		}
		a := signin(d.Browser(t), servertest.Mia, servertest.Password)
		expectPage(t, a, 429, "too_many_tries", "signin code")
		if a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	})
}

// newMerchant asks an address that has no account, and has a code mailed to it.
func (d *desk) newMerchant(t *testing.T, address string) (b *servertest.Browser, link, code string) {
	t.Helper()
	link = servertest.ConfirmationURL(t, d.Request(t, asking(`"`+address+`"`)))
	d.Clock.Advance(time.Millisecond) // so that the code is the newest mail
	b = d.Browser(t)
	expectPage(t, b.Post(t, link+"/code", nil), 200, "", "signup code signin")
	return b, link, d.Code(t, address)
}

// otherCode is a code that is not this one.
func otherCode(code string) string {
	if code == "123456" {
		return "654321"
	}
	return "123456"
}

func signup(code string) url.Values {
	return url.Values{"code": {code}, "name": {"Nia's Shop"}, "password": {servertest.Password}}
}

// A merchant without an account makes one on the page, whatever --signup says (D5).
func TestConsentSignUp(t *testing.T) {
	const nia = "Nia@Shop.example"
	t.Run("ByCodeThoughSignUpIsClosed", func(t *testing.T) {
		d := newDesk(t)
		d.Browser(t).Get(t, "/signup").Expect(t, 403, "forbidden")
		b, link, code := d.newMerchant(t, nia)
		if n := len(d.Outbox(t, nia)); n != 2 {
			t.Errorf("%d mails, want the request and the code", n)
		}
		form := signup(" " + code + "\n")
		form["email"] = []string{"eve@example.com"} // no field of this form
		b.Post(t, link+"/signup", form).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 200, "", "approve decline", nia, "Nia&#39;s Shop")
		b.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)

		var made db.Account
		dbtest.View(t, d.Store, func(tx *db.Tx) (err error) {
			made, err = tx.AccountByEmail(nia)
			return err
		})
		if made.Email != nia || made.Name != "Nia's Shop" || made.VerifiedAt.IsZero() || made.Operator || made.Plan != db.Free {
			t.Errorf("account %+v", made)
		}
		if got := d.Newest(t); got["merchant_user_id"] != made.ID || got["status"] != "approved" {
			t.Errorf("approved %v", got)
		}
		if strings.Contains(d.dump(t, "accounts"), "eve@example.com") {
			t.Error("an account of another address was made")
		}
		if a := d.Browser(t).SignIn(t, nia, servertest.Password); a.Status != 303 {
			t.Errorf("signs in: %d", a.Status)
		}
	})

	t.Run("CodeWorksOnce", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
		again := d.Browser(t)
		expectPage(t, again.Post(t, link+"/signup", signup(code)), 400, "invalid_request", "signup code signin", "wrong or no longer valid")
		if len(again.Cookies(t)) != 0 {
			t.Error("a used code signs in")
		}
	})

	t.Run("FiveTries", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		for range 5 {
			a := b.Post(t, link+"/signup", signup(otherCode(code)))
			expectPage(t, a, 400, "invalid_request", "signup code signin", "The code is wrong or no longer valid", "Nia&#39;s Shop")
		}
		b.Post(t, link+"/signup", signup(code)).Expect(t, 400, "invalid_request")
		d.expectNoAccount(t, nia)
	})

	t.Run("FifthTryIsRight", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		for range 4 {
			b.Post(t, link+"/signup", signup(otherCode(code))).Expect(t, 400, "invalid_request")
		}
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	})

	t.Run("BadPasswordSpendsNoTry", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		for range 6 {
			form := signup(code)
			form.Set("password", "short")
			expectPage(t, b.Post(t, link+"/signup", form), 400, "invalid_request", "signup code signin", "must have 10 to 200 characters")
		}
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	})

	t.Run("CodeEndsAfterTenMinutes", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		d.Clock.Advance(10*time.Minute - time.Millisecond)
		b.Post(t, link+"/signup", signup(otherCode(code))).Expect(t, 400, "invalid_request")
		d.Clock.Advance(time.Millisecond)
		b.Post(t, link+"/signup", signup(code)).Expect(t, 400, "invalid_request")
		d.expectNoAccount(t, nia)
	})

	t.Run("CodeIsGoodForTenMinutes", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		d.Clock.Advance(10*time.Minute - time.Millisecond)
		b.Post(t, link+"/signup", signup(code)).ExpectDone(t, link)
	})

	t.Run("OneCodeAMinuteAndFiveAnHour", func(t *testing.T) {
		d := newDesk(t)
		other := servertest.ConfirmationURL(t, d.Request(t, asking(`"nia@shop.EXAMPLE"`))) // another matter, the same address
		b, link, first := d.newMerchant(t, nia)
		tooSoon := func() {
			t.Helper()
			mails := len(d.Outbox(t, nia))
			a := b.Post(t, link+"/code", nil)
			expectPage(t, a, 429, "too_many_tries", "signup code signin", "a moment ago; look for it")
			if len(d.Outbox(t, nia)) != mails || a.Header.Get("Retry-After") == "" {
				t.Errorf("%d mails more, Retry-After %q", len(d.Outbox(t, nia))-mails, a.Header.Get("Retry-After"))
			}
		}
		tooSoon()
		d.Clock.Advance(time.Minute - time.Millisecond)
		tooSoon()
		b.Post(t, other+"/code", nil).Expect(t, 429, "too_many_tries")
		d.Clock.Advance(time.Millisecond)
		b.Post(t, link+"/code", nil).Expect(t, 200, "")
		if second := d.Code(t, nia); second != first {
			b.Post(t, link+"/signup", signup(first)).Expect(t, 400, "invalid_request") // only the newest counts
		}
		for range 3 {
			d.Clock.Advance(time.Minute)
			b.Post(t, link+"/code", nil).Expect(t, 200, "")
		}
		d.Clock.Advance(time.Minute)
		tooSoon()
		d.Clock.Advance(56 * time.Minute)
		b.Post(t, link+"/code", nil).Expect(t, 200, "")
		b.Post(t, link+"/signup", signup(d.Code(t, nia))).ExpectDone(t, link)
	})

	t.Run("TwiceAtOnce", func(t *testing.T) {
		d := newDesk(t)
		_, link, code := d.newMerchant(t, nia)
		browsers := []*servertest.Browser{d.Browser(t), d.Browser(t), d.Browser(t)}
		count := servertest.Parallel(len(browsers), func(i int) int { return browsers[i].Post(t, link+"/signup", signup(code)).Status })
		if count[303] != 1 || count[400] != 2 || strings.Count(onlyRows(d.dump(t, "accounts"), "accounts"), `"nia@shop.example"`) != 1 {
			t.Errorf("answers %v", count)
		}
	})

	t.Run("AccountMadeMeanwhile", func(t *testing.T) {
		d := newDesk(t)
		b, link, code := d.newMerchant(t, nia)
		d.PlantAccount(t, strings.ToLower(nia), true)
		accounts := d.dump(t, "accounts", "sessions")
		expectPage(t, b.Post(t, link+"/signup", signup(code)), 400, "invalid_request", "signup code signin", "has an account already")
		if d.dump(t, "accounts", "sessions") != accounts {
			t.Error("the account was changed or signed in to")
		}
	})

	t.Run("CodeSaysWhatFor", func(t *testing.T) {
		d := newDesk(t)
		d.newMerchant(t, nia)
		if m := d.Outbox(t, nia)[0]; !strings.Contains(m.Text, "“answer the request of dev”") {
			t.Errorf("neither app nor label: %s", m.Text)
		}
	})

	t.Run("CodeOfAnotherAddress", func(t *testing.T) {
		d := newDesk(t)
		_, _, code := d.newMerchant(t, "eve@example.com")
		b, link, right := d.newMerchant(t, nia)
		if code != right {
			b.Post(t, link+"/signup", signup(code)).Expect(t, 400, "invalid_request")
		}
		d.expectNoAccount(t, nia)
	})
}

func (d *desk) expectNoAccount(t *testing.T, address string) {
	t.Helper()
	if strings.Contains(d.dump(t, "accounts"), strings.ToLower(address)) {
		t.Errorf("%s has an account", address)
	}
}

var anyToken = regexp.MustCompile(`/connect/[A-Za-z0-9_-]{43}`)

// The page does not tell whether the addressee has an account: only the mail does.
func TestConsentTellsNobodyWhoHasAnAccount(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	known, unknown := d.Ask(t), servertest.ConfirmationURL(t, d.Request(t, asking(`"max@shop.example"`)))
	b := d.Browser(t)
	same := func(what, action string, form url.Values) {
		t.Helper()
		var seen [2]string
		for i, link := range []string{known, unknown} {
			var a servertest.Answer
			if action == "" {
				a = b.Get(t, link)
			} else {
				a = b.Post(t, link+"/"+action, form)
			}
			for _, name := range []string{"X-Request-Id", "Date"} {
				a.Header.Del(name)
			}
			seen[i] = fmt.Sprintln(a.Status, a.Header, anyToken.ReplaceAllString(string(a.Body), "/connect/TOKEN"))
		}
		if seen[0] != seen[1] {
			t.Errorf("%s: %s\nbut without an account: %s", what, seen[0], seen[1])
		}
	}
	same("page", "", nil)
	d.Clock.Advance(time.Millisecond)
	same("first code", "code", nil)
	same("second code", "code", nil)
	for range 7 {
		same("wrong code", "signup", signup("12345"))
	}
	same("bad password", "signup", url.Values{"code": {"123456"}, "password": {"short"}})

	mails := d.Outbox(t, servertest.Mia)
	if len(mails) != 2 || mails[0].Subject != "You have an account already" || !strings.Contains(mails[0].Text, d.URL+"/reset/") ||
		sixDigits.MatchString(mails[0].Text) {
		t.Errorf("mails %+v", mails)
	}
	if mails := d.Outbox(t, "max@shop.example"); len(mails) != 2 || mails[0].Subject != "Your six-digit code" {
		t.Errorf("mails %+v", mails)
	}
	d.expectNoAccount(t, "max@shop.example")
}

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

func TestConsentApprove(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range []struct {
		name   string
		form   url.Values
		scopes []any
	}{
		{"All", servertest.Ticked("read_inventory"), readScope},
		{"TickedTwice", servertest.Ticked("read_inventory", "read_inventory"), readScope},
		{"WithOneThatIsUnknown", servertest.Ticked("write_inventory", "read_inventory", "*"), readScope},
		{"NothingTicked", servertest.Ticked(), []any{}},
		{"OnlyUnknown", servertest.Ticked("read_sales", "READ_INVENTORY", "read_inventory "), []any{}},
		{"UnderAnotherName", url.Values{"scopes": {"read_inventory"}}, []any{}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newDesk(t)
			link := d.Ask(t)
			d.Clock.Advance(time.Minute)
			d.Merchant.Post(t, link+"/approve?scope=read_inventory", row.form).ExpectDone(t, link)
			got := d.Newest(t)
			if got["status"] != "approved" || got["merchant_user_id"] != d.MerchantID || got["approved_at"] != apiTime(d.Clock.Now()) {
				t.Errorf("approved %v", got)
			}
			expectJSON(t, got["scopes"], row.scopes)
			d.Request(t, servertest.AskMia).Expect(t, 409, "conflict")
			forms := "narrow revoke"
			if len(row.scopes) == 0 {
				forms = "revoke"
			}
			expectPage(t, d.Merchant.Get(t, link), 200, "", forms, saysConnected)
		})
	}

	t.Run("LinkUsedTwice", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		d.Merchant.Post(t, link+"/approve", servertest.Ticked()).ExpectDone(t, link)
		d.Clock.Advance(time.Minute)
		d.expectUntouched(t, func() {
			for _, action := range []string{"approve", "decline"} {
				a := d.Merchant.Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
				expectPage(t, a, 409, "conflict", "revoke", saysConnected, saysAnswered)
			}
		})
	})

	t.Run("LinkStaysAfterItsEnd", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		d.Merchant.Post(t, link+"/approve", servertest.Ticked()).ExpectDone(t, link)
		d.Clock.Advance(servertest.LinkLife + time.Hour)
		b := d.Browser(t)
		b.SignIn(t, servertest.Mia, servertest.Password)
		expectPage(t, b.Get(t, link), 200, "", "revoke", saysConnected)
		b.Post(t, link+"/revoke", nil).ExpectDone(t, link)
		d.expectStatus(t, "revoked")
	})

	// An account that has decided keeps the say, also under another address.
	t.Run("AccountThatDecidedKeepsIt", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		max := d.PlantAccount(t, "max@other.example", true)
		dbtest.Update(t, d.Store, func(tx *db.Tx) error {
			c, err := tx.ConnectionByToken(db.Token(strings.TrimPrefix(servertest.Path(link), "/connect/")))
			if err != nil {
				return err
			}
			return tx.ApproveConnection(c, max, nil)
		})
		expectPage(t, d.Merchant.Get(t, link), 403, "forbidden", "", saysSomebodyElse)
		d.Merchant.Post(t, link+"/revoke", nil).Expect(t, 403, "forbidden")
		b := d.Browser(t)
		b.Post(t, link+"/revoke", nil, d.signedIn(t, max)).ExpectDone(t, link)
		d.expectStatus(t, "revoked")
	})

	t.Run("AsTheDeveloperItself", func(t *testing.T) {
		d := newDesk(t)
		link := servertest.ConfirmationURL(t, d.Request(t, asking(`"`+d.Developer+`"`)))
		developer := d.signedIn(t, d.LiveKey.AccountID)
		d.Browser(t).Post(t, link+"/approve", servertest.Ticked("read_inventory"), developer).ExpectDone(t, link)
		if got := d.Newest(t); got["merchant_user_id"] != d.LiveKey.AccountID {
			t.Errorf("approved %v", got)
		}
	})
}

func TestConsentDecline(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	d.Merchant.Post(t, link+"/decline", nil).ExpectDone(t, link)
	d.expectStatus(t, "declined")
	expectPage(t, d.Merchant.Get(t, link), 200, "", "", saysDeclined)
	d.expectUntouched(t, func() {
		for _, action := range decisions {
			expectPage(t, d.Merchant.Post(t, link+"/"+action, formOf(action)), 409, "conflict", "", saysDeclined, saysAnswered)
		}
	})
	d.Clock.Advance(servertest.LinkLife)
	d.expectStatus(t, "declined") // and not expired
}

// A scope that is dropped does not come back (D4).
func TestConsentNarrow(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	narrow := func(want []any, scopes ...string) {
		t.Helper()
		approved := d.Newest(t)
		d.Clock.Advance(time.Minute)
		d.Merchant.Post(t, link+"/narrow", servertest.Ticked(scopes...)).ExpectDone(t, link)
		approved["scopes"] = want
		expectJSON(t, d.Newest(t), approved)
	}
	d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
	narrow(readScope, "read_inventory", "read_sales")
	narrow([]any{})
	narrow([]any{}, "read_inventory")
	expectPage(t, d.Merchant.Get(t, link), 200, "", "revoke", "Nothing. The app is connected to your account")
	d.Request(t, servertest.AskMia).Expect(t, 409, "conflict")
}

// After a revocation what was granted stays on record, and a new request works (D4).
func TestConsentRevoke(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
	record := d.Newest(t)
	d.Clock.Advance(time.Minute)
	d.Merchant.Post(t, link+"/revoke", nil).ExpectDone(t, link)
	record["status"], record["revoked_at"] = "revoked", apiTime(d.Clock.Now())
	expectJSON(t, d.Newest(t), record)
	expectPage(t, d.Merchant.Get(t, link), 200, "", "", saysRevoked)
	d.Clock.Advance(time.Minute)
	d.expectUntouched(t, func() {
		for _, action := range decisions {
			expectPage(t, d.Merchant.Post(t, link+"/"+action, servertest.Ticked("read_inventory")), 409, "conflict", "", saysRevoked, saysAnswered)
		}
	})

	again := d.Ask(t)
	d.Merchant.Post(t, again+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, again)
	all := d.Connections(t, d.Secret)
	if len(all) != 2 || all[0]["status"] != "approved" {
		t.Errorf("listed %v", all)
	}
	expectJSON(t, all[1], record)
}

func TestConsentOfADisabledKey(t *testing.T) {
	servertest.Sequential(t)
	t.Run("BeforeTheDecision", func(t *testing.T) {
		d := newDesk(t)
		d.plantItems(t, d.MerchantID, db.ItemChange{Name: "Secret Blend"})
		link := d.Ask(t)
		d.setKeyEnabled(t, false)
		d.expectUntouched(t, func() {
			for _, b := range []*servertest.Browser{d.Merchant, d.Browser(t)} {
				expectPage(t, b.Get(t, link), 200, "", "", saysEnded)
				for _, action := range decisions {
					a := b.Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
					expectPage(t, a, 409, "conflict", "", saysEnded, saysNothingChanged+"the request has ended.")
				}
			}
		})
		d.setKeyEnabled(t, true) // seed 5.3: until it is re-enabled
		d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
		d.expectStatus(t, "approved")
	})

	t.Run("AfterItTheMerchantStillRevokes", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
		d.setKeyEnabled(t, false)
		expectPage(t, d.Merchant.Get(t, link), 200, "", "narrow revoke", saysConnected)
		d.Merchant.Post(t, link+"/narrow", servertest.Ticked()).ExpectDone(t, link)
		d.Merchant.Post(t, link+"/revoke", nil).ExpectDone(t, link)
		d.setKeyEnabled(t, true)
		got := d.Newest(t)
		if got["status"] != "revoked" || !slices.Equal(got["scopes"].([]any), []any{}) {
			t.Errorf("revoked %v", got)
		}
	})
}

func TestConsentExpires(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	d.Clock.Advance(servertest.LinkLife - time.Millisecond)
	b := d.Browser(t)
	b.SignIn(t, servertest.Mia, servertest.Password)
	expectPage(t, b.Get(t, link), 200, "", "approve decline")
	d.Clock.Advance(time.Millisecond)
	d.expectUntouched(t, func() {
		for _, b := range []*servertest.Browser{b, d.Browser(t)} {
			expectPage(t, b.Get(t, link), 410, "gone", "", saysExpired)
			for _, action := range decisions {
				a := b.Post(t, link+"/"+action, servertest.Ticked("read_inventory"))
				expectPage(t, a, 410, "gone", "", saysExpired, saysNothingChanged+"the link has expired.")
			}
		}
	})
	d.expectStatus(t, "expired")
}

// The last moment of a link is one to decide in.
func TestConsentJustInTime(t *testing.T) {
	servertest.Sequential(t)
	for action, status := range map[string]string{"approve": "approved", "decline": "declined"} {
		d := newDesk(t)
		link := d.Ask(t)
		d.Clock.Advance(servertest.LinkLife - time.Millisecond)
		b := d.Browser(t)
		b.SignIn(t, servertest.Mia, servertest.Password)
		b.Post(t, link+"/"+action, nil).ExpectDone(t, link)
		d.Clock.Advance(time.Hour)
		d.expectStatus(t, status)
	}
}

// Once one request of a key is approved, its others say so and change nothing (D2).
func TestConsentOfAConnectionThatExists(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	first, second := d.Ask(t), servertest.ConfirmationURL(t, d.Request(t, asking(`"MIA@shop.example"`)))
	_, otherSecret := d.Key(t, d.Developer, db.Live, db.AccountMode)
	ofAnotherKey := d.Ask(t, servertest.WithKey(otherSecret))
	d.Merchant.Post(t, first+"/approve", servertest.Ticked()).ExpectDone(t, first)
	d.expectUntouched(t, func() {
		for _, b := range []*servertest.Browser{d.Merchant, d.Browser(t)} {
			expectPage(t, b.Get(t, second), 200, "", "", saysExists)
			for _, action := range decisions {
				a := b.Post(t, second+"/"+action, servertest.Ticked("read_inventory"))
				expectPage(t, a, 409, "conflict", "", saysExists, saysNothingChanged+"the connection exists already.")
			}
		}
	})
	expectPage(t, d.Merchant.Get(t, ofAnotherKey), 200, "", "approve decline")

	d.Merchant.Post(t, first+"/revoke", nil).ExpectDone(t, first)
	expectPage(t, d.Merchant.Get(t, second), 200, "", "approve decline") // it was never answered
}

// twoTabs are two browsers of the merchant, at two processes on one file.
func (d *desk) twoTabs(t *testing.T) [2]*servertest.Browser {
	t.Helper()
	second := servertest.Open(t, d.Path, d.Clock)
	b := second.Browser(t)
	b.SignIn(t, servertest.Mia, servertest.Password)
	return [2]*servertest.Browser{d.Merchant, b}
}

// Of two tabs the first wins and the other sees its result (D4).
func TestConsentTwoTabs(t *testing.T) {
	d := newDesk(t)
	tabs := d.twoTabs(t)
	wins := map[string]int{}
	for range 60 {
		d.Clock.Advance(time.Second)
		link := d.Ask(t)
		actions := [2]string{"approve", "decline"}
		var answers [2]servertest.Answer
		servertest.Parallel(2, func(i int) int {
			answers[i] = tabs[i].Post(t, link+"/"+actions[i], servertest.Ticked("read_inventory"))
			return answers[i].Status
		})
		status, _ := d.Newest(t)["status"].(string)
		wins[status]++
		switch status {
		case "approved":
			answers[0].ExpectDone(t, link)
			expectPage(t, answers[1], 409, "conflict", "narrow revoke", saysConnected, saysAnswered)
			tabs[0].Post(t, link+"/revoke", nil).ExpectDone(t, link)
		case "declined":
			answers[1].ExpectDone(t, link)
			expectPage(t, answers[0], 409, "conflict", "", saysDeclined, saysAnswered)
		default:
			t.Fatalf("status %s: %d and %d", status, answers[0].Status, answers[1].Status)
		}
	}
	t.Logf("the first was %v", wins)
}

// Of two requests that are approved at once one is.
func TestConsentTwoRequestsApprovedAtOnce(t *testing.T) {
	d := newDesk(t)
	tabs := d.twoTabs(t)
	for range 40 {
		d.Clock.Advance(time.Second)
		links := [2]string{d.Ask(t), d.Ask(t)}
		var answers [2]servertest.Answer
		servertest.Parallel(2, func(i int) int {
			answers[i] = tabs[i].Post(t, links[i]+"/approve", servertest.Ticked("read_inventory"))
			return answers[i].Status
		})
		won := slices.IndexFunc(answers[:], func(a servertest.Answer) bool { return a.Status == 303 })
		if won < 0 {
			t.Fatalf("nobody won: %d and %d", answers[0].Status, answers[1].Status)
		}
		expectPage(t, answers[1-won], 409, "conflict", "", saysExists)
		all := d.Connections(t, d.Secret)
		if count := strings.Count(fmt.Sprint(all[0]["status"], all[1]["status"]), "approved"); count != 1 {
			t.Fatalf("%d are approved: %v", count, all[:2])
		}
		tabs[won].Post(t, links[won]+"/revoke", nil).ExpectDone(t, links[won])
		tabs[won].Post(t, links[1-won]+"/decline", nil).ExpectDone(t, links[1-won])
	}
}

// Two times the same form at once is one decision.
func TestConsentRevokedAndNarrowedAtOnce(t *testing.T) {
	d := newDesk(t)
	tabs := d.twoTabs(t)
	for range 20 {
		d.Clock.Advance(time.Second)
		link := d.Ask(t)
		d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, link)
		actions := [2]string{"revoke", "narrow"}
		var answers [2]servertest.Answer
		servertest.Parallel(2, func(i int) int {
			answers[i] = tabs[i].Post(t, link+"/"+actions[i], nil)
			return answers[i].Status
		})
		answers[0].ExpectDone(t, link)
		got := d.Newest(t)
		narrowed := answers[1].Status == 303
		if !narrowed {
			expectPage(t, answers[1], 409, "conflict", "", saysRevoked, saysAnswered)
		}
		if got["status"] != "revoked" || (len(got["scopes"].([]any)) == 0) != narrowed {
			t.Fatalf("narrowed %v: %v", narrowed, got)
		}
	}
}

// What is no link of a request is a 404 with nothing to do, whatever is posted to it.
func TestConsentOfAWrongLink(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	token := strings.TrimPrefix(servertest.Path(link), "/connect/")
	flipped := []byte(token)
	flipped[7] ^= 1
	charge := d.Call(t, http.MethodPost, "/api/v1/charges",
		`{"merchant_email":"`+servertest.Mia+`","amount_cents":500,"description":"x"}`, servertest.WithKey(d.Secret))
	chargeToken := strings.TrimPrefix(servertest.Path(servertest.ConfirmationURL(t, charge)), "/charges/")
	session := d.Merchant.Cookies(t)[0].Value
	var setup, reset db.Token
	dbtest.Update(t, d.Store, func(tx *db.Tx) (err error) {
		if setup, err = tx.CreateLink(db.SetupLink, ""); err != nil {
			return err
		}
		reset, err = tx.CreateLink(db.ResetLink, d.MerchantID)
		return err
	})
	hash := db.Token(token).Hash()

	for name, wrong := range map[string]string{
		"Tampered": string(flipped), "Unknown": string(db.NewToken()), "OfACharge": chargeToken, "OfASession": session,
		"OfASetup": string(setup), "OfAReset": string(reset), "TooShort": token[:42], "TooLong": token + "A",
		"WithPadding": token + "=", "WithEscapedPadding": token + "%3D", "WithSpace": token + "%20", "WithNUL": token + "%00",
		"InOtherCase": strings.ToUpper(token), "InStandardBase64": base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"ItsHash": base64.RawURLEncoding.EncodeToString(hash[:]), "AnID": d.Newest(t)["id"].(string), "NotBase64": strings.Repeat("!", 43),
		"SameBytesOtherLastCharacter": token[:42] + string(alphabetNeighbour(token[42])),
	} {
		t.Run(name, func(t *testing.T) {
			d.expectUntouched(t, func() {
				for _, b := range []*servertest.Browser{d.Merchant, d.Browser(t)} {
					expectNoRequest(t, b.Get(t, "/connect/"+wrong))
					b.Get(t, "/connect/"+wrong+"/logo").Expect(t, 404, "not_found")
					for _, action := range allActions {
						expectNoRequest(t, b.Post(t, "/connect/"+wrong+"/"+action, formOf(action)))
					}
				}
			})
		})
	}
	t.Run("IsNoChargeEither", func(t *testing.T) {
		if a := d.Merchant.Get(t, "/charges/"+token); a.Status != 404 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
	expectPage(t, d.Merchant.Get(t, link), 200, "", "approve decline")
}

// alphabetNeighbour is another last character of a token that would decode to the
// same bytes, were its spare bits not looked at.
func alphabetNeighbour(c byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return alphabet[strings.IndexByte(alphabet, c)^1]
}

// A form from another site changes nothing, whoever it comes from.
func TestConsentCrossOrigin(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	without := func(name string) servertest.Option {
		return func(r *http.Request) { r.Header.Del(name) }
	}
	header := servertest.WithHeader
	granted := d.Ask(t, servertest.WithKey(d.OtherLiveKey(t)))
	d.Merchant.Post(t, granted+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, granted)

	for name, options := range map[string][]servertest.Option{
		"CrossSite":              {header("Sec-Fetch-Site", "cross-site")},
		"CrossSiteWithOurOrigin": {header("Sec-Fetch-Site", "cross-site"), header("Origin", "http://evil.example")},
		"SameSite":               {header("Sec-Fetch-Site", "same-site")},
		"NullOriginCrossSite":    {header("Origin", "null"), header("Sec-Fetch-Site", "cross-site")},
		"NullOriginSameSite":     {header("Origin", "null"), header("Sec-Fetch-Site", "same-site")},
		"OtherOriginAlone":       {header("Origin", "http://evil.example"), without("Sec-Fetch-Site")},
	} {
		t.Run(name, func(t *testing.T) {
			d.expectUntouched(t, func() {
				for _, action := range allActions {
					for _, to := range []string{link, granted} {
						a := d.Merchant.Post(t, to+"/"+action, formOf(action), options...)
						expectPage(t, a, 403, "cross_origin", "", "sent from another site")
						a = d.Browser(t).Post(t, to+"/"+action, formOf(action), options...)
						expectPage(t, a, 403, "cross_origin", "", "sent from another site")
					}
				}
			})
		})
	}
	t.Run("RevokeInTheConsoleNeedsMore", func(t *testing.T) {
		form := url.Values{"id": {d.Connections(t, d.Secret)[0]["id"].(string)}}
		d.expectUntouched(t, func() {
			d.Merchant.Post(t, "/console/granted/revoke", form, header("Sec-Fetch-Site", "cross-site")).Expect(t, 403, "cross_origin")
			d.Merchant.Post(t, "/console/granted/revoke", form, header("Origin", "null"), without("Sec-Fetch-Site")).Expect(t, 403, "cross_origin")
		})
	})
	for name, options := range map[string][]servertest.Option{
		"NullOriginSameOrigin": {header("Origin", "null")},
		"OurOriginAlone":       {header("Origin", d.URL), without("Sec-Fetch-Site")},
		"NoBrowser":            {without("Sec-Fetch-Site")},
	} {
		t.Run(name, func(t *testing.T) {
			link := d.Ask(t)
			d.Merchant.Post(t, link+"/decline", nil, options...).ExpectDone(t, link)
			d.expectStatus(t, "declined")
		})
	}
	// A page under no-referrer posts with the origin "null", and over plain HTTP the
	// browser says no more. The developer knows the link too, so it takes what only the
	// merchant's own page holds.
	t.Run("NullOriginAlone", func(t *testing.T) {
		hidden := []servertest.Option{header("Origin", "null"), without("Sec-Fetch-Site")}
		second := d.Browser(t)
		second.SignIn(t, servertest.Mia, servertest.Password)
		link := d.Ask(t)
		proof, another := proofIn(t, d.Merchant.Get(t, link)), proofIn(t, second.Get(t, link))
		d.expectUntouched(t, func() {
			for _, wrong := range []string{"", "x", another, proof + "A", d.Merchant.Cookies(t)[0].Value} {
				for _, action := range decisions {
					form := url.Values{"scope": {"read_inventory"}, "proof": {wrong}}
					expectPage(t, d.Merchant.Post(t, link+"/"+action, form, hidden...), 403, "cross_origin", "")
				}
			}
			d.Browser(t).Post(t, link+"/approve", url.Values{"proof": {proof}}, hidden...).Expect(t, 401, "sign_in_required")
		})
		d.Merchant.Post(t, link+"/approve", url.Values{"proof": {proof}, "scope": {"read_inventory"}}, hidden...).ExpectDone(t, link)
		proof = proofIn(t, d.Merchant.Get(t, link))
		d.Merchant.Post(t, link+"/narrow", url.Values{"proof": {proof}}, hidden...).ExpectDone(t, link)
		d.Merchant.Post(t, link+"/revoke", url.Values{"proof": {proof}}, hidden...).ExpectDone(t, link)
		link = d.Ask(t)
		d.Merchant.Post(t, link+"/decline", url.Values{"proof": {proof}}, hidden...).ExpectDone(t, link)

		b := d.Browser(t) // who comes in has nothing to prove yet
		link = d.Ask(t)
		b.Post(t, link+"/signin", formOf("signin"), hidden...).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 200, "", "approve decline")
	})
	t.Run("LinkFromAMail", func(t *testing.T) {
		expectPage(t, d.Merchant.Get(t, link, header("Sec-Fetch-Site", "cross-site")), 200, "", "approve decline")
	})
}

var hiddenProof = regexp.MustCompile(`name="proof" value="([^"]{20,})"`)

// proofIn is what the page's forms prove themselves with: all with the same.
func proofIn(t *testing.T, a servertest.Answer) (proof string) {
	t.Helper()
	found := hiddenProof.FindAllSubmatch(a.Body, -1)
	if len(found) != len(a.Forms()) {
		t.Errorf("%d of %d forms prove themselves: %s", len(found), len(a.Forms()), a.Body)
	}
	for _, one := range found {
		if proof = string(one[1]); proof != string(found[0][1]) {
			t.Errorf("forms with different proofs: %s", a.Body)
		}
	}
	return proof
}

// Another method on an action's address does nothing.
func TestConsentActionsArePosts(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	d.expectUntouched(t, func() {
		for _, action := range allActions {
			if a := d.Merchant.Get(t, link+"/"+action+"?scope=read_inventory"); a.Status != 405 {
				t.Errorf("GET %s: %d", action, a.Status)
			}
		}
		d.Merchant.Post(t, link, servertest.Ticked("read_inventory")).Expect(t, 405, "method_not_allowed")
	})
}

// A form that is no form is refused, and nothing happens.
func TestConsentBadForm(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	for name, form := range map[string]url.Values{
		"TooLarge": {"scope": {strings.Repeat("x", 64<<10)}},
		"NUL":      {"scope": {"read_inventory\x00"}},
		"NotUTF8":  {"scope": {"\xff"}},
	} {
		t.Run(name, func(t *testing.T) {
			d.expectUntouched(t, func() {
				for _, action := range allActions {
					expectPage(t, d.Merchant.Post(t, link+"/"+action, form), 400, "invalid_request", "")
				}
			})
		})
	}
}

// The console lists what an account has granted, and revokes it.
func TestGranted(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	otherID, other := d.PlantMember(t, "max@shop.example")
	expectPage(t, d.Merchant.Get(t, "/console/granted"), 200, "", "", "Nobody can read anything")

	mine := d.Ask(t)
	minesID := d.Newest(t)["id"].(string)
	d.Merchant.Post(t, mine+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, mine)
	others := servertest.ConfirmationURL(t, d.Request(t, asking(`"max@shop.example"`)))
	othersID := d.Newest(t)["id"].(string)
	other.Post(t, others+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, others)

	revoke := func(b *servertest.Browser, id string) servertest.Answer {
		return b.Post(t, "/console/granted/revoke", url.Values{"id": {id}})
	}
	page := d.Merchant.Get(t, "/console/granted")
	if !page.Says(minesID) || page.Says(othersID) || strings.Count(string(page.Body), `value="conn_`) != 1 ||
		!page.Says("<dd>Read your inventory</dd>") || !page.Says("<bdi>dev</bdi>") || !page.Says("approved") {
		t.Errorf("page %s", page.Body)
	}

	t.Run("OfAnotherAccountIsNotFound", func(t *testing.T) {
		d.expectUntouched(t, func() {
			for _, id := range []string{othersID, "", "conn_nothing", minesID + " ", otherID} {
				revoke(d.Merchant, id).Expect(t, 404, "not_found")
			}
			revoke(other, minesID).Expect(t, 404, "not_found")
		})
	})
	t.Run("NotSignedIn", func(t *testing.T) {
		d.expectUntouched(t, func() {
			a := revoke(d.Browser(t), minesID)
			if a.Status != 303 || a.Header.Get("Location") != "/signin?next=%2Fconsole" {
				t.Errorf("%d %v", a.Status, a.Header)
			}
			if a := d.Browser(t).Get(t, "/console/granted"); a.Status != 303 || a.Header.Get("Location") != "/signin?next=%2Fconsole%2Fgranted" {
				t.Errorf("%d %v", a.Status, a.Header)
			}
		})
	})
	t.Run("PendingIsNobodysYet", func(t *testing.T) {
		link := d.Ask(t, servertest.WithKey(d.OtherLiveKey(t)))
		expectPage(t, d.Merchant.Get(t, link), 200, "", "approve decline")
		for id := range connectionIDs(d.dump(t, "connections"), `status="pending"`) {
			revoke(d.Merchant, id).Expect(t, 404, "not_found")
		}
	})
	t.Run("Revokes", func(t *testing.T) {
		for range 2 { // the second time nothing is left to do
			d.Clock.Advance(time.Second)
			a := revoke(d.Merchant, minesID)
			if a.Status != 303 || a.Header.Get("Location") != "/console/granted?done=revoked" {
				t.Errorf("%d %v", a.Status, a.Header)
			}
		}
		all := d.Connections(t, d.Secret)
		if all[0]["status"] != "approved" || all[1]["status"] != "revoked" || all[1]["revoked_at"] != apiTime(d.Clock.Now().Add(-time.Second)) {
			t.Errorf("listed %v", all)
		}
		page := d.Merchant.Get(t, "/console/granted?done=revoked")
		if !page.Says("The access is revoked.") || !page.Says("revoked") || strings.Contains(string(page.Body), `value="conn_`) || !page.Says("Could read") {
			t.Errorf("page %s", page.Body)
		}
		expectPage(t, d.Merchant.Get(t, mine), 200, "", "", saysRevoked)
	})
}

// connectionIDs are the ids of the dumped rows that have a text in them.
func connectionIDs(dump, having string) map[string]bool {
	ids := map[string]bool{}
	for line := range strings.Lines(dump) {
		if id := anyConnection.FindString(line); strings.Contains(line, having) {
			ids[id] = true
		}
	}
	return ids
}

var anyConnection = regexp.MustCompile(`conn_[0-9a-z]{26}`)

// matter is a connection of its own key, in a state, and who may look at it.
type matter struct {
	secret  string // of its key
	keyID   string
	link    string
	address string // of the merchant
	account string // the merchant's id
}

// standing is a state that a request may be in, and all that holds for it. What
// holds is listed for nobody, the addressee and somebody else.
type standing struct {
	name    string
	plant   func(tx *db.Tx, r *matter) (db.Token, error)
	api     string // its status
	page    [3]int // status of the page
	forms   [3]string
	refused [3]int // status of an action that is not offered
}

// visitors are those of a standing's lists.
var visitors = []string{"nobody", "addressee", "other"}

func standings() []standing {
	nothing := [3]string{}
	everybody := func(status int) [3]int { return [3]int{status, status, status} }
	open := [3]int{200, 200, 403}
	unanswered := [3]int{401, 409, 403}
	return []standing{
		{"pending", plantPending, "pending", open, [3]string{"signin code", "approve decline", ""}, unanswered},
		{"approved", plantApproved(db.ReadInventory), "approved", open, [3]string{"signin code", "narrow revoke", ""}, unanswered},
		{"approvedWithNothing", plantApproved(), "approved", open, [3]string{"signin code", "revoke", ""}, unanswered},
		{"approvedLongAgo", plantApproved(db.ReadInventory), "approved", open, [3]string{"signin code", "narrow revoke", ""}, unanswered},
		{"approvedKeyDisabled", thenDisabled(plantApproved(db.ReadInventory)), "approved", open, [3]string{"signin code", "narrow revoke", ""}, unanswered},
		{"declined", plantDeclined, "declined", everybody(200), nothing, everybody(409)},
		{"revoked", plantRevoked, "revoked", everybody(200), nothing, everybody(409)},
		{"expired", plantPending, "expired", everybody(410), nothing, everybody(410)},
		{"preview", plantPreview, "approved", everybody(200), nothing, everybody(409)},
		{"previewExpired", plantPreview, "approved", everybody(404), nothing, everybody(404)},
		{"keyDisabled", thenDisabled(plantPending), "pending", everybody(200), nothing, everybody(409)},
		{"existsElsewhere", plantExisting, "pending", everybody(200), nothing, everybody(409)},
	}
}

// longAgo says of which standings the link has ended.
func (s standing) longAgo() bool {
	return s.name == "expired" || s.name == "previewExpired" || s.name == "approvedLongAgo"
}

func plantPending(tx *db.Tx, r *matter) (db.Token, error) {
	_, token, err := plantMatter(tx, r)
	return token, err
}

func plantMatter(tx *db.Tx, r *matter) (db.Connection, db.Token, error) {
	key, err := tx.Key(r.keyID)
	if err != nil {
		return db.Connection{}, "", err
	}
	return tx.CreateConnection(db.Connection{
		KeyID: key.ID, AccountID: key.AccountID, MerchantEmail: strings.ToUpper(r.address), Requested: db.AllScopes,
	})
}

func plantApproved(scopes ...string) func(tx *db.Tx, r *matter) (db.Token, error) {
	return func(tx *db.Tx, r *matter) (db.Token, error) {
		c, token, err := plantMatter(tx, r)
		if err != nil {
			return "", err
		}
		return token, tx.ApproveConnection(c, r.account, scopes)
	}
}

func plantDeclined(tx *db.Tx, r *matter) (db.Token, error) {
	c, token, err := plantMatter(tx, r)
	if err != nil {
		return "", err
	}
	return token, tx.DeclineConnection(c)
}

func plantRevoked(tx *db.Tx, r *matter) (db.Token, error) {
	token, err := plantApproved(db.ReadInventory)(tx, r)
	if err != nil {
		return "", err
	}
	c, err := tx.ConnectionByToken(token)
	if err != nil {
		return "", err
	}
	return token, tx.RevokeConnection(c, r.account)
}

// plantExisting plants a request beside one that is approved.
func plantExisting(tx *db.Tx, r *matter) (db.Token, error) {
	_, token, err := plantMatter(tx, r)
	if err != nil {
		return "", err
	}
	_, err = plantApproved(db.ReadInventory)(tx, r)
	return token, err
}

func plantPreview(tx *db.Tx, r *matter) (db.Token, error) { return tx.CreatePreview(r.keyID) }

func thenDisabled(plant func(tx *db.Tx, r *matter) (db.Token, error)) func(tx *db.Tx, r *matter) (db.Token, error) {
	return func(tx *db.Tx, r *matter) (db.Token, error) {
		token, err := plant(tx, r)
		if err != nil {
			return "", err
		}
		key, err := tx.Key(r.keyID)
		if err != nil {
			return "", err
		}
		return token, tx.DisableKey(key.AccountID, key.ID)
	}
}

// arrows are all that there are (D1, D4): what an action of the addressee makes of a
// request, and what the page offers then.
var arrows = map[string]struct{ status, forms string }{
	"pending approve": {"approved", "narrow revoke"},
	"pending decline": {"declined", ""},
	"approved narrow": {"approved", "revoke"},
	"approved revoke": {"revoked", ""},
	// Taking nothing away of what has nothing is no change, and no error.
	"approvedWithNothing narrow": {"approved", "revoke"},
	"approvedWithNothing revoke": {"revoked", ""},
	"approvedLongAgo narrow":     {"approved", "revoke"},
	"approvedLongAgo revoke":     {"revoked", ""},
	"approvedKeyDisabled narrow": {"approved", "revoke"},
	"approvedKeyDisabled revoke": {"revoked", ""},
}

// Every state × every action × every visitor.
func TestConsentStates(t *testing.T) {
	servertest.Sequential(t)
	hash := servertest.PasswordHash(t)
	for _, s := range standings() {
		t.Run(s.name, func(t *testing.T) {
			d := newDesk(t)
			past := dbtest.NewClock()
			past.Advance(-servertest.LinkLife)
			store := d.Store
			if s.longAgo() {
				store = dbtest.OpenAt(t, d.Path, past)
			}
			other := d.signedIn(t, d.PlantAccount(t, "other@elsewhere.example", true))
			for v, who := range visitors {
				for i, action := range slices.Concat([]string{""}, allActions) {
					t.Run(strings.TrimSpace(who+" "+action), func(t *testing.T) {
						r := matter{address: fmt.Sprintf("m%d-%d@shop.example", v, i)}
						var addressee servertest.Option
						dbtest.Update(t, d.Store, func(tx *db.Tx) (err error) {
							addressee, err = d.plantParties(tx, &r, hash, s)
							return err
						})
						dbtest.Update(t, store, func(tx *db.Tx) error {
							token, err := s.plant(tx, &r)
							r.link = "/connect/" + string(token)
							return err
						})
						as := [][]servertest.Option{nil, {addressee}, {other}}[v]
						d.checkStanding(t, s, r, v, action, as)
					})
				}
			}
		})
	}
}

// plantParties makes a developer's key and a merchant, and signs the merchant in.
func (d *desk) plantParties(tx *db.Tx, r *matter, hash string, s standing) (cookie servertest.Option, err error) {
	env := db.Live
	if strings.HasPrefix(s.name, "preview") {
		env = db.Test
	}
	key, secret, err := tx.CreateKey(db.Key{AccountID: d.LiveKey.AccountID, Env: env, Mode: db.AccountMode})
	if err != nil {
		return nil, err
	}
	merchant, err := tx.CreateAccount(db.Account{
		Email: r.address, Name: "Shop", Plan: db.Free, PasswordHash: hash, VerifiedAt: tx.Now(),
	})
	if err != nil {
		return nil, err
	}
	_, session, err := tx.StartSession(db.Session{AccountID: merchant.ID})
	r.keyID, r.secret, r.account = key.ID, string(secret), merchant.ID
	return servertest.WithHeader("Cookie", "svc_session="+string(session)), err
}

// checkStanding lets a visitor act on a request and checks all that came of it.
func (d *desk) checkStanding(t *testing.T, s standing, r matter, v int, action string, as []servertest.Option) {
	look := func(status int, forms string) {
		t.Helper()
		a := d.Browser(t).Get(t, r.link, as...)
		if got := offers(t, a); a.Status != status || got != forms {
			t.Errorf("page %d offers %q, want %d and %q", a.Status, got, status, forms)
		}
	}
	before := d.dump(t, whatPeopleChange...)
	look(s.page[v], s.forms[v])
	if d.dump(t, whatPeopleChange...) != before {
		t.Error("a GET changes rows")
	}
	if action == "" {
		d.expectAPI(t, r, s.api)
		return
	}

	form := formOf(action)
	if action == "signin" {
		form.Set("email", r.address)
	}
	a := d.Browser(t).Post(t, r.link+"/"+action, form, as...)
	after := d.dump(t, whatPeopleChange...)
	arrow, moves := arrows[s.name+" "+action]
	switch {
	case moves && visitors[v] == "addressee":
		a.ExpectDone(t, r.link)
		if others := withoutKey(before, r.keyID); others != withoutKey(after, r.keyID) {
			t.Error("rows of others have changed")
		}
		d.expectAPI(t, r, arrow.status)
		look(200, arrow.forms)
		return
	case form.Has("password") || action == "code":
		d.checkComingIn(t, s, r, v, action, a, before, after)
	default:
		if a.Status != s.refused[v] || offers(t, a) != s.forms[v] {
			t.Errorf("answer %d offers %q, want %d and %q", a.Status, offers(t, a), s.refused[v], s.forms[v])
		}
		if after != before {
			t.Error("rows have changed")
		}
	}
	look(s.page[v], s.forms[v])
	d.expectAPI(t, r, s.api)
}

// checkComingIn checks an attempt to sign in or up: it works where the page offers
// it, and leads back to the request everywhere else.
func (d *desk) checkComingIn(t *testing.T, s standing, r matter, v int, action string, a servertest.Answer, before, after string) {
	t.Helper()
	offered := strings.HasPrefix(s.forms[v], "signin")
	want := map[bool]map[string]int{
		true:  {"signin": 303, "code": 200, "signup": 400}, // its code is wrong
		false: {"signin": 303, "code": 303, "signup": 303},
	}[offered][action]
	if s.refused[v] == 404 {
		want = 404
	}
	if a.Status != want || a.Status == 303 && a.Header.Get("Location") != r.link {
		t.Errorf("answer %d %v, want %d", a.Status, a.Header, want)
	}
	if cookie := len(a.Header["Set-Cookie"]) > 0; cookie != (offered && action == "signin") {
		t.Errorf("signed in: %v", cookie)
	}
	if mails := len(d.Outbox(t, r.address)); (mails == 1) != (offered && action == "code") {
		t.Errorf("%d mails", mails)
	}
	if offered && action != "signup" {
		before, after = onlyRows(before, "connections"), onlyRows(after, "connections")
	}
	if after != before {
		t.Error("rows have changed")
	}
}

// expectAPI checks the status of a request as its developer sees it.
func (d *desk) expectAPI(t *testing.T, r matter, want string) {
	t.Helper()
	if err := d.App.Accounts.SetKeyEnabled(context.Background(), r.keyID, true); err != nil {
		t.Fatal(err)
	}
	all := d.Connections(t, r.secret)
	if got := all[len(all)-1]; got["status"] != want { // existsElsewhere has two
		if len(all) < 2 || all[0]["status"] != want {
			t.Errorf("the API says %v, want %s", all, want)
		}
	}
}

// onlyRows keeps a dump's rows of one table.
func onlyRows(dump, table string) (kept string) {
	for line := range strings.Lines(dump) {
		if strings.HasPrefix(line, table+" ") {
			kept += line
		}
	}
	return kept
}

// withoutKey leaves out a dump's rows of one key.
func withoutKey(dump, keyID string) (kept string) {
	for line := range strings.Lines(dump) {
		if !strings.Contains(line, keyID) {
			kept += line
		}
	}
	return kept
}

// The log learns no token, code, password, cookie or key, whatever happens on the
// pages (D3, L6).
func TestConsentLogsNothingSecret(t *testing.T) {
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
		t.Fatalf("the log is %d lines", strings.Count(logged, "\n"))
	}
	for name, secret := range secrets {
		if i := strings.Index(logged, secret); i >= 0 || len(secret) < 6 {
			t.Errorf("the log holds %s: …%s…", name, logged[max(0, i-200):max(0, i)])
		}
	}
	if strings.Contains(logged, `"level":"ERROR"`) {
		t.Errorf("a fault of ours: %s", logged)
	}
	stored := d.dump(t, "connections", "sessions", "codes", "links", "previews", "accounts", "requests")
	for name, secret := range secrets {
		if strings.Contains(stored, secret) {
			t.Errorf("%s is stored", name)
		}
	}
}
