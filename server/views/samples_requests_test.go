package views

import (
	"fmt"
	"time"
)

func requests(zone *time.Location) []sample {
	frame := Frame{Title: "Requests", Section: "requests", Account: &Badge{Name: "Corner Coffee", Email: "owner@corner.example", Builds: true}}
	keys := []Option{{Text: "All"}, {"key_1", "Counter till …9fQk", true}, {"key_2", "test …a2Bc", false}}
	call := func(n int64, method, route string, status int, tag, why string) Call {
		return Call{
			Number: n, ID: fmt.Sprintf("req_01kmq3v4k2m9fe8w7x6y5z4a%02d", n), Link: "/console/requests?open=req_1", Method: method, Route: route,
			Status: status, Tag: tag, Why: why, Key: "Counter till …9fQk", Cost: "–", Took: "12.3 ms", At: morning.Add(time.Duration(-n) * time.Second),
		}
	}
	rows := []Call{
		call(7, "POST", "/api/v1/messaging/send", 200, "", ""), call(6, "POST", "/api/v1/messaging/send", 200, "", "replay"),
		call(5, "POST", "/api/v1/scan", 402, "warn", "no credit"), call(4, "GET", "/pulse", 429, "warn", "over the limit"),
		call(3, "POST", "/api/v1/messaging/send", 502, "bad", "the provider failed"), call(2, "POST", "/api/v1/ask", 400, "warn", "a mistake in the request"),
	}
	rows[2].KeyLink = "/console/keys?open=key_1"
	rows[0].Cost, rows[2].Open, rows[3].Test = "$0.02", true, true
	open := OpenCall{
		Call: rows[2], Close: "/console/requests", Answer: "The wallet could not cover this call, so nothing was done.",
		Advice: "Add credit, then send the call again.", Way: "/console/wallet", WayText: "Add credit",
		CostText: "A call that fails is free.", First: true, ClientID: "till-7-0004",
		Curl: "curl -X POST https://svc.corner.example/api/v1/scan \\\n  -H 'x-api-key: YOUR_KEY' \\\n  -d '{\"image\":\"…\"}'", Example: true,
	}
	replay := open
	replay.Call, replay.First, replay.Original, replay.OriginalLink, replay.Way = rows[1], false, rows[0].ID, rows[0].Link, ""
	list := Requests{Frame: frame, Keys: keys, Routes: keys, Statuses: keys, HasKeys: true, Rows: rows, Refresh: "/console/requests?live=1", Pause: "/console/requests?live=off", Zone: zone}
	opened, replayed, paused := list, list, list
	opened.Open, replayed.Open = &open, &replay
	paused.Refresh, paused.Resume, paused.Filtered, paused.Day, paused.Pager.Older = "", "/console/requests", true, "2026-03-02", "/console/requests?before=4"
	wrong := Requests{Frame: wrongly(frame, "The day must be a day, like 2026-03-31."), Keys: keys, Routes: keys, Statuses: keys, HasKeys: true, Filtered: true, Day: "today", Field: "day"}

	days := make([]Point, 30)
	for i := range days {
		days[i] = Point{Label: morning.AddDate(0, 0, i-29).Format("2 Jan"), Text: fmt.Sprint(i * 37 % 90), Value: float64(i * 37 % 90), Link: "/console/requests?day=2026-03-02"}
	}
	ranked := []Point{{Label: "messaging/send", Text: "1,204", Value: 1204, Link: "/console/requests"}, {Label: "pulse", Text: "88", Value: 88}}
	use := Usage{
		Meters: []Meter{
			NewMeter("Till in the shop", "/console/usage?key=key_1", "9,204 of 10,000 calls this month", 9204, 10_000, morning),
			NewMeter("Old", "/console/usage?key=key_2", "12 calls this month, without a limit", 12, 0, morning),
			NewMeter("Full", "/console/usage?key=key_3", "100 of 100 calls this month", 100, 100, morning),
		},
		Frame: frame, Keys: keys, Spans: keys, HasKeys: true, Calls: "1,292", Refused: "40", Failed: "3", Spent: "$24.08", RefusedLink: "/console/requests?status=4", FailedLink: "/console/requests?status=5",
		ByDay: Bars("days", "Calls by day", "Day", "Calls", days), SpentByPeople: "$0.04",
		ByRoute: Ranking("routes", "Calls by endpoint", "Endpoint", "Calls", ranked), ByKey: Ranking("keys", "Calls by key", "Key", "Calls", ranked),
		ByState: Ranking("states", "Calls by status", "Status", "Calls", ranked), Plan: "growth", MonthEnds: morning, Zone: zone,
		Plans:     []PlanRow{{"free", "5", "100", false}, {"growth", "60", "10,000", true}, {"business", "120", "no limit", false}},
		Standings: []KeyStanding{{"Counter till …9fQk", "/console/keys", "/console/usage?key=key_1", false, false, "58 of 60", "9,100 of 10,000", "warn", "91 % used", false}, {"test …a2Bc", "/console/keys", "/console/usage?key=key_2", true, true, "0 of 60", "0 of 10,000", "", "", false}},
		Window:    "Counter till …9fQk", Windows: []WindowRow{{"/pulse", "60 of 60", false, time.Time{}}, {"/ask", "0 of 10", true, morning}},
	}
	partial := use
	partial.Partial, partial.Window = true, ""
	return []sample{
		{"requests", list}, {"requests-open", opened}, {"requests-replay", replayed}, {"requests-paused", paused}, {"requests-wrong", wrong},
		{"requests-none", Requests{Frame: frame}}, {"requests-no-call", Requests{Frame: frame, Keys: keys, Routes: keys, Statuses: keys, HasKeys: true, Refresh: "/console/requests"}},
		{"usage", use}, {"usage-partial", partial}, {"usage-none", Usage{Frame: frame}},
	}
}
