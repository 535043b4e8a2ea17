package connection_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

func TestConsentApprove(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range []struct {
		name   string
		form   url.Values
		scopes []any
	}{
		{"All", servertest.Ticked("read_inventory"), readScope},
		{"TickedTwice", servertest.Ticked("read_inventory", "read_inventory"), readScope},
		{"UnknownScopesAreIgnored", servertest.Ticked("write_inventory", "read_inventory", "*"), readScope},
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

	t.Run("LinkWorksAfterItsEnd", func(t *testing.T) {
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

	// The account that decided may revoke, even if its address is another one.
	t.Run("DecidedByAnotherAddress", func(t *testing.T) {
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

	t.Run("DeveloperIsTheMerchant", func(t *testing.T) {
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
	d.expectStatus(t, "declined") // not expired
}

// A dropped scope does not come back (D4).
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
	d.approve(t, link)
	narrow(readScope, "read_inventory", "read_sales")
	narrow([]any{})
	narrow([]any{}, "read_inventory")
	expectPage(t, d.Merchant.Get(t, link), 200, "", "revoke", "Nothing. The app is connected to your account")
	d.Request(t, servertest.AskMia).Expect(t, 409, "conflict")
}

// After a revocation the record stays, and a new request works (D4).
func TestConsentRevoke(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	link := d.Ask(t)
	d.approve(t, link)
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
	d.approve(t, again)
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
		d.setKeyEnabled(t, true) // seed 5.3: the request works again
		d.approve(t, link)
		d.expectStatus(t, "approved")
	})

	t.Run("AfterTheDecisionTheMerchantRevokes", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		d.approve(t, link)
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

// A link works until the last moment.
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

// Once one request of a key is approved, its others show that and change nothing (D2).
func TestConsentOfAnExistingConnection(t *testing.T) {
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
	expectPage(t, d.Merchant.Get(t, second), 200, "", "approve decline") // it is still unanswered
}

// tabsOfTwoProcesses returns two browsers of the merchant, at two processes on one file.
func (d *desk) tabsOfTwoProcesses(t *testing.T) [2]*servertest.Browser {
	t.Helper()
	second := servertest.Open(t, d.Path, d.Clock)
	b := second.Browser(t)
	b.SignIn(t, servertest.Mia, servertest.Password)
	return [2]*servertest.Browser{d.Merchant, b}
}

// Of two decisions the first wins, and the other tab shows its result (D4).
func TestConsentTwoTabs(t *testing.T) {
	d := newDesk(t)
	tabs := d.tabsOfTwoProcesses(t)
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
	t.Logf("first decisions: %v", wins)
}

// Of two requests of a key that are approved in parallel, one succeeds.
func TestConsentTwoRequestsApprovedAtOnce(t *testing.T) {
	d := newDesk(t)
	tabs := d.tabsOfTwoProcesses(t)
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
			t.Fatalf("neither was approved: %d and %d", answers[0].Status, answers[1].Status)
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

// A revocation wins over narrowing at the same time.
func TestConsentRevokedAndNarrowedAtOnce(t *testing.T) {
	d := newDesk(t)
	tabs := d.tabsOfTwoProcesses(t)
	for range 20 {
		d.Clock.Advance(time.Second)
		link := d.Ask(t)
		d.approve(t, link)
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
