package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// confirm asks for a word before something that cannot be undone. Without a terminal it
// returns wrong usage with the warning, which names the flag that gives the answer.
func confirm(c *cobra.Command, warning, word, flag string) error {
	terminal, ok := c.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return usageError{fmt.Errorf("%s; %s confirms it", oneLine(warning), flag)}
	}
	fmt.Fprintf(c.ErrOrStderr(), "%s.\nType %s to go on: ", oneLine(warning), oneLine(word))
	line, err := awaitLine(c, func() (string, error) { return bufio.NewReader(terminal).ReadString('\n') })
	if err == nil && strings.TrimSpace(line) != word {
		err = errors.New("not confirmed; nothing was changed")
	}
	return err
}
