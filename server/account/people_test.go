package account_test

import (
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
	"svc/server"
	"svc/server/servertest"
)

const (
	helper     = "Sam@example.com"
	peoplePath = "/console/people"
)

func withMail(c *server.Config) { c.SMTP, c.MailFrom = "smtp://127.0.0.1:1", "post@shop.example" }

var joinLink = regexp.MustCompile(`http://\S+/join/[A-Za-z0-9_-]{43}\b`)

// invite sends the form for an e-mail.
func invite(t *testing.T, b *servertest.Browser, email string) servertest.Answer {
	t.Helper()
	return b.Post(t, peoplePath+"/invite", url.Values{"email": {email}})
}

// mailedLink returns the path of the link in the newest mail to an address.
func (h *house) mailedLink(t *testing.T, to string) string {
	t.Helper()
	for _, m := range h.Outbox(t, to) {
		if link := joinLink.FindString(m.Text); link != "" {
			return servertest.Path(link)
		}
	}
	t.Fatalf("no invitation to %s", to)
	return ""
}

func choose(password string) url.Values { return url.Values{"password": {password}} }

func TestInvite(t *testing.T) {
	servertest.Sequential(t)
	t.Run("JoinsByTheMailedLink", func(t *testing.T) {
		h := openHouse(t, withMail)
		shop := h.Person(t, servertest.Member)
		owner, b := h.Enter(t, servertest.Member), h.Browser(t)
		invite(t, owner, helper).ExpectRedirect(t, peoplePath+"?done=invited")
		page := owner.Get(t, peoplePath+"?done=invited")
		page.ExpectPage(t, 200, "The invitation is on its way.", helper, "less than an hour ago")
		if joinLink.Match(page.Body) {
			t.Errorf("the owner sees the link: %s", page.Body)
		}
		link := h.mailedLink(t, helper)
		for range 2 { // a GET uses nothing up
			b.Get(t, link).ExpectPage(t, 200, "member", helper, servertest.Member)
		}
		b.Post(t, link, choose("short")).ExpectErrorPage(t, 400, "invalid_request", "The password must have 10 to 200 characters.")
		b.Post(t, link, choose(servertest.OtherPassword)).ExpectRedirect(t, "/console")
		b.Get(t, "/console/inventory").ExpectPage(t, 200)
		b.Get(t, "/console/wallet").ExpectErrorPage(t, 403, "forbidden", servertest.Member)
		owner.Get(t, peoplePath).ExpectPage(t, 200, helper, "staff", "last here")

		// The link works once.
		again := h.Browser(t)
		again.Get(t, link).ExpectErrorPage(t, 404, "not_found", "It has been used")
		again.Post(t, link, choose("a third password")).ExpectErrorPage(t, 404, "not_found")
		again.SignIn(t, helper, "a third password").ExpectErrorPage(t, 401, "wrong_password")
		again.SignIn(t, strings.ToLower(helper), servertest.OtherPassword).ExpectRedirect(t, "/console")

		owner.Get(t, "/console/activity").ExpectPage(t, 200, "invited to the staff", "joined the staff", helper)
		if stored := h.Query(t, `SELECT email FROM accounts`); len(stored) != 2 {
			t.Errorf("joining made an account: %q of %s", stored, shop.ID)
		}
	})

	// Only the operator may read the links of a server without mail (L4).
	t.Run("KeepsTheLinkFromOwnersWithoutMailServer", func(t *testing.T) {
		h := openHouse(t, withOperator)
		h.Person(t, servertest.Member)
		owner := h.Enter(t, servertest.Member)
		owner.Get(t, peoplePath).ExpectPage(t, 200, "each invitation makes a link, which you get from Tally & Sons (help@tally.example)")
		invite(t, owner, helper).ExpectRedirect(t, peoplePath+"?done=link-waits")
		page := owner.Get(t, peoplePath+"?done=link-waits")
		page.ExpectPage(t, 200, helper, "Its link waits with Tally & Sons (help@tally.example): ask them for it")
		link := h.mailedLink(t, helper)
		h.Enter(t, servertest.Boss).Get(t, "/console/operator/mails").ExpectPage(t, 200, link)

		// There is no other link before the outbox gets another mail.
		again := url.Values{"id": h.Query(t, `SELECT id FROM invitations`)}
		owner.Post(t, peoplePath+"/resend", again).ExpectErrorPage(t, 429, "too_many_tries", "it can be sent again in 60 min")
		h.Browser(t).Get(t, link).ExpectPage(t, 200)
		h.Clock.Advance(time.Hour)
		a := owner.Post(t, peoplePath+"/resend", again)
		a.ExpectRedirect(t, peoplePath+"?done=link-waits")
		newer := h.mailedLink(t, helper)
		if newer == link || joinLink.Match(page.Body) || joinLink.Match(a.Body) {
			t.Errorf("after %s the link is %s; pages %s, %s", link, newer, page.Body, a.Body)
		}
		h.Browser(t).Post(t, newer, choose(servertest.OtherPassword)).ExpectRedirect(t, "/console")
	})

	t.Run("ShowsTheLinkOnceToTheOperatorWithoutMailServer", func(t *testing.T) {
		h := openHouse(t)
		owner := h.Enter(t, servertest.Boss)
		a := invite(t, owner, helper)
		a.ExpectPage(t, 200, "it is not shown again")
		link := joinLink.FindString(string(a.Body))
		if link == "" || joinLink.Match(owner.Get(t, peoplePath).Body) {
			t.Fatalf("page %s", a.Body)
		}

		// Another link can be had at once, and ends the first.
		id := h.Query(t, `SELECT id FROM invitations`)[0]
		a = owner.Post(t, peoplePath+"/resend", url.Values{"id": {id}})
		a.ExpectPage(t, 200, "it is not shown again")
		newer := joinLink.FindString(string(a.Body))
		b := h.Browser(t)
		b.Get(t, servertest.Path(link)).ExpectErrorPage(t, 404, "not_found", "a newer one was sent")
		b.Post(t, servertest.Path(newer), choose(servertest.OtherPassword)).ExpectRedirect(t, "/console")
		if mails := h.Outbox(t, helper); len(mails) != 1 {
			t.Errorf("%d mails in the outbox, want one an hour", len(mails))
		}
	})

	t.Run("SevenDays", func(t *testing.T) {
		h := openHouse(t, withMail)
		h.Person(t, servertest.Member)
		invite(t, h.Enter(t, servertest.Member), helper).ExpectRedirect(t, peoplePath+"?done=invited")
		link, b := h.mailedLink(t, helper), h.Browser(t)
		h.Clock.Advance(7*24*time.Hour - time.Second)
		b.Get(t, link).ExpectPage(t, 200)
		h.Clock.Advance(time.Second)
		b.Get(t, link).ExpectErrorPage(t, 404, "not_found", "older than 7 days")
		b.Post(t, link, choose(servertest.OtherPassword)).ExpectErrorPage(t, 404, "not_found")
		owner := h.Enter(t, servertest.Member)
		owner.Get(t, peoplePath).ExpectPage(t, 200, "invitation expired", "7 days ago")
		id := h.Query(t, `SELECT id FROM invitations`)[0]
		owner.Post(t, peoplePath+"/resend", url.Values{"id": {id}}).ExpectRedirect(t, peoplePath+"?done=invited")
		b.Post(t, h.mailedLink(t, helper), choose(servertest.OtherPassword)).ExpectRedirect(t, "/console")
	})

	t.Run("Withdraw", func(t *testing.T) {
		h := openHouse(t, withMail)
		h.Person(t, servertest.Member)
		owner := h.Enter(t, servertest.Member)
		invite(t, owner, helper).ExpectRedirect(t, peoplePath+"?done=invited")
		id, link := h.Query(t, `SELECT id FROM invitations`)[0], h.mailedLink(t, helper)
		h.AskCode(t, helper).Expect(t, 200, "") // another mail to the address at the same time
		h.Clock.Advance(time.Millisecond)
		invite(t, h.Enter(t, servertest.Boss), helper).ExpectRedirect(t, peoplePath+"?done=invited")
		if mails := h.Outbox(t, helper); len(mails) != 3 {
			t.Errorf("mails %+v", mails)
		}
		owner.Post(t, peoplePath+"/withdraw", url.Values{"id": {id}}).ExpectRedirect(t, peoplePath+"?done=withdrawn")
		if mails := h.Outbox(t, helper); len(mails) != 2 || h.mailedLink(t, helper) == link {
			t.Errorf("mails after it was withdrawn: %+v", mails)
		}
		h.Browser(t).Post(t, link, choose(servertest.OtherPassword)).ExpectErrorPage(t, 404, "not_found")
		owner.Post(t, peoplePath+"/withdraw", url.Values{"id": {id}}).ExpectErrorPage(t, 404, "not_found")
		owner.Post(t, peoplePath+"/resend", url.Values{"id": {id}}).ExpectErrorPage(t, 404, "not_found")
	})

	// Nobody but the reader of the mail learns that an e-mail signs in here already.
	t.Run("EmailOfSomebody", func(t *testing.T) {
		for _, mailed := range []bool{true, false} {
			h := openHouse(t, func(c *server.Config) {
				if mailed {
					withMail(c)
				}
			})
			other := h.Person(t, "other@example.com")
			h.Staff(t, other, "staff@example.com")
			h.Person(t, servertest.Member)
			owner := h.Enter(t, servertest.Member)
			for _, taken := range []string{"Other@example.com", "staff@example.com"} {
				known, unknown := invite(t, owner, taken), invite(t, owner, "un"+taken)
				if known.Status != unknown.Status || known.Header.Get("Location") != unknown.Header.Get("Location") {
					t.Errorf("%s: %d, a free one %d", taken, known.Status, unknown.Status)
				}
				if m := h.Outbox(t, taken); len(m) != 1 || joinLink.MatchString(m[0].Text+m[0].HTML) || !strings.Contains(m[0].Text, "another account") {
					t.Errorf("mail %+v", m)
				}
				if joinLink.Match(known.Body) || joinLink.Match(unknown.Body) {
					t.Errorf("mailed %v: the owner sees a link", mailed)
				}
				if mailed {
					continue
				}
				shown := invite(t, h.Enter(t, servertest.Boss), taken)
				link, b := servertest.Path(joinLink.FindString(string(shown.Body))), h.Browser(t)
				b.Get(t, link).ExpectErrorPage(t, 409, "conflict", "belongs to another account")
				b.Post(t, link, choose(servertest.OtherPassword)).ExpectErrorPage(t, 409, "conflict")
				h.Browser(t).SignIn(t, taken, servertest.OtherPassword).ExpectErrorPage(t, 401, "wrong_password")
				h.Enter(t, taken)
			}
			if staff := get(t, h, func(tx *db.Tx) ([]db.Person, error) { return tx.Staff(h.Accounts(t)[2].ID) }); len(staff) != 0 {
				t.Errorf("staff %+v", staff)
			}
		}
	})

	t.Run("Refuses", func(t *testing.T) {
		h := openHouse(t, withMail)
		shop := h.Person(t, servertest.Member)
		h.Staff(t, shop, "eve@example.com")
		owner := h.Enter(t, servertest.Member)
		invite(t, owner, helper).ExpectRedirect(t, peoplePath+"?done=invited")
		for email, sentence := range map[string]string{
			"":                                  "The e-mail",
			"nobody":                            "The e-mail must be one e-mail address",
			strings.ToUpper(servertest.Member):  "The e-mail is one of your people already.",
			"EVE@example.com":                   "The e-mail is one of your people already.",
			strings.ToUpper(helper):             "The e-mail is invited already",
			"a@example.com, b@example.com":      "The e-mail must be one e-mail address",
			"x@example.com\r\nBcc: b@evil.test": "The e-mail must be one e-mail address",
		} {
			invite(t, owner, email).ExpectErrorPage(t, 400, "invalid_request", sentence, `id="invite-email-problem"`)
		}
		if mails := h.Outbox(t, ""); len(mails) != 1 {
			t.Errorf("%d mails", len(mails))
		}
	})

	t.Run("OthersIdsAreNotFound", func(t *testing.T) {
		h := openHouse(t, withMail)
		h.Person(t, servertest.Member)
		sam := h.Staff(t, h.Accounts(t)[0], "sam@example.com")
		invite(t, h.Enter(t, servertest.Boss), "new@example.com").ExpectRedirect(t, peoplePath+"?done=invited")
		theirs := h.Query(t, `SELECT id FROM invitations`)[0]
		owner := h.Enter(t, servertest.Member)
		before := h.Query(t, `SELECT id, ended_at, NULL FROM invitations UNION ALL SELECT id, email_folded, removed_at FROM staff`)
		for _, row := range []struct{ act, id string }{
			{"resend", theirs}, {"withdraw", theirs}, {"remove", sam.ID}, {"remove", h.Accounts(t)[0].ID}, {"remove", h.Accounts(t)[1].ID},
			{"remove", theirs}, {"withdraw", ""}, {"remove", "' OR 1=1 --"},
		} {
			owner.Post(t, peoplePath+"/"+row.act, url.Values{"id": {row.id}}).ExpectErrorPage(t, 404, "not_found")
		}
		if after := h.Query(t, `SELECT id, ended_at, NULL FROM invitations UNION ALL SELECT id, email_folded, removed_at FROM staff`); !slices.Equal(after, before) {
			t.Errorf("changed from %q to %q", before, after)
		}
	})

	// One address gets one mail an hour and five a day on behalf of one account (L10), and an
	// account makes 20 invitations a day.
	t.Run("Throttle", func(t *testing.T) {
		h := openHouse(t, withMail)
		h.Person(t, servertest.Member)
		owner, boss := h.Enter(t, servertest.Member), h.Enter(t, servertest.Boss)
		again := func() servertest.Answer {
			t.Helper()
			id := h.Query(t, `SELECT id FROM invitations WHERE ended_at IS NULL AND account_id = '`+h.Accounts(t)[1].ID+`'`)[0]
			return owner.Post(t, peoplePath+"/resend", url.Values{"id": {id}})
		}
		invite(t, owner, helper).ExpectRedirect(t, peoplePath+"?done=invited")
		h.Clock.Advance(15 * time.Minute)
		a := again()
		a.ExpectErrorPage(t, 429, "too_many_tries", "it can be sent again in 45 min")
		if a.Header.Get("Retry-After") != "2700" {
			t.Errorf("Retry-After %q", a.Header.Get("Retry-After"))
		}
		invite(t, boss, helper).ExpectRedirect(t, peoplePath+"?done=invited") // on behalf of another account
		for range 4 {
			h.Clock.Advance(time.Hour)
			again().ExpectRedirect(t, peoplePath+"?done=invited")
		}
		h.Clock.Advance(time.Hour)
		again().ExpectErrorPage(t, 429, "too_many_tries", "it can be sent again in 19 h")

		// Withdrawing gives nothing back.
		id := h.Query(t, `SELECT id FROM invitations WHERE ended_at IS NULL AND account_id = '`+h.Accounts(t)[1].ID+`'`)[0]
		owner.Post(t, peoplePath+"/withdraw", url.Values{"id": {id}}).ExpectRedirect(t, peoplePath+"?done=withdrawn")
		invite(t, owner, helper).ExpectErrorPage(t, 429, "too_many_tries")
		for i := range 15 {
			invite(t, owner, fmt.Sprintf("p%d@example.com", i)).ExpectRedirect(t, peoplePath+"?done=invited")
		}
		invite(t, owner, "one-more@example.com").ExpectErrorPage(t, 429, "too_many_tries", "20 invitations were made in 24 hours")
		h.Clock.Advance(24 * time.Hour)
		h.Enter(t, servertest.Member).Post(t, peoplePath+"/invite", url.Values{"email": {helper}}).ExpectRedirect(t, peoplePath+"?done=invited")
	})

	t.Run("FiftyPeople", func(t *testing.T) {
		h := openHouse(t)
		shop := h.Person(t, servertest.Member)
		for i := range 49 {
			h.Staff(t, shop, fmt.Sprintf("p%d@example.com", i))
		}
		owner := h.Enter(t, servertest.Member)
		invite(t, owner, "p49@example.com").ExpectRedirect(t, peoplePath+"?done=link-waits")
		invite(t, owner, "p50@example.com").ExpectErrorPage(t, 400, "invalid_request", "at most 50 people")
	})
}

