package cmd

import (
	"errors"
	"time"

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
	App        string `json:"app,omitempty"`
	LastUsedAt string `json:"last_used_at,omitempty"` // as far as the request log tells
	CreatedAt  string `json:"created_at"`
	DisabledAt string `json:"disabled_at,omitempty"`
	OldEndsAt  string `json:"old_ends_at,omitempty"` // of a secret from before a rotation that still works
	// Limits are individual arrangements by endpoint (seed 8.4).
	Limits map[string]limitsJSON `json:"limits,omitempty"`
}

// toKeyJSON converts a key as it is at a time.
func toKeyJSON(k db.Key, app string, lastUse, now time.Time) keyJSON {
	if !k.OldEndsAt.After(now) {
		k.OldEndsAt = time.Time{}
	}
	return keyJSON{
		ID: k.ID, Key: k.Prefix + "…" + k.LastFour, Env: string(k.Env), Mode: string(k.Mode), Label: k.Label,
		AppID: k.AppID, App: app, LastUsedAt: stamp(lastUse), CreatedAt: stamp(k.CreatedAt), DisabledAt: stamp(k.DisabledAt),
		OldEndsAt: stamp(k.OldEndsAt),
	}
}

func (keyJSON) header() string {
	return "ID KEY ENV MODE CREATED DISABLED OLD_ENDS USED LIMITS APP LABEL"
}

func (k keyJSON) cells() []any {
	return []any{k.ID, k.Key, k.Env, k.Mode, k.CreatedAt, orDash(k.DisabledAt), orDash(k.OldEndsAt), orDash(k.LastUsedAt), orDash(limitsText(k.Limits)), orDash(short(k.App)), short(k.Label)}
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
		accountFlag(command("list [--account EMAIL]", "List an account's keys, masked, with their last use as far as the request log tells", exactly(), withOwner(listKeys))),
		newKeysSwitch("disable", "Refuse a key from its next call on", false),
		newKeysSwitch("enable", "Accept a disabled key again", true),
		newKeysRotate(),
		newKeysLimit(),
		command("label ID LABEL", "Change what a key is called", exactly("ID", "LABEL"), withApp(labelKey)))
}

func newKeysCreate() *cobra.Command {
	var req account.NewKey
	c := command("create [--account EMAIL]", "Make a key and print it, this once", exactly(), func(c *cobra.Command, _ []string) error {
		return openNew(c, req.CheckFirst, func(app *server.App) error {
			k, secret, err := app.Accounts.CreateKey(c.Context(), req)
			if err != nil {
				return err
			}
			a, err := app.Accounts.Find(c.Context(), req.Account)
			if err != nil {
				return err
			}
			made := struct {
				newKeyJSON
				AccountDisabledAt string `json:"account_disabled_at,omitempty"`
			}{newKeyJSON{ID: k.ID, Key: string(secret), Env: string(k.Env), Mode: string(k.Mode), Label: k.Label}, stamp(a.DisabledAt)}
			hint := ""
			if made.AccountDisabledAt != "" {
				hint = "; the account is disabled: no key of it works before svc accounts enable " + a.Email
			}
			return show(c, made, "made %s key %s (mode %s)%s; keep it, it is not shown again:\n%s", made.Env, made.ID, made.Mode, hint, made.Key)
		})
	})
	c.Flags().StringVar(&req.Account, "account", "", accountUsage)
	c.Flags().StringVar(&req.Env, "env", "test", "test or live; never changes")
	c.Flags().StringVar(&req.Mode, "mode", "account", "account, or generic for embedding in another party's product")
	c.Flags().StringVar(&req.Label, "label", "", "what the key is for")
	c.Flags().StringVar(&req.App, "app", "", "name of the app that the key belongs to")
	return c
}

func listKeys(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	all, err := app.Accounts.Keys(c.Context(), owner.Email)
	if err != nil {
		return err
	}
	names, err := keyNames(c, app, all, func(k db.Key) string { return k.ID })
	if err != nil {
		return err
	}
	limits, err := keyLimits(c, app, owner.Email)
	if err != nil {
		return err
	}
	used, err := app.Requests.LastUses(c.Context(), owner.ID, len(all))
	now := time.Now()
	return list(c, func(k db.Key) keyJSON {
		row := toKeyJSON(k, names[k.ID].App, used[k.ID], now)
		row.Limits = limits[k.ID]
		return row
	}, all, err)
}

func newKeysRotate() *cobra.Command {
	var grace time.Duration
	var endOld bool
	c := command("rotate ID", "Give a key a new secret and print it, this once; the old one works for the grace time", exactly("ID"),
		withApp(func(c *cobra.Command, app *server.App, args []string) error {
			if endOld {
				return endOldSecrets(c, app, args[0])
			}
			return rotateKey(c, app, args[0], grace)
		}))
	c.Flags().DurationVar(&grace, "grace", 24*time.Hour, "how long the old secret works, and earlier ones at most, up to 720h; 0 ends all at once")
	c.Flags().BoolVar(&endOld, "end-old", false, "make no new secret, only end the old ones now")
	c.PreRunE = func(c *cobra.Command, _ []string) error {
		if endOld && c.Flags().Changed("grace") {
			return usageError{errors.New("--end-old makes no new secret, so it takes no --grace")}
		}
		return nil
	}
	return c
}

func rotateKey(c *cobra.Command, app *server.App, id string, grace time.Duration) error {
	k, secret, err := app.Accounts.RotateKey(c.Context(), account.Rotation{Key: account.KeyRef{ID: id}, Grace: grace})
	if err != nil {
		return err
	}
	result := struct {
		newKeyJSON
		OldEndsAt  string `json:"old_ends_at"`
		DisabledAt string `json:"disabled_at,omitempty"`
	}{newKeyJSON{ID: k.ID, Key: string(secret), Env: string(k.Env), Mode: string(k.Mode), Label: k.Label}, stamp(k.OldEndsAt), stamp(k.DisabledAt)}
	old := "the old secret works until " + result.OldEndsAt
	if grace == 0 {
		old = "the old secret has ended"
	}
	if result.DisabledAt != "" {
		old += ", but the key is disabled: no secret works before svc keys enable " + k.ID
	}
	return show(c, result, "rotated %s key %s; %s; keep the new one, it is not shown again:\n%s", result.Env, k.ID, old, result.Key)
}

func endOldSecrets(c *cobra.Command, app *server.App, id string) error {
	k, ended, err := app.Accounts.EndOldSecrets(c.Context(), account.KeyRef{ID: id})
	if err != nil {
		return err
	}
	result := map[string]any{"id": k.ID, "ended": ended}
	if ended == 0 {
		return show(c, result, "key %s has no old secret that works; nothing was changed", k.ID)
	}
	return show(c, result, "the old secret of key %s has ended; the one that ends in %s stays", k.ID, k.LastFour)
}

func labelKey(c *cobra.Command, app *server.App, args []string) error {
	if err := app.Accounts.LabelKey(c.Context(), account.KeyRef{ID: args[0]}, args[1]); err != nil {
		return err
	}
	return show(c, map[string]string{"id": args[0], "label": args[1]}, "key %s is called %s", args[0], args[1])
}

func newKeysSwitch(verb, short string, enabled bool) *cobra.Command {
	return command(verb+" ID", short, exactly("ID"), withApp(func(c *cobra.Command, app *server.App, args []string) error {
		if err := app.Accounts.SetKeyEnabled(c.Context(), account.KeyRef{ID: args[0]}, enabled); err != nil {
			return err
		}
		return show(c, map[string]any{"id": args[0], "enabled": enabled}, "%sd %s", verb, args[0])
	}))
}
