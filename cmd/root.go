// Package cmd is the command line, one file a command. It turns flags and SVC_*
// variables into configuration and requests, and prints results as text or JSON. It
// has no SQL, no HTTP handlers and no wiring.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"svc/server"
	"svc/server/fault"
)

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Exit statuses.
const (
	exitOK    = 0
	exitError = 1
	exitUsage = 2
)

// usageError is a wrong command line; its exit status is exitUsage.
type usageError struct{ error }

// Execute runs the command line and returns its exit status. An error is one
// sentence on Err.
func Execute(ctx context.Context, args []string, streams Streams) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)

	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(streams.Err, "svc:", sentence(err))
	var usage usageError
	var config *server.ConfigError
	if errors.As(err, &usage) || errors.As(err, &config) {
		return exitUsage
	}
	return exitError
}

// sentence returns the text of an error without its code.
func sentence(err error) string {
	var e *fault.Error
	if errors.As(err, &e) {
		return e.Text()
	}
	return err.Error()
}

func newRoot() *cobra.Command {
	root := group("svc", "Merchant operations in one binary: API, keys, wallet, product scan, messages, connections and charges.")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.PersistentFlags().String("db", defaultDB, "database file")
	root.PersistentFlags().Bool("json", false, "print JSON and nothing else")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if err := readVariables(c); err != nil {
			return err
		}
		return require(c, "db")
	}
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(
		newServe(), newAccounts(), newKeys(), newApps(), newWallet(), newInventory(), newData(), newScan(), newAsk(), newMessages(),
		newCharges(), newMails(), newSessions(),
		newMigrate(), newHealthcheck(), newOpenAPI(), newVersion(),
	)
	return root
}

const (
	defaultDB     = "svc.db"
	defaultDemoDB = "demo.db"
)

// group returns a command that only has subcommands and prints its help.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath())}
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(commands...)
	return c
}

// newHelp returns cobra's help command, except that an unknown command is wrong usage.
func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return usageError{fmt.Errorf("unknown command %q", strings.Join(args, " "))}
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	}
}

// exactly returns a check of the number of arguments; another number is wrong usage.
func exactly(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return usageError{fmt.Errorf("usage: %s", c.UseLine())}
	}
}

// withApp opens the appliance of --db, calls fn, and closes it.
func withApp(c *cobra.Command, mustExist bool, fn func(*server.App) error) (err error) {
	return withConfig(c, server.Config{MustExist: mustExist}, fn)
}

// withConfig is withApp for a command that has more settings than the database.
func withConfig(c *cobra.Command, config server.Config, fn func(*server.App) error) (err error) {
	config.DB = flag(c, "db")
	app, err := server.Open(c.Context(), config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	return fn(app)
}

// flag returns the value of a string flag. It panics if the command has no such flag.
func flag(c *cobra.Command, name string) string {
	value, err := c.Flags().GetString(name)
	if err != nil {
		panic(err)
	}
	return value
}

// require returns an error if one of the flags is empty.
func require(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if flag(c, name) == "" {
			return usageError{fmt.Errorf("--%s is required", name)}
		}
	}
	return nil
}
