package cmd

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/db"
)

// maxCompleted bounds the rows of one kind that a shell is offered.
const maxCompleted = 1000

// lookup reads what is possible at a place of the command line. It sees the accounts that
// --account names, or all.
type lookup func(tx *db.Tx, accounts []db.Account) ([]cobra.Completion, error)

// lookups are by argument, as usage lines call it, or by flag. Those with the name of a
// group hold in its commands only.
var lookups = map[string]lookup{
	"EMAIL":          completeEmails,
	"ITEM":           ofAccounts(itemsOf, completeItem),
	"keys ID":        ofAccounts((*db.Tx).Keys, completeKey),
	"sessions ID":    ofAccounts((*db.Tx).Sessions, completeSession),
	"messages ID":    ofAccounts(messagesOf, completeMessage),
	"alerts ID":      ofAccounts((*db.Tx).OpenAlerts, completeAlert),
	"connections ID": completeConnections,
	"mails ID":       completeMails,
	"data NAME":      ofAccounts((*db.Tx).Datasets, completeDataset),
	"webhooks ID":    ofAccounts((*db.Tx).Webhooks, completeWebhook),
	"--account":      completeEmails,
	"--app":          ofAccounts((*db.Tx).Apps, completeApp),
	"--dataset":      ofAccounts((*db.Tx).Datasets, completeDataset),
	"--key":          ofAccounts((*db.Tx).Keys, completeKey),
	"data --name":    ofAccounts((*db.Tx).Datasets, completeDataset),
}

// completeWords lets shells complete the arguments and flags of all commands: by their few
// values, or from the database.
func completeWords(root *cobra.Command) {
	eachCommand(root, func(c *cobra.Command) {
		if c.Runnable() && !c.HasSubCommands() && c.ValidArgsFunction == nil {
			c.ValidArgsFunction = completeArgument
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			complete := completeFrom(lookupOf(c, "--"+f.Name))
			if values := choices[f.Name]; values != nil {
				complete = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
			} else if lookupOf(c, "--"+f.Name) == nil {
				return
			}
			if err := c.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
				panic(err) // a flag twice
			}
		})
	})
}

// lookupOf returns the lookup of a place in a command, or nil.
func lookupOf(c *cobra.Command, place string) lookup {
	if c.HasParent() {
		if found := lookups[c.Parent().Name()+" "+place]; found != nil {
			return found
		}
	}
	return lookups[place]
}

func completeArgument(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	words := argumentsOf(c)
	if len(args) >= len(words) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	word := words[len(args)]
	if word == "FILE" || word == "PHOTO" {
		return nil, cobra.ShellCompDirectiveDefault
	}
	if values := wordsOf(word); values != nil {
		return values, cobra.ShellCompDirectiveNoFileComp
	}
	return completeFrom(lookupOf(c, word))(c, args, begun)
}

// completeFrom completes from the database. It neither makes nor migrates nor writes one,
// and offers nothing if it cannot be read: a shell shows errors amid what is typed.
func completeFrom(read lookup) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, _ string) (all []cobra.Completion, _ cobra.ShellCompDirective) {
		if read == nil || readVariables(c) != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		err := db.Peek(c.Context(), flag(c, "db"), func(tx *db.Tx) error {
			accounts, err := accountsNamed(c, tx)
			if err == nil {
				all, err = read(tx, accounts)
			}
			return err
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return all, cobra.ShellCompDirectiveNoFileComp
	}
}

// accountsNamed returns the account of --account, or all if none is named.
func accountsNamed(c *cobra.Command, tx *db.Tx) ([]db.Account, error) {
	if f := c.Flags().Lookup("account"); f != nil && f.Value.String() != "" {
		a, err := tx.AccountByEmail(f.Value.String())
		return []db.Account{a}, err
	}
	return tx.Accounts()
}

// ofAccounts is the lookup of rows that belong to accounts.
func ofAccounts[T any](rows func(tx *db.Tx, accountID string) ([]T, error), word func(T) cobra.Completion) lookup {
	return func(tx *db.Tx, accounts []db.Account) (all []cobra.Completion, err error) {
		for _, a := range accounts {
			found, err := rows(tx, a.ID)
			if err != nil {
				return nil, err
			}
			all = append(all, mapAll(found[:min(len(found), maxCompleted)], word)...)
		}
		return all, nil
	}
}

// described returns a word with what a shell shows beside it. Both may come from anybody.
func described(word, text string) cobra.Completion {
	return cobra.CompletionWithDesc(oneLine(word), oneLine(short(text)))
}

func completeEmails(tx *db.Tx, _ []db.Account) ([]cobra.Completion, error) {
	all, err := tx.Accounts()
	return mapAll(all, func(a db.Account) cobra.Completion { return described(a.Email, a.Name) }), err
}

func completeConnections(tx *db.Tx, _ []db.Account) ([]cobra.Completion, error) {
	all, err := tx.ConnectionsWith(db.Account{}, maxCompleted)
	return mapAll(all, func(v db.Connection) cobra.Completion { return described(v.ID, v.MerchantEmail) }), err
}

func completeMails(tx *db.Tx, _ []db.Account) ([]cobra.Completion, error) {
	all, err := tx.Mails(maxCompleted)
	return mapAll(all, func(m db.Mail) cobra.Completion { return described(m.ID, m.To+": "+m.Subject) }), err
}

func itemsOf(tx *db.Tx, accountID string) ([]db.Item, error) {
	return tx.Items(accountID, "", maxCompleted)
}

func messagesOf(tx *db.Tx, accountID string) ([]db.Message, error) {
	return tx.Messages(accountID, maxCompleted)
}

func completeItem(i db.Item) cobra.Completion { return described(cmp.Or(i.SKU, i.ID), i.Name) }

func completeKey(k db.Key) cobra.Completion {
	return described(k.ID, strings.TrimSpace(k.Prefix+"…"+k.LastFour+" "+k.Label))
}

func completeSession(s db.Session) cobra.Completion {
	return described(s.ID, s.Address+" "+s.Browser)
}

func completeMessage(m db.Message) cobra.Completion {
	return described(m.ID, m.Phone+" "+m.Template)
}

func completeAlert(a db.Alert) cobra.Completion { return described(a.ID, a.Title) }

func completeWebhook(w db.Webhook) cobra.Completion { return described(w.ID, w.URL) }

func completeApp(a db.App) cobra.Completion { return described(a.Name, a.ID) }

func completeDataset(d db.Dataset) cobra.Completion {
	return described(d.Name, counted(int(d.Rows), "row"))
}
