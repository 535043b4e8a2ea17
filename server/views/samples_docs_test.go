package views

import (
	"strings"
	"testing"
)

var docsTopics = []DocsTopic{
	{Name: "Charges", Path: "/docs/charges", Current: true, Links: []DocsLink{
		{"POST", "Ask a merchant for a payment", "/docs/charges#createCharge"}, {"GET", "Charges that this key has made", "/docs/charges#listCharges"},
	}},
	{Name: "Events", Path: "/docs/events", Links: []DocsLink{{"", "stock.low", "/docs/events#event-0"}}},
}

var docsFields = []DocsField{
	{"amount_cents", "", "integer, at least 100", "In the currency’s minor units: `100` is £1.00.", true},
	{"currency", "query", "string, default gbp", "", false},
}

func docsHomeSample(frame Frame) sample {
	return sample{"docs-home", DocsHome{
		Frame: frame, Topics: docsTopics, BaseURL: "https://api.corner.example", Text: "Every answer carries `X-Request-Id`.",
		Codes: docsFields, Prices: docsFields, Plans: []DocsPlan{{"free", "100", "5"}}, First: "curl -sS 'https://api.corner.example/api/v1/ask'",
	}}
}

func docsSample(frame Frame) sample {
	done := DocsAnswer{"200 OK", "Created, pending.", docsFields, []DocsExample{{"", `{"charge":{}}`}}}
	return sample{"docs", DocsPage{
		Frame: frame, Topics: docsTopics, Name: "Charges", Text: "Payment requests that a merchant pays.",
		Endpoints: []DocsEndpoint{{
			ID: "createCharge", Method: "POST", Path: "/api/v1/charges", Title: "Ask a merchant for a payment", Description: "Not billed.",
			Access: "with your API key", Price: "free", Retry: "`Idempotency-Key` is ignored here.", Parameters: docsFields, BodyText: "JSON.", Body: docsFields,
			Done: done, Refusals: []DocsAnswer{{"400 Bad Request", "The sentence names the field.", nil, []DocsExample{{"Too little", `{"error":"amount_cents"}`}}}},
			Languages: []Option{{"/docs/charges?lang=curl#createCharge", "curl", true}, {"/docs/charges?lang=go#createCharge", "Go", false}},
			Snippet:   "curl -sS 'https://api.corner.example/api/v1/charges'", Language: "curl", TryPath: "/console/try?call=createCharge",
		}, {
			ID: "listCharges", Method: "GET", Path: "/api/v1/charges", Also: []string{"/charges"}, Title: "Charges that this key has made",
			Access: "with your API key", Price: "free", Done: done,
		}},
	}}
}

func eventsSample(frame Frame) sample {
	return sample{"docs-events", DocsPage{
		Frame: frame, Topics: docsTopics, Name: "Events", Headers: docsFields,
		Events: []DocsEvent{{"stock.low", "A product has reached its reorder point", "At most once a day.", `{"type":"stock.low"}`, docsFields}},
	}}
}

func changelogSample(frame Frame) sample {
	return sample{"changelog", Changelog{Frame: frame, Changes: []Change{{"2026-11-22", "- `GET /pulse`: how the shop does\n  now.\n- Webhooks.\n"}}}}
}

func TestMarkdown(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"One\ntwo.\n\nThree.\n":            "<p>One two.</p> <p>Three.</p>",
		"- a\n  b\n- `c<d`\n":              "<ul> <li>a b</li> <li><code>c&lt;d</code></li> </ul>",
		"Text:\n- a\n\nMore.":              "<p>Text:</p> <ul> <li>a</li> </ul> <p>More.</p>",
		"<script>`":                        "<p>&lt;script&gt;<code></code></p>",
		"- [x](javascript:alert(1)) **b**": "<ul> <li>[x](javascript:alert(1)) **b**</li> </ul>",
	} {
		if got := strings.Join(strings.Fields(string(markdown(text))), " "); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", text, got, want)
		}
	}
}

func TestAnchors(t *testing.T) {
	for id, want := range map[string]string{"createCharge": "createCharge", "a-1": "a-1", "": "part-7", "a b": "part-7", "ä": "part-7"} {
		if got := anchor(7, id); got != want {
			t.Errorf("%q: %q, want %q", id, got, want)
		}
	}
}
