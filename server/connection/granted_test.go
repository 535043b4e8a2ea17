package connection_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/server/servertest"
)

// The console lists what an account has granted, and revokes it.
func TestGranted(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	otherID, other := d.PlantMember(t, "max@shop.example")
	expectPage(t, d.Merchant.Get(t, "/console/granted"), 200, "", "", "Nobody can read your data")

	mine := d.Ask(t)
	minesID := d.Newest(t)["id"].(string)
	d.approve(t, mine)
	others := servertest.ConfirmationURL(t, d.Request(t, asking(`"max@shop.example"`)))
	othersID := d.Newest(t)["id"].(string)
	other.Post(t, others+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, others)

	revoke := func(b *servertest.Browser, id string) servertest.Answer {
		return b.Post(t, "/console/granted/revoke", url.Values{"id": {id}})
	}
	if page := d.Merchant.Get(t, "/console/granted"); !page.Says(minesID) || page.Says(othersID) || !page.Says("<bdi>dev</bdi>") {
		t.Errorf("list %s", page.Body)
	}
	page := d.Merchant.Get(t, "/console/granted?open="+minesID)
	if !page.Says(minesID) || page.Says(othersID) || strings.Count(string(page.Body), `value="conn_`) != 1 ||
		!page.Says("<dd>Read your inventory</dd>") || !page.Says("<bdi>dev</bdi>") || !page.Says("approved") {
		t.Errorf("page %s", page.Body)
	}

	t.Run("Search", func(t *testing.T) {
		for query, listed := range map[string]bool{"DEV": true, "inventory": true, minesID: true, "nobody": false, othersID: false} {
			page := d.Merchant.Get(t, "/console/granted?q="+url.QueryEscape(query))
			if page.Says("open="+minesID) != listed || page.Says("Nothing that you have answered mentions") == listed {
				t.Errorf("search of %s: %s", query, page.Body)
			}
		}
	})
	t.Run("OfAnotherAccountIsNotFound", func(t *testing.T) {
		d.Merchant.Get(t, "/console/granted?open="+othersID).Expect(t, 404, "not_found")
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
	t.Run("PendingIsNotListed", func(t *testing.T) {
		link := d.Ask(t, servertest.WithKey(d.OtherLiveKey(t)))
		expectPage(t, d.Merchant.Get(t, link), 200, "", "approve decline")
		for id := range connectionIDs(d.dump(t, "connections"), `status="pending"`) {
			revoke(d.Merchant, id).Expect(t, 404, "not_found")
		}
	})
	t.Run("Revokes", func(t *testing.T) {
		for range 2 { // the second time changes nothing
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
		page := d.Merchant.Get(t, "/console/granted?done=revoked&open="+minesID)
		if !page.Says("The access is revoked.") || !page.Says("revoked") || strings.Contains(string(page.Body), `value="conn_`) || !page.Says("Could read") {
			t.Errorf("page %s", page.Body)
		}
		expectPage(t, d.Merchant.Get(t, mine), 200, "", "", saysRevoked)
	})
}

// connectionIDs returns the ids of the dumped rows that contain a text.
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
