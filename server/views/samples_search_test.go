package views

import "time"

func search() []sample {
	frame := Frame{Title: "Search", Section: "search", Account: badge}
	groups := []FoundGroup{
		{Title: "Pages", Found: []Found{{Icon: "wallet", Name: "Wallet", Link: "/console/wallet"}}},
		{Title: "Products", All: "/console/inventory?q=milk", Found: []Found{
			{Icon: "inventory", Name: "Oat Milk 1l", Detail: "£2.40 · 24 bottles in stock", Link: "/console/inventory?open=item_1"},
			{Icon: "inventory", Name: "Rice Milk 1l, unsweetened, in a carton that has a long name", Detail: "£2.10", Tag: "out of stock", TagClass: "bad", Link: "/console/inventory?open=item_2"},
		}},
		{Title: "Messages", Found: []Found{
			{Icon: "messages", Name: "José Álvarez", Detail: "2 x Oat Milk 1l and 1 more", Link: "/console/messages?open=msg_1"},
			{Icon: "messages", Name: "+44 7700 900123", Detail: "Total £18.50", Tag: "Saved, not sent", TagClass: "warn", Link: "/console/messages?open=msg_2"},
		}},
		{Title: "Data", All: "/console/data", Unsearched: true, Found: []Found{{Icon: "data", Name: "milk round 2026.csv", Detail: "1 Jan 2026 to 3 Mar 2026", Link: "/console/data/set/ds_1"}}},
		{Title: "Keys", Found: []Found{{Icon: "keys", Name: "Milk till …aB3x", Detail: "account", Tag: "test", TagClass: "test", Link: "/console/keys?open=key_1"}}},
		{Title: "Requests", Found: []Found{{Icon: "requests", Name: "POST /api/v1/scan", Tag: "402", TagClass: "warn", At: time.Date(2026, 3, 2, 9, 30, 0, 0, time.UTC), Link: "/console/requests?open=req_1"}}},
	}
	return []sample{
		{"search", Search{Frame: frame, Query: "milk", Groups: groups}},
		{"search-none", Search{Frame: frame, Query: "nothing"}},
		{"search-empty", Search{Frame: frame}},
	}
}
