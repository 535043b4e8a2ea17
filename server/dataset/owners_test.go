package dataset_test

import (
	"fmt"
	"testing"

	"svc/db/dbtest"
	"svc/server/schema"
)

// Owners call the columns of their sheets as they like, and cut the words short.
func TestRolesOfOwnersSheets(t *testing.T) {
	dbtest.Sequential(t)
	for _, c := range []struct{ name, text, want string }{
		{
			"PlacesCutShort", "Code,Item,Supplier,Cost,RRP,Shop,W/hse,Reorder @\n" + lines(12, func(i int) string {
				return fmt.Sprintf("%d,Toy %d,Acme,%d.50,%d.99,%d,%d,2\n", 100+i, i, 2+i, 6+i, i%5, 3*i)
			}),
			"stock price=RRP product=Item reorder=Reorder_@ sku=Code stock=Total_stock supplier=Supplier unit_cost=Cost",
		},
		{
			"PlacesOfItsOwn", "Description,Supplier,On bench,Tunnel,On order,Reorder at,Cost,Price\n" + lines(12, func(i int) string {
				return fmt.Sprintf("Plant %d,Acme,%d,%d,%d,5,%d.20,%d.99\n", i, i%7, 2*i, i%3, 1+i, 3+i)
			}),
			"stock incoming=On_order price=Price product=Description reorder=Reorder_at stock=Total_stock supplier=Supplier unit_cost=Cost",
		},
		{
			"Branches", "Item,Supplier,Cost,RRP,Truro,Bodmin,Min,On Ord\n" + lines(12, func(i int) string {
				return fmt.Sprintf("Kite %d,Acme,%d.50,%d.99,%d,%d,2,%d\n", i, 2+i, 6+i, i%5, 3*i, i%2)
			}),
			"stock incoming=On_Ord price=RRP product=Item reorder=Min stock=Total_stock supplier=Supplier unit_cost=Cost",
		},
		{
			"StockBook", "Stock No,Piece,Kind,In,Bought For,Asking,Out,Sold For\n" + lines(24, func(i int) string {
				return fmt.Sprintf("V%d,Clock %d,Clocks,%02d/05/2024,%d,%d,%s\n", 100+i, i, i+1, 20+i, 60+5*(i%4), []string{fmt.Sprintf("%02d/07/2024,%d", i+1, 55+5*(i%4)), ","}[i%2])
			}),
			"sales cost=Bought_For date=Out price=Asking product=Piece revenue=Sold_For sku=Stock_No",
		},
		{
			"NamesOfAnExport", "Order Number,Order Date,Full Name (Billing),City (Billing),Item Name,Quantity,Item Cost,Order Line Total\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%d,2024-10-%02d 08:35:22,Ann %d,Bristol,Blend %d,2,8.50,17.00\n", 100+i, i+1, i%9, i%4)
			}),
			"sales city=City_(Billing) customer=Full_Name_(Billing) date=Order_Date order=Order_Number price=Item_Cost product=Item_Name quantity=Quantity revenue=Order_Line_Total",
		},
		{
			"ReferencesOfLessons", "Ref,Date,Pupil,Instr,Hrs,Rate/hr,Due,Paid\n" + lines(36, func(i int) string {
				return fmt.Sprintf("%d,%02d May 2025,Pupil %d,Bea,%d,37,£%d.00,£37.00\n", 20417+i, 1+i%28, i%7, 1+i%2, 37+37*(i%2))
			}),
			"sales customer=Pupil date=Date order=Ref owed=Owed paid=Paid price=Rate/hr revenue=Due staff=Instr",
		},
		{
			"MembersUntil", "ID,Client,Plan,Start,Renews / Exp,Price,Last Visit,Status\n" + lines(36, func(i int) string {
				return fmt.Sprintf("%d,Client %d,%s,%d May 2025,%d Sep 2025,%d.00,%d Aug 2025,%s\n", 3000+i, i, []string{"Pass", "Monthly"}[i%2], 1+i%28, 1+i%28, 60+65*(i%2), 1+i%28, []string{"Active", "Expired"}[i%2])
			}),
			"customers customer=Client date=Start status=Status",
		},
		{
			"TicketPrices", "SKU,Description,Cat,Supplier,Cost Ea,Ticket,Qty,Case,Date In\n" + lines(12, func(i int) string {
				return fmt.Sprintf("R%d,Ring %d,Rings,Acme,£%d.50,£%d.00,%d,Case A,%02d/08/2024\n", 1000+i, i, 50+i, 150+i, i%4, i+1)
			}),
			"stock category=Cat price=Ticket product=Description sku=SKU stock=Qty supplier=Supplier unit_cost=Cost_Ea",
		},
		{
			"OffersAreNoSales", "Brand,Model,Size,Qty,Cost ex,RRP,Sale £,Last sold\n" + lines(12, func(i int) string {
				return fmt.Sprintf("Brooks,Ghost %d,%d,%d,60.50,%d.00,%s,%02d/08/2025\n", i, 6+i%5, i%4, 120+i, []string{"", "99.00"}[i%2], i+1)
			}),
			"stock brand=Brand price=RRP product=Model stock=Qty unit_cost=Cost_ex",
		},
		{
			"OwnPriceBesideRecommended", "Stock No,Description,Make,Supplier,Floor,Back,Min,Cost ex,RRP,Price inc\n" + lines(12, func(i int) string {
				return fmt.Sprintf("M%d,Ukulele %d,Kala,Acme,%d,%d,2,%d.50,%s,%d.00\n", 100+i, i, i%4, i%3, 20+i, []string{"", "99.00"}[i%2], 60+i)
			}),
			"stock brand=Make price=Price_inc product=Description reorder=Min sku=Stock_No stock=Total_stock supplier=Supplier unit_cost=Cost_ex",
		},
		{
			"FirstVisits", "Client,Mobile,First Visit,Last Visit,Visits,Spend to Date,Stylist,Next Appt\n" + lines(24, func(i int) string {
				return fmt.Sprintf("Client %d,07700 9000%02d,%02d/06/2024,%02d/07/2024,%d,%d.50,Bea,\n", i, i, i+1, i+2, i+2, 30+i)
			}),
			"customers customer=Client date=First_Visit staff=Stylist",
		},
		{
			"LeadNames", "Booking,Date,Class,Start,Tutor,Lead name,Places,Fee pp,Total,Status\n" + lines(36, func(i int) string {
				return fmt.Sprintf("B%d,%02d Oct 2024,%s,18:30,Marco,Ann Lee %d,%d,70.00,%d.00,Attended\n", 100+i, 1+i%28, []string{"Tapas", "Pasta"}[i%2], i%20, 1+i%4, 70*(1+i%4))
			}),
			"sales customer=Lead_name date=Date order=Booking price=Fee_pp product=Class revenue=Total staff=Tutor status=Status time=Start",
		},
		{
			"PriceOfAStay", "Ref,Booked,Arrive,Nts,Pitch,Lead Guest,Price,Bal O/S,Status\n" + lines(36, func(i int) string {
				return fmt.Sprintf("W%d,2024-0%d-01,2024-0%d-1%d,%d,%s,Guest %d,%d.00,0.00,Completed\n", i, 1+i%4, 5+i%4, i%9, 1+i%6, []string{"Tent", "Pod"}[i%2], i, (1+i%6)*(40+10*(i%2)))
			}),
			"sales customer=Lead_Guest date=Arrive owed=Bal_O/S revenue=Price sku=Ref status=Status store=Pitch",
		},
		{
			"OrderedAndDelivered", "Supplier,Item,Price,Ord,Del,Ordered,Inv #,Ttl ex VAT\n" + lines(12, func(i int) string {
				return fmt.Sprintf("Dairy %d,Milk %d,%d.50,%d,%d,%02d-Sep-24,I%d,%.2f\n", i%3, i, 2+i, 3+i, 2+i, i+1, 100+i, (2.5+float64(i))*float64(2+i))
			}),
			"purchases cost=Ttl_ex_VAT date=Ordered order=Inv_# product=Item quantity=Del supplier=Supplier unit_cost=Price",
		},
		{
			"KindsAreNoOrders", "Rcpt,Date,Description,Qty,Price,Ttl,Trans\n" + lines(120, func(i int) string {
				return fmt.Sprintf("%d,2025-07-%02d,Item %d,1,%d.00,%d.00,%s\n", 61000+i/2, 1+i/5, i%9, 2+i%9, 2+i%9, []string{"S", "S", "S", "R"}[i%4])
			}),
			"sales date=Date order=Rcpt price=Price product=Description quantity=Qty revenue=Ttl",
		},
		{
			"ClientsAreNoSales", "Owner,Mobile,Town,Dog,Breed,Usual Groom,Last Visit,Next Appt,Visits,Total Spent\n" + lines(12, func(i int) string {
				return fmt.Sprintf("Owner %d,07700 90000%d,Ilkley,Rex %d,Poodle,Full groom,%02d Sep 2025,,%d,%d.00\n", i, i%10, i, i+1, i+2, 100+i)
			}),
			"customers city=Town customer=Owner",
		},
		{
			"TotalOfTwoPlaces", "Item,Supplier,Cost,RRP,Shop,Store,Total\n" + lines(40, func(i int) string {
				return fmt.Sprintf("Kite %d,Acme,%d.50,%d.99,%d,%d,%d", i, 2+i, 6+i, i%5, 3*(i%7), i%5+3*(i%7))
			}),
			"stock price=RRP product=Item stock=Total supplier=Supplier unit_cost=Cost",
		},
		{
			"BookOfADealer", "No,In,Clock,Owner,Bought from,Paid,Resto,Ticket,Out,Sold\n" + lines(12, func(i int) string {
				return fmt.Sprintf("%d,%02d/01/2025,Clock %d,Own,Fair,%d,%d,%d,%s", 300+i, i+1, i, 40+7*i, i%4, 90+45*(i%7), []string{"25/02/2025,95", ","}[i%2])
			}),
			"sales cost=Paid date=Out price=Ticket product=Clock revenue=Sold sku=No supplier=Bought_from",
		},
		{
			"PlacesThatSell", "Ref,Date,Learner,Coach,Discipline,Fee,Pick up,Outcome\n" + lines(20, func(i int) string {
				return fmt.Sprintf("R%d,2025-03-%02d,Rider %d,Jo,Jumping,%d.00,%s,%s", 50+i, i+1, i%5, 30+i%3, []string{"Yate", "Wick", "Bitton"}[i%3], []string{"", "Pass", "Fail"}[i%3])
			}),
			"sales customer=Learner date=Date order=Ref region=Pick_up revenue=Fee staff=Coach status=Outcome",
		},
		{
			"CustomersOfABrewer", "Inv,Date,Pub,Rep,Total\n" + lines(20, func(i int) string {
				return fmt.Sprintf("%d,2025-03-%02d,Pub %d,Al,%d.50", 700+i, i+1, i%9, 90+i)
			}),
			"sales customer=Pub date=Date order=Inv revenue=Total staff=Rep",
		},
		{
			"HoursOfTheDay", "Date,Hr,Rcpt,Product,Qty,Line Total\n" + lines(24, func(i int) string {
				return fmt.Sprintf("2025-07-%02d,%d,%d,Bun %d,1,2.00\n", i+1, 9+i%8, 100+i, i%3)
			}),
			"sales date=Date order=Rcpt product=Product quantity=Qty revenue=Line_Total time=Hr",
		},
		{
			"BillsOfAnExport", "Contact Name,Bill Number,Bill Date,Description,Quantity,Unit Price,Net Amount,Amount Paid,Balance Due\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%s,B%d,%d May 2025,Pipe %d,%d,4.00,%d.00,%d.00,0.00\n", []string{"Acme", "Bora"}[i%2], 100+i, i+1, i%5, 1+i%3, 4+4*(i%3), 4+4*(i%3))
			}),
			"purchases cost=Net_Amount date=Bill_Date order=Bill_Number owed=Balance_Due paid=Amount_Paid product=Description quantity=Quantity supplier=Contact_Name unit_cost=Unit_Price",
		},
		{
			"AmountAndWhatWasPaid", "Job Number,Date Created,Company Name,Total Invoice Amount,Amount Paid\n" + lines(24, func(i int) string {
				return fmt.Sprintf("J%d,%02d/05/2025,Firm %d,%d.50,%d.50\n", 100+i, i+1, i%7, 90+i, (90+i)*(i%2))
			}),
			"sales customer=Company_Name date=Date_Created order=Job_Number owed=Owed paid=Amount_Paid revenue=Total_Invoice_Amount",
		},
		{
			"DayForWhichItWasBooked", "Appt ref,Created on,Scheduled date,Client,Service,Net sales\n" + lines(24, func(i int) string {
				return fmt.Sprintf("A%d,%02d/05/2025,%02d/06/2025,Client %d,Cut,30.00\n", 100+i, i+1, i+1, i%7)
			}),
			"sales customer=Client date=Scheduled_date order=Appt_ref product=Service revenue=Net_sales",
		},
		{
			"PlacesAndKindsOfPlaces", "Date,Where,Type,Piece,Sold for\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%02d/05/2025,%s,Ring %d,25\n", i+1, []string{"Bath Mkt,Fair", "Blue Door,Shop"}[i%2], i%5)
			}),
			"sales channel=Type date=Date product=Piece revenue=Sold_for store=Where",
		},
		{
			"RoundOfCustomers", "Customer,Street,Round,Price,Last done,Next due,Pays by\n" + lines(24, func(i int) string {
				return fmt.Sprintf("Mrs %c Lee,Elm St,Mon %d,%d.00,%02d/05/2025,%02d/06/2025,Cash\n", 'A'+i, 1+i%3, 10+i%4, i+1, i+1)
			}),
			"customers customer=Customer payment=Pays_by region=Round",
		},
		{
			"KindsOfCustomers", "Order No,Date,Customer,Type,Cider,Qty,Total\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%d,2025-05-%02d,%s,Cider %d,2,%d.00\n", 100+i, i+1, []string{"Plough,Pub", "Spar,Shop", "Bell,Pub"}[i%3], i%4, 20+i)
			}),
			"sales customer=Customer date=Date order=Order_No product=Cider quantity=Qty revenue=Total segment=Type",
		},
		{
			"VehiclesForHire", "Ref,Vehicle,Hirer,Out,Back,Days,Day rate,Total\n" + lines(24, func(i int) string {
				return fmt.Sprintf("H%d,%s,Firm %d,%02d/05/2025,%02d/05/2025,2,60.00,120.00\n", 100+i, []string{"Transit", "Luton", "Caddy"}[i%3], i%7, i+1, i+2)
			}),
			"sales customer=Hirer date=Out order=Ref price=Day_rate product=Vehicle revenue=Total",
		},
		{
			"RunningBalance", "Date,Num,Customer,Product/Service,Qty,Sales Price,Amount,Balance\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%02d/05/2025,%d,Firm %d,Mow %d,2,40.00,80.00,%d.00\n", i+1, 100+i, i%3, i%4, 80*(1+i/3))
			}),
			"sales customer=Customer date=Date order=Num price=Sales_Price product=Product/Service quantity=Qty revenue=Amount",
		},
		{
			"StockThatWeGot", "Item,Colour,Got,Need,Cost,Sell,From\n" + lines(12, func(i int) string {
				return fmt.Sprintf("Yarn %d,%s,%d,%d,%d.20,%d.50,Acme\n", i, []string{"Red", "Blue"}[i%2], i%7, 2+i%5, 1+i%4, 4+i%6)
			}),
			"stock price=Sell product=Item stock=Got supplier=From unit_cost=Cost",
		},
		{
			"AppointmentsFromTo", "Date,From,To,Client,Services,Staffer,Price\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%02d.05.2025,%02d:00,%02d:30,Client %d,Fade %d,Al,%d.00\n", i+1, 9+i%8, 9+i%8, i%7, i%3, 20+i%3)
			}),
			"sales customer=Client date=Date price=Price product=Services staff=Staffer time=From",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, _, _ := buildText(t, c.text)
			if got := string(source.Kind) + " " + rolesOf(source); got != c.want {
				t.Errorf("got %s\nwant %s\n%s", got, c.want, describe(source))
			}
		})
	}
}

// What is still to be paid is made of the amounts with tax and what was paid of them, if most of what has a payment
// is paid in full.
func TestMadeOwed(t *testing.T) {
	dbtest.Sequential(t)
	invoices := func(paid func(i int) string) string {
		return "Inv No,Inv Date,Client,Net,VAT,Gross,Amt Paid\n" + lines(12, func(i int) string {
			return fmt.Sprintf("I%d,2024-07-%02d,Client %d,100.00,20.00,120.00,%s\n", i, i+1, i%3, paid(i))
		})
	}
	source, _, file := buildText(t, invoices(func(i int) string { return []string{"120.00", "120.00", "50.00", ""}[i%4] }))
	if got := figure(t, source, file, "sum({owed})"); got != "570" {
		t.Errorf("owed is %s, want 570.00", got)
	}
	source, _, _ = buildText(t, invoices(func(int) string { return "50.00" }))
	if c, ok := source.ByRole(schema.Owed); ok {
		t.Errorf("%s is owed of amounts that nobody pays in full", c.Heading)
	}
}
