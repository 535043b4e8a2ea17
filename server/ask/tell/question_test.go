package tell_test

import (
	"strings"
	"testing"

	"svc/server/ask/tell"
)

// wantAnswers asks questions about one file; each row has a question and a part of its
// answer.
func wantAnswers(t *testing.T, file string, rows ...[2]string) {
	t.Helper()
	s := open(t, file)
	for _, row := range rows {
		a, _ := s.ask(t, row[0], tell.Options{})
		if !strings.Contains(a.Answer, row[1]) {
			t.Errorf("%q:\n got %s\nwant %s", row[0], a.Answer, row[1])
		}
	}
}

// walkIns has sales without a customer.
const walkIns = `Order Date,Product,Customer,Region,Quantity,Total Sales
2024-03-01,Tea,Ann,North,1,10.00
2024-03-02,Tea,,,1,30.00
2024-03-03,Mug,Bob,South,2,20.00
2024-03-04,Mug,,,1,40.00
2024-03-05,Tea,Bob,South,1,6.00
`

// Rows without a customer count on neither side of a quotient, and the answer says so.
func TestQuotientLeavesOutRowsWithBlanks(t *testing.T) {
	wantAnswers(t, walkIns,
		[2]string{"average spend per customer", "came to 18. 2 rows without Customer are left out, with 70 of revenue."},
		[2]string{"what share of sales is Bob", "Bob made up 72.22 % of revenue, which came to 36 in all. 2 rows without Customer are left out"},
		[2]string{"sales by product and region", "Together it is 36. 2 rows without Region are left out, with 70 of revenue."},
		[2]string{"total sales", "Revenue came to 106."},
	)
}

// In vending "card" is a heading and a value.
const vending = `date,datetime,cash_type,card,money,coffee_name
2024-03-01,2024-03-01 10:15:00,card,A-1,38.7,Latte
2024-03-01,2024-03-01 12:19:00,card,A-2,38.7,Cocoa
2024-03-02,2024-03-02 23:10:00,cash,,40.0,Latte
`

func TestValueWinsOverHeading(t *testing.T) {
	wantAnswers(t, vending,
		[2]string{"cash vs card", "card has the highest revenue for cash or card: 77.40. Then cash (40). The difference is 37.40."},
		[2]string{"which card spent most", "A-1 has the highest revenue"},
	)
}

func TestPeriodsAndComparedValues(t *testing.T) {
	wantAnswers(t, sales(),
		[2]string{"how much did north beat south by", "North has the highest revenue for North or South: 1,665. Then South (455). The difference is 1,210."},
		[2]string{"sales in North or South in January and February", "from January 2024 to February 2024: 1,355. Then South (300)."},
		[2]string{"sales in january and february", "Revenue from January 2024 to February 2024 came to 1,655."},
		[2]string{"average revenue per weekday", "By weekday, it was highest for Monday (23.85)"},
	)
}

// Both months count as many days, and the answer adds the whole of the earlier one.
func TestMonthSoFarIsComparedWithAsManyDays(t *testing.T) {
	s := open(t, sales())
	a, _ := s.ask(t, "revenue this month so far compared to last month", tell.Options{Today: today.AddDate(0, 0, -10)})
	for _, want := range []string{"315, down", "525 from 1 February 2024 to 21 February 2024", "All of February 2024 came to 725."} {
		if !strings.Contains(a.Answer, want) {
			t.Errorf("got %s\nwant %s", a.Answer, want)
		}
	}
}

// The last month of a list of monthly totals is as whole as the others.
func TestRowsOfMonthsCoverThem(t *testing.T) {
	wantAnswers(t, "Month,Takings\nJan 2024,1000\nFeb 2024,900\nMar 2024,500\n",
		[2]string{"which month was worst", "March 2024 has the lowest"},
		[2]string{"takings by month", "lowest for March 2024 (500). That is 800 a month on average."},
		[2]string{"takings in march compared to february", "down 44.44 %"},
	)
}

