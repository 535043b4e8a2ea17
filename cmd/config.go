package cmd

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/server/account"
)

// newConfig returns the commands on settings. They take the flags of serve, so that a
// command line of serve can be tried.
func newConfig() *cobra.Command {
	var given settings
	c := command("show", "Show the settings that svc serve would use, and where each comes from; secrets are hidden", exactly(),
		func(c *cobra.Command, _ []string) error { return showConfig(c, &given) })
	given.addFlags(c)
	return group("config", "The settings of svc serve", c)
}

// settingJSON is a setting in force.
type settingJSON struct {
	Name   string `json:"name"`
	Value  string `json:"value"`  // hidden if it is a secret; empty: not set
	Source string `json:"source"` // flag, variable, file or default
	From   string `json:"from"`   // name of the flag or variable, or path of the file
}

func (settingJSON) header() string { return "SETTING VALUE SOURCE FROM" }

func (s settingJSON) cells() []any {
	return []any{s.Name, orDash(s.Value), s.Source, orDash(s.From)}
}

func showConfig(c *cobra.Command, given *settings) error {
	config, err := given.read(c)
	if err != nil {
		return err
	}
	if given.Config, err = config.Effective(); err != nil { // the flags read it
		return err
	}
	given.bundles = bundlesText(given.Bundles)
	var all []settingJSON
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if hasVariable(f) && f.Name != "json" {
			all = append(all, toSettingJSON(f))
		}
	})
	return table(c, all)
}

func toSettingJSON(f *pflag.Flag) settingJSON {
	kind, from := sourceOf(f)
	return settingJSON{Name: f.Name, Value: shownValue(f), Source: kind, From: from}
}

const hidden = "********"

// shownValue hides a secret, and in an address the password and the query, in which
// webhooks have their token.
func shownValue(f *pflag.Flag) string {
	value := f.Value.String()
	if value != "" && isSecret(f) {
		return hidden
	}
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.User == nil && u.RawQuery == "" {
		return value
	}
	if u.RawQuery != "" {
		u.RawQuery = hidden
	}
	return u.Redacted()
}

// bundlesText is the inverse of parseBundles.
func bundlesText(all []account.Bundle) string {
	return strings.Join(mapAll(all, func(b account.Bundle) string {
		return fmt.Sprintf("%s:%d:%d", b.Currency, b.Amount, b.CreditCents)
	}), ",")
}
