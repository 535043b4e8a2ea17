package dataset

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/schema"
)

// Words in the headings of statements: of what is in an account after each row, and of what came in and went out.
var (
	balanceWords = wordSet("balance bal saldo kontostand solde")
	creditWords  = wordSet("credit credits in deposit deposits received receipts haben entrada abono")
	debitWords   = wordSet("debit debits out withdrawal withdrawals payment payments spent soll salida cargo")
)

// leastSteps is how many rows must change a balance by their amount.
const leastSteps = 2

// settleStatement marks a balance whose change from row to row is the amount, or what came in less what went out: it
// is what is in an account, which nobody owes and no sum means anything of. A table of nothing else is the statement
// of a bank, whose amounts are no sales. It returns the heading of the balance; "" if there is none.
func settleStatement(ctx context.Context, file *db.DataFile, source *schema.Source, isKnown bool) (balance string, err error) {
	for i, c := range source.Columns {
		if c.Type != schema.Number || c.Unit == schema.Percent || !hasWord(c.Heading, balanceWords) {
			continue
		}
		found, moved, err := findMoved(ctx, file, *source, c)
		if err != nil {
			return "", err
		}
		if moved == nil {
			continue
		}
		source.Columns[i] = found
		for _, at := range moved {
			source.Columns[at].Unit = schema.Money
		}
		if isKnown || hasAny(*source, schema.Customer, schema.Order, schema.SKU, schema.Quantity, schema.Price) {
			return c.Heading, nil
		}
		for _, role := range []schema.Role{schema.Revenue, schema.Gross, schema.Cost, schema.Paid, schema.Product} {
			giveNone(source, role)
		}
		return c.Heading, nil
	}
	return "", nil
}

// findMoved returns a balance, marked as one, and the columns by which it changes; none if it does not.
func findMoved(ctx context.Context, file *db.DataFile, source schema.Source, balance schema.Column) (schema.Column, []int, error) {
	for _, moved := range movements(source, balance) {
		var terms []string
		scale := balance.Scale
		for _, i := range moved {
			scale = max(scale, source.Columns[i].Scale)
		}
		unit := func(c schema.Column) string { return fmt.Sprintf("coalesce(%s, 0) * %d", c.Name, tenTo(scale-c.Scale)) }
		for n, i := range moved {
			term := unit(source.Columns[i])
			if n == 1 {
				term = "-abs(" + term + ")"
			}
			terms = append(terms, term)
		}
		held := fmt.Sprintf("%s * %d", balance.Name, tenTo(scale-balance.Scale))
		for _, neighbour := range []string{"lag", "lead"} {
			found, err := file.Query(ctx, 1, fmt.Sprintf(`
SELECT count(*), coalesce(sum(step = moved), 0)
FROM (
  SELECT %[1]s - %[2]s(%[1]s) OVER (ORDER BY rowid) AS step, %[3]s AS moved
  FROM %[4]s)
WHERE step IS NOT NULL AND moved <> 0`, held, neighbour, strings.Join(terms, " + "), source.From))
			if err != nil {
				return balance, nil, err
			}
			steps, alike := found.Rows[0][0].(int64), found.Rows[0][1].(int64)
			if steps >= leastSteps && float64(alike) >= agreement*float64(steps) {
				balance.Running, balance.NewestFirst = true, neighbour == "lead"
				balance.Role, balance.Unit = schema.None, schema.Money
				return balance, moved, nil
			}
		}
	}
	return balance, nil, nil
}

// movements returns the columns by which a balance may change: each amount, and what came in with what went out.
func movements(source schema.Source, balance schema.Column) (all [][]int) {
	of := func(words map[string]bool) int {
		return slices.IndexFunc(source.Columns, func(c schema.Column) bool { return isAmount(c) && hasWord(c.Heading, words) })
	}
	if in, out := of(creditWords), of(debitWords); in >= 0 && out >= 0 && in != out {
		all = append(all, []int{in, out})
	}
	for i, c := range source.Columns {
		if isAmount(c) && c.Heading != balance.Heading {
			all = append(all, []int{i})
		}
	}
	return all
}

func isAmount(c schema.Column) bool { return c.Type == schema.Number && c.Unit != schema.Percent }
