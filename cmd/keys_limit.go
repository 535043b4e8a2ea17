package cmd

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

// limitsJSON are the limits of a key at an endpoint.
type limitsJSON struct {
	PerMinute int64 `json:"per_minute"`
	PerHour   int64 `json:"per_hour"`
}

func newKeysLimit() *cobra.Command {
	var standard bool
	endpoints := strings.Join(db.WindowedEndpoints, "|")
	use := "limit ID " + endpoints + " [PER_MINUTE PER_HOUR]"
	c := command(use, "Give a key its own limits at an endpoint with rolling windows", nil, func(c *cobra.Command, args []string) error {
		if standard {
			return withApp(resetKeyLimits)(c, args)
		}
		return limitKey(c, args)
	})
	c.Flags().BoolVar(&standard, "default", false, "restore the limits that all keys have there")
	c.Args = func(c *cobra.Command, args []string) error {
		if standard && len(args) > 2 {
			return usageError{errors.New("--default restores the limits, so it takes no PER_MINUTE and PER_HOUR")}
		}
		if standard {
			return exactly("ID", "ENDPOINT")(c, args)
		}
		return exactly("ID", "ENDPOINT", "PER_MINUTE", "PER_HOUR")(c, args)
	}
	return c
}

func limitKey(c *cobra.Command, args []string) (err error) {
	l := db.KeyLimits{KeyID: args[0], Endpoint: args[1]}
	if l.Minute, err = wholeNumber("PER_MINUTE", args[2]); err != nil {
		return err
	}
	if l.Hour, err = wholeNumber("PER_HOUR", args[3]); err != nil {
		return err
	}
	return withApp(func(c *cobra.Command, app *server.App, _ []string) error {
		if err := app.Accounts.LimitKey(c.Context(), l); err != nil {
			return err
		}
		return showLimits(c, l, false)
	})(c, args)
}

func resetKeyLimits(c *cobra.Command, app *server.App, args []string) error {
	id, endpoint := args[0], args[1]
	l, err := app.Accounts.ResetKeyLimits(c.Context(), id, endpoint)
	if err != nil {
		return err
	}
	return showLimits(c, db.KeyLimits{KeyID: id, Endpoint: endpoint, EndpointLimits: l}, true)
}

func showLimits(c *cobra.Command, l db.KeyLimits, standard bool) error {
	result := struct {
		ID       string `json:"id"`
		Endpoint string `json:"endpoint"`
		limitsJSON
		Default bool `json:"default"`
	}{l.KeyID, l.Endpoint, limitsJSON{l.Minute, l.Hour}, standard}
	by := ""
	if standard {
		by = ", as all keys"
	}
	return show(c, result, "key %s may call /%s %d times a minute and %d times an hour%s", l.KeyID, l.Endpoint, l.Minute, l.Hour, by)
}

// keyLimits returns the arrangements of an account's keys by key and endpoint.
func keyLimits(c *cobra.Command, app *server.App, email string) (map[string]map[string]limitsJSON, error) {
	all, err := app.Accounts.KeyLimits(c.Context(), email)
	byKey := map[string]map[string]limitsJSON{}
	for _, l := range all {
		if byKey[l.KeyID] == nil {
			byKey[l.KeyID] = map[string]limitsJSON{}
		}
		byKey[l.KeyID][l.Endpoint] = limitsJSON{l.Minute, l.Hour}
	}
	return byKey, err
}

// limitsText is the arrangements of a key in one cell, like "ask 20/200", in the order of
// seed 8.4.
func limitsText(limits map[string]limitsJSON) string {
	var parts []string
	for _, endpoint := range db.WindowedEndpoints {
		if l, ok := limits[endpoint]; ok {
			parts = append(parts, fmt.Sprintf("%s %d/%d", endpoint, l.PerMinute, l.PerHour))
		}
	}
	return strings.Join(parts, ", ")
}
