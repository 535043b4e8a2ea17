package views

import "time"

func overviews(zone *time.Location, waiting []Waiting) []sample {
	merchant := Frame{Title: "Overview", Section: "overview", Account: badge}
	builder := Frame{Title: "Overview", Section: "overview", Account: &Badge{Name: "Corner Coffee", Email: "owner@corner.example", Builds: true, Operator: true}}
	step := func(title string, done bool) Step {
		return Step{Title: title, Text: "With their stock and prices, from a file or one by one.", Link: "/console/inventory", LinkText: title, Done: done}
	}
	alert := ShopAlert{
		ID: "alert_1", Verdict: "problem", Tag: "bad", Title: "3 products are out of stock", Figure: "3 products",
		Text: "Oat Milk, Cup and Filter. Together they sold for £41 a day while there was stock; Oat Milk sold for most, £22 a day.",
		Rule: "a product that sold on 4 days or more of the last 112 has no stock", Points: 15, Link: "/console/inventory?stock=out", LinkText: "Order", Since: morning.AddDate(0, 0, -3),
	}
	late := alert
	late.ID, late.Verdict, late.Tag, late.Title, late.Figure, late.Link, late.LinkText = "alert_2", "watch", "", "An order of Bean Brothers is late", "12 days", "/console/messages", "Message the supplier"
	revenue := Bars("revenue", "Revenue by day", "Day", "Revenue", []Point{{Label: "Sat 28 Feb", Text: "£120.50", Value: 120.5}, {Label: "Sun 1 Mar", Text: "£133", Value: 133}})
	known := Shop{
		Known: true, Sentence: "Sunday £133, +9 % on your usual Sunday", More: "From 21 orders.",
		Figures: []ShopFigure{{"Revenue today so far", "£41.20", "", "/console/ask"}, {"Revenue, 7 days to yesterday", "£1,204", "4 % more than the 7 days before (£1,158)", "/console/ask"}, {"Gross margin, 7 days to yesterday", "61.2 %", "", ""}},
		Chart:   &revenue,
		Score:   "79", Band: "watch", BandTag: "warn", Why: "The 2 things to do take 15 points off. 1 thing is snoozed or dismissed and still counts:", Alerts: []ShopAlert{alert, late}, Quiet: 1,
		Drivers: []Driver{{6, late.Title, late.Text, "an order takes more than 1.5 times as long as usual", late.Link, late.LinkText}},
		Steps:   []Step{step("Add products", true), step("Bring sales", true), step("Ask", false)},
	}
	calm := known
	calm.Why = "Nothing takes points off."
	calm.Alerts, calm.Drivers, calm.Quiet, calm.Steps, calm.Score, calm.Band, calm.BandTag = nil, nil, 0, nil, "100", "good", "on"
	low := calm
	low.Checks = []Attention{{"2 products are at their reorder points or below", "Order before the stock runs out.", "/console/inventory?stock=low", "See the stock", "warn"}}
	stock := Shop{Known: true, Sentence: "Stock worth £812", More: "There are no sales yet to compare with.", Steps: known.Steps}
	today := &CallsToday{
		Calls: "1,204", Refused: "12", Failed: "0", Spent: "$4.20", Balance: "$0.42",
		CallsLink: "/console/requests", RefusedLink: "/console/requests?status=4", FailedLink: "/console/requests?status=5",
		Meters: []Meter{NewMeter("Till in the shop", "/console/usage?key=key_1", "9,204 of 10,000 calls this month", 9204, 10_000, morning)},
	}
	needs := []Attention{
		{"Webhook fails", "Deliveries to till.example fail since 1 March, 09:12.", "/console/webhooks?open=wh_1", "Open the webhook", "warn"},
		{"Your credit is low", "$0.42 is left.", "/console/wallet", "Add credit", "bad"},
	}
	pinned := []PinnedAnswer{{"What sold best last month?", "Flat White with £812 from 290 sales.", "/console/ask/ask_1", []ShopFigure{{"Flat White", "£812", "", ""}}}}
	return []sample{
		{"console", Overview{Frame: builder, Day: "Monday 2 March", Shop: known, Attention: needs, Today: today, Pinned: pinned, Zone: zone}},
		{"console-waiting", Overview{Frame: merchant, Day: "Monday 2 March", Shop: calm, Waiting: waiting, More: 2, Zone: zone}},
		{"console-fresh", Overview{Frame: merchant, Day: "Monday 2 March", Shop: Shop{Steps: []Step{step("Add products", false), step("Bring sales", false), step("Ask", false)}}}},
		{"console-low", Overview{Frame: merchant, Day: "Monday 2 March", Shop: low}},
		{"console-stock", Overview{Frame: merchant, Day: "Monday 2 March", Shop: stock}},
	}
}
