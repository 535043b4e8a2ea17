package cmd

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/account"
)

func disableAccount(c *cobra.Command, app *server.App, args []string) error {
	if err := app.Accounts.Disable(c.Context(), args[0]); err != nil {
		return err
	}
	return showEnabled(c, app, args[0], "disabled %s: its keys get 403, its sessions are ended, and it cannot sign in; all that it has is kept")
}

func enableAccount(c *cobra.Command, app *server.App, args []string) error {
	if err := app.Accounts.Enable(c.Context(), args[0]); err != nil {
		return err
	}
	return showEnabled(c, app, args[0], "enabled %s; keys that were disabled by themselves stay so")
}

func showEnabled(c *cobra.Command, app *server.App, email, sentence string) error {
	a, err := app.Accounts.Find(c.Context(), email)
	if err != nil {
		return err
	}
	return show(c, toAccountJSON(a), sentence, a.Email)
}

// endTwoFactor is for an owner or one of the staff, who is told by mail, and for an operator
// who locked themselves out.
func endTwoFactor(c *cobra.Command, app *server.App, args []string) error {
	p, err := app.Accounts.ForceTwoFactorOff(c.Context(), args[0])
	if err != nil {
		return err
	}
	return show(c, map[string]any{"email": p.Email, "two_factor": false},
		"two-factor sign-in of %s is off: the password alone is enough now", p.Email)
}

func newAccountsDelete() *cobra.Command {
	var yes string
	c := command("delete EMAIL", "Delete an account for good; its ledger and charges are kept without its e-mail", exactly("EMAIL"),
		withApp(func(c *cobra.Command, app *server.App, args []string) error {
			return deleteAccount(c, app, args[0], yes)
		}))
	c.Long = `Delete an account for good. Its keys stop, its sessions end, its connections are revoked, and
its pending requests and charges expire. Its e-mail and name, its apps, inventory, sales,
orders, customers, messages, datasets and mails are removed. Its wallet, ledger, purchases and
charges are kept under its id, because they are money records: svc wallet ledger ID shows them.
The operator's account cannot be deleted.`
	c.Flags().StringVar(&yes, "yes", "", "the account's e-mail once more, to confirm without being asked")
	return c
}

func deleteAccount(c *cobra.Command, app *server.App, email, yes string) error {
	a, err := app.Accounts.Find(c.Context(), email)
	if err == nil {
		err = account.CheckDelete(a)
	}
	if err != nil {
		return err
	}
	wallet, err := app.Accounts.Wallet(c.Context(), a.Email)
	if err != nil {
		return err
	}
	switch {
	case yes == "":
		warning := fmt.Sprintf("%s (%s) is deleted with its keys, connections, inventory, sales, messages and datasets. Its ledger, with a balance of %d usd_cents, and its charges are kept under its id. This cannot be undone",
			a.Email, a.ID, wallet.BalanceCents)
		err = confirm(c, warning, a.Email, "--yes "+a.Email)
	case db.FoldEmail(yes) != db.FoldEmail(a.Email):
		err = usageError{errors.New("--yes must repeat the account's e-mail")}
	}
	if err != nil {
		return err
	}
	ended, err := app.Accounts.Delete(c.Context(), a.Email)
	if err != nil {
		return err
	}
	result := struct {
		ID           string `json:"id"`
		Email        string `json:"email"` // until now
		Deleted      bool   `json:"deleted"`
		Keys         int64  `json:"keys"`
		Connections  int64  `json:"connections"`
		Charges      int64  `json:"charges"`
		BalanceCents int64  `json:"balance_cents"`
	}{a.ID, a.Email, true, ended.Keys, ended.Connections, ended.Charges, wallet.BalanceCents}
	return show(c, result, "deleted %s: %s stopped, %s ended, %s expired; its money records are kept as %s", a.Email,
		counted(int(ended.Keys), "key"), counted(int(ended.Connections), "connection"), counted(int(ended.Charges), "pending charge"), a.ID)
}
