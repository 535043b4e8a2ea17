package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/db"
	"svc/server/header"
	"svc/server/schema"
)

// recognition is the version of withReversals. Sources of an earlier one are recognized
// anew when they are read.
const recognition = 10

// recognized returns the source with the roles and rules of cancelled and refunded sales,
// even if an earlier version imported it.
func (s *Service) recognized(ctx context.Context, source schema.Source) (schema.Source, error) {
	if source.Recognized == recognition {
		return source, nil
	}
	source.Columns = slices.Clone(source.Columns)
	for i, c := range source.Columns {
		role := hintOf(c.Heading)
		isNew := role == schema.Refund || role == schema.Cancelled
		if isNew && c.Role == schema.None && !c.Corrected && accepts(role, c) && !hasAny(source, role) {
			source.Columns[i].Role = role
		}
	}
	derive(&source)
	file, err := s.Open(source)
	if err != nil {
		return schema.Source{}, err
	}
	source, _, err = withReversals(ctx, file, source)
	return source, errors.Join(err, file.Close())
}

// withReversals returns the source with the rules by which its cancelled and refunded sales
// are recognized (I4). It reads the rows.
func withReversals(ctx context.Context, file db.Querier, source schema.Source) (schema.Source, []Warning, error) {
	source.Reversals, source.Totals, source.Recognized = nil, nil, recognition
	if source.Kind != schema.Sales && source.Kind != schema.Purchases {
		return source, nil, nil
	}
	source.Columns = slices.Clone(source.Columns)
	f := &reversals{file: file, source: source, amount: amountSQL(source)}
	if source.Kind == schema.Purchases { // some may have been cancelled, and some credited
		err := f.find(ctx, f.types, f.creditNotes, f.states, f.belowZero, f.markReturns)
		source.Reversals = slices.DeleteFunc(f.rules, func(r schema.Reversal) bool {
			return !slices.Contains([]schema.ReversalKind{schema.CancelledSale, schema.DraftSale, schema.Return}, r.Kind)
		})
		return source, nil, err
	}
	if err := f.orderAmounts(ctx); err != nil {
		return source, nil, err
	}
	if err := f.totals(ctx); err != nil {
		return source, nil, err
	}
	f.amount, f.isLedger = amountSQL(source), f.export().isLedger()
	err := f.find(ctx, f.types, f.creditNotes, f.states, f.days, f.belowZero, f.refunds, f.markReturns, f.alikeColumns)
	if err != nil {
		return source, nil, err
	}
	source.Reversals, source.Totals = f.rules, f.source.Totals
	return source, f.doubts, nil
}

// find finds the rules of some kinds, each beside those that were found before.
func (f *reversals) find(ctx context.Context, finders ...func(context.Context) error) error {
	for _, find := range finders {
		if err := find(ctx); err != nil {
			return err
		}
	}
	return nil
}

// export returns the format of the file, or nil.
func (f *reversals) export() *export {
	var folded []string
	for _, c := range f.source.Columns {
		folded = append(folded, header.Fold(c.Heading))
	}
	return exportOf(folded)
}

// isLedger reports whether refunds are rows of their own by the format of the file.
func (e *export) isLedger() bool { return e != nil && e.ledger }

// reversals finds the rules of a source.
type reversals struct {
	file     db.Querier
	source   schema.Source
	amount   string // expression of what a row sold for, or of its pieces
	isLedger bool
	rules    []schema.Reversal
	doubts   []Warning
}

// amountSQL returns the expression of a row's amount, of a purchase what it cost, else of its pieces, else 0.
func amountSQL(s schema.Source) string {
	units := func(r schema.Role) string {
		c, ok := s.ByRole(r)
		if !ok || c.Type != schema.Number {
			return ""
		}
		return unitsSQL(c)
	}
	price, quantity := units(schema.Price), units(schema.Quantity)
	product, cost := "", ""
	if s.Kind == schema.Purchases {
		cost = units(schema.Cost)
	}
	if price != "" && quantity != "" {
		product = "(" + price + " * " + quantity + ")"
	}
	return cmp.Or(cost, units(schema.Revenue), units(schema.Gross), product, price, quantity, "0")
}

// unitsSQL returns a column of numbers in whole units.
func unitsSQL(c schema.Column) string {
	return "(" + c.Name + " / 1" + strings.Repeat("0", c.Scale) + ".0)"
}

