package views

import "time"

func activity(zone *time.Location) []sample {
	frame := Frame{Title: "Activity", Section: "activity", Account: chief}
	acts := []Act{
		{morning, "You", "Key Counter till …9fQk made: live account", "", ""},
		{morning.Add(-time.Hour), "The operator, by command", "Credit changed: $10.00", "", "/console/wallet/ledger"},
		{morning.Add(-2 * time.Hour), "Whoever had a mailed link or code", "Password changed", "", ""},
	}
	everyone := []Act{{morning, "Corner Coffee", "Access granted to Shelf Counter: read_inventory", "Corner Coffee", ""}}
	return []sample{
		{"activity", Activity{Frame: frame, Acts: acts, Zone: zone, Pager: Pager{Older: "/console/activity?before=3"}}},
		{"activity-all", Activity{Frame: frame, All: true, Acts: everyone, Zone: zone, Pager: Pager{Newest: "/console/activity?all=1"}}},
		{"activity-empty", Activity{Frame: frame}},
	}
}
