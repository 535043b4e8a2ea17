package cmd

import (
	"io"

	"github.com/spf13/cobra"
)

// newCompletion returns the command that prints scripts for shells. It takes the place of
// cobra's own, whose wrong usage has another exit status.
func newCompletion(root *cobra.Command) *cobra.Command {
	root.CompletionOptions.DisableDefaultCmd = true
	script := func(shell string, print func(io.Writer) error) *cobra.Command {
		return command(shell, "Print the completion script for "+shell, exactly(),
			func(c *cobra.Command, _ []string) error { return print(c.OutOrStdout()) })
	}
	return group("completion", "Scripts with which a shell completes commands and flags",
		script("bash", func(w io.Writer) error { return root.GenBashCompletionV2(w, true) }),
		script("zsh", root.GenZshCompletion),
		script("fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) }),
		script("powershell", root.GenPowerShellCompletionWithDesc))
}
