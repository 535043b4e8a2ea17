package views

import "time"

// asking returns the pages on which an account asks, in all their states.
func asking(zone *time.Location) []sample {
	frame := Frame{Title: "Ask", Section: "ask", Account: badge}
	page := Ask{
		Frame: frame, Zone: zone,
		Scopes:      []Option{{"", "till and your shop’s own records", true}, {"ds_1", "till", false}, {"shop", "Your shop’s own records", false}},
		Reads:       []AskSource{{"till", 4210, "1 Jan 2025 to 28 Feb 2026"}, {"your sales", 12, ""}},
		Suggestions: []string{"What are our sales by month?", "What are our sales by product?", "What is our margin?"},
		Asked: []AskedRow{
			{"/console/ask/ask_1", "Which product sold best last month?", "high", true, true, morning},
			{"/console/ask/ask_2", "How many flatties did we sell?", "low", false, false, morning.Add(-time.Hour)},
		},
		Pager: Pager{Older: "/console/ask?before=ask_2"},
	}
	answer := AskAnswer{
		ID: "ask_1", Question: "What are our sales by month?", Header: "Sales by month: highest for January 2026 (£4,210.50)",
		Text:    "Sales were £12,304.10. By month, they were highest for January 2026 (£4,210.50) and lowest for March 2025 (£612.00).",
		Verdict: "watch", VerdictSentence: "Sales fell by 4 % from January to February.", Confidence: "high",
		Cards:           []AskCard{{"Highest revenue", "January 2026"}, {"January 2026", "£4,210.50"}, {"Revenue, all", "£12,304.10"}},
		Recommendations: []string{"Look at February: it fell by £180.20."},
		ReadAs:          "Revenue by month over all rows.", SQL: []string{"SELECT substr(c1, 1, 7), sum(c5) FROM rows GROUP BY 1"}, Source: "till", Rows: 4210, AsOf: "28 Feb 2026",
		FollowUp: []string{"What are our sales by product?"}, Rivals: []string{"What are our gross sales by month?"}, Pinned: true, CSV: "/console/ask/ask_1/table.csv",
		MayPin: true,
		Teach:  &AskTeach{Dataset: "till", Words: []AskWord{{}}, Cut: true, More: "/console/data/set/ds_1?part=columns", Targets: []AskTargets{{"Figures", []string{"revenue"}}, {"Product", []string{"Flat White"}}}},
	}
	var months []Point
	for i, text := range []string{"£3,900.00", "£4,210.50", "£4,030.30"} {
		months = append(months, Point{Label: []string{"2025-12", "2026-01", "2026-02"}[i], Text: text, Value: []float64{3900, 4210.5, 4030.3}[i]})
	}
	series, ranked := page, page
	columns, bars := Bars("", "Revenue", "Month", "Revenue", months), Ranking("", "Revenue", "Product", "Revenue", months)
	answer.Chart = &columns
	series.Answer = &answer
	other := answer
	other.Chart, other.Pinned, other.Verdict, other.Confidence = &bars, false, "problem", "medium"
	other.Table = &AskTable{
		Heads: []AskCell{{"Product", false}, {"Revenue", true}, {"Share, %", true}}, More: 40,
		Rows: [][]AskCell{{{"Flat White", false}, {"1,204.50", true}, {"12.4", true}}, {{"", false}, {"–", true}, {"–", true}}},
	}
	ranked.Answer = &other
	unread := page
	unread.Question = "How many flatties did we sell?"
	unread.Answer = &AskAnswer{
		ID: "ask_2", Question: unread.Question, Text: "Nothing in till is called “flatties”, and it is not a word that is known here, so this cannot be answered.",
		Confidence: "low", Source: "till", FollowUp: page.Suggestions, Teach: &AskTeach{Dataset: "till", Words: []AskWord{{Word: "flatties"}, {Word: "brew"}}, Targets: []AskTargets{{"Figures", []string{"revenue"}}}, Unread: true, Open: true},
	}
	taught := unread
	wrong := *unread.Answer
	wrong.Teach = &AskTeach{Dataset: "till", Words: []AskWord{{"brew", "revenue", false}, {"flatties", "Flat Wite", true}}, Unread: true, Open: true}
	taught.Answer = &wrong
	taught.Frame, taught.Field = wrongly(frame, "The target is not clear: till has no “Flat Wite”."), "target"
	refused := page
	refused.Frame, refused.Field = wrongly(frame, "The question is required."), "question"
	none := page
	none.Asked, none.Search = nil, "margin"
	return []sample{
		{"ask", page}, {"ask-series", series}, {"ask-ranked", ranked}, {"ask-unread", unread}, {"ask-taught-wrong", taught},
		{"ask-wrong", refused}, {"ask-found-none", none}, {"ask-without-data", Ask{Frame: frame}},
	}
}
