package connection_test

import (
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// A wrong link is a 404 without forms, whatever is posted to it.
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
	theirs := connectionOf(t, d.Request(t, asking(`"other@shop.example"`)))["id"].(string)

	for name, wrong := range map[string]string{
		"Tampered": string(flipped), "Unknown": string(db.NewToken()), "OfACharge": chargeToken, "OfASession": session,
		"OfASetup": string(setup), "OfAReset": string(reset), "TooShort": token[:42], "TooLong": token + "A",
		"WithPadding": token + "=", "WithEscapedPadding": token + "%3D", "WithSpace": token + "%20", "WithNUL": token + "%00",
		"InOtherCase": strings.ToUpper(token), "InStandardBase64": base64.StdEncoding.EncodeToString(make([]byte, 32)),
		"ItsHash": base64.RawURLEncoding.EncodeToString(hash[:]), "AnotherMerchantsID": theirs, "UnknownID": db.NewID("conn_", d.Clock.Now()), "NotBase64": strings.Repeat("!", 43),
		"SameBytesOtherLastCharacter": token[:42] + string(sameBitsCharacter(token[42])),
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
	t.Run("RequestLinkIsNotAChargeLink", func(t *testing.T) {
		if a := d.Merchant.Get(t, "/charges/"+token); a.Status != 404 {
			t.Errorf("%d %s", a.Status, a.Body)
		}
	})
	expectPage(t, d.Merchant.Get(t, link), 200, "", "approve decline")
}

// sameBitsCharacter returns another last character of a token, which decodes to the same
// bytes if the spare bits are not checked.
func sameBitsCharacter(c byte) byte {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	return alphabet[strings.IndexByte(alphabet, c)^1]
}

// A form from another site changes nothing.
func TestConsentCrossOrigin(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	without := func(name string) servertest.Option {
		return func(r *http.Request) { r.Header.Del(name) }
	}
	header := servertest.WithHeader
	granted := d.Ask(t, servertest.WithKey(d.OtherLiveKey(t)))
	d.approve(t, granted)

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
	t.Run("ConsoleRefusesNullOrigin", func(t *testing.T) {
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
	// A page with no-referrer posts with the origin "null", and over plain HTTP the browser
	// sends nothing else. The developer knows the link, too, so the form must have a proof
	// that only the merchant's own page holds.
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

	})
	// Before there is a session, the proof is that of a cookie which came with the form.
	// Another site's page has the visitor sign in to the account of an attacker, who has a
	// form and a cookie, too, but cannot give the visitor the cookie.
	t.Run("NullOriginOfAnEntry", func(t *testing.T) {
		hidden := []servertest.Option{header("Origin", "null"), without("Sec-Fetch-Site")}
		link := d.Ask(t)
		b, attacker := d.Browser(t), d.Browser(t)
		proof, theirs := proofIn(t, b.Get(t, link)), proofIn(t, attacker.Get(t, link))
		if proof == theirs {
			t.Fatal("two browsers have the same proof")
		}
		post := func(b *servertest.Browser, action, proof string) servertest.Answer {
			form := url.Values{"proof": {proof}}
			maps.Copy(form, formOf(action))
			return b.Post(t, link+"/"+action, form, hidden...)
		}
		d.expectUntouched(t, func() {
			for _, action := range []string{"signin", "code", "signup"} {
				for _, wrong := range []string{"", "x", theirs, proof + "A", b.Cookie(t, "svc_form")} {
					a := post(b, action, wrong)
					a.ExpectErrorPage(t, 403, "cross_origin", "Nothing was done yet")
					if a.Header.Get("Set-Cookie") != "" || proofIn(t, a) != proof {
						t.Errorf("%s: the form that comes back has another proof", action)
					}
				}
				post(d.Browser(t), action, theirs).ExpectErrorPage(t, 403, "cross_origin", "allow cookies for this site")
			}
		})
		fresh := d.Browser(t) // whose cookie is gone
		again := post(fresh, "signin", proof)
		if !again.Says(formOf("signin").Get("email")) {
			t.Error("the e-mail is lost")
		}
		post(fresh, "signin", proofIn(t, again)).ExpectDone(t, link)
		post(b, "signin", proof).ExpectDone(t, link)
		expectPage(t, b.Get(t, link), 200, "", "approve decline")
	})
	t.Run("LinkFromAMail", func(t *testing.T) {
		expectPage(t, d.Merchant.Get(t, link, header("Sec-Fetch-Site", "cross-site")), 200, "", "approve decline")
	})
}

var hiddenProof = regexp.MustCompile(`name="proof" value="([^"]{20,})"`)

// proofIn returns the proof of the page's forms, which must all have the same.
func proofIn(t *testing.T, a servertest.Answer) (proof string) {
	t.Helper()
	found := hiddenProof.FindAllSubmatch(a.Body, -1)
	if len(found) != len(a.Forms()) {
		t.Errorf("%d of %d forms have a proof: %s", len(found), len(a.Forms()), a.Body)
	}
	for _, one := range found {
		if proof = string(one[1]); proof != string(found[0][1]) {
			t.Errorf("forms with different proofs: %s", a.Body)
		}
	}
	return proof
}

// Another method at an action's path does nothing.
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

// A malformed form is refused, and nothing changes.
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
