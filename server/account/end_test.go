package account_test

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/servertest"
)

// ending is a house with a member who owns a live key, asks the operator for access, is
// asked by the operator, and asks for a payment.
type ending struct {
	*servertest.House
	member       db.Account
	key, bossKey string
	browser      *servertest.Browser
	asked        string // the link of the member's request
}

func newEnding(t *testing.T) *ending {
	t.Helper()
	e := &ending{House: servertest.OpenHouse(t)}
	e.member = e.Person(t, servertest.Member)
	_, e.key = e.Key(t, servertest.Member, db.Live, db.AccountMode)
	_, e.bossKey = e.Key(t, servertest.Boss, db.Live, db.AccountMode)
	e.browser = e.Enter(t, servertest.Member)
	e.asked = e.ask(t, e.key, servertest.Boss)
	granted := e.ask(t, e.bossKey, servertest.Member)
	e.browser.Post(t, granted+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, granted)
	e.call(t, e.key, http.MethodPost, "/api/v1/charges", map[string]any{"merchant_email": "payer@example.com", "amount_cents": 500, "description": "beans"}).Expect(t, 200, "")
	return e
}

func (e *ending) call(t *testing.T, key, method, path string, body any) servertest.Answer {
	t.Helper()
	return e.Call(t, method, path, body, servertest.WithKey(key))
}

// ask requests access with a key and returns the path of the link.
func (e *ending) ask(t *testing.T, key, email string) string {
	t.Helper()
	return servertest.Path(servertest.ConfirmationURL(t, e.call(t, key, http.MethodPost, "/api/v1/connections", map[string]any{"merchant_email": email})))
}

// list returns a field of the objects that a GET lists.
func (e *ending) list(t *testing.T, key, what, field string) (all []string) {
	t.Helper()
	for _, one := range e.call(t, key, http.MethodGet, "/api/v1/"+what, nil).Field(t, what).([]any) {
		all = append(all, one.(map[string]any)[field].(string))
	}
	return all
}

func (e *ending) do(t *testing.T, act func() error) {
	t.Helper()
	if err := act(); err != nil {
		t.Fatal(err)
	}
}

func TestDisabledAccount(t *testing.T) {
	servertest.Sequential(t)
	e := newEnding(t)
	ctx, accounts := t.Context(), e.App.Accounts
	e.call(t, e.key, http.MethodGet, "/api/v1/charges", nil).Expect(t, 200, "")
	e.do(t, func() error { return accounts.Disable(ctx, "MEMBER@example.com") })

	for _, path := range []string{"/api/v1/charges", "/api/v1/connections"} {
		e.call(t, e.key, http.MethodGet, path, nil).Expect(t, 403, string(fault.KeyDisabled))
	}
	e.browser.Get(t, "/console").ExpectRedirect(t, "/signin?next=%2Fconsole")
	form := url.Values{"email": {servertest.Member}, "password": {servertest.Password}}
	e.Browser(t).Post(t, "/signin", form).ExpectErrorPage(t, 403, string(fault.Forbidden), "This account is disabled", "ask the people who run this server")
	e.Browser(t).Post(t, "/signin", url.Values{"email": {servertest.Member}, "password": {"wrong password"}}).ExpectErrorPage(t, 401, string(fault.WrongPassword))
	link := e.Recover(t, servertest.Member)
	e.Browser(t).Post(t, link, url.Values{"password": {servertest.Password}}).ExpectErrorPage(t, 403, string(fault.Forbidden), "This account is disabled")
	boss := e.Enter(t, servertest.Boss)
	boss.Post(t, e.asked+"/approve", servertest.Ticked("read_inventory")).ExpectErrorPage(t, 409, "conflict")
	// What others have of it goes on.
	if got := e.list(t, e.bossKey, "connections", "status"); strings.Join(got, " ") != "approved" {
		t.Errorf("connections %v", got)
	}

	for range 2 {
		e.do(t, func() error { return accounts.Enable(ctx, servertest.Member) })
	}
	if got := e.list(t, e.key, "charges", "status"); strings.Join(got, " ") != "pending" {
		t.Errorf("charges %v", got)
	}
	e.Enter(t, servertest.Member).Get(t, "/console").Expect(t, 200, "")
	boss.Post(t, e.asked+"/approve", servertest.Ticked("read_inventory")).ExpectDone(t, e.asked)

	if err := accounts.Disable(ctx, servertest.Boss); err == nil || !strings.Contains(err.Error(), "the only operator's account") {
		t.Errorf("the operator was disabled: %v", err)
	}
	boss.Get(t, "/console").Expect(t, 200, "")
}

