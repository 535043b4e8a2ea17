package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/server"
	"svc/server/servertest"
)

// crowd is how much an account has of each thing, and how many other accounts there are.
type crowd struct{ items, requests, messages, entries, keys, others int }

// planter fills the account of an appliance with rows.
type planter struct {
	t testing.TB
	*servertest.Server
	account string
	crowd
}

// busy opens an appliance whose operator has a crowd of everything, and a browser that is
// signed in as the operator.
func busy(t testing.TB, c crowd) (*servertest.Server, *servertest.Browser) {
	t.Helper()
	s := servertest.New(t)
	id, b := s.Member(t, "boss@example.com")
	p := &planter{t, s, id, c}
	p.plantShop()
	p.plantCalls()
	p.plantOthers()
	if err := s.App.Requests.CountBlocks(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s, b
}

// rows inserts rows, whose values have i, from 1, and the words ACCOUNT, NOW (in
// milliseconds), KEY (one of the keys) and ROWS (how many they are).
func (p *planter) rows(n int, into, values string) {
	p.t.Helper()
	values = strings.NewReplacer("ACCOUNT", "'"+p.account+"'", "NOW", fmt.Sprint(p.Clock.Now().UnixMilli()),
		"KEY", fmt.Sprintf("printf('key_%%026d', i %% %d)", p.keys), "ROWS", fmt.Sprint(n)).Replace(values)
	p.Exec(p.t, fmt.Sprintf(`INSERT INTO %s WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT %s FROM n`, into, n, values))
}

// plantShop plants items with their moves, 90 days of sales, and questions.
func (p *planter) plantShop() {
	p.t.Helper()
	const name = `'Product ' || i || CASE i % 3 WHEN 0 THEN ' Coffee' WHEN 1 THEN ' Oat Milk Barista Edition 1 l' ELSE ' Ceramic Mug, hand-made' END`
	p.rows(1, `inventories (account_id, version, last_move)`, fmt.Sprintf(`ACCOUNT, %d, %[1]d`, p.items))
	p.rows(p.items, `items (account_id, id, name, sku, price, cost_price, stock_milli, unit, category, reorder_milli, version, created_at)`,
		`ACCOUNT, printf('item_%026d', i), `+name+`, printf('SKU-%06d', i), 100 + i % 5000, 50 + i % 2000,
CASE WHEN i % 10 = 0 THEN NULL ELSE i % 90 * 1000 - 1000 END, 'bag', 'Category ' || i % 30, CASE WHEN i % 7 = 0 THEN 20000 END, i, NOW`)
	p.rows(p.items, `item_codes (account_id, kind, code, item_id)`, `ACCOUNT, 'barcode', printf('%013d', i), printf('item_%026d', i)`)
	p.rows(p.items, `stock_moves (account_id, seq, item_id, reason, change_milli, stock_after_milli, created_at)`,
		`ACCOUNT, i, printf('item_%026d', i % 50 + 1), 'sale', -1000, 5000, NOW - i * 60000`)
	p.rows(1, `shops (account_id, version)`, `ACCOUNT, 1`)
	p.rows(max(p.items/4, 1), `sales (account_id, id, external_id, customer, currency, sold_at, sold_local, created_at)`,
		`ACCOUNT, printf('sale_%026d', i), 'till-' || i, 'c' || i % 300, 'gbp', NOW - i * 7776000000 / ROWS, datetime((NOW - i * 7776000000 / ROWS) / 1000, 'unixepoch'), NOW`)
	p.rows(p.items/4*2, `sale_lines (account_id, sale_id, line, item_id, name, sku, quantity_milli, price, discount, amount, cost_price, cost, moved_milli)`,
		`ACCOUNT, printf('sale_%026d', (i + 1) / 2), i % 2, printf('item_%026d', i % 500 + 1), `+name+`, '', 2000, 450, 0, 900, 200, 400, 2000`)
	p.rows(300, `customers (account_id, id, external_id, name, email, phone, region, created_at)`, `ACCOUNT, 'cus_' || i, 'c' || i, 'Customer ' || i, '', '', '', NOW`)
	p.rows(200, `questions (account_id, id, text, scope, source, confidence, asked_at, pinned_at)`,
		`ACCOUNT, printf('qst_%026d', i), 'What sold best in week ' || i || '?', '', 'shop', 'high', NOW - i * 60000, NULL`)
}

// plantCalls plants keys with their calls, debits, messages and webhooks.
func (p *planter) plantCalls() {
	p.t.Helper()
	p.rows(p.keys, `api_keys (id, account_id, secret_hash, prefix, last_four, env, mode, label, created_at)`,
		`printf('key_%026d', i - 1), ACCOUNT, randomblob(32), 'sk_live_', 'Ab12', 'live', 'account', 'Till number ' || i || ' in the shop', NOW - i`)
	p.rows(p.requests, `requests (id, account_id, key_id, method, route, status, duration_us, charge_cents, error_code, client_request_id, created_at)`,
		`printf('req_%026d', i), ACCOUNT, KEY, 'GET', '/api/v1/' || (i / 20 % 4), CASE WHEN i % 50 < 2 THEN 429 ELSE 200 END, 1000, 0, '', '', NOW - 2592000000 + i * 2592000000 / ROWS`)
	p.rows(p.entries, `ledger (account_id, seq, kind, amount_cents, balance_after_cents, key_id, endpoint, request_id, note, created_at)`,
		`ACCOUNT, i, 'debit', -2, 100000 - 2 * i, KEY, '/api/v1/messaging/send', printf('req_%026d', i), '', NOW - 86400000 + i`)
	p.Exec(p.t, fmt.Sprintf(`UPDATE wallets SET last_seq = %d, balance_cents = %d`, p.entries, 100000-2*p.entries))
	p.rows(p.messages, `messages (account_id, id, key_id, request_id, provider, provider_id, phone, template, text, created_at)`,
		`ACCOUNT, printf('msg_%026d', i), KEY, printf('req_%026d', i), 'outbox', '', '+4477009' || printf('%05d', i), 'receipt', 'Thank you! 2 x Ground Coffee 250g', NOW - 86400000 + i`)
	p.rows(10, `webhooks (account_id, id, url, events, description, enabled, disabled_reason, secret, failures, created_at, updated_at)`,
		`ACCOUNT, printf('wh_%026d', i), 'https://hooks.example.com/' || i, 'stock.low sale.created', '', 1, '', x'00', 0, NOW, NOW`)
	p.rows(p.messages, `webhook_deliveries (account_id, webhook_id, id, cause, event_id, seq, kind, once, state, attempts, due_at, code, duration_ms, answer, problem, created_at, updated_at)`,
		`ACCOUNT, printf('wh_%026d', 1), printf('dlv_%026d', i), 'event', 'evt_' || i, i, 'stock.low', 0, 'sent', 1, NOW, 200, 12, '', '', NOW, NOW`)
}

// plantOthers plants other accounts and what the account has to do with them.
func (p *planter) plantOthers() {
	p.t.Helper()
	p.rows(p.others, `accounts (id, email, email_folded, name, plan, operator, verified_at, biz_type, currency, region, timezone, created_at)`,
		`printf('acct_%026d', i), 'shop' || i || '@example.com', 'shop' || i || '@example.com', 'Shop ' || i, 'growth', 0, NOW, 'retail', 'usd', '', 'UTC', NOW - i`)
	p.rows(p.others, `wallets (account_id, balance_cents, held_cents, low_balance_cents, last_seq)`, `printf('acct_%026d', i), 500, 0, 0, 0`)
	p.rows(p.others, `connections (key_id, id, account_id, merchant_email, email_folded, merchant_id, status, requested, scopes, token_hash, created_at, expires_at, approved_at)`,
		`KEY, printf('conn_%026d', i), ACCOUNT, 'shop' || i || '@example.com', 'shop' || i || '@example.com', printf('acct_%026d', i), 'approved', 'read_inventory', 'read_inventory', randomblob(32), NOW - i, NOW + 86400000, NOW`)
	p.rows(p.others, `connections (key_id, id, account_id, merchant_email, email_folded, merchant_id, status, requested, scopes, token_hash, created_at, expires_at, approved_at)`,
		`printf('key_of_%026d', i), printf('conn_of_%026d', i), printf('acct_%026d', i), 'boss@example.com', 'boss@example.com', ACCOUNT, 'approved', 'read_inventory', 'read_inventory', randomblob(32), NOW - i, NOW + 86400000, NOW`)
	p.rows(p.others, `api_keys (id, account_id, secret_hash, prefix, last_four, env, mode, label, created_at)`,
		`printf('key_of_%026d', i), printf('acct_%026d', i), randomblob(32), 'sk_live_', 'Ab12', 'live', 'account', 'App ' || i, NOW - i`)
	p.rows(p.others, `charges (key_id, id, account_id, merchant_email, email_folded, amount, currency, description, env, status, token_hash, created_at, expires_at)`,
		`KEY, printf('ch_%026d', i), ACCOUNT, 'shop' || i || '@example.com', 'shop' || i || '@example.com', 1200, 'gbp', 'Order ' || i, 'live', 'pending', randomblob(32), NOW - i, NOW + 86400000`)
	p.rows(p.others, `audit (account_id, actor, action, subject, detail, created_at)`, `ACCOUNT, ACCOUNT, 'key.created', printf('key_%026d', 1), 'live', NOW - i`)
	p.rows(p.others, `mails (id, recipient, subject, text, html, state, tries, problem, due_at, created_at, expires_at)`,
		`printf('mail_%026d', i), 'shop' || i || '@example.com', 'Your code', 'It is 123456.', '', 'kept', 0, '', NOW, NOW - i, NOW + 86400000`)
}

// consoleAddresses are the pages of the console that a busy account may be slow to read: all
// of the mount without a parameter, and lists with a row open, filtered or searched.
func consoleAddresses() []string {
	id := func(prefix string) string { return fmt.Sprintf("%s_%026d", prefix, 1) }
	return []string{
		"", "/brief", "/ask", "/inventory", "/inventory?page=300", "/inventory?q=coffee", "/inventory?sort=-stock", "/inventory?stock=low",
		"/inventory?open=" + id("item"), "/inventory?open=" + id("item") + "&moves=all", "/inventory/import", "/inventory/scan",
		"/data", "/messages", "/messages?open=" + id("msg"), "/messages?phone=00", "/keys", "/keys?q=till&sort=-spend", "/keys?open=" + id("key"), "/apps",
		"/requests", "/requests?status=429", "/requests?open=" + id("req"), "/usage", "/webhooks", "/webhooks?open=" + id("wh"), "/try",
		"/connections", "/granted", "/charges", "/wallet", "/wallet/ledger", "/wallet/ledger?kind=debit", "/settings", "/activity",
		"/operator", "/operator?q=shop", "/operator/mails", "/operator/server", "/search?q=coffee", "/search?q=till",
	}
}

// TestConsolePagesAreLight requires of each page of a busy account that it is sent in less
// than 150 kB.
func TestConsolePagesAreLight(t *testing.T) {
	t.Parallel()
	servertest.Sequential(t)
	_, b := busy(t, crowd{items: 400, requests: 5000, messages: 200, entries: 300, keys: 100, others: 200})
	for _, address := range consoleAddresses() {
		a := b.Get(t, "/console"+address)
		if a.Status != http.StatusOK || len(a.Body) > 150_000 {
			t.Errorf("/console%s: %d with %d bytes, want at most 150,000", address, a.Status, len(a.Body))
		}
	}
}

// BenchmarkConsolePages shows each page of an account with 20,000 items, 50,000 requests,
// 20,000 messages, 5,000 ledger rows and 100 keys. It prints the CPU time of a page, the
// browser's part included, which other work on the machine changes less than the time; its
// ratio to that of /console/settings, which reads next to nothing; and what is sent.
//
//	go test -run '^$' -bench ConsolePages -benchtime 10x ./server/
func BenchmarkConsolePages(b *testing.B) {
	s, browser := busy(b, crowd{items: 20_000, requests: 50_000, messages: 20_000, entries: 5_000, keys: 100, others: 500})
	show := func(address string, runs int) (each time.Duration, kB float64) {
		began := server.CPUTime()
		for range runs {
			a := browser.Get(b, "/console"+address)
			if kB = float64(len(a.Body)) / 1000; a.Status != http.StatusOK {
				b.Errorf("/console%s: %d", address, a.Status)
			}
		}
		return (server.CPUTime() - began) / time.Duration(runs), kB
	}
	report := func(name string, run func(runs int) (time.Duration, float64)) {
		plain, _ := show("/settings", 20)
		b.Run(name, func(b *testing.B) {
			each, kB := run(b.N)
			b.ReportMetric(float64(each.Microseconds())/1000, "cpu-ms")
			b.ReportMetric(float64(each)/float64(plain), "of-settings")
			b.ReportMetric(kB, "kB")
			b.ReportMetric(0, "ns/op")
		})
	}
	report("after_a_change", func(runs int) (took time.Duration, kB float64) {
		for i := range runs {
			s.Exec(b, fmt.Sprintf(`UPDATE inventories SET version = version + 1; UPDATE items SET stock_milli = 7000, version = %d WHERE id = 'item_%026d'`, 20_001+i, 1))
			once, size := show("", 1)
			took, kB = took+once, size
		}
		return took / time.Duration(runs), kB
	})
	for _, address := range consoleAddresses() {
		report("console"+strings.ReplaceAll(address, "/", "_"), func(runs int) (time.Duration, float64) { return show(address, runs) })
	}
}
