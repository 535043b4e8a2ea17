package dataset

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"svc/db"
	"svc/server/money"
	"svc/server/schema"
)

// SampleName is the name of the dataset with sales that are made up, for an account that
// looks around.
const SampleName = "Sample sales"

const (
	sampleDays  = 365
	sampleLines = 6 // of a day, on average
)

// sampleGoods are what the made-up shop sells: prices are in cents.
var sampleGoods = []struct {
	name, category string
	price, cost    int
	share          int // of 100 lines
}{
	{"Flat White", "Coffee", 340, 95, 26}, {"Filter Coffee", "Coffee", 280, 60, 18}, {"Ground Coffee 250g", "Beans", 750, 420, 14},
	{"Almond Croissant", "Bakery", 320, 140, 20}, {"Assam Tea", "Tea", 260, 50, 12}, {"Ceramic Mug", "Goods", 1200, 560, 10},
}

var (
	samplePayments = []string{"Card", "Card", "Card", "Cash"}
	// sampleWeek has the sales of each weekday, Sunday first, in per cent of a usual day.
	sampleWeek = []int{90, 70, 80, 90, 100, 140, 170}
)

// Sample gives an account a dataset of made-up sales of the year before a day, in the place
// of one that it has.
func (s *Service) Sample(ctx context.Context, accountID string, today time.Time) (schema.Source, error) {
	text := sampleCSV(today)
	f := File{Name: SampleName + ".csv", Content: strings.NewReader(text), Size: int64(len(text)), Dataset: SampleName, Mode: Create}
	if _, _, err := s.find(ctx, accountID, SampleName); err == nil {
		f.Mode = Replace
	} else if !errors.Is(err, db.ErrNotFound) {
		return schema.Source{}, err
	}
	source, _, err := s.Import(ctx, accountID, f)
	return source, err
}

// sampleCSV returns the sales of the year before a day. The same day has the same sales.
func sampleCSV(today time.Time) string {
	random := rand.New(rand.NewPCG(uint64(today.Year()), uint64(today.YearDay())))
	var b strings.Builder
	b.WriteString("Date,Order,Product,Category,Quantity,Price,Unit cost,Payment\n")
	order := 1000
	for n := range sampleDays {
		day := today.AddDate(0, 0, n-sampleDays)
		lines := max(1, (sampleLines*sampleWeek[day.Weekday()]*(100+n/8)/10_000)+random.IntN(3)-1)
		for range lines {
			order++
			g := sampleGoods[pick(random)]
			fmt.Fprintf(&b, "%s,%d,%s,%s,%d,%s,%s,%s\n", day.Format(time.DateOnly), order, g.name, g.category, 1+random.IntN(3),
				money.Digits(int64(g.price), 2), money.Digits(int64(g.cost), 2), samplePayments[random.IntN(len(samplePayments))])
		}
	}
	return b.String()
}

// pick returns one of sampleGoods, each as often as its share.
func pick(random *rand.Rand) int {
	at := random.IntN(100)
	for i, g := range sampleGoods {
		if at -= g.share; at < 0 {
			return i
		}
	}
	return 0
}
