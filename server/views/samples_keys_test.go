package views

import (
	"slices"
	"time"
)

func keySamples(zone *time.Location) []sample {
	frame := Frame{Title: "Keys", Section: "keys", Account: chief}
	words := []Option{{"", "All", true}, {"test", "Test", false}}
	rows := []KeyRow{
		{"key_01kmq3v4k2m9fe8w7x6y5z4a3b", "Till in the shop", "svc_live_…9fQk", "9fQk", "live", "account", "Shelf Counter", morning, "1,204", "$3.12", false, true, false, "/console/keys?open=key_1"},
		{"key_01kmq3v4k2m9fe8w7x6y5z4a3c", "test …Ab12", "svc_test_…Ab12", "Ab12", "test", "account", "", time.Time{}, "0", "$0.00", false, false, true, "/console/keys?open=key_2"},
		{"key_01kmq3v4k2m9fe8w7x6y5z4a3d", "Old website", "svc_generic_live_…zz9P", "zz9P", "live", "generic", "", morning.AddDate(0, -2, 0), "0", "$0.00", true, false, false, "/console/keys?open=key_3"},
	}
	heads := Heads([]ListColumn{{Title: "Name", Order: "label"}, {Title: "Key"}, {Title: "Calls", Order: "calls", Number: true}, {Title: "Spend", Order: "spend", Number: true, Aside: true}},
		"-calls", func(order string) string { return "/console/keys?sort=" + order })
	list := Keys{Frame: frame, Envs: words, States: words, Sort: "-calls", Heads: heads, Rows: rows, Total: 30, Close: "/console/keys?sort=-calls", Zone: zone}
	with := func(change func(*Keys)) Keys {
		page := list
		page.Rows = slices.Clone(rows)
		change(&page)
		return page
	}
	detail := func(at int) *KeyDetail {
		return &KeyDetail{
			KeyRow: rows[at], Label: rows[at].Name, Month: "1,204 of 10,000 calls", CreatedAt: morning.AddDate(0, -3, 0), OldEndsAt: morning.AddDate(0, 0, 1), DisabledAt: morning,
			Limits: []KeyLimit{{"pulse", "60", "1,000", false}, {"data/push", "300", "5,000", true}}, Apps: []Option{{"", "None", false}, {"Shelf Counter", "Shelf Counter", true}},
			Graces: []Option{{"0", "Ends now", false}, {"24", "Works for one more day", true}}, Similar: "/console/keys?like=key_1", Ledger: "/console/wallet/ledger?kind=debit&key=key_1",
		}
	}
	form := &KeyForm{Ticket: "key_1.x", Label: "Till", Envs: words, Modes: words, Apps: words}
	like := *form
	like.Like = "Till in the shop …9fQk"
	wrong := with(func(p *Keys) { p.New, p.Field = form, "label" })
	wrong.Problem = "The label must have at most 100 characters."
	secret := "svc_test_" + "b3N0cmljaGVzIGNhbm5vdCBmbHkgYXQgYWxsAb12"
	return []sample{
		{"keys", list},
		{"keys-empty", Keys{Frame: frame}},
		{"keys-new", with(func(p *Keys) { p.New = form })},
		{"keys-similar", with(func(p *Keys) { p.New = &like })},
		{"keys-wrong", wrong},
		{"keys-open", with(func(p *Keys) { p.Open = detail(0) })},
		{"keys-disabled", with(func(p *Keys) { p.Open = detail(2) })},
		{"keys-secret", with(func(p *Keys) {
			p.Secret = &NewSecret{KeyID: rows[1].ID, Secret: secret, Curl: "curl http://127.0.0.1:8080/api/v1/ask -H 'x-api-key: " + secret + "'"}
		})},
		{"keys-rotated", with(func(p *Keys) {
			p.Secret = &NewSecret{KeyID: rows[0].ID, Secret: secret, Rotated: true, OldEndsAt: morning}
		})},
		{"keys-none-found", Keys{Frame: frame, Envs: words, States: words, Search: "xyz", Filtered: true, Total: 3}},
	}
}
