package cmd

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/db"
	"svc/server"
	"svc/server/scan"
)

// The flags of models.
const (
	askModel    = "ask-model"
	visionModel = "vision-model"
)

// ollamaFlags adds the flags of a command that asks a model. Those named in unused are taken
// and not listed in its help.
func ollamaFlags(flags *pflag.FlagSet, o *server.Ollama, unused ...string) {
	flags.StringVar(&o.URL, "ollama", "", "address of an Ollama server, like http://127.0.0.1:11434")
	flags.StringVar(&o.VisionModel, visionModel, "", "the model of --ollama that looks at photos without a known barcode, like qwen2.5vl:7b")
	flags.StringVar(&o.AskModel, askModel, "", "the model of --ollama that helps to understand questions and words the answers, like qwen2.5:7b")
	flags.DurationVar(&o.Timeout, "model-timeout", 0, "how long a model may take for an answer, 1s to 100s (default 20s)")
	for _, name := range unused {
		flags.Lookup(name).Hidden = true
	}
}

type stepJSON struct {
	Step  string  `json:"step"`
	Ms    float64 `json:"ms"`
	Score float64 `json:"score,omitempty"`
	Text  string  `json:"text"`
}

func (stepJSON) header() string { return "STEP MS SCORE WHAT" }

func (s stepJSON) cells() []any {
	score := orDash("")
	if s.Score > 0 {
		score = fmt.Sprintf("%.2f", s.Score)
	}
	return []any{s.Step, fmt.Sprintf("%.1f", s.Ms), score, s.Text}
}

type scanJSON struct {
	*scan.Answer            // as in the API; nil when nothing was identified
	Steps        []stepJSON `json:"steps"`
}

func newScan() *cobra.Command {
	var config server.Config
	c := &cobra.Command{
		Use:   "scan [--account EMAIL] PHOTO",
		Short: "Identify the product on a JPEG, and show each step, its time and its score; free, and nothing is stored",
		Args:  exactly("PHOTO"),
		RunE: func(c *cobra.Command, args []string) error {
			photo, err := os.ReadFile(args[0])
			if err != nil {
				return err
			}
			return openOwner(c, config, func(app *server.App, owner db.Account) error {
				r, err := app.Scans.Explain(c.Context(), owner.ID, photo)
				if printErr := printScan(c, r); printErr != nil {
					return printErr
				}
				return err
			})
		},
	}
	ollamaFlags(c.Flags(), &config.Ollama, askModel)
	return accountFlag(c)
}

func printScan(c *cobra.Command, r scan.Report) error {
	steps := mapAll(r.Steps, func(s scan.Step) stepJSON {
		return stepJSON{Step: s.Name, Ms: float64(s.Took.Round(10*time.Microsecond)) / 1e6, Score: s.Score, Text: s.Text}
	})
	identified := r.Name != ""
	if wantsJSON(c) {
		result := scanJSON{Steps: steps}
		if identified {
			result.Answer = &r.Answer
		}
		return printJSON(c, result)
	}
	if len(steps) == 0 {
		return nil
	}
	err := table(c, steps)
	switch {
	case err != nil || !identified:
	case r.Found:
		_, err = fmt.Fprintf(c.OutOrStdout(), "found: %s, %s\n  price %s, cost price %s, stock %s %s\n", oneLine(r.Name), *r.InventoryID,
			known(r.Price), known(r.CostPrice), known(r.StockQty), oneLine(orNothing(r.Unit)))
	default:
		_, err = fmt.Fprintln(c.OutOrStdout(), "not in the inventory:", oneLine(r.Name))
	}
	return err
}

// known returns a number of an answer as text, or a dash for null.
func known(n json.RawMessage) string {
	if n == nil || string(n) == "null" {
		return orDash("")
	}
	return string(n)
}

func orNothing(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
