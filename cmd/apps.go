package cmd

import (
	"os"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/account"
)

type appJSON struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	Email     string `json:"email"`
	Name      string `json:"name"`
	LogoType  string `json:"logo_type,omitempty"`
	CreatedAt string `json:"created_at"`
}

func toAppJSON(a db.App, email string) appJSON {
	return appJSON{ID: a.ID, AccountID: a.AccountID, Email: email, Name: a.Name, LogoType: a.LogoType, CreatedAt: stamp(a.CreatedAt)}
}

func (appJSON) header() string { return "ID ACCOUNT LOGO NAME" }

func (a appJSON) cells() []any { return []any{a.ID, a.Email, orDash(a.LogoType), a.Name} }

func newApps() *cobra.Command {
	return group("apps", "Names and logos that group keys; the consent page shows them", newAppsCreate(),
		anyAccountFlag(command("list", "List an account's apps, or all", exactly(), withApp(listApps))))
}

func newAppsCreate() *cobra.Command {
	var req account.NewApp
	var logo string
	c := command("create [--account EMAIL] --name NAME", "Make an app", exactly(), func(c *cobra.Command, _ []string) (err error) {
		if err := require(c, "name"); err != nil {
			return err
		}
		if logo != "" {
			if req.Logo, err = os.ReadFile(logo); err != nil {
				return err
			}
		}
		return open(c, server.Config{MustExist: true}, func(app *server.App) error {
			made, err := app.Accounts.CreateApp(c.Context(), req)
			if err != nil {
				return err
			}
			names, err := emails(c, app)
			if err != nil {
				return err
			}
			return show(c, toAppJSON(made, names[made.AccountID]), "made app %s (%s)", made.Name, made.ID)
		})
	})
	c.Flags().StringVar(&req.Account, "account", "", accountUsage)
	c.Flags().StringVar(&req.Name, "name", "", "name that merchants see")
	c.Flags().StringVar(&logo, "logo", "", "picture file (PNG, JPEG or GIF, at most 1 MiB and 2048 pixels); it is drawn anew with at most 256 pixels")
	return c
}

func listApps(c *cobra.Command, app *server.App, _ []string) error {
	all, err := app.Accounts.Apps(c.Context(), flag(c, "account"))
	if err != nil {
		return err
	}
	names, err := emails(c, app)
	return list(c, func(a db.App) appJSON { return toAppJSON(a, names[a.AccountID]) }, all, err)
}
