package views

import "time"

func activity(zone *time.Location) []sample {
	frame := Frame{Title: "Activity", Section: "activity", Account: chief}
	acts := []Act{
		{morning, "You", "Key Counter till …9fQk made: live account", "", "", "/console/keys?open=key_1"},
		{morning.Add(-time.Hour), "The operator, by command", "+$10.00 credit", "", "", "/console/wallet/ledger"},
		{morning.Add(-2 * time.Hour), "Whoever had a mailed link or code", "Settings changed: currency GBP to EUR, time zone Europe/London to America/Argentina/Buenos_Aires", "", "", ""},
	}
	everyone := []Act{{morning, "Corner Coffee", "Access granted to Shelf Counter: read_inventory", "Corner Coffee", "/console/operator?open=acct_1", ""}}
	return []sample{
		{"activity", Activity{Frame: frame, Acts: acts, Zone: zone, Pager: Pager{Older: "/console/activity?before=3"}}},
		{"activity-all", Activity{Frame: frame, All: true, Acts: everyone, Zone: zone, Pager: Pager{Newest: "/console/activity?all=1"}}},
		{"activity-search", Activity{Frame: frame, Search: "key"}},
		{"activity-far", Activity{Frame: frame, Search: "key", Pager: Pager{Older: "/console/activity?q=key&before=3"}}},
		{"activity-empty", Activity{Frame: frame}},
	}
}
