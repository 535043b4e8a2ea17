package cmd

import (
	"errors"
	"fmt"
	"strconv"

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
	Endpoint          string `json:"endpoint,omitempty"`
	RequestID         string `json:"request_id,omitempty"`
	Note              string `json:"note,omitempty"`
	CreatedAt         string `json:"created_at"`
}

func toEntryJSON(e db.Entry) entryJSON {
	return entryJSON{
		Seq: e.Seq, Kind: string(e.Kind), AmountCents: e.AmountCents, BalanceAfterCents: e.BalanceAfterCents,
		KeyID: e.KeyID, Endpoint: e.Endpoint, RequestID: e.RequestID, Note: e.Note, CreatedAt: stamp(e.CreatedAt),
	}
}

type walletJSON struct {
	BalanceCents    int64 `json:"balance_cents"`
	HeldCents       int64 `json:"held_cents"`
	LowBalanceCents int64 `json:"low_balance_cents"`
}

func newWallet() *cobra.Command {
	return group("wallet", "Prepaid credit, in usd_cents",
		newWalletShow(), newWalletCredit(), newWalletThreshold(), newWalletLedger(), newWalletVerify())
}

func newWalletShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show EMAIL",
		Short: "Show balance, holds and low-balance threshold",
		Args:  exactly("EMAIL"),
		RunE: func(c *cobra.Command, args []string) error {
			return withApp(c, true, func(app *server.App) error { return showWallet(c, app, args[0]) })
		},
	}
}

func showWallet(c *cobra.Command, app *server.App, email string) error {
	w, err := app.Accounts.Wallet(c.Context(), email)
	if err != nil {
		return err
	}
	result := walletJSON{BalanceCents: w.BalanceCents, HeldCents: w.HeldCents, LowBalanceCents: w.LowBalanceCents}
	return show(c, result, "balance %d, held %d, low-balance threshold %d (usd_cents)",
		w.BalanceCents, w.HeldCents, w.LowBalanceCents)
}

func newWalletCredit() *cobra.Command {
	var note string
	c := &cobra.Command{
		Use:   "credit EMAIL CENTS",
		Short: "Add credit; below zero (after --) takes some back",
		Args:  exactly("EMAIL", "CENTS"),
		RunE: withCents(func(c *cobra.Command, app *server.App, email string, cents int64) error {
			entry, err := app.Accounts.Credit(c.Context(), email, cents, note)
			if err != nil {
				return err
			}
			return show(c, toEntryJSON(entry), "credited %d; the balance is %d usd_cents", cents, entry.BalanceAfterCents)
		}),
	}
	c.Flags().StringVar(&note, "note", "", "what the credit is for")
	return c
}

// withCents runs a command whose arguments are EMAIL CENTS.
func withCents(fn func(c *cobra.Command, app *server.App, email string, cents int64) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		cents, err := strconv.ParseInt(args[1], 10, 64)
		if err != nil {
			return usageError{fmt.Errorf("CENTS must be a whole number, not %q", args[1])}
		}
		return withApp(c, true, func(app *server.App) error { return fn(c, app, args[0], cents) })
	}
}

func newWalletThreshold() *cobra.Command {
	return &cobra.Command{
		Use:   "threshold EMAIL CENTS",
		Short: "Set the low-balance threshold; 0 is off",
		Args:  exactly("EMAIL", "CENTS"),
		RunE: withCents(func(c *cobra.Command, app *server.App, email string, cents int64) error {
			if err := app.Accounts.SetLowBalance(c.Context(), email, cents); err != nil {
				return err
			}
			return showWallet(c, app, email)
		}),
	}
}

func newWalletLedger() *cobra.Command {
	return &cobra.Command{
		Use:   "ledger EMAIL",
		Short: "List every change of the balance, oldest first",
		Args:  exactly("EMAIL"),
		RunE: func(c *cobra.Command, args []string) error {
			return withApp(c, true, func(app *server.App) error {
				all, err := app.Accounts.Ledger(c.Context(), args[0])
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toEntryJSON), "SEQ TIME KIND AMOUNT BALANCE ENDPOINT REQUEST NOTE", func(e entryJSON) []any {
					return []any{e.Seq, e.CreatedAt, e.Kind, e.AmountCents, e.BalanceAfterCents,
						orDash(e.Endpoint), orDash(e.RequestID), orDash(e.Note)}
				})
			})
		},
	}
}

func newWalletVerify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify",
		Short: "Check every wallet against its ledger and its holds",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return withApp(c, true, func(app *server.App) error {
				faults, checked, err := app.Accounts.VerifyWallets(c.Context())
				if err != nil {
					return err
				}
				return reportWallets(c, faults, checked)
			})
		},
	}
}

func reportWallets(c *cobra.Command, faults []db.WalletFault, checked int) error {
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
	return errors.New(strconv.Itoa(len(faults)) + " of " + strconv.Itoa(checked) + " wallets contradict their ledgers")
}
