package account_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"html"
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

const ledgerPath = "/console/wallet/ledger"

// book is an appliance with a member whose ledger is looked at.
type book struct {
	*servertest.Server
	id      string
	browser *servertest.Browser
}

func newBook(t *testing.T) *book {
	t.Helper()
	s := servertest.New(t)
	id, b := s.Member(t, "shop@example.com")
	return &book{s, id, b}
}

func (b *book) key(t *testing.T, owner, label string) (db.Key, string) {
	t.Helper()
	k, secret, err := b.App.Accounts.CreateKey(context.Background(), account.NewKey{Account: owner, Env: "live", Label: label})
	if err != nil {
		t.Fatal(err)
	}
	return k, string(secret)
}

// credit adds n credits of one cent, one an hour.
func (b *book) credit(t *testing.T, n int) {
	t.Helper()
	for i := range n {
		b.Clock.Advance(time.Hour)
		dbtest.Update(t, b.Store, func(tx *db.Tx) error {
			_, err := tx.Credit(db.Entry{AccountID: b.id, Kind: db.TopUp, AmountCents: 1, Note: fmt.Sprintf("credit %d", i+1)})
			return err
		})
	}
	b.browser.SignIn(t, "shop@example.com", servertest.Password).Expect(t, 303, "") // the session has ended
}

// export reads the CSV file with a filter, without its headings.
func (b *book) export(t *testing.T, query string) [][]string {
	t.Helper()
	a := b.browser.Get(t, ledgerPath+".csv"+query)
	a.Expect(t, 200, "")
	if !strings.HasPrefix(a.Header.Get("Content-Disposition"), `attachment; filename="ledger-2026-`) || a.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("headers %v", a.Header)
	}
	rows, err := csv.NewReader(strings.NewReader(string(a.Body))).ReadAll()
	if err != nil || len(rows) == 0 || rows[0][0] != "entry" {
		t.Fatalf("rows %q (%v)", rows, err)
	}
	return rows[1:]
}

// Each row tells what it was for: a call its endpoint, its request and its key; credit its
// source.
func TestLedgerTellsWhatFor(t *testing.T) {
	servertest.Sequential(t)
	b := newBook(t)
	_, secret := b.key(t, "shop@example.com", "Till <1>")
	if _, err := b.App.Accounts.Credit(context.Background(), "shop@example.com", 5000, "first month"); err != nil {
		t.Fatal(err)
	}
	var bought db.Purchase
	dbtest.Update(t, b.Store, func(tx *db.Tx) (err error) {
		if bought, err = tx.CreatePurchase(db.Purchase{AccountID: b.id, Amount: 1000, Currency: "gbp", CreditCents: 1250}); err != nil {
			return err
		}
		_, err = tx.Credit(db.Entry{AccountID: b.id, Kind: db.TopUp, AmountCents: 1250, Note: "bundle " + bought.ID})
		return err
	})
	sent := b.Call(t, http.MethodPost, servertest.SendPath, servertest.SendBody, servertest.WithKey(secret))
	sent.Expect(t, 200, "")
	if _, err := b.App.Accounts.Credit(context.Background(), "shop@example.com", -5, "counted twice"); err != nil {
		t.Fatal(err)
	}
	request, label := sent.Header.Get("X-Request-Id"), "Till <1> …"+secret[len(secret)-4:]

	for _, path := range []string{ledgerPath, "/console/wallet"} {
		b.browser.Get(t, path).ExpectPage(t, 200, "Message by API", request, label, "-$0.02", "$62.48",
			"Bought for £10.00", "Added by the operator", "first month", "Corrected by the operator", "counted twice", "-$0.05")
	}
	b.browser.Get(t, "/console/wallet").ExpectPage(t, 200, `href="`+ledgerPath+`"`)
	rows := b.export(t, "")
	if len(rows) != 4 || !slices.Equal(rows[1][2:10], []string{"debit", "-0.02", "62.48", "Message by API", label, rows[1][7], servertest.SendPath, request}) {
		t.Errorf("rows %q", rows)
	}
	if rows[3][3] != "50.00" || rows[3][10] != "first month" || rows[2][5] != "Bought for £10.00" {
		t.Errorf("rows %q", rows)
	}
}

