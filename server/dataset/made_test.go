package dataset_test

import (
	"fmt"
	"testing"

	"svc/db/dbtest"
	"svc/server/schema"
)

// Columns that the figures need and that a file has in parts only are made of them.
func TestMadeColumns(t *testing.T) {
	dbtest.Sequential(t)
	for name, c := range map[string]struct {
		text string
		sums map[string]string // by expression
	}{
		"stock of two places": {
			"Item,Supplier,Cost,RRP,Shop,Stockroom,Reorder Level\nJug,Acme,2.50,6.00,4,10,6\nMug,Acme,1.00,3.00,0,,2\nBowl,Beta,4.00,9.00,1,0,2\n",
			map[string]string{"sum({stock})": "15", "sum({stock} * {unit_cost})": "390", "sum({stock} IS NULL)": "0"},
		},
		"commission of sales": {
			"Sold On,Artist,Work,List $,Sale Price,Comm %,Buyer\n10/01/2024,Ann,Blue,500.00,450.00,40,Bob\n10/02/2024,Cy,Red,101.01,101.01,50,Dee\n10/13/2024,Cy,Sea,,,45,Eve\n",
			map[string]string{"sum(c8)": "23051"},
		},
		"tiles in boxes": {
			"Code,Description,Supplier,m2/box,Shop,Warehouse,Cost,Sell,Re-ord\nT1,Grey,Acme,1.08,6,4,17.49,29.99,10\nT2,Tap,Acme,,2,1,40.00,90.00,1\nT3,White,Acme,1.44,,,14.21,32.99,6\n",
			map[string]string{"sum(c11)": "1080", "sum({stock})": "13", "sum({stock} = 0)": "1"},
		},
		"cases and loose bottles": {
			"Product,Category,Case Qty,Cases,Loose,Cost per Case,Price\nGin,Spirits,6,2,1,60.00,15.50\nRum,Spirits,6,0,5,72.00,18.00\nCider,Beer,12,1,,18.00,2.50\n",
			map[string]string{"sum({stock})": "30", "max({unit_cost})": "12000000", "min({unit_cost})": "1500000"},
		},
		"tax of a rate": {
			"Bill No,Date,Supplier,Item,Net,VAT %,Gross\n" + lines(8, func(i int) string {
				return fmt.Sprintf("B%d,2024-01-%02d,Acme,Tea,%d.00,20,%d.00\n", i, i+1, 10*(i+1), 12*(i+1))
			}),
			map[string]string{"sum({tax})": "72"},
		},
		"takings of a till": {
			"Date,Ticket £,Bar £,Food £,Card,Cash,Refunds\n2024-01-01,100.00,20.00,10.50,110.00,20.50,\n2024-01-02,80.00,15.00,5.00,70.00,20.00,10.00\n",
			map[string]string{"sum({revenue})": "2205", "count(*)": "2"},
		},
		"takings of its own": {
			"Date,Bar £,Food £,Card,Cash,Refunds,Takings\n2024-01-01,20.00,10.50,10.00,20.50,,30.50\n2024-01-02,15.00,5.00,10.00,10.00,10.00,20.00\n",
			map[string]string{"sum({revenue})": "505", "sum({refund})": "10"},
		},
		"what is owed on each line of an invoice": {
			"Invoice No,Invoice Date,Client,Description,Quantity,Line Amount,Amount Due\nA1,2024-01-01,Al,Bolt,1,9.00,0.00\nA1,2024-01-01,Al,Nut,1,6.00,0.00\nB2,2024-01-02,Bo,Bolt,1,9.00,13.00\nB2,2024-01-02,Bo,Cog,1,4.00,13.00\n" +
				"C3,2024-01-03,Al,Bolt,1,9.00,16.00\nC3,2024-01-03,Al,Pin,1,7.00,16.00\nD4,2024-01-04,Cy,Nut,1,6.00,10.00\nD4,2024-01-04,Cy,Cog,1,4.00,10.00\n" +
				"E5,2024-01-05,Al,Bolt,1,9.00,15.00\nE5,2024-01-05,Al,Nut,1,6.00,15.00\nF6,2024-01-06,Al,Bolt,1,9.00,15.00\nF6,2024-01-06,Al,Nut,1,6.00,15.00\n",
			map[string]string{"sum({owed})": "69", "count({owed})": "6"},
		},
		"postage on each line of an order": {
			"Order ID,Sale Date,Item,Quantity,Item Total,Order Shipping\nA1,2024-01-01,Mug,1,9.00,3.50\nA1,2024-01-01,Jug,1,6.00,3.50\nB2,2024-01-02,Mug,1,9.00,0.00\nB2,2024-01-02,Bowl,1,4.00,0.00\n" +
				"C3,2024-01-03,Mug,1,9.00,3.50\nC3,2024-01-03,Jug,1,6.00,3.50\nD4,2024-01-04,Mug,1,9.00,8.00\nD4,2024-01-04,Jug,1,6.00,8.00\nE5,2024-01-05,Mug,1,9.00,3.50\nE5,2024-01-05,Jug,1,6.00,3.50\n" +
				"F6,2024-01-06,Mug,1,9.00,3.50\nF6,2024-01-06,Jug,1,6.00,3.50\nG7,2024-01-07,Jug,1,6.00,4.00\n",
			map[string]string{"sum({shipping})": "260", "count({shipping})": "7"},
		},
		"an order of several items": {
			"Sales record number,Order number,Buyer username,Buyer country,Item number,Item title,Quantity,Sold for,Postage and packaging,Total price,Sale date\n" +
				"1,A1,ann,United Kingdom,,,2,£15.00,£3.00,£18.00,3-Mar-25\n1,A1,ann,,101,Record,1,£9.00,£2.00,,3-Mar-25\n1,A1,ann,,102,Sleeve,1,£6.00,£1.00,,3-Mar-25\n2,A2,bob,France,101,Record,1,£9.00,£5.00,£14.00,4-Mar-25\n\n\"2\",record(s) downloaded,,,,,,,,,\n",
			map[string]string{"sum({price} * {quantity})": "24", "count(DISTINCT {order})": "2", "count(*)": "3", "count({country})": "3", "sum({shipping})": "8"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			source, _, file := buildText(t, c.text)
			for expression, want := range c.sums {
				if got := figure(t, source, file, expression); got != want {
					t.Errorf("%s: got %s, want %s", expression, got, want)
				}
			}
		})
	}
}