// get reads the store.
func get[T any](t *testing.T, h *house, read func(*db.Tx) (T, error)) (value T) {
	t.Helper()
	dbtest.View(t, h.Store, func(tx *db.Tx) (err error) {
		value, err = read(tx)
		return err
	})
	return value
}

func TestJoin(t *testing.T) {
	servertest.Sequential(t)
	invited := func(t *testing.T, change ...func(*server.Config)) (h *house, link string) {
		t.Helper()
		h = openHouse(t, change...)
		h.Person(t, servertest.Member)
		invite(t, h.Enter(t, servertest.Member), helper).ExpectRedirect(t, peoplePath+"?done=link-waits")
		return h, h.mailedLink(t, helper)
	}

	t.Run("StoresNoToken", func(t *testing.T) {
		h, link := invited(t)
		token := link[strings.LastIndexByte(link, '/')+1:]
		for _, row := range h.Query(t, `SELECT hex(token_hash), id, email FROM invitations`) {
			if strings.Contains(row, token) {
				t.Errorf("row %s", row)
			}
		}
	})

	t.Run("NeedsTheProofOfItsForm", func(t *testing.T) {
		h, link := invited(t)
		null := func(b *servertest.Browser) servertest.Answer {
			return b.Post(t, link, choose(servertest.OtherPassword), servertest.WithHeader("Origin", "null"), func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") })
		}
		null(h.Browser(t)).ExpectErrorPage(t, 403, "cross_origin", "Nothing was done yet")
		if n := len(h.Query(t, `SELECT id FROM staff`)); n != 0 {
			t.Errorf("%d joined", n)
		}
	})

	t.Run("WhileSignedIn", func(t *testing.T) {
		h, link := invited(t)
		boss := h.Enter(t, servertest.Boss)
		boss.Get(t, link).ExpectPage(t, 200, "This browser is signed in as", servertest.Boss)
		boss.Post(t, link, choose(servertest.OtherPassword)).ExpectRedirect(t, "/console")
		boss.Get(t, "/console/settings").ExpectPage(t, 200, helper)
		expectByLink(t, h, db.PersonJoined, "joined the staff")
	})

	t.Run("AccountDisabledOrDeleted", func(t *testing.T) {
		for _, end := range []func(tx *db.Tx, a db.Account) error{
			func(tx *db.Tx, a db.Account) error { return tx.DisableAccount(a.ID) },
			func(tx *db.Tx, a db.Account) error { _, err := tx.DeleteAccount(a); return err },
		} {
			h, link := invited(t)
			shop := h.Accounts(t)[1]
			sam := h.Staff(t, shop, "eve@example.com")
			b := h.Enter(t, sam.Email)
			dbtest.Update(t, h.Store, func(tx *db.Tx) error { return end(tx, shop) })
			h.Browser(t).Get(t, link).ExpectErrorPage(t, 404, "not_found")
			h.Browser(t).Post(t, link, choose(servertest.OtherPassword)).ExpectErrorPage(t, 404, "not_found")
			b.Get(t, "/console").ExpectRedirect(t, "/signin?next=%2Fconsole")
			if a := h.Browser(t).SignIn(t, sam.Email, servertest.Password); a.Status != 403 && a.Status != 401 {
				t.Errorf("staff sign in to an account that has ended: %d", a.Status)
			}
		}
	})

	t.Run("EmailTakenMeanwhile", func(t *testing.T) {
		h, link := invited(t)
		h.Person(t, strings.ToLower(helper))
		b := h.Browser(t)
		b.Post(t, link, choose(servertest.OtherPassword)).ExpectErrorPage(t, 409, "conflict", "belongs to another account")
		b.SignIn(t, helper, servertest.Password).ExpectRedirect(t, "/console")
	})
}

// expectByLink checks that the newest act of the kind is logged with db.ActorLink, and that the
// member's activity does not name the account that the browser was signed in to.
func expectByLink(t *testing.T, h *house, action db.Action, says string) {
	t.Helper()
	if actors := h.Query(t, `SELECT actor FROM audit WHERE action = '`+string(action)+`' ORDER BY seq DESC LIMIT 1`); !slices.Equal(actors, []string{db.ActorLink}) {
		t.Errorf("%s by %q", action, actors)
	}
	page := h.Enter(t, servertest.Member).Get(t, "/console/activity")
	page.ExpectPage(t, 200, says, "Whoever had a mailed link or code")
	if page.Says("The operator") || page.Says(servertest.Boss) {
		t.Errorf("the activity names the account of the browser: %s", page.Body)
	}
}

func TestRemoveStaff(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	shop := h.Person(t, servertest.Member)
	sam := h.Staff(t, shop, helper)
	owner, b, eve := h.Enter(t, servertest.Member), h.Enter(t, helper), h.Enter(t, servertest.Boss)
	b.Post(t, "/console/inventory/add", url.Values{"name": {"Oat milk"}, "stock": {"5"}})
	link := servertest.Path(h.Recover(t, helper))

	owner.Post(t, peoplePath+"/remove", url.Values{"id": {sam.ID}}).ExpectRedirect(t, peoplePath+"?done=removed")
	b.Get(t, "/console/inventory").ExpectRedirect(t, "/signin?next=%2Fconsole%2Finventory")
	h.Browser(t).SignIn(t, helper, servertest.Password).ExpectErrorPage(t, 401, "wrong_password")
	h.Browser(t).Post(t, link, choose(servertest.OtherPassword)).ExpectErrorPage(t, 404, "not_found")
	owner.Get(t, peoplePath).ExpectPage(t, 200)
	if owner.Get(t, peoplePath).Says(helper) {
		t.Error("they are still listed")
	}
	eve.Get(t, "/console").ExpectPage(t, 200)
	owner.Get(t, "/console").ExpectPage(t, 200)
	owner.Get(t, "/console/activity").ExpectPage(t, 200, helper+" removed from the staff")

	// What they did has their name.
	item := h.Query(t, `SELECT id FROM items`)
	if len(item) != 1 {
		t.Fatalf("items %q", item)
	}
	owner.Get(t, "/console/inventory?open="+item[0]).ExpectPage(t, 200, helper)

	// The address is free.
	h.Person(t, helper)
	if !slices.Contains(h.Query(t, `SELECT email FROM accounts`), helper) {
		t.Error("the address is still taken")
	}
}
