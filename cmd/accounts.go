package cmd

import (
	"errors"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/account"
)

// accountJSON is an account as --json prints it.
type accountJSON struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	Plan      string `json:"plan"`
	Operator  bool   `json:"operator"`
	BizType   string `json:"biz_type"`
	Currency  string `json:"currency"`
	Region    string `json:"region"`
	Timezone  string `json:"timezone"`
	CreatedAt string `json:"created_at"`
	// Status is active, disabled or deleted.
	Status     string `json:"status"`
	DisabledAt string `json:"disabled_at,omitempty"`
	DeletedAt  string `json:"deleted_at,omitempty"`
}

func toAccountJSON(a db.Account) accountJSON {
	status := "active"
	switch {
	case !a.DeletedAt.IsZero():
		status = "deleted"
	case !a.DisabledAt.IsZero():
		status = "disabled"
	}
	return accountJSON{
		ID: a.ID, Email: a.Email, Name: a.Name, Plan: string(a.Plan), Operator: a.Operator,
		BizType: a.Profile.BizType, Currency: a.Profile.Currency, Region: a.Profile.Region,
		Timezone: a.Profile.Timezone, CreatedAt: stamp(a.CreatedAt),
		Status: status, DisabledAt: stamp(a.DisabledAt), DeletedAt: stamp(a.DeletedAt),
	}
}

func (accountJSON) header() string { return "ID EMAIL PLAN STATUS NAME" }

func (a accountJSON) cells() []any { return []any{a.ID, a.Email, a.Plan, a.Status, a.Name} }

func newAccounts() *cobra.Command {
	return group("accounts", "Businesses on this server; the first is the operator's",
		newAccountsCreate(),
		command("list", "List all accounts", exactly(), withApp(listAccounts)),
		command("show EMAIL", "Show one account", exactly("EMAIL"), withApp(showAccount)),
		newAccountsSet(),
		command("plan EMAIL free|growth|business", "Change an account's plan, from its next call on",
			exactly("EMAIL", "PLAN"), withApp(setPlan)),
		newAccountsPassword(),
		command("disable EMAIL", "Refuse an account's keys and sign-in, and keep all that it has", exactly("EMAIL"), withApp(disableAccount)),
		command("enable EMAIL", "Accept a disabled account again", exactly("EMAIL"), withApp(enableAccount)),
		command("two-factor-off EMAIL", "Let somebody sign in without a code who has lost the phone and the recovery codes", exactly("EMAIL"), withApp(endTwoFactor)),
		newAccountsDelete())
}

func newAccountsCreate() *cobra.Command {
	var req account.NewAccount
	var passwordStdin bool
	c := command("create --email EMAIL", "Make an account; its e-mail counts as verified. On a terminal it asks for a password", exactly(), func(c *cobra.Command, _ []string) (err error) {
		if err := require(c, "email"); err != nil {
			return err
		}
		if req.Password, err = firstPassword(c, passwordStdin); err != nil {
			return err
		}
		return openNew(c, req.Check, func(app *server.App) error {
			a, err := app.Accounts.Create(c.Context(), req)
			if err != nil {
				return err
			}
			return show(c, map[string]string{"id": a.ID, "email": a.Email, "plan": string(a.Plan)},
				"made account %s (%s) on the %s plan", a.Email, a.ID, a.Plan)
		})
	})
	c.Flags().StringVar(&req.Email, "email", "", "e-mail of the account")
	c.Flags().StringVar(&req.Name, "name", "", "name of the business (default: what stands before the @)")
	c.Flags().StringVar(&req.Plan, "plan", "", "free, growth or business (default: business for the first account, free for others)")
	c.Flags().StringVar(&req.Currency, "currency", "", "currency code (default: gbp)")
	c.Flags().StringVar(&req.Timezone, "timezone", "", "IANA time zone (default: UTC)")
	c.Flags().BoolVar(&passwordStdin, "password-stdin", false, "read the password from standard input")
	return c
}

