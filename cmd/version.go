package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"svc/embed"
	"svc/server/openapi"
)

// version is set when a release is built: -ldflags "-X svc/cmd.version=v1.2.3".
var version = "dev"

func newVersion() *cobra.Command {
	c := command("version", "Print the version", exactly(), func(c *cobra.Command, args []string) error {
		if deps, err := c.Flags().GetBool("deps"); err != nil || deps {
			return errors.Join(err, listDependencies(c))
		}
		return printVersion(c, args)
	})
	c.Flags().Bool("deps", false, "list the modules in the binary with their versions and licences")
	return c
}

type dependencyJSON struct {
	Module  string `json:"module"`
	Version string `json:"version"`
	License string `json:"license"` // SPDX
}

func (dependencyJSON) header() string { return "MODULE VERSION LICENCE" }

func (d dependencyJSON) cells() []any { return []any{d.Module, d.Version, d.License} }

func listDependencies(c *cobra.Command) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("the binary was built without a list of its modules")
	}
	licenses := map[string]string{}
	for line := range strings.Lines(embed.Licenses) {
		module, license, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		licenses[module] = license
	}
	all := []dependencyJSON{}
	for _, module := range info.Deps {
		all = append(all, dependencyJSON{module.Path, module.Version, cmp.Or(licenses[module.Path], "unknown")})
	}
	return table(c, all)
}

// versionFlag is a flag of the root command, which does the same as version.
const versionFlag = "version"

func printVersion(c *cobra.Command, _ []string) error {
	commit := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				commit = s.Value
			}
		}
	}
	result := map[string]string{"version": version, "commit": commit, "go": runtime.Version()}
	return show(c, result, "svc %s (commit %s, %s)", version, commit, runtime.Version())
}

func newOpenAPI() *cobra.Command {
	return command("openapi", "Print the OpenAPI description of the HTTP API, in YAML", exactly(), func(c *cobra.Command, _ []string) error {
		if !wantsJSON(c) {
			_, err := c.OutOrStdout().Write(embed.OpenAPI)
			return err
		}
		description, err := openapi.JSON(openapi.ExampleBase)
		if err != nil {
			return err
		}
		return printJSON(c, json.RawMessage(description))
	})
}
