package cmd

import (
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// secretAnnotation marks a flag that also has a SVC_…_FILE variable.
const secretAnnotation = "svc_secret"

// sourceAnnotation holds the kind and the name of a flag's source, if it is a variable.
const sourceAnnotation = "svc_source"

// sourceOf returns where the value of a flag is from, once the variables are read: flag,
// variable, file or default, and the name of the flag or variable, or the file's path.
func sourceOf(f *pflag.Flag) (kind, from string) {
	if source := f.Annotations[sourceAnnotation]; source != nil {
		return source[0], source[1]
	}
	if f.Changed {
		return "flag", "--" + f.Name
	}
	return "default", ""
}

// readVariables sets every flag that was not given to the value of its SVC_ variable.
// An empty variable counts as unset, because compose files pass unset ones as empty.
func readVariables(c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if err == nil && !f.Changed && hasVariable(f) {
			err = readVariable(c, f)
		}
	})
	return err
}

func readVariable(c *cobra.Command, f *pflag.Flag) error {
	value, source, err := variable(f)
	if err != nil || source == nil {
		return err
	}
	if err := c.Flags().Set(f.Name, value); err != nil {
		return usageError{fmt.Errorf("%s: %w", variableName(f), wrongValue(err))}
	}
	return c.Flags().SetAnnotation(f.Name, sourceAnnotation, source)
}

// hasVariable reports whether a flag has a variable: all that are settings.
func hasVariable(f *pflag.Flag) bool { return f.Name != "help" && f.Name != versionFlag }

// variable returns the value of a flag's variable and its source, nil if it is not set.
func variable(f *pflag.Flag) (value string, source []string, err error) {
	name := variableName(f)
	if value = os.Getenv(name); value != "" {
		return value, []string{"variable", name}, nil
	}
	path := os.Getenv(name + "_FILE")
	if path == "" || !isSecret(f) {
		return "", nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("%s_FILE: %w", name, err)
	}
	if value = strings.TrimSpace(string(content)); value == "" {
		return "", nil, fmt.Errorf("%s_FILE: %s is empty", name, path)
	}
	return value, []string{"file", path}, nil
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

// ofKubernetes matches the variables that Kubernetes sets for a service named svc.
var ofKubernetes = regexp.MustCompile(`^SVC_(PORT|SERVICE)(_|$)`)

// warnOfVariables prints a line for each variable that is set and looks like a
// misspelt one of ours. Others that begin with SVC_ may be somebody else's.
func warnOfVariables(out io.Writer, root *cobra.Command) {
	known := map[string]bool{}
	eachCommand(root, func(c *cobra.Command) {
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			for _, name := range variablesOf(f) {
				known[name] = true
			}
		})
	})
	const otherDB = "SVC_DATABASE"
	names := append(slices.Sorted(maps.Keys(known)), otherDB)
	for _, setting := range os.Environ() {
		name, value, _ := strings.Cut(setting, "=")
		if value == "" || known[name] || !strings.HasPrefix(name, "SVC_") || ofKubernetes.MatchString(name) {
			continue
		}
		meant := nearest(name, names)
		if meant == otherDB {
			meant = "SVC_DB"
		}
		if meant != "" {
			fmt.Fprintf(out, "svc: warning: there is no variable %s; did you mean %s?\n", oneLine(name), meant)
		}
	}
}
