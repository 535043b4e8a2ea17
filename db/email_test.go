package db_test

import (
	"net/mail"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestFoldEmail(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		want      string
		spellings []string
	}{
		{"ab@x", []string{"ab@x", "AB@X", `"ab"@x`, `"Ab"@X`, `"a\b"@x`, `"\A\b"@x`}},
		{`"a b"@x`, []string{`"a b"@x`, `"A B"@X`, `"a\ b"@x`, `"\a b"@x`}},
		{`"a  b"@x`, []string{`"a  b"@x`}},
		{`"ab "@x`, []string{`"ab "@x`}},
		{`" ab"@x`, []string{`" ab"@x`}},
		{`" "@x`, []string{`" "@x`, `"\ "@x`}},
		{"a.b@x", []string{"a.b@x", `"a.b"@x`, `"a\.b"@x`}},
		{`"a..b"@x`, []string{`"a..b"@x`, `"a\..b"@x`}},
		{`".ab"@x`, []string{`".ab"@x`}},
		{`"ab."@x`, []string{`"ab."@x`}},
		{`"."@x`, []string{`"."@x`}},
		{"o'ab+c@x", []string{"o'ab+c@x", `"o'ab+c"@x`}},
		{`"a@b"@x`, []string{`"a@b"@x`, `"a\@b"@x`}},
		{`"ab>"@x`, []string{`"ab>"@x`, `"ab\>"@x`}},
		{`"a\"b"@x`, []string{`"a\"b"@x`, `"A\"b"@x`}},
		{`"a\\b"@x`, []string{`"a\\b"@x`}},
		{`"\"ab\""@x`, []string{`"\"ab\""@x`, `"\"\a\b\""@x`}},
		{"üb@x", []string{"üb@x", `"üb"@x`, `"\üB"@x`}},
		{"Üb@x", []string{"Üb@x", `"Üb"@x`}}, // not üb@x
		{`"ü b"@x`, []string{`"ü b"@x`}},
	} {
		for _, spelling := range row.spellings {
			if got := db.FoldEmail(spelling); got != row.want {
				t.Errorf("FoldEmail(%q) = %q, want %q", spelling, got, row.want)
			}
		}
		if got := db.FoldEmail(row.want); got != row.want {
			t.Errorf("FoldEmail(%q) = %q: is not stable", row.want, got)
		}
	}

	// A text that is no address is folded as it is.
	for _, text := range []string{
		"", "@", "ab", `"`, `""`, `"ab"`, "@x", `""@x`, `"ab@x`, `ab"@x`, `"a"b@x`, `"a"@b@x`, `"ab\"@x`, "a b@x", "<ab@x>", `"ab" @x`,
		"\"a\x00b\"@x", "\"a\\\nb\"@x", "\"a\tb\"@x", "\"a\x7fb\"@x",
	} {
		if got := db.FoldEmail(text); got != text {
			t.Errorf("FoldEmail(%q) = %q", text, got)
		}
	}
}

// Two addresses fold alike only if net/mail reads the same mailbox from both.
func TestFoldEmailKeepsMailboxesApart(t *testing.T) {
	t.Parallel()
	const letters = `ab. "\@é`
	locals := []string{""}
	for range 4 {
		for _, local := range locals[:len(locals):len(locals)] {
			for _, c := range letters {
				locals = append(locals, local+string(c))
			}
		}
	}
	folded, mailboxes := map[string]string{}, map[string]string{}
	for _, local := range locals {
		for _, address := range []string{local + "@x", `"` + local + `"@x`} {
			parsed, err := mail.ParseAddress(address)
			if err != nil || parsed.Name != "" || strings.TrimSpace(address) != address || parsed.Address == "@x" {
				continue
			}
			if db.UnquoteEmail(address) != parsed.Address {
				continue // emailaddr.IsOne refuses it
			}
			fold := db.FoldEmail(address)
			if other, ok := folded[parsed.Address]; ok && other != fold {
				t.Fatalf("%q folds to %q, another spelling of it to %q", address, fold, other)
			}
			if other, ok := mailboxes[fold]; ok && other != parsed.Address {
				t.Fatalf("%q is the fold of %q and of %q", fold, other, parsed.Address)
			}
			folded[parsed.Address], mailboxes[fold] = fold, parsed.Address
		}
	}
	if len(folded) < 1000 {
		t.Errorf("only %d mailboxes", len(folded))
	}
}

func TestUnquoteEmail(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"a@x.example": "a@x.example", `"a b"@x.example`: "a b@x.example", `"a\"\\@b"@x.example`: `a"\@b@x.example`, `"a"b@x.example`: `"a"b@x.example`,
	} {
		if got := db.UnquoteEmail(address); got != want {
			t.Errorf("UnquoteEmail(%q) = %q, want %q", address, got, want)
		}
	}
}

// The operator sees the charges for an account under every spelling of its e-mail.
func TestChargesWithAQuotedEmail(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	owner := dbtest.MustAccount(t, store, "dev@example.com", db.Free)
	key, _ := dbtest.MustKey(t, store, owner.ID, db.Live, db.AccountMode)
	merchant := dbtest.MustAccount(t, store, `ab@example.com`, db.Free)
	for _, email := range []string{"Ab@example.com", `"aB"@example.com`, `"A\b"@EXAMPLE.com`, `"a b"@example.com`, `ab"@example.com`} {
		dbtest.Update(t, store, func(tx *db.Tx) error {
			_, _, err := tx.CreateCharge(db.Charge{
				KeyID: key.ID, AccountID: owner.ID, MerchantEmail: email, Amount: 100, Currency: "usd", Env: db.Live,
			})
			return err
		})
	}
	got := get(t, store, func(tx *db.Tx) ([]db.Charge, error) { return tx.ChargesWith(merchant, 10) })
	if len(got) != 3 || got[0].MerchantEmail != `"A\b"@EXAMPLE.com` || got[1].MerchantEmail != `"aB"@example.com` || got[2].MerchantEmail != "Ab@example.com" {
		t.Errorf("charges %+v", got)
	}
}
