package views

import "time"

func appSamples(zone *time.Location) []sample {
	frame := Frame{Title: "Apps", Section: "apps", Account: chief}
	rows := []AppRow{
		{"app_1", "Shelf Counter", "/connect/app_1/logo", 2, morning, true, "/console/apps?open=app_1"},
		{"app_2", "Till & Co", "", 0, morning.AddDate(0, -1, 0), false, "/console/apps?open=app_2"},
	}
	open := &AppDetail{
		AppRow: rows[0], Form: AppForm{"Shelf Counter"}, Developer: "Tally Tools Ltd", Preview: "/connect/app_1",
		KeyRows: []KeyRow{{ID: "key_1", Name: "Till in the shop", Env: "live", Link: "/console/keys?open=key_1"}, {ID: "key_2", Name: "test …Ab12", Env: "test", Disabled: true, Link: "/console/keys?open=key_2"}},
	}
	wrong := Apps{Frame: wrongly(frame, "The name of the app is required."), Rows: rows, New: &AppForm{}, Field: "app-name"}
	return []sample{
		{"apps", Apps{Frame: frame, Rows: rows, Zone: zone}},
		{"apps-open", Apps{Frame: frame, Rows: rows, Open: open, Zone: zone}},
		{"apps-bare", Apps{Frame: frame, Rows: rows, Open: &AppDetail{AppRow: rows[1], Form: AppForm{"Till & Co"}, Preview: "/connect/app_2"}, Zone: zone}},
		{"apps-wrong", wrong},
		{"apps-empty", Apps{Frame: frame}},
	}
}