// Columns are made only where nothing else tells.
func TestMadeOfNothing(t *testing.T) {
	for name, text := range map[string]string{
		"a total":        "Item,Supplier,Cost,RRP,Shop,Stockroom,Total Stock\nJug,Acme,2.50,6.00,4,10,14\nMug,Acme,1.00,3.00,0,2,2\n",
		"codes of shops": "Date,Order ID,Item,Shop,Quantity,Total\n2024-01-01,1,Jug,4,1,6.00\n2024-01-02,2,Mug,5,1,3.00\n",
		"takings beside": "Date,Takings,Bar £,Food £,Card,Cash\n2024-01-01,130.50,20.00,10.50,110.00,20.50\n2024-01-02,100.00,15.00,5.00,70.00,30.00\n",
		"other amounts": "Bill No,Date,Supplier,Item,Net,VAT %,Gross\n" + lines(8, func(i int) string {
			return fmt.Sprintf("B%d,2024-01-%02d,Acme,Tea,%d.00,20,%d.00\n", i, i+1, 10*(i+1), 17*(i+1))
		}),
		"one way of them": "Date,Bar £,Food £,Card\n2024-01-01,20.00,10.50,30.50\n2024-01-02,15.00,5.00,20.00\n",
	} {
		source, _, _ := buildText(t, text)
		for _, c := range source.Columns {
			if c.Role == schema.Tax {
				t.Errorf("%s: made %s", name, c.Heading)
			}
			if c.Heading == "Total stock" && name != "a total" || c.Heading == "Takings" && c.Role == schema.Revenue && name != "takings beside" {
				t.Errorf("%s: made %s", name, c.Heading)
			}
		}
	}
}
