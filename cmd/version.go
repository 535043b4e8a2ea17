package cmd

import (
	"errors"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"svc/embed"
)

// version is set when a release is built: -ldflags "-X svc/cmd.version=v1.2.3".
var version = "dev"

func newVersion() *cobra.Command {
	return command("version", "Print the version", exactly(), printVersion)
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
	return command("openapi", "Print the OpenAPI description of the HTTP API", exactly(), func(c *cobra.Command, _ []string) error {
		if wantsJSON(c) {
			return usageError{errors.New("the description is YAML; leave out --json")}
		}
		_, err := c.OutOrStdout().Write(embed.OpenAPI)
		return err
	})
}