func TestDeletedAccount(t *testing.T) {
	servertest.Sequential(t)
	e := newEnding(t)
	ctx, accounts := t.Context(), e.App.Accounts
	dbtest.MustCredit(t, e.Store, e.member.ID, 300)
	dbtest.MustItem(t, e.Store, e.member.ID, db.ItemChange{Name: "Tea", StockMilli: new(int64(1000))})
	file := plantDataset(t, e)
	_, otherKey := e.Key(t, servertest.Member, db.Test, db.AccountMode)
	e.Recover(t, servertest.Member)

	ended, err := accounts.Delete(ctx, "Member@example.com")
	if err != nil || ended != (db.Ended{Keys: 2, Connections: 2, Charges: 1}) {
		t.Fatalf("ended %+v, %v", ended, err)
	}
	for _, key := range []string{e.key, otherKey} {
		e.call(t, key, http.MethodGet, "/api/v1/charges", nil).Expect(t, 401, string(fault.InvalidKey))
	}
	e.browser.Get(t, "/console").ExpectRedirect(t, "/signin?next=%2Fconsole")
	form := url.Values{"email": {servertest.Member}, "password": {servertest.Password}}
	e.Browser(t).Post(t, "/signin", form).ExpectErrorPage(t, 401, string(fault.WrongPassword))
	if got := e.list(t, e.bossKey, "connections", "status"); strings.Join(got, " ") != "revoked" {
		t.Errorf("connections %v", got)
	}
	e.Enter(t, servertest.Boss).Get(t, e.asked).ExpectErrorPage(t, 410, string(fault.Gone), "This request has expired")
	if left := e.Outbox(t, servertest.Member); len(left) > 0 {
		t.Errorf("mails %+v", left)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the dataset's file: %v", err)
	}
	if n := e.Count(t, "SELECT count(*) FROM items"); n != 0 {
		t.Errorf("%d items", n)
	}

	// The money records stay, under the id.
	if ledger, err := accounts.Ledger(ctx, e.member.ID, db.EntryFilter{}, 10); err != nil || len(ledger.Lines) != 1 || ledger.Lines[0].AmountCents != 300 {
		t.Errorf("ledger %+v, %v", ledger, err)
	}
	e.VerifyWallets(t)
	if got := e.Query(t, "SELECT account_id, expires_at <= "+ms(e.Clock.Now())+" FROM charges"); strings.Join(got, " ") != e.member.ID+" 1" {
		t.Errorf("charges %v", got)
	}
	for _, act := range []func() error{
		func() error { return accounts.Enable(ctx, e.member.ID) },
		func() error { return accounts.SetPassword(ctx, e.member.ID, servertest.Password) },
		func() error { _, err := accounts.Delete(ctx, e.member.ID); return err },
		func() error { _, err := accounts.Find(ctx, e.member.ID); return err },
	} {
		if err := act(); err == nil || !strings.Contains(err.Error(), "was deleted") {
			t.Errorf("on a deleted account: %v", err)
		}
	}
	if _, err := accounts.Delete(ctx, servertest.Boss); err == nil || !strings.Contains(err.Error(), "cannot be deleted") {
		t.Errorf("the operator: %v", err)
	}
	if all := e.Accounts(t); len(all) != 1 || all[0].Email != servertest.Boss {
		t.Errorf("accounts %+v", all)
	}

	// Whoever has the address may make an account again.
	e.Clock.Advance(time.Hour)
	e.AskCode(t, servertest.Member).Expect(t, 200, "")
	e.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(servertest.Member, e.Code(t, servertest.Member), "", servertest.Password)).ExpectRedirect(t, "/console")
	if fresh := e.Accounts(t)[1]; fresh.ID == e.member.ID {
		t.Errorf("account %+v", fresh)
	}
}

// TestDeleteIsResumed checks that a sweep removes what a deletion left that was killed after
// its transaction.
func TestDeleteIsResumed(t *testing.T) {
	servertest.Sequential(t)
	e := newEnding(t)
	dbtest.MustItem(t, e.Store, e.member.ID, db.ItemChange{Name: "Tea", StockMilli: new(int64(1000))})
	file := plantDataset(t, e)
	dbtest.Update(t, e.Store, func(tx *db.Tx) error { _, err := tx.DeleteAccount(e.member); return err })
	if _, err := os.Stat(file); err != nil {
		t.Fatal(err)
	}
	e.Sweep(t)
	e.Sweep(t) // loops run in no order
	for _, table := range []string{"items", "stock_moves", "datasets", "inventories"} {
		if n := e.Count(t, "SELECT count(*) FROM "+table); n != 0 {
			t.Errorf("%d rows in %s", n, table)
		}
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the dataset's file: %v", err)
	}
	e.Clock.Advance(time.Hour)
	e.Sweep(t)
	if n := e.Count(t, "SELECT count(*) FROM accounts WHERE erased_at IS NOT NULL"); n != 1 {
		t.Errorf("%d accounts are erased", n)
	}
}

// plantDataset stores a dataset of the member and returns the path of its file.
func plantDataset(t *testing.T, e *ending) (file string) {
	t.Helper()
	dbtest.Update(t, e.Store, func(tx *db.Tx) error {
		d, err := tx.BeginDataset(e.member.ID, "sales")
		file = e.Store.DataPath(d)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(file), 0o700)
		}
		if err == nil {
			err = os.WriteFile(file, nil, 0o600)
		}
		return err
	})
	return file
}

func ms(at time.Time) string { return strconv.FormatInt(at.UnixMilli(), 10) }
