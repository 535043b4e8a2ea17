package db_test

import (
	"database/sql"
	"maps"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// planted are rows of an account in every table that names accounts, with @ for what differs
// from account to account. Its id is acct_@, its address @@example.com.
var planted = []string{
	`INSERT INTO accounts (id, email, email_folded, name, plan, operator, password_hash, verified_at, biz_type, currency, region, timezone, created_at)
VALUES ('acct_@', '@@example.com', '@@example.com', 'shop of @', 'free', 0, 'hash', 1, 'retail', 'gbp', 'north of @', 'UTC', 1)`,
	`INSERT INTO apps (id, account_id, name, logo_type, created_at) VALUES ('app_@', 'acct_@', 'till of @', '', 1)`,
	`INSERT INTO api_keys (id, account_id, app_id, secret_hash, prefix, last_four, env, mode, label, created_at)
VALUES ('key_@', 'acct_@', 'app_@', CAST('hash of @' AS BLOB), 'svc_live_', 'abcd', 'live', 'account', 'desk of @', 1)`,
	`INSERT INTO old_key_secrets VALUES (CAST('old hash of @' AS BLOB), 'key_@', 1)`,
	`INSERT INTO meters VALUES ('key_@', 1, 1, 1, 1)`,
	`INSERT INTO rolling_windows VALUES ('key_@', 'ask', x'01', 1)`,
	`INSERT INTO endpoint_limits VALUES ('key_@', 'ask', 20, 200)`,
	`INSERT INTO wallets VALUES ('acct_@', 5, 0, 100, 1)`,
	`INSERT INTO ledger VALUES ('acct_@', 1, 'topup', 5, 5, NULL, NULL, NULL, 'credit', 1)`,
	`INSERT INTO calls VALUES ('req_@', 'key_@', 'acct_@', 'send', NULL, NULL, 'unknown', 0, 1, 1, 502, NULL, 1, 1, '+4477@')`,
	`INSERT INTO messages VALUES ('acct_@', 'msg_@', 'key_@', 'req_@', 'outbox', 'id', '+44', 'receipt', 'text of @', 1)`,
	`INSERT INTO requests VALUES (NULL, 'req_@', 'acct_@', 'key_@', 'POST', '/', 200, 1, 0, '', '', 1, '')`,
	`INSERT INTO request_blocks VALUES ('acct_@', 1, '2026-01-01', 'key_@', '/', 200, 1, 0, 1, 1)`,
	`INSERT INTO sessions VALUES ('ses_@', 'acct_@', CAST('token of @' AS BLOB), '192.0.2.1', 'browser of @', 1, 1, 9000000000000, 'acct_@')`,
	`INSERT INTO staff VALUES ('usr_@', 'acct_@', 'help-@@example.com', 'help-@@example.com', 'hash', 1, NULL), ('usr_@2', 'acct_@', 'past-@@example.com', 'usr_@2', NULL, 1, 2)`,
	`INSERT INTO invitations VALUES ('inv_@', 'acct_@', 'new-@@example.com', 'new-@@example.com', CAST('invitation of @' AS BLOB), 1, 1, 9000000000000, NULL)`,
	`INSERT INTO mails VALUES ('mail_@3', 'new-@@example.com', 'join', 'link for @', '', 'kept', 0, '', 1, 1, 9000000000000)`,
	`INSERT INTO sessions VALUES ('ses_@2', 'acct_@', CAST('token of staff of @' AS BLOB), '192.0.2.1', 'browser of @', 1, 1, 9000000000000, 'usr_@')`,
	`INSERT INTO known_callers VALUES ('usr_@', CAST('caller of staff of @' AS BLOB), 9000000000000)`,
	`INSERT INTO links VALUES (CAST('link of staff of @' AS BLOB), 'reset', 'acct_@', 9000000000000, 'usr_@')`,
	`INSERT INTO codes VALUES ('help-@@example.com', 'recover', x'00', 1, 1, 9000000000000, 1, 1)`,
	`INSERT INTO mails VALUES ('mail_@2', 'Help-@@example.com', 'hi', 'text for @', '', 'kept', 0, '', 1, 1, 9000000000000)`,
	`INSERT INTO known_callers VALUES ('acct_@', CAST('caller of @' AS BLOB), 9000000000000)`,
	`INSERT INTO links VALUES (CAST('link of @' AS BLOB), 'reset', 'acct_@', 9000000000000, 'acct_@')`,
	`INSERT INTO two_factors (person_id, id, secret, made_at, confirmed_at, last_step) VALUES ('acct_@', 'tfa_@', x'00', 1, 1, 1), ('usr_@', 'tfa_@2', x'00', 1, NULL, 0)`,
	`INSERT INTO recovery_codes VALUES ('acct_@', CAST('recovery of @' AS BLOB)), ('usr_@', CAST('recovery of staff of @' AS BLOB))`,
	`INSERT INTO half_sign_ins VALUES (CAST('half of @' AS BLOB), 'acct_@', 9000000000000), (CAST('half of staff of @' AS BLOB), 'usr_@', 9000000000000)`,
	`INSERT INTO codes VALUES ('@@example.com', 'signup', x'00', 1, 1, 9000000000000, 1, 1)`,
	`INSERT INTO mails VALUES ('mail_@', '@@Example.com', 'hi', 'text for @', '', 'kept', 0, '', 1, 1, 9000000000000)`,
	`INSERT INTO connections (key_id, id, account_id, merchant_email, email_folded, merchant_id, status, requested, scopes, token_hash, created_at, expires_at, approved_at)
VALUES ('key_@', 'conn_@', 'acct_@', 'third@example.com', 'third@example.com', 'acct_third', 'approved', '', '', CAST('conn of @' AS BLOB), 1, 9000000000000, 1)`,
	`INSERT INTO connections (key_id, id, account_id, merchant_email, email_folded, status, requested, scopes, token_hash, created_at, expires_at)
VALUES ('key_@', 'conn_@2', 'acct_@', 'fourth@example.com', 'fourth@example.com', 'pending', '', '', CAST('conn2 of @' AS BLOB), 1, 9000000000000)`,
	`INSERT INTO previews VALUES (CAST('preview of @' AS BLOB), 'key_@', 9000000000000)`,
	`INSERT INTO charges (key_id, id, account_id, merchant_email, amount, currency, description, env, status, token_hash, created_at, expires_at)
VALUES ('key_@', 'ch_@', 'acct_@', 'third@example.com', 100, 'gbp', 'beans', 'live', 'pending', CAST('charge of @' AS BLOB), 1, 9000000000000)`,
	`INSERT INTO purchases VALUES ('acct_@', 'buy_@', 500, 'gbp', 600, 1, NULL)`,
	`INSERT INTO items (account_id, id, name, sku, unit, category, version, created_at) VALUES ('acct_@', 'item_@', 'tea of @', 't', '', '', 1, 1)`,
	`INSERT INTO item_codes VALUES ('acct_@', 'alias', 'brew of @', 'item_@')`,
	`INSERT INTO pushed_products VALUES ('acct_@', 'item_@', 'p1', CAST('record of @' AS BLOB))`,
	`INSERT INTO pushed_rows VALUES ('acct_@', 1, 'r1', x'00', '["note","row of @"]')`,
	`INSERT INTO pushed_sets VALUES ('acct_@', 1, 1, 1, 0, 'ds_@', 1)`,
	`INSERT INTO inventories VALUES ('acct_@', 1, 1)`,
	`INSERT INTO events VALUES ('acct_@', 1, 'evt_@', 'stock.low', 0, 1, '{"name":"@"}')`,
	`INSERT INTO webhooks VALUES ('acct_@', 'wh_@', 'https://@.example', 'stock.low', 'till of @', 1, '', NULL, x'00', NULL, NULL, NULL, 0, 1, 1)`,
	`INSERT INTO webhook_deliveries VALUES ('acct_@', 'wh_@', 'dlv_@', 'event', 'evt_@', 1, 'stock.low', 0, NULL, 'queued', 0, 1, 0, 0, 'ok @', '', 1, 1, '', '')`,
	`INSERT INTO event_logs VALUES ('acct_@', 1)`,
	`INSERT INTO daily_jobs VALUES ('acct_@', 'brief', '2026-01-01', 1, 1, NULL)`,
	`INSERT INTO alerts VALUES ('acct_@', 'alert_@', 'stock_out', 'problem', 'firing', 'tea of @', '', '', '[]', '{}', 1, 1, NULL)`,
	`INSERT INTO alert_scans VALUES ('acct_@', 'token of @', 1, 0, 1)`,
	`INSERT INTO pulses VALUES ('acct_@', '', '[]', 1, 0, 1)`,
	`INSERT INTO briefs VALUES ('acct_@', '2026-01-01', 'brief_@', '{"headline":"@"}', 1)`,
	`INSERT INTO stock_moves VALUES ('acct_@', 1, 'item_@', 'adjustment', 1, 1, 1, 'torn by @', 'anna@', 'order-@')`,
	`INSERT INTO removed_items VALUES ('acct_@', 2, 'item_@2', 'mug of @', '', 1)`,
	`INSERT INTO imports VALUES ('imp_@', 'acct_@', 'ready', 1, 0, 0, 0, 'anna@', NULL, 0)`,
	`INSERT INTO import_rows VALUES ('imp_@', 1, '{"Name":"jam of @"}', 'added', NULL)`,
	`INSERT INTO import_faults VALUES ('acct_@', 'imp_@', 1, '{"cells":["tart of @"]}')`,
	`INSERT INTO import_befores VALUES ('acct_@', 'imp_@', 1, 'item_@', '{"Name":"old tea of @"}', '')`,
	`INSERT INTO past_imports VALUES ('acct_@', 'imp_@', 'anna@', '{"file":"@.csv"}', 0, 1, 1, 0, 0, 9000000000000, '', 0, NULL, '')`,
	`INSERT INTO datasets (account_id, id, name, file, files, rows, state, in_use, created_at, ready_at, revision, source)
VALUES ('acct_@', 'ds_@', 'sales of @', 'ds_@', '[]', 1, 'ready', 0, 1, 1, 1, '{}')`,
	`INSERT INTO audit (account_id, actor, action, subject, detail, created_at) VALUES ('acct_@', 'acct_@', 'key.created', 'key_@', 'live account', 1)`,
	`INSERT INTO shops VALUES ('acct_@', 1)`,
	`INSERT INTO dataset_befores VALUES ('acct_@', 'ds_@', 'added', 'ds_@0', '[]', 1, 1, 1, '{"Name":"old sales of @"}')`,
	`INSERT INTO uploads VALUES ('acct_@', 'up_@', 'file of @', 1, '{}', 1, 9000000000000, '{}')`,
	`INSERT INTO questions VALUES ('acct_@', 'ask_@', 'sales of @', '', '', 'high', 1, NULL)`,
	`INSERT INTO customers VALUES ('acct_@', 'cus_@', 'c1', 'customer of @', '', '', '', 1, NULL)`,
	`INSERT INTO sales VALUES ('acct_@', 'sale_@', 's1', 'c1', 'gbp', 1, '', 1, 'completed', NULL)`,
	`INSERT INTO sale_lines VALUES ('acct_@', 'sale_@', 1, 'item_@', 'tea of @', '', 1, 1, 0, 1, NULL, NULL, 0)`,
	`INSERT INTO purchase_orders VALUES ('acct_@', 'po_@', 'p1', 'supplier of @', 'ordered', 1, '', NULL, NULL, 1, NULL, 0)`,
	`INSERT INTO purchase_order_lines VALUES ('acct_@', 'po_@', 1, 'item_@', 'tea of @', '', 1, 1, 1, 0)`,
}

// kept are the tables in which a deleted account keeps rows, with their number.
var kept = map[string]int{
	"accounts": 1, "api_keys": 1, "wallets": 1, "ledger": 1, "purchases": 1, "charges": 1, "connections": 3, // one as the merchant
	"audit": 2, "meters": 1, "rolling_windows": 1, "calls": 1, "requests": 1, "request_blocks": 1,
}

// rowsOf counts the rows of each table that have a text.
func rowsOf(t *testing.T, raw *sql.DB, text string) map[string]int {
	t.Helper()
	found := map[string]int{}
	for _, table := range columnOf(t, raw, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%'`) {
		columns := columnOf(t, raw, `SELECT 'instr(CAST(' || name || ' AS TEXT), $1)' FROM pragma_table_info('`+table+`')`)
		var n int
		if err := raw.QueryRow("SELECT count(*) FROM "+table+" WHERE "+strings.Join(columns, " OR "), text).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			found[table] = n
		}
	}
	return found
}

