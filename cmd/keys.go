package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/account"
)

// keyJSON is a key as list prints it, masked; only create prints the key itself.
type keyJSON struct {
	ID         string `json:"id"`
	Key        string `json:"key"` // masked
	Env        string `json:"env"`
	Mode       string `json:"mode"`
	Label      string `json:"label"`
	AppID      string `json:"app_id,omitempty"`
	CreatedAt  string `json:"created_at"`
	DisabledAt string `json:"disabled_at,omitempty"`
}

func toKeyJSON(k db.Key) keyJSON {
	return keyJSON{
		ID: k.ID, Key: k.Prefix + "…" + k.LastFour, Env: string(k.Env), Mode: string(k.Mode), Label: k.Label,
		AppID: k.AppID, CreatedAt: stamp(k.CreatedAt), DisabledAt: stamp(k.DisabledAt),
	}
}

func (keyJSON) header() string { return "ID KEY ENV MODE CREATED DISABLED LABEL" }

func (k keyJSON) cells() []any {
	return []any{k.ID, k.Key, k.Env, k.Mode, k.CreatedAt, orDash(k.DisabledAt), k.Label}
}

// newKeyJSON is what create prints: the only output that has the whole key.
type newKeyJSON struct {
	ID    string `json:"id"`
	Key   string `json:"key"`
	Env   string `json:"env"`
	Mode  string `json:"mode"`
	Label string `json:"label"`
}

func newKeys() *cobra.Command {
	return group("keys", "API keys", newKeysCreate(),
		accountFlag(command("list --account EMAIL", "List an account's keys, masked", exactly(), withApp(listKeys))),
		newKeysSwitch("disable", "Refuse a key from its next call on", false),
		newKeysSwitch("enable", "Accept a disabled key again", true))
}

func newKeysCreate() *cobra.Command {
	var req account.NewKey
	c := command("create --account EMAIL", "Make a key and print it, this once", exactly(), func(c *cobra.Command, _ []string) error {
		return open(c, server.Config{}, func(app *server.App) error {
			k, secret, err := app.Accounts.CreateKey(c.Context(), req)
			if err != nil {
				return err
			}
			made := newKeyJSON{ID: k.ID, Key: string(secret), Env: string(k.Env), Mode: string(k.Mode), Label: k.Label}
			return show(c, made, "made %s key %s (mode %s); keep it, it is not shown again:\n%s", made.Env, made.ID, made.Mode, made.Key)
		})
	})
	c.Flags().StringVar(&req.Account, "account", "", accountUsage)
	c.Flags().StringVar(&req.Env, "env", "test", "test or live; never changes")
	c.Flags().StringVar(&req.Mode, "mode", "account", "account, or generic for embedding in another party's product")
	c.Flags().StringVar(&req.Label, "label", "", "what the key is for")
	c.Flags().StringVar(&req.App, "app", "", "name of the app that the key belongs to")
	return c
}

func listKeys(c *cobra.Command, app *server.App, _ []string) error {
	all, err := app.Accounts.Keys(c.Context(), flag(c, "account"))
	return list(c, toKeyJSON, all, err)
}

func newKeysSwitch(verb, short string, enabled bool) *cobra.Command {
	return command(verb+" ID", short, exactly("ID"), withApp(func(c *cobra.Command, app *server.App, args []string) error {
		if err := app.Accounts.SetKeyEnabled(c.Context(), args[0], enabled); err != nil {
			return err
		}
		return show(c, map[string]any{"id": args[0], "enabled": enabled}, "%sd %s", verb, args[0])
	}))
}
