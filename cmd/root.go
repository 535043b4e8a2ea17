// Package cmd is the command line, one file a command. It turns flags and SVC_*
// variables into configuration and requests, and prints results as text or JSON. It
// has no SQL, no HTTP handlers and no wiring.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/fault"
)

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Exit statuses. A use is wrong if no database and no file could make it right.
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
	root.SetArgs(numberLast(root, args))
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)

	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(streams.Err, "svc:", sentence(err))
	if isUsage(err) {
		return exitUsage
	}
	return exitError
}

// isUsage reports whether the command line or a variable is at fault. An invalid request
// with a cause is refused by what is stored, or by a file.
func isUsage(err error) bool {
	var usage usageError
	var config *server.ConfigError
	var invalid *fault.Error
	return errors.As(err, &usage) || errors.As(err, &config) ||
		errors.As(err, &invalid) && invalid.Code == fault.InvalidRequest && invalid.Err == nil
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
	root.Flags().Bool(versionFlag, false, "print the version")
	root.RunE = func(c *cobra.Command, args []string) error {
		if on, err := c.Flags().GetBool(versionFlag); err == nil && on {
			return printVersion(c, args)
		}
		return c.Help()
	}
	root.PersistentFlags().String("db", defaultDB, "database file")
	root.PersistentFlags().Bool("json", false, "print JSON and nothing else: one object, or of a list one a line (JSON Lines), none if it is empty")
	root.SetFlagErrorFunc(wrongFlag)
	root.PersistentPreRunE = func(c *cobra.Command, args []string) error {
		warnOfVariables(c.ErrOrStderr(), root)
		if err := readVariables(c); err != nil {
			return err
		}
		if err := checkChoices(c, args); err != nil {
			return err
		}
		return require(c, "db")
	}
	root.SetHelpCommand(newHelp(root))
	root.AddCommand(
		newServe(), newAccounts(), newPeople(), newKeys(), newApps(), newWallet(), newInventory(), newData(), newScan(), newAsk(), newPulse(), newBrief(), newMessages(),
		newConnections(), newCharges(), newEvents(), newWebhooks(), newMails(), newRequests(), newActivity(), newSessions(), newRates(),
		newAlerts(), newBackup(), newRestore(), newMigrate(), newDoctor(), newHealthcheck(), newOpenAPI(), newConfig(), newVersion(), newCompletion(root),
	)
	root.InitDefaultHelpCmd() // or cobra adds help too late for describe
	describe(root)
	completeWords(root)
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
				return unknownCommand(c, args[0])
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
			if err != nil {
				return usageError{err}
			}
			if len(rest) > 0 {
				return unknownCommand(c, rest[0])
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

// command returns a command without subcommands.
func command(use, short string, args cobra.PositionalArgs, run runE) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Args: args, RunE: run}
}

// runE is the function of a command, with its arguments.
type runE = func(*cobra.Command, []string) error

// withApp returns the runE of a command on an existing database.
func withApp(fn func(c *cobra.Command, app *server.App, args []string) error) runE {
	return func(c *cobra.Command, args []string) error {
		return open(c, server.Config{MustExist: true}, func(app *server.App) error { return fn(c, app, args) })
	}
}

// withOwner returns the runE of a command on the account of --account.
func withOwner(fn func(c *cobra.Command, app *server.App, owner db.Account, args []string) error) runE {
	return func(c *cobra.Command, args []string) error {
		return openOwner(c, server.Config{}, func(app *server.App, owner db.Account) error { return fn(c, app, owner, args) })
	}
}

// withAny returns the runE of a command on the account of --account, or on all accounts:
// then owner is the zero account.
func withAny(fn func(c *cobra.Command, app *server.App, owner db.Account) error) runE {
	return withApp(func(c *cobra.Command, app *server.App, _ []string) (err error) {
		var owner db.Account
		if email := flag(c, "account"); email != "" {
			if owner, err = app.Accounts.Find(c.Context(), email); err != nil {
				return err
			}
		}
		return fn(c, app, owner)
	})
}

// open opens the appliance of --db, calls fn, and closes it.
func open(c *cobra.Command, config server.Config, fn func(*server.App) error) (err error) {
	config.DB, config.Version = flag(c, "db"), version
	c.SetContext(db.WithActor(c.Context(), db.ActorCommand))
	app, err := server.OpenServices(c.Context(), config)
	if err != nil {
		return orNoDatabase(err, config.DB)
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	return fn(app)
}

// orNoDatabase returns err, or, if there is no database at the path, an error that says which commands make one.
func orNoDatabase(err error, path string) error {
	if errors.Is(err, db.ErrNotFound) && !db.Exists(path) {
		return fmt.Errorf(`no database at %s: "svc serve", "svc accounts create" and "svc keys create" make one, and --db names another`, path)
	}
	return err
}

// openNew is open for a command that makes the database if there is none. What check says
// refuses it then, so that a command that cannot succeed leaves no database behind.
func openNew(c *cobra.Command, check func() error, fn func(*server.App) error) error {
	if !db.Exists(flag(c, "db")) {
		if err := check(); err != nil {
			return err
		}
	}
	return open(c, server.Config{}, fn)
}

// openOwner is open of an existing database, for a command on the account of --account.
func openOwner(c *cobra.Command, config server.Config, fn func(*server.App, db.Account) error) error {
	config.MustExist = true
	return open(c, config, func(app *server.App) error {
		owner, err := app.Accounts.Find(c.Context(), flag(c, "account"))
		if err != nil {
			return err
		}
		return fn(app, owner)
	})
}

// accountFlag adds --account, for one account.
func accountFlag(c *cobra.Command) *cobra.Command {
	c.Flags().String("account", "", accountUsage)
	return c
}

const accountUsage = "e-mail of the account (may be left out when there is exactly one)"

// anyAccountFlag adds --account, for one account or all.
func anyAccountFlag(c *cobra.Command) *cobra.Command {
	c.Flags().String("account", "", "e-mail of the account (default: all)")
	return c
}

// limitFlag adds --limit, which must be at least 1.
func limitFlag(c *cobra.Command, limit *int, value int) *cobra.Command {
	c.Flags().IntVar(limit, "limit", value, "how many")
	c.PreRunE = func(*cobra.Command, []string) error {
		if *limit < 1 {
			return usageError{errors.New("--limit must be at least 1")}
		}
		return nil
	}
	return c
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