func columnOf(t *testing.T, raw *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := raw.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return all
}

// TestDeleteAccount deletes an account with rows in every table that names accounts, and
// looks for what is left of it anywhere in the file.
func TestDeleteAccount(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	clock := dbtest.NewClock()
	path := t.TempDir() + "/svc.db"
	store := dbtest.OpenAt(t, path, clock)
	raw := rawOpen(t, path)
	operator := dbtest.MustAccount(t, store, "boss@example.com", db.Free)
	for _, who := range []string{"third", "gone", "stays"} {
		for _, text := range planted {
			mustExec(t, raw, replaceAt(text, who))
		}
	}
	mustExec(t, raw, `UPDATE connections SET merchant_id = 'acct_gone' WHERE id = 'conn_stays'`)
	for _, table := range columnOf(t, raw, `
SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name IN ('account_id', 'key_id', 'merchant_id', 'person_id')`) {
		if rowsOf(t, raw, "gone")[table] == 0 {
			t.Errorf("the test has no row in %s, so it does not show what becomes of one", table)
		}
	}
	stays := rowsOf(t, raw, "stays")

	gone := get(t, store, func(tx *db.Tx) (db.Account, error) { return tx.AccountByEmail("Gone@example.com") })
	for _, a := range []db.Account{operator, {ID: "acct_none"}} {
		wantErr(t, store.Update(background, func(tx *db.Tx) error { _, err := tx.DeleteAccount(a); return err }), db.ErrNotFound)
	}
	if !maps.Equal(rowsOf(t, raw, "stays"), stays) {
		t.Error("a refused deletion changed rows")
	}
	ended, err := db.Write(t.Context(), store, func(tx *db.Tx) (db.Ended, error) { return tx.DeleteAccount(gone) })
	if err != nil || ended != (db.Ended{Keys: 1, Connections: 3, Charges: 1}) {
		t.Errorf("ended %+v, %v", ended, err)
	}
	erase := func() {
		t.Helper()
		all := get(t, store, (*db.Tx).UnerasedAccounts)
		if len(all) != 1 || all[0].ID != gone.ID {
			t.Fatalf("to erase: %+v", all)
		}
		if err := store.InChunks(t.Context(), func(tx *db.Tx) (bool, error) { return tx.EraseAccount(all[0], 1) }); err != nil {
			t.Fatal(err)
		}
	}
	erase()
	if left := rowsOf(t, raw, "gone"); !maps.Equal(left, kept) {
		t.Errorf("left %v", left)
	}
	for _, text := range []string{"gone@", "Gone@", "of gone", "for gone"} {
		left := rowsOf(t, raw, text)
		maps.DeleteFunc(left, func(table string, _ int) bool { return table == "charges" || table == "connections" }) // hashes of their tokens
		if len(left) > 0 {
			t.Errorf("%q is left in %v", text, left)
		}
	}
	if faults := columnOf(t, raw, `SELECT "table" FROM pragma_foreign_key_check`); len(faults) > 0 {
		t.Errorf("foreign keys of %v", faults)
	}
	after := rowsOf(t, raw, "stays")
	if !maps.Equal(after, stays) {
		t.Errorf("the other account has %v, had %v", after, stays)
	}
	dbtest.MustVerify(t, store)

	// What was running may store rows later; they go too.
	mustExec(t, raw, `INSERT INTO messages VALUES ('acct_gone', 'msg_late', 'key_gone', 'req_gone', 'outbox', 'id', '+44', 'receipt', 'late', 1)`)
	clock.Advance(time.Hour)
	erase()
	if n := rowsOf(t, raw, "gone")["messages"]; n != 0 {
		t.Errorf("%d late messages are left", n)
	}
	if all := get(t, store, (*db.Tx).UnerasedAccounts); len(all) != 0 {
		t.Errorf("to erase: %+v", all)
	}

	// The address is free, and the new account has nothing of the old one.
	again := dbtest.MustAccount(t, store, "gone@example.com", db.Free)
	if again.ID == gone.ID || again.Operator || dbtest.MustWallet(t, store, again.ID).BalanceCents != 0 {
		t.Errorf("account %+v", again)
	}
}

// replaceAt puts a name in the place of @, and an @ in that of @@.
func replaceAt(text, who string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(text, "@@", who+"\x00"), "@", who), "\x00", "@")
}
