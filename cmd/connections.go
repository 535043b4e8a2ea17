package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/connection"
)

type connectionJSON struct {
	ID             string   `json:"id"`
	Status         string   `json:"status"`
	DeveloperEmail string   `json:"developer_email"` // who asked
	App            string   `json:"app,omitempty"`
	KeyID          string   `json:"key_id"`
	KeyLabel       string   `json:"key_label"`
	MerchantEmail  string   `json:"merchant_email"` // who was asked
	Scopes         []string `json:"scopes"`
	CreatedAt      string   `json:"created_at"`
	ApprovedAt     string   `json:"approved_at,omitempty"`
	RevokedAt      string   `json:"revoked_at,omitempty"`
}

func toConnectionJSON(v connection.Connection, key db.KeyName) connectionJSON {
	return connectionJSON{
		ID: v.ID, Status: string(v.Status), DeveloperEmail: key.Email, App: key.App, KeyID: v.KeyID, KeyLabel: key.Label,
		MerchantEmail: v.MerchantEmail, Scopes: append([]string{}, v.Scopes...),
		CreatedAt: stamp(v.CreatedAt), ApprovedAt: stamp(v.ApprovedAt), RevokedAt: stamp(v.RevokedAt),
	}
}

func (connectionJSON) header() string { return "ID TIME STATUS MERCHANT SCOPES DEVELOPER APP/KEY" }

func (v connectionJSON) cells() []any {
	return []any{v.ID, v.CreatedAt, v.Status, v.MerchantEmail, orDash(strings.Join(v.Scopes, " ")),
		orDash(v.DeveloperEmail), keyCell(cmp.Or(v.App, v.KeyLabel), v.KeyID)}
}

func newConnections() *cobra.Command {
	var limit int
	newest := command("list [--account EMAIL]", "List the newest connections that an account asked for or was asked for, or all", exactly(),
		withAny(func(c *cobra.Command, app *server.App, owner db.Account) error {
			all, err := app.Connections.All(c.Context(), owner, limit)
			if err != nil {
				return err
			}
			names, err := keyNames(c, app, all, func(v connection.Connection) string { return v.KeyID })
			return list(c, func(v connection.Connection) connectionJSON { return toConnectionJSON(v, names[v.KeyID]) }, all, err)
		}))
	return group("connections", "Access of apps to merchants' data", anyAccountFlag(limitFlag(newest, &limit, 50)),
		command("revoke ID", "End a connection for good, as its merchant could; the app's next call is refused", exactly("ID"), withApp(revokeConnection)))
}

func revokeConnection(c *cobra.Command, app *server.App, args []string) error {
	revoked, err := app.Connections.Revoke(c.Context(), args[0])
	if err != nil {
		return err
	}
	result := map[string]string{"id": revoked.ID, "status": string(db.ConnectionRevoked), "merchant_email": revoked.MerchantEmail}
	return show(c, result, "revoked %s: the app no longer has access to the data of %s", revoked.ID, revoked.MerchantEmail)
}
