package views

import "testing"

var docsTopics = []DocsTopic{
	{Name: "Charges", Path: "/docs/charges", Text: "Payment requests.", Current: true, Links: []DocsLink{
		{"POST", "Ask a merchant for a payment", "/docs/charges#createCharge", "/api/v1/charges"},
		{"GET", "Charges that this key has made", "/docs/charges#listCharges", "/api/v1/charges"},
		{"GET", "A charge", "/docs/charges#getCharge", "/api/v1/charges/{id}"},
	}},
	{Name: "Events", Path: "/docs/events", Text: "What is posted to `webhooks`.", Links: []DocsLink{{Title: "stock.low", Path: "/docs/events#event-0"}}},
}

var docsNav = DocsNav{Topics: docsTopics}

var docsFields = []DocsField{
	{Name: "amount_cents", Type: "integer, at least 100", Description: "In the currency’s minor units: `100` is £1.00.", Required: true},
	{Name: "currency", In: "query", Type: "string, default gbp"},
}

// docsRecords is a field whose values are of several forms.
var docsRecords = []DocsField{{Name: "records", Type: "list of object", Required: true, Variants: []DocsVariant{
	{Title: "A sale", Description: "Lowers the `stock`.", Needs: []string{"type", "items"}, Fields: docsFields}, {Title: "A row of your own", Fields: docsFields},
}}}

const docsFirst, docsAnswer = "curl -sS 'https://api.corner.example/api/v1/ask'", "{\n  \"answer\": \"£12.50\",\n  …\n}"

func homeSamples() []sample {
	home := Home{Morning: &Morning{"Sunday £133, +9 % on your usual Sunday", 3},
		Frame: Frame{Title: "Start"}, BaseURL: "https://svc.corner.example", Topics: docsTopics, First: docsFirst, Answer: docsAnswer, Prices: docsFields,
		State: ServerState{Ready: true, Parts: []Part{{Name: "Payments", State: "live", Works: true}, {Name: "E-mail", State: "not set up"}}},
	}
	open, staff, in := home, home, home
	open.State.SignupOpen, open.State.Ready = true, false
	builder := home
	builder.Account = &Badge{Name: "Tally & Sons", Email: "dev@tally.example", Builds: true, Operator: true}
	in.Account, staff.Account = badge, &Badge{Name: "Corner Coffee", Email: "till@corner.example", Staff: true}
	return []sample{{"home", home}, {"home-open", open}, {"home-signed-in", in}, {"home-staff", staff}, {"home-builder", builder}}
}

func docsHomeSamples(frame Frame) []sample {
	home := DocsHome{
		Frame: frame, Contents: DocsNav{Topics: docsTopics, Current: "docs", Parts: []DocsLink{{Title: "Limits", Path: "#limits"}}},
		BaseURL: "https://api.corner.example",
		Codes:   docsFields, Prices: docsFields, Plans: []DocsPlan{{"free", "100", "5"}}, First: docsFirst, Answer: docsAnswer,
	}
	found, nothing := home, home
	found.Search, found.Found, found.Contents.Parts = "charge", []DocsGroup{
		{"Charges", "/docs/charges", []DocsFound{{docsTopics[0].Links[0], "Endpoint", ""}}},
		{"Introduction", "/docs", []DocsFound{{DocsLink{Title: "not_found", Path: "/docs#answers"}, "Error", "404: there is no such `thing`."}}},
	}, nil
	found.Hits, found.All = 30, "/docs?all=1&q=charge"
	nothing.Search, nothing.Contents.Parts = `"><b>`, nil
	return []sample{{"docs-home", home}, {"docs-search", found}, {"docs-nothing", nothing}}
}

func docsSample(frame Frame) sample {
	done := DocsAnswer{Status: "200 OK", Description: "Created, pending.", Fields: docsFields, Examples: []DocsExample{{"", `{"charge":{}}`}}}
	refusal := DocsAnswer{Status: "400", Description: "The sentence names the field.", Examples: []DocsExample{{"Too little", `{"error":"amount_cents"}`}}}
	shared := []DocsLink{{Title: "400", Path: "#error-0"}}
	return sample{"docs", DocsPage{
		Frame: frame, Contents: docsNav, Next: DocsLink{Title: "Data", Path: "/docs/data"}, Name: "Charges", Text: "Payment requests that a merchant pays.",
		Refusals: []DocsAnswer{refusal},
		Endpoints: []DocsEndpoint{{
			ID: "createCharge", Method: "POST", Path: "/api/v1/charges", Title: "Ask a merchant for a payment", Description: "Not billed.",
			Access: "with your API key", Price: "free", Retry: "`Idempotency-Key` is ignored here.", Parameters: docsFields, BodyText: "JSON.", Body: docsRecords,
			Done: done, Refusals: []DocsAnswer{refusal}, Shared: shared,
			Languages: []Option{{"/docs/charges?lang=curl#createCharge", "curl", true}, {"/docs/charges?lang=go#createCharge", "Go", false}},
			Snippet:   "curl -sS 'https://api.corner.example/api/v1/charges'", Language: "curl", TryPath: "/console/try?call=createCharge",
		}, {
			ID: "listCharges", Method: "GET", Path: "/api/v1/charges", Also: []string{"/charges"}, Title: "Charges that this key has made",
			Access: "with your API key", Price: "free", Done: done, Shared: shared,
		}},
	}}
}

func eventsSample(frame Frame) sample {
	return sample{"docs-events", DocsPage{
		Frame: frame, Contents: docsNav, Name: "Events", Headers: docsFields,
		Events:   []DocsEvent{{"stock.low", "A product has reached its reorder point", "At most once a day.", `{"type":"stock.low"}`, docsFields, true}},
		Receiver: &DocsReceiver{Languages: []Option{{"/docs/events?lang=go#verify", "Go", true}}, Name: "Go", Snippet: "package main"},
		Tries:    []DocsTry{{1, "at once", ""}, {2, "5 s", "5 s"}},
	}}
}

func changelogSample(frame Frame) sample {
	return sample{"changelog", Changelog{
		Frame: frame, Contents: DocsNav{Topics: docsTopics[1:], Current: "changelog", Parts: []DocsLink{{Title: "22 November 2026", Path: "#2026-11-22"}}},
		Areas: []ChangeArea{{"All", "/changelog", 4, true}, {"Console", "/changelog?area=console", 1, false}},
		Changes: []Change{
			{ID: "2026-11-22", Title: "22 November 2026", Entries: 3, Text: "A large step.", Groups: []ChangeGroup{
				{"New", []ChangeEntry{{"API", "Pulse", "`GET /pulse` says how the shop does <now>."}, {"", "Webhooks", ""}}, false}, {"Fixed", []ChangeEntry{{"", "", "A fault."}}, true},
			}},
			{ID: "2026-11-20", Title: "20 November 2026", Entries: 1, Folded: true, Groups: []ChangeGroup{{"", []ChangeEntry{{"", "Keys", "They are made."}}, false}}},
		},
	}}
}

func TestAnchors(t *testing.T) {
	for id, want := range map[string]string{"createCharge": "createCharge", "a-1": "a-1", "": "part-7", "a b": "part-7", "ä": "part-7"} {
		if got := anchor(7, id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
