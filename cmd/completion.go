package cmd

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// newCompletion returns the command that prints scripts for shells. It takes the place of
// cobra's own, whose wrong usage has another exit status.
func newCompletion(root *cobra.Command) *cobra.Command {
	root.CompletionOptions.DisableDefaultCmd = true
	script := func(shell string, print func(io.Writer) error) *cobra.Command {
		return command(shell, "Print the completion script for "+shell, exactly(), func(c *cobra.Command, _ []string) error {
			if !wantsJSON(c) {
				return print(c.OutOrStdout())
			}
			var text strings.Builder
			if err := print(&text); err != nil {
				return err
			}
			return printJSON(c, map[string]string{"shell": shell, "script": text.String()})
		})
	}
	return group("completion", "Scripts with which a shell completes commands and flags",
		script("bash", func(w io.Writer) error {
			if err := root.GenBashCompletionV2(w, true); err != nil {
				return err
			}
			_, err := io.WriteString(w, bashWords)
			return err
		}),
		script("zsh", root.GenZshCompletion),
		script("fish", func(w io.Writer) error { return root.GenFishCompletion(w, true) }),
		script("powershell", root.GenPowerShellCompletionWithDesc))
}

// bashWords replaces a function of the script for bash, which needs the package
// bash-completion. Without that package it takes the words as bash splits them, so that a
// value directly behind = or : is not completed.
const bashWords = `
__svc_init_completion()
{
    COMPREPLY=()
    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
    else
        words=("${COMP_WORDS[@]}")
        cword=$COMP_CWORD
        cur=${words[cword]}
        prev=${words[cword-1]}
    fi
}
`
