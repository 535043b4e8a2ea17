package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/ask/compute"
	asked "svc/server/ask/plan"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/sheet"
)

// errEnough ends the reading of rows of which there are enough.
var errEnough = errors.New("enough rows")

// fill reads the first rows and the revenue of a built file.
func (p *Preview) fill(ctx context.Context, file *db.DataFile, source schema.Source) error {
	isHead := true
	err := db.EachRaw(ctx, file, func(r db.RawRow) error {
		if isHead {
			isHead = false
			return nil
		}
		var cells []string
		if err := json.Unmarshal([]byte(r.Cells), &cells); err != nil {
			return err
		}
		p.Cells = append(p.Cells, firstCells(cells, p.From, len(source.Columns)))
		if len(p.Cells) == previewRows {
			return errEnough
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	p.Revenue, err = revenue(ctx, file, source)
	return err
}

// firstCells returns the cells of a row that a preview shows from a column on.
func firstCells(cells []string, from, columns int) []string {
	out := make([]string, min(columns-from, previewColumns))
	for i := range min(len(out), len(cells)-from) {
		runes := []rune(strings.Join(strings.Fields(cells[from+i]), " "))
		if len(runes) > previewCell {
			runes = append(runes[:previewCell-1], '…')
		}
		out[i] = string(runes)
	}
	return out
}

// revenue returns what all rows of a source come to, as questions are answered; "" if it has
// no revenue, or that of several currencies. Totals that rows leave blank are computed.
func revenue(ctx context.Context, table compute.Table, source schema.Source) (string, error) {
	source = source.WithTotals()
	total := asked.Plan{Source: source.ID, Measures: []asked.Measure{{Metric: asked.Revenue}}}
	if source.Mixed || asked.Check(total, source) != nil {
		return "", nil
	}
	result, err := compute.Run(ctx, table, source, total)
	if err != nil || len(result.Total.Now) == 0 || result.Total.Now[0] == nil {
		return "", err
	}
	places := money.Decimals(source.Currency)
	return money.Mark(money.BigDigits(compute.Rounded(result.Total.Now[0], places), places), source.Currency), nil
}

// describe adds what an import would make.
func (p *Preview) describe(source schema.Source, report Report) {
	p.Rows, p.First, p.Last, p.Kind = source.Rows, source.First, source.Last, source.Kind
	p.Made, p.Fits, p.Sheets = madeOf(source), report.Fits, sheet.Briefs(report.Tables)
	p.All = len(source.Columns)
	for _, c := range source.Columns[p.From:min(p.All, p.From+previewColumns)] {
		p.Columns = append(p.Columns, PreviewColumn{Heading: c.Heading, Holds: heldText(c), Role: c.Role, Corrected: c.Corrected, Roles: rolesOf(c)})
	}
	p.Warnings = append(slices.Clone(report.Warnings), ReversalTexts(source)...)
	p.Notes = notesOf(source, report)
}

// rolesOf returns the roles that a column can have.
func rolesOf(c schema.Column) (roles []schema.Role) {
	for _, role := range rolesInOrder {
		if accepts(role, c) {
			roles = append(roles, role)
		}
	}
	return roles
}

// IsStatement reports whether a source has a running balance, and so the amounts of an account.
func IsStatement(source schema.Source) bool {
	return slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return c.Running })
}

// madeOf returns what the revenue is made of if no column has it, like "Price × Units".
func madeOf(source schema.Source) string {
	terms, _ := asked.Terms(source, asked.Revenue)
	if _, ok := source.ByRole(schema.Revenue); ok {
		return ""
	}
	text := ""
	for _, t := range terms {
		var names []string
		for _, c := range t.Factors {
			names = append(names, c.Heading)
		}
		if text != "" {
			text += map[bool]string{true: " − ", false: " + "}[t.Minus]
		}
		text += strings.Join(names, " × ")
	}
	return text
}

// UnsoldNote says which rows are left out since they are no sales, as a sentence without a full stop; "" if
// there are none.
func (r Report) UnsoldNote() string {
	switch r.Unsold {
	case 0:
		return ""
	case 1:
		return "1 row is no sale, such as a pending payment, a bank transfer or the sum of an order, and is left out"
	}
	return money.Digits(int64(r.Unsold), 0) + " rows are no sales, such as pending payments, bank transfers or sums of orders, and are left out"
}

// notesOf returns sentences on what of the file is not read, and on what it lacks.
func notesOf(source schema.Source, report Report) (notes []string) {
	add := func(n int, one, many string) {
		switch {
		case n == 1:
			notes = append(notes, one)
		case n > 1:
			notes = append(notes, fmt.Sprintf(many, money.Digits(int64(n), 0)))
		}
	}
	skipped := report.Skipped
	add(skipped.Before, "1 row above the headings is not read.", "%s rows above the headings are not read.")
	add(skipped.Beyond, "1 row has text to the right of the last heading, which is not read.", "%s rows have text to the right of the last heading, which is not read.")
	add(skipped.Blank+skipped.Repeated+skipped.Totals, "1 row is no data, such as a total, and is left out.", "%s rows are no data, such as totals, and are left out.")
	if note := report.UnsoldNote(); note != "" {
		notes = append(notes, note+".")
	}
	add(report.Odd, "1 cell does not fit its column and is left blank.", "%s cells do not fit their columns and are left blank.")
	add(report.Respelled, "1 cell differs in case or spaces alone from a text that is more usual, and counts as it.", "%s cells differ in case or spaces alone from texts that are more usual, and count as those.")
	add(report.Repeated, "1 row is left out, since a later sheet has the same sale again.", "%s rows are left out, since a later sheet has the same sales again.")
	add(report.Alike, "1 row is equal to one of a later sheet. Both count.", "%s rows are equal to some of a later sheet. All count.")
	if t := source.Totals; t != nil {
		made := fmt.Sprintf("no %s, which is computed as %s × %s.", t.Total, t.Quantity, t.Price)
		add(int(t.Rows), "1 row has "+made, "%s rows have "+strings.ReplaceAll(made, "%", "%%"))
	}
	if !hasAny(source, schema.Day) {
		notes = append(notes, "No column of days was found, so nothing can be told by time.")
	}
	if !hasAny(source, schema.Revenue, schema.Gross, schema.Price, schema.Quantity, schema.Stock, schema.Cost) && !IsStatement(source) {
		notes = append(notes, "No column of amounts was recognised. Choose the one with revenue, price or quantity.")
	}
	return notes
}
