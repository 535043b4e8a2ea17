package cmd

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
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
		if err != nil || f.Changed || !hasVariable(f) {
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

// hasVariable reports whether a flag has a variable: all that are settings.
func hasVariable(f *pflag.Flag) bool { return f.Name != "help" && f.Name != versionFlag }

func variable(f *pflag.Flag) (value string, found bool, err error) {
	name := variableName(f)
	if value = os.Getenv(name); value != "" {
		return value, true, nil
	}
	if !isSecret(f) {
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
	flags.StringVar(target, name, "", usage)
	flags.Lookup(name).Annotations = map[string][]string{secretAnnotation: nil}
}

func isSecret(f *pflag.Flag) bool {
	_, secret := f.Annotations[secretAnnotation]
	return secret
}

// variablesOf returns the names of the variables of a flag.
func variablesOf(f *pflag.Flag) []string {
	switch {
	case !hasVariable(f):
		return nil
	case isSecret(f):
		return []string{variableName(f), variableName(f) + "_FILE"}
	}
	return []string{variableName(f)}
}

// warnOfVariables prints a line for each variable that is set and looks like a
// misspelt one of ours. Others that begin with SVC_ may be somebody else's: Kubernetes
// sets SVC_PORT for a service named svc.
func warnOfVariables(out io.Writer, root *cobra.Command) {
	known := map[string]bool{}
	eachCommand(root, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, name := range variablesOf(f) {
				known[name] = true
			}
		})
	})
	names := slices.Sorted(maps.Keys(known))
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		if value == "" || known[name] || !strings.HasPrefix(name, "SVC_") {
			continue
		}
		if meant := nearest(name, names); meant != "" {
			fmt.Fprintf(out, "svc: warning: there is no variable %s; did you mean %s?\n", oneLine(name), meant)
		}
	}
}