// A note of the operator that begins like that of a purchase is a note.
func TestLedgerNoteLikePurchase(t *testing.T) {
	servertest.Sequential(t)
	b := newBook(t)
	if _, err := b.App.Accounts.Credit(context.Background(), "shop@example.com", 500, "bundle of the fair"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{ledgerPath, "/console/wallet"} {
		b.browser.Get(t, path).ExpectPage(t, 200, "Added by the operator", "bundle of the fair")
	}
	if rows := b.export(t, ""); len(rows) != 1 || rows[0][5] != "Added by the operator" {
		t.Errorf("rows %q", rows)
	}
}

var olderPage = regexp.MustCompile(`href="([^"]*before=[^"]*)"[^>]*>Older`)

// The pages of the ledger have each entry once, and so has the file.
func TestLedgerPages(t *testing.T) {
	servertest.Sequential(t)
	b := newBook(t)
	empty := b.browser.Get(t, ledgerPath)
	empty.ExpectPage(t, 200, "Nothing has changed the credit yet", "Stripe is not set up", "svc wallet credit shop@example.com CENTS", `href="/console/operator?open=`)
	_, other := b.Member(t, "other@example.com")
	if told := other.Get(t, ledgerPath); !told.Says("ask the people who run this server and name your account, <bdi>other@example.com</bdi>") || told.Says("svc wallet credit") {
		t.Errorf("another account is not told whom to ask: %s", told.Body)
	}
	if empty.Says(`name="kind"`) {
		t.Error("an empty ledger has a filter")
	}
	b.credit(t, 120)
	if b.browser.Get(t, ledgerPath).Says("Request</th>") {
		t.Error("the ledger of an account without keys has a column for requests")
	}
	var seen []string
	next := ledgerPath + "?kind=topup"
	for pages := 1; next != ""; pages++ {
		a := b.browser.Get(t, next)
		a.ExpectPage(t, 200, "/console/wallet/ledger.csv?kind=topup")
		seen = append(seen, regexp.MustCompile(`credit \d+`).FindAllString(string(a.Body), -1)...)
		if newest := a.Says(">Newest<"); newest != (pages > 1) {
			t.Errorf("page %d offers the newest: %v", pages, newest)
		}
		next = ""
		if found := olderPage.FindSubmatch(a.Body); found != nil {
			next = html.UnescapeString(string(found[1]))
		}
	}
	if len(seen) != 120 || seen[0] != "credit 120" || seen[119] != "credit 1" || len(slices.Compact(slices.Clone(seen))) != 120 {
		t.Errorf("%d entries: %q", len(seen), seen)
	}

	b.credit(t, 2000) // more than one part of the file
	if rows := b.export(t, ""); len(rows) != 2120 || rows[0][0] != "2120" || rows[2119][0] != "1" {
		t.Errorf("%d rows", len(rows))
	}
}

// The ledger can be limited to a kind, a key and days of the account's time zone.
func TestLedgerFilter(t *testing.T) {
	servertest.Sequential(t)
	b := newBook(t)
	zone := "Pacific/Auckland" // 13 hours ahead
	if err := b.App.Accounts.SetProfile(context.Background(), "shop@example.com", account.ProfileChange{Timezone: &zone}); err != nil {
		t.Fatal(err)
	}
	b.credit(t, 30) // from 2 March, 11:00 UTC, which is 3 March, 00:00 in Auckland
	first, firstSecret := b.key(t, "shop@example.com", "first")
	second, _ := b.key(t, "shop@example.com", "second")
	b.Call(t, http.MethodPost, servertest.SendPath, servertest.SendBody, servertest.WithKey(firstSecret)).Expect(t, 200, "")

	for query, want := range map[string]int{
		"":                                 31,
		"?kind=topup":                      30,
		"?kind=debit":                      1,
		"?kind=refund":                     0,
		"?key=" + first.ID:                 1,
		"?key=" + second.ID:                0,
		"?from=2026-03-04":                 7,
		"?to=2026-03-03":                   24,
		"?from=2026-03-03&to=2026-03-03":   24,
		"?to=2026-03-02":                   0,
		"?kind=topup&from=2026-03-04":      6,
		"?before=3":                        2,
		"?before=nonsense":                 31,
		"?from=2026-03-04&key=" + first.ID: 1,
	} {
		if got := len(b.export(t, query)); got != want {
			t.Errorf("%s: %d entries, want %d", query, got, want)
		}
		a := b.browser.Get(t, ledgerPath+query)
		a.ExpectPage(t, 200, "<h1>Ledger</h1>")
		if got := strings.Count(string(a.Body), `<td class="at end">`); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
		if strings.Contains(query, "key=") != a.Says(`<option value="`+first.ID+`" selected>`) && !strings.Contains(query, second.ID) {
			t.Errorf("%s: the key is not kept", query)
		}
	}
	b.browser.Get(t, ledgerPath+"?kind=refund").ExpectPage(t, 200, "No entry is like that")
}

// A wrong filter is said at its field, and what was typed stays. The key of another
// account is as unknown as one that does not exist.
func TestLedgerFilterRefused(t *testing.T) {
	servertest.Sequential(t)
	b := newBook(t)
	b.Account(t, "other@example.com", "free", 500)
	theirs, _ := b.key(t, "other@example.com", "theirs")
	b.credit(t, 1)
	for field, query := range map[string]string{
		"kind": "?kind=gift&from=2026-01-05",
		"from": "?from=31.3.2026",
		"to":   "?from=2026-03-05&to=2026-03-04",
	} {
		a := b.browser.Get(t, ledgerPath+query)
		a.ExpectErrorPage(t, 400, "invalid_request", `id="ledger-`+field+`-problem"`, `aria-describedby="ledger-`+field+`-problem"`)
		typed, err := url.ParseQuery(query[1:])
		if err != nil {
			t.Fatal(err)
		}
		if from := typed.Get("from"); !a.Says(`name="from"`) || !a.Says(`value="`+from+`"`) {
			t.Errorf("%s: %q is not kept: %s", query, from, a.Body)
		}
		b.browser.Get(t, ledgerPath+".csv"+query).ExpectErrorPage(t, 400, "invalid_request")
	}
	for _, id := range []string{theirs.ID, "key_none"} {
		for _, path := range []string{ledgerPath, ledgerPath + ".csv"} {
			a := b.browser.Get(t, path+"?key="+id)
			a.ExpectErrorPage(t, 404, "not_found", "There is no such key.")
			if a.Header.Get("Content-Disposition") != "" {
				t.Errorf("%s: %v", path, a.Header)
			}
		}
	}
	if b.browser.Get(t, ledgerPath).Says("theirs") {
		t.Error("the page names another account's key")
	}
}
