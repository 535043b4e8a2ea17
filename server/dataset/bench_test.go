package dataset_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"svc/server/dataset"
	"svc/server/sheet"
)

// salesFile returns a file of sales with fifteen columns.
func salesFile(rows int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("Order ID,Date,Time,Product,Category,Brand,Store,City,Customer,Payment Method,Quantity,Unit Price,Discount,Total,Member\n")
	for i := range rows {
		quantity, cents := 1+r.IntN(9), 100+r.IntN(20000)
		fmt.Fprintf(&b, "S-%07d,%02d/%02d/2024,%02d:%02d,Product %d,Category %d,Brand %d,Store %d,City %d,customer%d@example.com,%s,%d,$%d.%02d,0,$%d.%02d,%s\n",
			i/2, 1+r.IntN(12), 1+r.IntN(28), 8+r.IntN(12), r.IntN(60), r.IntN(500), r.IntN(12), r.IntN(40), r.IntN(6), r.IntN(80), r.IntN(20000),
			[]string{"Cash", "Card", "Voucher"}[r.IntN(3)], quantity, cents/100, cents%100, quantity*cents/100, quantity*cents%100, []string{"yes", "no"}[r.IntN(2)])
	}
	return b.String()
}

// BenchmarkBuild imports the largest file that the console takes.
func BenchmarkBuild(b *testing.B) {
	text := salesFile(200_000)
	dir := b.TempDir()
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		n++
		source, _, err := dataset.Build(b.Context(), "sales.csv", strings.NewReader(text), int64(len(text)), sheet.Limits{}, filepath.Join(dir, fmt.Sprint(n)))
		if err != nil || source.Rows != 200_000 {
			b.Fatal(source.Rows, err)
		}
	}
}
