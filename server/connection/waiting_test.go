package connection_test

import (
	"regexp"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// A request that is addressed to a merchant is on the merchant's pages until it is
// answered. Its id opens it there as its link does, and only for the merchant.
func TestRequestWaitsOnThePages(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	lists := []string{"/console", "/console/granted"}
	expect := func(t *testing.T, b *servertest.Browser, id string, waits bool) {
		t.Helper()
		for _, path := range lists {
			page := b.Get(t, path)
			page.Expect(t, 200, "")
			if page.Says(`href="/connect/`+id+`"`) != waits || page.Says("asks for access to your data") != waits {
				t.Errorf("%s: the request waits, want %v: %s", path, waits, page.Body)
			}
		}
	}
	d.Ask(t)
	asked := d.Newest(t)["id"].(string)
	id := "/connect/" + asked
	expect(t, d.Merchant, asked, true)
	d.Merchant.Get(t, "/console").ExpectPage(t, 200, "<bdi>dev</bdi> asks for access") // the key has no app

	t.Run("NobodyElseOpensIt", func(t *testing.T) {
		_, other := d.PlantMember(t, "other@shop.example")
		expect(t, other, asked, false)
		d.PlantAccount(t, "unverified@shop.example", false)
		unverified := d.Browser(t)
		unverified.SignIn(t, "unverified@shop.example", servertest.Password).Expect(t, 303, "")
		theirs := connectionOf(t, d.Request(t, asking(`"unverified@shop.example"`)))["id"].(string)
		expect(t, unverified, theirs, false)
		for _, b := range []*servertest.Browser{other, unverified, d.Browser(t)} {
			for _, path := range []string{id, "/connect/" + theirs} {
				expectNoRequest(t, b.Get(t, path))
				d.expectUntouched(t, func() {
					for _, action := range allActions {
						expectNoRequest(t, b.Post(t, path+"/"+action, formOf(action)))
					}
				})
			}
		}
	})

	t.Run("AnotherSiteDecidesNothing", func(t *testing.T) {
		d.expectUntouched(t, func() {
			d.Merchant.Post(t, id+"/approve", servertest.Ticked("read_inventory"),
				servertest.WithHeader("Sec-Fetch-Site", ""), servertest.WithHeader("Origin", "null")).Expect(t, 403, "cross_origin")
		})
	})

	t.Run("TheMerchantAnswers", func(t *testing.T) {
		d.Merchant.Get(t, id).ExpectPage(t, 200, `action="`+id+`/approve"`, `action="`+id+`/decline"`)
		d.Merchant.Post(t, id+"/approve", servertest.Ticked("read_inventory")).ExpectRedirect(t, id)
		d.expectStatus(t, "pending") // the newest is the one to somebody else
		if got := d.Connections(t, d.Secret)[1]; got["status"] != "approved" || got["merchant_user_id"] != d.MerchantID {
			t.Errorf("approved: %v", got)
		}
		d.Merchant.Get(t, id).ExpectPage(t, 200, `action="`+id+`/narrow"`, `action="`+id+`/revoke"`)
		page := d.Merchant.Get(t, "/console/granted?open="+asked)
		if page.Says("asks for access to your data") || !page.Says(`href="`+id+`"`) {
			t.Errorf("page %s", page.Body)
		}
		d.Merchant.Post(t, id+"/revoke", nil).ExpectRedirect(t, id)
	})
}

// What the merchant cannot decide is not listed, and of a key's requests only the newest.
func TestRequestsThatDoNotWait(t *testing.T) {
	servertest.Sequential(t)
	says := func(t *testing.T, d *desk) []string {
		t.Helper()
		return connectLinks(d.Merchant.Get(t, "/console/granted"))
	}
	t.Run("NewestOfAKey", func(t *testing.T) {
		d := newDesk(t)
		d.Ask(t)
		d.Ask(t)
		second := d.Newest(t)["id"].(string)
		other := d.OtherLiveKey(t)
		d.Ask(t, servertest.WithKey(other))
		third := d.Connections(t, other)[0]["id"].(string)
		if got := says(t, d); len(got) != 2 || got[0] != third || got[1] != second {
			t.Errorf("listed %v, want %s, %s", got, third, second)
		}
	})
	for name, end := range map[string]func(*testing.T, *desk, string){
		"Declined": func(t *testing.T, d *desk, id string) {
			d.Merchant.Post(t, "/connect/"+id+"/decline", nil).Expect(t, 303, "")
		},
		"Expired": func(t *testing.T, d *desk, _ string) {
			d.Clock.Advance(servertest.LinkLife)
			d.Merchant.SignIn(t, servertest.Mia, servertest.Password).Expect(t, 303, "")
		},
		"KeyDisabled": func(t *testing.T, d *desk, _ string) { d.setKeyEnabled(t, false) },
		"Existing": func(t *testing.T, d *desk, id string) {
			d.Clock.Advance(time.Millisecond)
			link := d.Ask(t)
			d.Merchant.Post(t, link+"/approve", nil).Expect(t, 303, "")
			d.Merchant.Post(t, link+"/revoke", nil).Expect(t, 303, "")
			d.Merchant.Post(t, "/connect/"+id+"/approve", nil).Expect(t, 303, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.Ask(t)
			id := d.Newest(t)["id"].(string)
			if got := says(t, d); len(got) != 1 {
				t.Fatalf("listed %v", got)
			}
			end(t, d, id)
			if page := d.Merchant.Get(t, "/console/granted"); page.Status != 200 || page.Says("asks for access to your data") {
				t.Errorf("%d %s", page.Status, page.Body)
			}
		})
	}
	t.Run("TestKey", func(t *testing.T) {
		d := newDesk(t)
		_, secret := d.Key(t, d.Developer, db.Test, db.AccountMode)
		d.Ask(t, servertest.WithKey(secret))
		if got := says(t, d); len(got) != 0 {
			t.Errorf("listed %v", got)
		}
	})
}

var connectLink = regexp.MustCompile(`href="/connect/(conn_[0-9a-z]+)"`)

// connectLinks returns the ids of the requests that a page links to.
func connectLinks(page servertest.Answer) (ids []string) {
	for _, found := range connectLink.FindAllSubmatch(page.Body, -1) {
		ids = append(ids, string(found[1]))
	}
	return ids
}