// centsSQL returns an expression in whole units rounded to hundredths, as integers.
func centsSQL(expression string) string { return "CAST(round(" + expression + " * 100) AS INTEGER)" }

func (f *reversals) doubt(column, format string, args ...any) {
	f.doubts = append(f.doubts, Warning{Heading: column, Reason: fmt.Sprintf(format, args...)})
}

// statement collects the bound values of a query.
type statement struct{ args []any }

func (s *statement) bind(v any) string {
	s.args = append(s.args, v)
	return fmt.Sprintf("?%d", len(s.args))
}

// condition returns the SQL of the rows that one of the rules recognizes.
func (f *reversals) condition(s *statement, rules []schema.Reversal) string {
	out := []string{"0"}
	for _, r := range rules {
		out = append(out, r.Condition(f.source.Columns[findColumn(f.source, r.Column)], s.bind))
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

// numbers reads one row of integers; a NULL is 0.
func (f *reversals) numbers(ctx context.Context, s *statement, expressions ...string) ([]int64, error) {
	found, err := f.file.Query(ctx, 1, "SELECT "+strings.Join(expressions, ", ")+" FROM "+f.source.From, s.args...)
	if err != nil {
		return nil, err
	}
	all := make([]int64, len(expressions))
	for i, v := range found.Rows[0] {
		all[i], _ = v.(int64)
	}
	return all, nil
}

func countIf(conditions ...string) string {
	return "count(*) FILTER (WHERE " + strings.Join(conditions, " AND ") + ")"
}

// mostStates bounds the values of a column of states or types.
const mostStates = 200

// valueCount is a value of a column, its rows, those with an amount above zero, and whether the amounts are below
// zero in all.
type valueCount struct {
	value         string
	rows, charged int64
	isBelow       bool
}

// counts returns the values of a column for which the function holds, without the rows that
// take sales back by the rules found so far: their state is that of the refund.
func (f *reversals) counts(ctx context.Context, c schema.Column, wanted func(string) bool) (all []valueCount, err error) {
	if c.Distinct > mostStates || c.Type == schema.Text && !slices.ContainsFunc(c.Values, wanted) {
		return nil, nil
	}
	s := &statement{}
	found, err := f.file.Query(ctx, mostStates, fmt.Sprintf("SELECT %[1]s, count(*), total(%[2]s) < 0, count(*) FILTER (WHERE %[2]s > 0) FROM %[3]s WHERE %[1]s IS NOT NULL AND %[4]s IS NOT TRUE GROUP BY 1 ORDER BY 2 DESC, 1",
		c.Name, f.amount, f.source.From, f.condition(s, f.of(schema.Return))), s.args...)
	if err != nil {
		return nil, err
	}
	for _, row := range found.Rows {
		if text := fmt.Sprint(row[0]); wanted(text) {
			all = append(all, valueCount{text, row[1].(int64), row[3].(int64), row[2].(int64) == 1})
		}
	}
	return all, nil
}

// rule returns the rule of some values of a column.
func rule(kind schema.ReversalKind, column string, values []valueCount) schema.Reversal {
	r := schema.Reversal{Kind: kind, Column: column}
	for _, v := range values {
		r.Values, r.Counts, r.Rows = append(r.Values, v.value), append(r.Counts, v.rows), r.Rows+v.rows
	}
	return r
}

// states finds the states of sales in columns of texts, or of yes and no.
func (f *reversals) states(ctx context.Context) error {
	for _, c := range f.source.Columns {
		of := stateOf
		if payments := ofPayments(c.Values); tellsState(c) && payments != nil {
			of = payments
		}
		if c.Type == schema.Truth && !isDropped(c) {
			of = func(v string) state { return map[string]state{"1": flagOf(c.Heading), "0": absence(c.Heading)}[v] }
		} else if !tellsState(c) {
			continue
		} else if absence(c.Heading) != stands {
			of = attendance
		}
		found, err := f.counts(ctx, c, func(v string) bool { return of(v) != stands })
		if err != nil {
			return err
		}
		byState := map[state][]valueCount{}
		var returns []valueCount
		for _, v := range found {
			if v.isBelow { // these rows take a sale back; others are that sale
				returns = append(returns, v)
			} else {
				byState[of(v.value)] = append(byState[of(v.value)], v)
			}
		}
		if err := f.addStates(ctx, c, byState, returns); err != nil {
			return err
		}
	}
	return nil
}

func (f *reversals) addStates(ctx context.Context, c schema.Column, byState map[state][]valueCount, returns []valueCount) error {
	if len(returns) > 0 {
		f.rules = append(f.rules, rule(schema.Return, c.Heading, returns))
	}
	if dropped := withoutCharged(byState[cancelled]); len(dropped) > 0 {
		if err := f.addWhole(ctx, rule(schema.CancelledSale, c.Heading, dropped)); err != nil {
			return err
		}
	}
	if err := f.addMissed(ctx, rule(schema.MissedSale, c.Heading, byState[missed])); err != nil {
		return err
	}
	if drafts := rule(schema.DraftSale, c.Heading, byState[draft]); drafts.Rows > 0 && (2*drafts.Rows < f.source.Rows || ofPayments(c.Values) != nil) {
		f.rules = append(f.rules, drafts)
	}
	if f.isLedger {
		return nil
	}
	if len(byState[inPart]) > 0 && !hasAny(f.source, schema.Refund) {
		f.rules = append(f.rules, rule(schema.RefundUnknown, c.Heading, byState[inPart]))
	}
	back := rule(schema.RefundedSale, c.Heading, byState[refunded])
	if back.Rows == 0 || 2*back.Rows > f.source.Rows {
		return nil // what most rows are is no exception: what was hired out is returned
	}
	return f.addWhole(ctx, back)
}

// withoutCharged leaves out the cancellations that were charged for, such as late ones, where others have no amounts:
// what customers still pay is a sale.
func withoutCharged(values []valueCount) []valueCount {
	isCharged := func(v valueCount) bool { return 2*v.charged > v.rows && !hasWord(v.value, refundWords) }
	free := slices.DeleteFunc(slices.Clone(values), isCharged)
	if len(free) == 0 || slices.ContainsFunc(free, func(v valueCount) bool { return 10*v.charged >= v.rows }) {
		return values
	}
	return free
}

// addMissed adds the rule of bookings to which nobody came. They count if most of them were paid: then they
// were charged for.
func (f *reversals) addMissed(ctx context.Context, r schema.Reversal) error {
	if r.Rows == 0 {
		return nil
	}
	for _, paid := range f.paidConditions(r) {
		s := &statement{}
		n, err := f.numbers(ctx, s, countIf(f.condition(s, []schema.Reversal{r}), paid))
		if err != nil || 2*n[0] > r.Rows {
			return err
		}
	}
	charged, err := f.isCharged(ctx, r)
	if !charged && err == nil {
		f.rules = append(f.rules, r)
	}
	return err
}

// paidConditions returns the conditions of columns that say whether a row was paid.
func (f *reversals) paidConditions(r schema.Reversal) (all []string) {
	for _, c := range f.source.Columns {
		switch isPaid := c.Role == schema.Payment || hasWord(writtenOut(header.Fold(c.Heading)), paidWords); {
		case !isPaid || c.Heading == r.Column:
		case c.Type == schema.Truth || c.Type == schema.Number:
			all = append(all, c.Name+" > 0")
		default:
			all = append(all, c.Name+" IS NOT NULL")
		}
	}
	return all
}

// isCharged reports whether most of some rows have an amount, where those that were cancelled have none:
// the amounts are what was charged.
func (f *reversals) isCharged(ctx context.Context, r schema.Reversal) (bool, error) {
	amount, ok := f.source.ByRole(schema.Revenue)
	cancelled := f.of(schema.CancelledSale)
	if !ok || len(cancelled) == 0 {
		return false, nil
	}
	s := &statement{}
	n, err := f.numbers(ctx, s, countIf(f.condition(s, []schema.Reversal{r}), amount.Name+" > 0"), countIf(f.condition(s, cancelled), amount.Name+" > 0"), countIf(f.condition(s, cancelled)))
	return err == nil && 2*n[0] > r.Rows && 10*n[1] < n[2], err
}

// addWhole adds the rule of sales that do not count, unless rows of their own take them back:
// then both count, or the sales would be taken back twice.
func (f *reversals) addWhole(ctx context.Context, r schema.Reversal) error {
	isBack, err := f.areBack(ctx, r, f.amount)
	if isBack {
		f.doubt(r.Column, "the %s rows count, since other rows take them back", r.Kind)
	} else {
		f.rules = append(f.rules, r)
	}
	return err
}

// areBack reports whether other rows, below zero or recognized as returns, already take back
// an amount of the rows of a rule: nearly all of them have such a row in their order, and it
// is about as much in all. Refunds may be in orders of their own, then with the same amount
// and product. A row that the rule recognizes takes no cancelled sale back, since it does
// not count either.
func (f *reversals) areBack(ctx context.Context, r schema.Reversal, amount string) (bool, error) {
	s := &statement{}
	condition := f.condition(s, []schema.Reversal{r})
	isReturn := f.condition(s, f.of(schema.Return))
	isGiven := condition + " AND " + amount + " > 0 AND " + isReturn + " IS NOT TRUE"
	takesBack := "(" + f.amount + " < 0 OR " + isReturn + ")"
	matched := []string{"0"}
	if r.Kind == schema.CancelledSale {
		takesBack += " AND " + condition + " IS NOT TRUE"
	} else {
		matched = append(matched, f.hasTwin(amount, takesBack))
	}
	if order, ok := f.source.ByRole(schema.Order); ok && order.Distinct < f.source.Rows {
		matched = append(matched, fmt.Sprintf("%[1]s IN (SELECT %[1]s FROM %[2]s WHERE %[3]s)", order.Name, f.source.From, takesBack))
	}
	n, err := f.numbers(ctx, s, countIf(isGiven), countIf(isGiven, "("+strings.Join(matched, " OR ")+")"),
		centsSQL(fmt.Sprintf("total(%s) FILTER (WHERE %s)", amount, isGiven)),
		centsSQL(fmt.Sprintf("total(abs(%s)) FILTER (WHERE %s)", f.amount, takesBack)))
	return err == nil && n[0] > 0 && float64(n[1]) >= agreement*float64(n[0]) && float64(n[3]) >= agreement*float64(n[2]), err
}

// hasTwin returns the condition that a row which takes a sale back has an amount, and the
// product of the row with it or one that is never sold, such as "Refund".
func (f *reversals) hasTwin(amount, takesBack string) string {
	cents, back := centsSQL(amount), fmt.Sprintf("%s FROM %s WHERE %s", centsSQL("abs("+f.amount+")"), f.source.From, takesBack)
	c, ok := f.source.ByRole(schema.Product)
	if !ok {
		return cents + " IN (SELECT " + back + ")"
	}
	sold := fmt.Sprintf("SELECT %[1]s FROM %[2]s WHERE %[1]s IS NOT NULL AND (%[3]s) IS NOT TRUE", c.Name, f.source.From, takesBack)
	return fmt.Sprintf("((%[1]s, %[2]s) IN (SELECT %[1]s, %[3]s) OR %[2]s IN (SELECT %[3]s AND (%[1]s IS NULL OR %[1]s NOT IN (%[4]s))))", c.Name, cents, back, sold)
}

// days finds the days of cancellations.
func (f *reversals) days(ctx context.Context) error {
	c, ok := f.source.ByRole(schema.Cancelled)
	if !ok {
		return nil
	}
	return f.addWhole(ctx, schema.Reversal{Kind: schema.CancelledSale, Column: c.Heading, Rows: f.source.Rows - c.Blank})
}

// types finds kinds of rows that take a sale back, such as credit notes, and those of sales that
// were voided.
func (f *reversals) types(ctx context.Context) error {
	for _, c := range f.source.Columns {
		if !tellsType(c) {
			continue
		}
		areCodes := !slices.ContainsFunc(c.Values, func(v string) bool { return len(v) > 2 })
		found, err := f.counts(ctx, c, func(v string) bool { return isReturn(v) || isVoid(v) || areCodes && strings.EqualFold(v, "v") }) // beside other codes, of what nothing was taken for
		if err != nil {
			return err
		}
		var returns, voided []valueCount
		for _, v := range found {
			if isReturn(v.value) || v.isBelow {
				returns = append(returns, v)
			} else if isVoid(v.value) || v.charged == 0 {
				voided = append(voided, v)
			}
		}
		if len(returns) > 0 {
			f.rules = append(f.rules, rule(schema.Return, c.Heading, returns))
		}
		if len(voided) == 0 {
			continue
		}
		if err := f.addWhole(ctx, rule(schema.CancelledSale, c.Heading, voided)); err != nil {
			return err
		}
	}
	return nil
}
