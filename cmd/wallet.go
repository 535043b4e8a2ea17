package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type entryJSON struct {
	Seq               int64  `json:"seq"`
	Kind              string `json:"kind"`
	AmountCents       int64  `json:"amount_cents"`
	BalanceAfterCents int64  `json:"balance_after_cents"`
	KeyID             string `json:"key_id,omitempty"`
	KeyLabel          string `json:"key_label,omitempty"`
	Endpoint          string `json:"endpoint,omitempty"`
	RequestID         string `json:"request_id,omitempty"`
	Note              string `json:"note,omitempty"`
	CreatedAt         string `json:"created_at"`
}

func toEntryJSON(e db.Entry, key db.KeyName) entryJSON {
	return entryJSON{
		Seq: e.Seq, Kind: string(e.Kind), AmountCents: e.AmountCents, BalanceAfterCents: e.BalanceAfterCents,
		KeyID: e.KeyID, KeyLabel: key.Label, Endpoint: e.Endpoint, RequestID: e.RequestID, Note: e.Note, CreatedAt: stamp(e.CreatedAt),
	}
}

func (entryJSON) header() string { return "SEQ TIME KIND AMOUNT BALANCE KEY ENDPOINT REQUEST NOTE" }

func (e entryJSON) cells() []any {
	return []any{e.Seq, e.CreatedAt, e.Kind, e.AmountCents, e.BalanceAfterCents, orDash(keyCell(e.KeyLabel, e.KeyID)),
		orDash(e.Endpoint), orDash(e.RequestID), orDash(short(e.Note))}
}

type walletJSON struct {
	BalanceCents    int64 `json:"balance_cents"`
	HeldCents       int64 `json:"held_cents"`
	LowBalanceCents int64 `json:"low_balance_cents"`
}

func newWallet() *cobra.Command {
	return group("wallet", "Prepaid credit, in usd_cents",
		command("show EMAIL", "Show balance, holds and low-balance threshold", exactly("EMAIL"), withApp(showWallet)),
		newWalletCredit(),
		command("threshold EMAIL CENTS", "Set the low-balance threshold; 0 is off", exactly("EMAIL", "CENTS"), withCents(setThreshold)),
		command("ledger EMAIL", "List every change of the balance, oldest first", exactly("EMAIL"), withApp(listLedger)),
		command("verify", "Check every wallet against its ledger and its holds", exactly(), withApp(verifyWallets)))
}

func showWallet(c *cobra.Command, app *server.App, args []string) error {
	w, err := app.Accounts.Wallet(c.Context(), args[0])
	if err != nil {
		return err
	}
	result := walletJSON{BalanceCents: w.BalanceCents, HeldCents: w.HeldCents, LowBalanceCents: w.LowBalanceCents}
	return show(c, result, "balance %d, held %d, low-balance threshold %d (usd_cents)",
		w.BalanceCents, w.HeldCents, w.LowBalanceCents)
}

func newWalletCredit() *cobra.Command {
	var note string
	c := command("credit EMAIL CENTS", "Add credit; below zero (after --) takes some back", exactly("EMAIL", "CENTS"),
		withCents(func(c *cobra.Command, app *server.App, email string, cents int64) error {
			entry, err := app.Accounts.Credit(c.Context(), email, cents, note)
			if err != nil {
				return err
			}
			return show(c, toEntryJSON(entry, db.KeyName{}), "credited %d; the balance is %d usd_cents", cents, entry.BalanceAfterCents)
		}))
	c.Flags().StringVar(&note, "note", "", "what the credit is for")
	return c
}

// withCents runs a command whose arguments are EMAIL CENTS.
func withCents(fn func(c *cobra.Command, app *server.App, email string, cents int64) error) runE {
	return func(c *cobra.Command, args []string) error {
		cents, err := wholeNumber("CENTS", args[1])
		if err != nil {
			return err
		}
		return open(c, server.Config{MustExist: true}, func(app *server.App) error { return fn(c, app, args[0], cents) })
	}
}

func setThreshold(c *cobra.Command, app *server.App, email string, cents int64) error {
	if err := app.Accounts.SetLowBalance(c.Context(), email, cents); err != nil {
		return err
	}
	return showWallet(c, app, []string{email})
}

func listLedger(c *cobra.Command, app *server.App, args []string) error {
	all, err := app.Accounts.AllEntries(c.Context(), args[0])
	if err != nil {
		return err
	}
	names, err := keyNames(c, app, all, func(e db.Entry) string { return e.KeyID })
	return list(c, func(e db.Entry) entryJSON { return toEntryJSON(e, names[e.KeyID]) }, all, err)
}

func verifyWallets(c *cobra.Command, app *server.App, _ []string) error {
	faults, checked, err := app.Accounts.VerifyWallets(c.Context())
	if err != nil {
		return err
	}
	type faultJSON struct {
		AccountID string `json:"account_id"`
		Email     string `json:"email"`
		Fault     string `json:"fault"`
	}
	result := struct {
		OK      bool        `json:"ok"`
		Wallets int         `json:"wallets"`
		Faults  []faultJSON `json:"faults"`
	}{OK: len(faults) == 0, Wallets: checked, Faults: []faultJSON{}}
	for _, f := range faults {
		result.Faults = append(result.Faults, faultJSON(f))
		if !wantsJSON(c) {
			fmt.Fprintf(c.OutOrStdout(), "%s: %s\n", f.Email, f.Fault)
		}
	}
	if result.OK {
		return show(c, result, "wallets checked: %d; all agree with their ledgers", checked)
	}
	if wantsJSON(c) {
		if err := printJSON(c, result); err != nil {
			return err
		}
	}
	return fmt.Errorf("%d of %d wallets contradict their ledgers", len(faults), checked)
}
