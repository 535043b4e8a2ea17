package cmd

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// secretAnnotation marks a flag that also has a SVC_…_FILE variable.
const secretAnnotation = "svc_secret"

// readVariables sets every flag that was not given to the value of its SVC_ variable.
// An empty variable counts as unset, because compose files pass unset ones as empty.
func readVariables(c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if err != nil || f.Changed || f.Name == "help" {
			return
		}
		var value string
		var found bool
		if value, found, err = variable(f); err == nil && found {
			if setErr := c.Flags().Set(f.Name, value); setErr != nil {
				err = usageError{fmt.Errorf("%s: %w", variableName(f), setErr)}
			}
		}
	})
	return err
}

func variable(f *pflag.Flag) (value string, found bool, err error) {
	name := variableName(f)
	if value = os.Getenv(name); value != "" {
		return value, true, nil
	}
	if _, secret := f.Annotations[secretAnnotation]; !secret {
		return "", false, nil
	}
	path := os.Getenv(name + "_FILE")
	if path == "" {
		return "", false, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", false, fmt.Errorf("%s_FILE: %w", name, err)
	}
	if value = strings.TrimSpace(string(content)); value == "" {
		return "", false, fmt.Errorf("%s_FILE: %s is empty", name, path)
	}
	return value, true, nil
}

func variableName(f *pflag.Flag) string {
	return "SVC_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// secretFlag adds a flag whose value can also come from the file in its SVC_…_FILE
// variable, since arguments are visible to other users.
func secretFlag(flags *pflag.FlagSet, target *string, name, usage string) {
	flags.StringVar(target, name, "", usage+" (better: "+"SVC_"+strings.ToUpper(strings.ReplaceAll(name, "-", "_"))+"_FILE)")
	flags.Lookup(name).Annotations = map[string][]string{secretAnnotation: nil}
}
