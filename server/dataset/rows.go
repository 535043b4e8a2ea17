package dataset

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"svc/db"
	"svc/server/schema"
)

// Export calls head with the headings of a dataset, and then row with the cells of each of
// its rows as they were typed. Of a dataset that an earlier version made, the cells are as
// they were read.
func (s *Service) Export(ctx context.Context, accountID, id string, head, row func(cells []string) error) error {
	source, err := s.Find(ctx, accountID, id)
	if err != nil {
		return err
	}
	file, err := s.Open(source)
	if err != nil {
		return err
	}
	defer file.Close() // it is only read

	width := 0
	err = db.EachRaw(ctx, file, func(r db.RawRow) error {
		cells, err := parseCells(r.Cells, width)
		if err != nil {
			return err
		}
		if width == 0 {
			width = len(cells)
			return head(cells)
		}
		return row(cells)
	})
	if errors.Is(err, db.ErrNotFound) {
		err = exportRead(ctx, file, source, head, row)
	}
	return err
}

// exportPage is how many rows are read at once.
const exportPage = 1000

// exportRead is Export of a dataset without raw rows.
func exportRead(ctx context.Context, file *db.DataFile, source schema.Source, head, row func(cells []string) error) error {
	var headings, names []string
	for _, c := range source.Columns {
		headings, names = append(headings, c.Heading), append(names, c.Name)
	}
	if err := head(headings); err != nil {
		return err
	}
	text := fmt.Sprintf("SELECT rowid, %s FROM rows WHERE rowid > $1 ORDER BY rowid", strings.Join(names, ", "))
	for last, more := int64(0), true; more; {
		page, err := file.Query(ctx, exportPage, text, last)
		if err != nil {
			return err
		}
		for _, values := range page.Rows {
			last = values[0].(int64)
			cells := make([]string, len(source.Columns))
			for i, value := range values[1:] {
				cells[i] = cellText(source.Columns[i], value)
			}
			if err := row(cells); err != nil {
				return err
			}
		}
		more = page.More
	}
	return nil
}

// cellText returns a stored value as text.
func cellText(c schema.Column, value any) string {
	n, isInteger := value.(int64)
	switch {
	case value == nil:
		return ""
	case isInteger && c.Type == schema.Number:
		return big.NewRat(n, int64(math.Pow10(c.Scale))).FloatString(c.Scale) + c.Suffix
	}
	return fmt.Sprint(value)
}