// What grows is money if the question does not say of what; how often it was sold is another figure.
func TestGrowthIsOfRevenue(t *testing.T) {
	wantAnswers(t, "Date,Product,Total Sales\n2023-02-01,Tea,10\n2023-02-02,Cake,500\n2024-02-01,Tea,5\n2024-02-02,Tea,5\n2024-02-03,Tea,5\n2024-02-04,Cake,900\n",
		[2]string{"which product grew most from 2023 to 2024", "Cake gained most in revenue"},
	)
}

// A group lacks what none of its rows is, whatever its other rows are.
func TestGroupsThatLackAValue(t *testing.T) {
	wantAnswers(t, "Date,Order,Product,Customer,Total Sales\n2024-01-05,A1,Tea,Ann,5\n2024-01-05,A1,Jam,Ann,9\n2024-02-06,A2,Tea,Bob,5\n2024-03-07,A3,Jam,Ann,9\n2024-03-08,A4,Mug,Cem,7\n",
		[2]string{"which months did we sell no jam", "1 month has no sales for Jam: February 2024."},
		[2]string{"which days in january did we sell no mugs", "1 day in January 2024 has no sales for Mug: 5 January 2024."},
		[2]string{"which customers bought no tea", "1 customer has no sales for Tea: Cem."},
		[2]string{"how many orders without jam", "2 orders have no sales for Jam."},
		[2]string{"customers without jam", "2 customers have no sales for Jam."},
		[2]string{"sales by month without jam", "Revenue without Jam came to 17."},
	)
}

// A month of which the data have only ten days is not compared as a whole one.
func TestComparisonWithPartialPeriodHasNoPercent(t *testing.T) {
	s := open(t, "Date,Product,Total Sales\n2024-02-20,Tea,10\n2024-02-21,Tea,20\n2024-03-01,Tea,90\n2024-03-31,Tea,60\n")
	a, _ := s.ask(t, "sales in march compared to february", tell.Options{})
	if want := "Revenue in March 2024 came to 150. In February 2024 it was 30, but the data only begin on 20 February 2024, so the two cannot be compared in full."; !strings.HasPrefix(a.Answer, want) {
		t.Errorf("got %s\nwant %s", a.Answer, want)
	}
	if a.Confidence != tell.Medium || a.Verdict != nil || len(a.KPICards) != 2 {
		t.Errorf("got %s, %v, %v", a.Confidence, a.Verdict, a.KPICards)
	}
}

func TestThirdDimensionIsRefused(t *testing.T) {
	wantAnswers(t, sales(),
		[2]string{"sales by store and month", "North, January 2024 has the highest revenue: 775."},
		[2]string{"sales by product, store and month", "two things at once"},
	)
}

func TestHours(t *testing.T) {
	wantAnswers(t, vending,
		[2]string{"sales between 9am and 12am", "117.40"},
		[2]string{"sales between 10pm and 2am", "40"},
		[2]string{"sales between 9am and 11am", "38.70"},
	)
	wantAnswers(t, sales(), [2]string{"best hour of the day", "have no time of the day"})
}

func TestLargestSaleIsOneOrder(t *testing.T) {
	wantAnswers(t, "Date,Order ID,Total Sales\n2024-03-01,A7,10\n2024-03-01,A7,20\n2024-03-02,B9,25\n2024-03-03,C3,5\n",
		[2]string{"what's the biggest single sale", "A7 has the highest revenue: 30."},
		[2]string{"biggest transaction", "A7 has the highest revenue: 30."},
	)
}

func TestGrowthComparesWithThePartBefore(t *testing.T) {
	wantAnswers(t, sales(),
		[2]string{"sales growth by month", "Revenue in March 2024 came to 465, down 35.86 % (260) from 725 the month before. The best change was in February 2024 (-22.04 %), the worst in March 2024 (-35.86 %)."},
		[2]string{"monthly sales growth in march 2024", "down 35.86 %"},
		[2]string{"sales growth by month in 2024", "down 35.86 %"},
	)
}

