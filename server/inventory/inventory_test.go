package inventory

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/server/gtin"
	"svc/server/money"
	"svc/server/sheet"
)

func parse(t *testing.T, name, content string, decimals int) Result {
	t.Helper()
	result, err := Parse(t.Context(), File{Name: name, Content: strings.NewReader(content), Size: int64(len(content)), Limits: sheet.Limits{}}, map[int]string{0: "jpy", 3: "kwd"}[decimals])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return result
}

// refusal returns the text of the *sheet.Error with which Parse refuses a file.
func refusal(t *testing.T, content string) string {
	t.Helper()
	_, err := Parse(t.Context(), File{Name: "x.csv", Content: strings.NewReader(content), Size: int64(len(content)), Limits: sheet.Limits{}}, "")
	if _, ok := errors.AsType[*sheet.Error](err); !ok {
		t.Fatalf("%.100q: got %v, want a *sheet.Error", content, err)
	}
	return err.Error()
}

func lines(all ...string) string { return strings.Join(all, "\n") }

// summary returns a result as text, with a line for each product, error and warning.
func summary(r Result) string {
	var b strings.Builder
	for _, p := range r.Products {
		fmt.Fprintf(&b, "%d %s", p.Line, p.Name)
		for _, part := range []struct{ label, text string }{
			{"sku", p.SKU}, {"barcodes", strings.Join(p.Barcodes, " ")}, {"price", amount(p.Price, 2)}, {"cost", amount(p.CostPrice, 2)},
			{"stock", amount(p.Stock, 3)}, {"reorder", amount(p.ReorderPoint, 3)}, {"unit", p.Unit}, {"category", p.Category}, {"aliases", strings.Join(p.Aliases, ", ")},
		} {
			if part.text != "" {
				fmt.Fprintf(&b, " | %s %s", part.label, part.text)
			}
		}
		b.WriteByte('\n')
	}
	for _, e := range r.Errors {
		fmt.Fprintln(&b, "error:", e)
	}
	for _, e := range r.Warnings {
		fmt.Fprintln(&b, "warning:", e)
	}
	if r.Skipped > 0 {
		fmt.Fprintln(&b, "skipped:", r.Skipped)
	}
	return b.String()
}

func amount(n *int64, places int) string {
	if n == nil {
		return ""
	}
	return money.Number(*n, places)
}

var update = flag.Bool("update", false, "rewrite testdata/*.txt")

func TestParseReadsExports(t *testing.T) {
	files, err := filepath.Glob("testdata/*.[ct]sv")
	if err != nil || len(files) != 15 {
		t.Fatalf("got %d files, %v; want 15", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := parse(t, file, string(content), 2)
			got := summary(r) + "\n"
			var fields []string
			for field, heading := range r.Columns {
				fields = append(fields, fmt.Sprintf("%s: %s\n", field, heading))
			}
			slices.Sort(fields)
			got += strings.Join(fields, "")

			gold := strings.TrimSuffix(file, filepath.Ext(file)) + ".txt"
			if *update {
				os.WriteFile(gold, []byte(got), 0o644)
			}
			want, err := os.ReadFile(gold)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// FuzzParse checks that each product has a name or a code, valid barcodes, and no
// negative prices.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.[ct]sv")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := Parse(t.Context(), File{Name: "x", Content: strings.NewReader(string(content)), Size: int64(len(content)), Limits: sheet.Limits{Rows: 1000}}, "")
		if _, ok := errors.AsType[*sheet.Error](err); err != nil && !ok {
			t.Fatal(err)
		}
		for _, p := range r.Products {
			if p.Name == "" && !p.hasCode() || p.Price != nil && *p.Price < 0 || p.CostPrice != nil && *p.CostPrice < 0 || p.ReorderPoint != nil && *p.ReorderPoint < 0 {
				t.Fatalf("%q: %+v", content, p)
			}
			for _, barcode := range p.Barcodes {
				if _, short := gtin.ParseUPCE(barcode); !short && !gtin.Valid(barcode) {
					t.Fatalf("%q: %+v", content, p)
				}
			}
		}
	})
}

// BenchmarkParse reads a list of a hundred thousand products.
func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("Name,SKU,Barcode,Price,Cost,Stock,Category\n")
	for i := range 100_000 {
		digits := fmt.Sprintf("%012d", 400_000_000_000+i)
		fmt.Fprintf(&text, "Product %d,sku-%d,%s%c,\"1,%03d.50\",4.20,%d,Tea\n", i, i, digits, gtin.CheckDigit(digits), i%1000, i)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Parse(b.Context(), File{Name: "x", Content: strings.NewReader(text.String()), Size: int64(text.Len()), Limits: sheet.Limits{}}, "")
		if err != nil || len(r.Products) != 100_000 {
			b.Fatal(err, len(r.Products), firstByLine(r.Errors))
		}
	}
}
