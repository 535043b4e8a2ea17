package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"svc/server"
)

// newDoctor takes the flags of serve, as config show does, to try its providers.
func newDoctor() *cobra.Command {
	var given settings
	c := command("doctor", "Check the file, ledger, leases, clock, disk and providers; nothing is changed or sent", exactly(),
		func(c *cobra.Command, _ []string) error { return diagnose(c, &given) })
	c.Long = c.Short + ".\n\nIt takes the flags and variables of svc serve, and may run beside it. A fault makes the exit status 1, a warning does not."
	given.addFlags(c)
	return c
}

type findingJSON struct {
	Check   string `json:"check"`
	Verdict string `json:"verdict"` // ok, warning or fault
	Detail  string `json:"detail"`
}

func (findingJSON) header() string { return "CHECK VERDICT DETAIL" }

func (f findingJSON) cells() []any { return []any{f.Check, f.Verdict, f.Detail} }

func diagnose(c *cobra.Command, given *settings) error {
	config, err := given.read(c)
	if err != nil {
		return err
	}
	config.MustExist = true
	return open(c, config, func(app *server.App) error {
		found, err := app.Diagnose(c.Context())
		if err != nil {
			return err
		}
		faults := 0
		for _, f := range found {
			if f.Verdict == server.Fault {
				faults++
			}
		}
		err = list(c, func(f server.Finding) findingJSON { return findingJSON{f.Check, string(f.Verdict), f.Detail} }, found, nil)
		if err == nil && faults > 0 {
			err = fmt.Errorf("%d of %d checks found a fault", faults, len(found))
		}
		return err
	})
}
