package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// newPassword returns a password for an account: from standard input, or asked for twice
// on a terminal. Elsewhere standard input must have been asked for.
func newPassword(c *cobra.Command, fromStdin bool) (string, error) {
	if fromStdin {
		return readPassword(c.InOrStdin())
	}
	terminal := terminalOf(c)
	if terminal == nil {
		return "", usageError{errors.New("standard input is no terminal, on which the password could be asked for; run it on one (docker exec -it), or give --password-stdin and the password on standard input")}
	}
	return askTwice(c, terminal, "New password: ")
}

// firstPassword returns the password of an account that is being made, which may have
// none: then it is empty. It is asked for on a terminal only.
func firstPassword(c *cobra.Command, fromStdin bool) (string, error) {
	if fromStdin {
		return readPassword(c.InOrStdin())
	}
	terminal := terminalOf(c)
	if terminal == nil {
		return "", nil
	}
	return askTwice(c, terminal, "Password (leave empty for none): ")
}

// terminalOf returns standard input if it is a terminal, else nil.
func terminalOf(c *cobra.Command) *os.File {
	terminal, ok := c.InOrStdin().(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return nil
	}
	return terminal
}

// askTwice asks for a password, and again unless it is empty.
func askTwice(c *cobra.Command, terminal *os.File, question string) (string, error) {
	password, err := askHidden(c, terminal, question)
	if err != nil || password == "" {
		return "", err
	}
	again, err := askHidden(c, terminal, "The same again: ")
	if err == nil && again != password {
		err = errors.New("the passwords differ; nothing was changed")
	}
	return password, err
}

// readPassword reads one line.
func readPassword(in io.Reader) (string, error) {
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", err
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", usageError{errors.New("no password on standard input")}
	}
	return password, nil
}

// askHidden asks a question on stderr and reads one line, which the terminal does not
// show. When ctx ends, the terminal shows again what is typed.
func askHidden(c *cobra.Command, terminal *os.File, question string) (string, error) {
	fd := int(terminal.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return "", err
	}
	fmt.Fprint(c.ErrOrStderr(), question)
	defer fmt.Fprintln(c.ErrOrStderr())

	line, err := awaitLine(c, func() (string, error) {
		line, err := term.ReadPassword(fd)
		return string(line), err
	})
	if c.Context().Err() != nil {
		err = errors.Join(err, term.Restore(fd, before))
	}
	return line, err
}

// awaitLine returns what read returns, or an error when the command's context ends first:
// reading from a terminal cannot be interrupted.
func awaitLine(c *cobra.Command, read func() (string, error)) (string, error) {
	type reply struct {
		line string
		err  error
	}
	replies := make(chan reply, 1)
	go func() {
		line, err := read()
		replies <- reply{line, err}
	}()
	select {
	case r := <-replies:
		return r.line, r.err
	case <-c.Context().Done():
		return "", context.Cause(c.Context())
	}
}