func TestCitiesOfOneNameAreSeparate(t *testing.T) {
	wantAnswers(t, "Date,City,State,Total Sales\n2024-03-01,Charleston,South Carolina,10\n2024-03-02,Charleston,West Virginia,20\n2024-03-02,Austin,Texas,25\n",
		[2]string{"sales by city", "Austin has the highest revenue: 25. Then Charleston, West Virginia (20) and Charleston, South Carolina (10)."},
		[2]string{"sales by state", "Texas has the highest revenue: 25. Then West Virginia (20)"},
	)
}

func TestNetAndGross(t *testing.T) {
	wantAnswers(t, "Date,Product,Gross Sales,Discounts,Sales\n2024-03-01,Tea,12.00,2.00,10.00\n2024-03-02,Tea,30.00,4.50,25.50\n",
		[2]string{"revenue after discounts", "Revenue came to 35.50. This is after discounts."},
		[2]string{"net sales", "Revenue came to 35.50. This is after discounts."},
	)
	wantAnswers(t, sales(), [2]string{"net sales", "There is no column of discounts in shop"})
}

// branches has three shops; two of them sell as much.
const branches = `Date,Time,Order ID,Shop,Product,Customer,Total Sales
2024-03-01,08:00:00,1,Quay,Tea,Ann,10
2024-03-02,09:30:00,2,Mill,Tea,,20
2024-03-10,14:00:00,3,Quay,Mug,Bob,10
2024-03-12,23:00:00,4,Park,Mug,,40
`

func TestQuestionsOfShopkeepers(t *testing.T) {
	wantAnswers(t, branches,
		[2]string{"second best shop", "Mill has the second highest revenue: 20, after Park (40). Quay shares this place with Mill."},
		[2]string{"best shop", "Park has the highest revenue: 40."},
		[2]string{"worst shop", "Mill has the lowest revenue: 20. Quay shares this place with Mill."},
		[2]string{"is it true that Park sells most", "Quay has the most units sold: 2. By revenue it is Park (40)."},
		[2]string{"is it true that Quay takes the most money", "Park has the highest revenue: 40."},
		[2]string{"revenue between 1 and 10 march 2024", "Revenue from 1 March 2024 to 10 March 2024 came to 40."},
		[2]string{"sales from 2 to 12 march", "Revenue from 2 March 2024 to 12 March 2024 came to 70."},
		[2]string{"how many sales without a customer", "Orders without Customer came to 2."},
		[2]string{"how many products", "There are 2 products."},
		[2]string{"sales between 8am and 10am", "Revenue from 08:00 to 10:00 came to 30."},
		[2]string{"hoeveel hebben we verkocht vorige maand", "Only questions in English are understood"},
		[2]string{"the second shop", "which place"},
	)
	equal := "Date,Product,Total Sales\n"
	for _, name := range strings.Fields("Ale Bun Cob Dip Egg Fig Gin Ham Ice") {
		equal += "2024-03-01," + name + ",10\n"
	}
	wantAnswers(t, equal, [2]string{"which product made the most money", "Bun, Cob, Dip, Egg, Fig and perhaps others share this place with Ale."})
	wantAnswers(t, sales(), [2]string{"why are sales so low in march", "down 35.86 %"})
}

func TestAdviceOnlyOnMerchandiseAndStores(t *testing.T) {
	s := open(t, sales())
	for question, want := range map[string]int{
		"best selling product": 1, "sales by store": 1, "top products by profit": 2,
		"cost by product": 0, "average sales by product": 0, "sales by month": 0,
	} {
		if a, _ := s.ask(t, question, tell.Options{}); len(a.Recommendations) != want {
			t.Errorf("%q: got %q, want %d", question, a.Recommendations, want)
		}
	}
	if a, _ := s.ask(t, "profit by store", tell.Options{}); len(a.Recommendations) == 0 || strings.Contains(strings.Join(a.Recommendations, " "), "Raise the price") {
		t.Errorf("got %q, want advice without a price", a.Recommendations)
	}
}
