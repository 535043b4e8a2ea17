package insight

import "fmt"

// maxRows is how many rows of evidence an alert has.
const maxRows = 20

// found makes a finding of rows, each of which is a subject with an id and a name.
func found[T any](rows []T, key func(T) (id, name string)) (f finding) {
	for n, row := range rows {
		id, name := key(row)
		f.subjects = append(f.subjects, id)
		if n < maxRows {
			f.rows = append(f.rows, row)
			f.rowNames = append(f.rowNames, name)
		}
	}
	f.total = len(rows)
	return f
}

// productsFound is found with the number of products as the figure.
func productsFound[T any](rows []T, key func(T) (id, name string)) finding {
	f := found(rows, key)
	f.figure = counted(len(rows), "product")
	return f
}

// names returns the names of the rows for listed.
func (f finding) names() []string {
	names := append([]string{}, f.rowNames...)
	for len(names) < f.total {
		names = append(names, "")
	}
	return names
}

// isAre writes what the rows are: "Tea is …", "3 products are …".
func isAre(f finding, what string) string {
	if f.total == 1 {
		return fmt.Sprintf("%s is %s", f.rowNames[0], what)
	}
	return fmt.Sprintf("%s are %s", f.figure, what)
}
