package requestlog

import (
	"fmt"
	"net/http"
	"strings"
)

// Endpoint is an address of the API that is called with a key. Example is a query or, of a
// POST, a body of a call, because those that were sent are not kept.
type Endpoint struct{ Method, Route, Example string }

// Endpoints lists them in the order of choices.
var Endpoints = []Endpoint{
	{http.MethodPost, "/api/v1/ask", `{"question":"What sold best last month?"}`},
	{http.MethodPost, "/api/v1/scan", `{"image":"BASE64_OF_A_JPEG"}`},
	{http.MethodPost, "/api/v1/messaging/send", `{"phone":"+447700900123","template":"receipt","text":"Thank you"}`},
	{http.MethodPost, "/api/v1/connections", `{"merchant_email":"shop@example.com"}`},
	{http.MethodGet, "/api/v1/connections", ""},
	{http.MethodPost, "/api/v1/charges", `{"merchant_email":"shop@example.com","amount_cents":1250,"description":"Invoice"}`},
	{http.MethodGet, "/api/v1/charges", ""},
	{http.MethodGet, "/pulse", ""}, {http.MethodGet, "/api/v1/pulse", ""},
	{http.MethodGet, "/alerts", ""}, {http.MethodGet, "/api/v1/alerts", ""},
	{http.MethodGet, "/brief", ""}, {http.MethodGet, "/api/v1/brief", ""},
	{http.MethodPost, "/ask", `{"question":"What sold best last month?"}`},
	{http.MethodPost, "/data/push", push}, {http.MethodPost, "/api/v1/data/push", push},
	{http.MethodGet, "/tools/fx-risk", fxRisk}, {http.MethodGet, "/api/v1/tools/fx-risk", fxRisk},
	{http.MethodGet, "/tools/landed-cost", landedCost}, {http.MethodGet, "/api/v1/tools/landed-cost", landedCost},
}

const (
	push       = `{"records":[{"type":"product","external_id":"p1","name":"Tea","price":4.5}]}`
	fxRisk     = "base=gbp&quote=usd&amount=10000"
	landedCost = "goods_value=10000&currency=gbp&duty_rate=4"
)

// exampleOf returns the example of a call, empty if it has neither query nor body.
func exampleOf(method, route string) string {
	for _, e := range Endpoints {
		if e.Method == method && e.Route == route {
			return e.Example
		}
	}
	return ""
}

// curl returns a command line that makes such a call, with a placeholder for the key, and
// whether it has an example in the place of what was sent.
func curl(baseURL, method, route string) (line string, example bool) {
	sent := exampleOf(method, route)
	address := baseURL + route
	if sent != "" && method == http.MethodGet {
		address += "?" + sent
	}
	lines := []string{fmt.Sprintf("curl '%s'", address), "-H 'x-api-key: YOUR_KEY'"}
	if method == http.MethodPost {
		lines = append(lines, "-H 'content-type: application/json'", "-d '"+sent+"'")
	}
	return strings.Join(lines, " \\\n  "), sent != ""
}