func listAccounts(c *cobra.Command, app *server.App, _ []string) error {
	all, err := app.Accounts.List(c.Context())
	return list(c, toAccountJSON, all, err)
}

func showAccount(c *cobra.Command, app *server.App, args []string) error {
	found, err := app.Accounts.FindAny(c.Context(), args[0])
	if err != nil {
		return err
	}
	a := toAccountJSON(found)
	return show(c, a, "id        %s\nemail     %s\nname      %s\nplan      %s\nstatus    %s\noperator  %t\nbiz type  %s\ncurrency  %s\nregion    %s\ntimezone  %s\ncreated   %s",
		a.ID, a.Email, a.Name, a.Plan, a.Status, a.Operator, a.BizType, a.Currency, a.Region, a.Timezone, a.CreatedAt)
}

func newAccountsSet() *cobra.Command {
	c := command("set EMAIL", "Change an account's profile", exactly("EMAIL"), withApp(setProfile))
	c.Flags().String("name", "", "name of the business")
	c.Flags().String("biz-type", "", "retail, ecommerce, distributor or exporter")
	c.Flags().String("currency", "", "currency code, like gbp")
	c.Flags().String("region", "", "region, in free words")
	c.Flags().String("timezone", "", "IANA time zone, like Europe/London")
	return c
}

func setProfile(c *cobra.Command, app *server.App, args []string) error {
	change := account.ProfileChange{
		Name: changed(c, "name"), BizType: changed(c, "biz-type"), Currency: changed(c, "currency"),
		Region: changed(c, "region"), Timezone: changed(c, "timezone"),
	}
	if change == (account.ProfileChange{}) {
		return usageError{errors.New("say what to change, like --currency gbp or --timezone Europe/London")}
	}
	before, err := app.Accounts.Find(c.Context(), args[0])
	if err != nil {
		return err
	}
	if err := app.Accounts.SetProfile(c.Context(), args[0], change); err != nil {
		return err
	}
	a, err := app.Accounts.Find(c.Context(), args[0])
	if err != nil {
		return err
	}
	sentence, made := "changed "+a.Email, profileJSON{accountJSON: toAccountJSON(a)}
	if from, to := before.Profile.Currency, a.Profile.Currency; from != to {
		if made.KeptPrices, err = app.Accounts.PricedItems(c.Context(), a.ID); err != nil {
			return err
		}
		if kept := account.KeptPrices(made.KeptPrices, from, to); kept != "" {
			sentence += "; " + kept
		}
	}
	return show(c, made, "%s", sentence)
}

// profileJSON is what set prints: the account and, if its currency has changed, the number
// of items whose prices kept their figures.
type profileJSON struct {
	accountJSON
	KeptPrices int `json:"kept_prices,omitempty"`
}

// changed returns the value of a flag, or nil if it was not given.
func changed(c *cobra.Command, name string) *string {
	if !c.Flags().Changed(name) {
		return nil
	}
	return new(flag(c, name))
}

func setPlan(c *cobra.Command, app *server.App, args []string) error {
	if err := app.Accounts.SetPlan(c.Context(), args[0], args[1]); err != nil {
		return err
	}
	return show(c, map[string]string{"email": args[0], "plan": args[1]}, "%s is on the %s plan", args[0], args[1])
}

func newAccountsPassword() *cobra.Command {
	var fromStdin bool
	c := command("password EMAIL", "Set an account's password; on a terminal it asks for it", exactly("EMAIL"), func(c *cobra.Command, args []string) error {
		password, err := newPassword(c, fromStdin)
		if err != nil {
			return err
		}
		return open(c, server.Config{MustExist: true}, func(app *server.App) error {
			if err := app.Accounts.SetPassword(c.Context(), args[0], password); err != nil {
				return err
			}
			return show(c, map[string]string{"email": args[0]}, "the password of %s is set", args[0])
		})
	})
	c.Flags().BoolVar(&fromStdin, "password-stdin", false, "read the password from standard input")
	return c
}
