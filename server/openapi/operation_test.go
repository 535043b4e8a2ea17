package openapi_test

import (
	"encoding/json"
	"go/format"
	"slices"
	"strings"
	"testing"

	"svc/server/openapi"
)

const base = "https://shop.example:8443"

func read(t *testing.T) *openapi.API {
	t.Helper()
	api, err := openapi.Read(base)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// Each operation says what a reader needs: what it does, what it takes and what it answers,
// with an example of each body.
func TestOperationsAreComplete(t *testing.T) {
	api := read(t)
	if api.Text == "" || len(api.Codes) < 20 {
		t.Errorf("text %q, %d codes", api.Text, len(api.Codes))
	}
	for _, topic := range api.Topics {
		if len(topic.Operations) == 0 || topic.Description == "" {
			t.Errorf("topic %s: %d operations, description %q", topic.Name, len(topic.Operations), topic.Description)
		}
		for _, o := range topic.Operations {
			t.Run(o.ID, func(t *testing.T) { checkOperation(t, o) })
		}
	}
}

func checkOperation(t *testing.T, o openapi.Operation) {
	t.Helper()
	if o.Summary == "" || strings.HasSuffix(o.Summary, ".") {
		t.Errorf("summary %q", o.Summary)
	}
	for _, p := range o.Parameters {
		if p.Type == "" || p.Description == "" {
			t.Errorf("parameter %+v", p)
		}
		if p.Required && p.Example == nil && o.ID != "receiveStripeEvent" {
			t.Errorf("parameter %s has no example", p.Name)
		}
	}
	if o.Body != nil && o.Body.Example == nil && o.ID != "receiveStripeEvent" {
		t.Error("the body has no example")
	}
	for _, a := range o.Answers {
		if a.Description == "" || len(a.Fields) == 0 {
			t.Errorf("%d: description %q, %d fields", a.Status, a.Description, len(a.Fields))
		}
		if len(a.Examples) == 0 && o.ID != "getDescription" {
			t.Errorf("%d has no example", a.Status)
		}
		for _, e := range a.Examples {
			if !json.Valid(e.Value) {
				t.Errorf("%d: example %s", a.Status, e.Value)
			}
		}
	}
	if !slices.ContainsFunc(o.Answers, func(a openapi.Answer) bool { return a.Status == 200 }) {
		t.Error("no 200")
	}
}

func find(t *testing.T, api *openapi.API, id string) openapi.Operation {
	t.Helper()
	for _, topic := range api.Topics {
		for _, o := range topic.Operations {
			if o.ID == id {
				return o
			}
		}
	}
	t.Fatalf("no operation %s", id)
	return openapi.Operation{}
}

func TestOperationsHaveTheirTerms(t *testing.T) {
	api := read(t)
	for _, want := range []struct {
		id         string
		access     openapi.Access
		cents      int64
		idempotent bool
		also       string
	}{
		{"scan", openapi.ByKey, 3, true, ""},
		{"sendMessage", openapi.ByKey, 2, true, ""},
		{"createCharge", openapi.ByKey, 0, false, ""},
		{"getPulse", openapi.ByKey, 0, false, "/api/v1/pulse"},
		{"pushData", openapi.ByKey, 0, false, "/data/push"},
		{"getPricing", openapi.ByAnyone, 0, false, ""},
		{"createWebhook", openapi.BySession, 0, false, ""},
	} {
		o := find(t, api, want.id)
		if o.Access != want.access || o.PriceCents != want.cents || o.Idempotent != want.idempotent || strings.Join(o.Also, " ") != want.also {
			t.Errorf("%s: %+v", want.id, o)
		}
	}
}

func TestFieldsHaveTheirPath(t *testing.T) {
	api := read(t)
	for _, want := range []struct{ id, name, kind string }{
		{"createCharge", "amount_cents", "integer, at least 100, at most 10,000,000"},
		{"createCharge", "currency", "string, default gbp"},
		{"sendMessage", "template", "one of receipt, purchase_order"},
		{"pushData", "items[].quantity", "number"},
		{"pushData", "type", "always sale"},
		{"createConnection", "scopes", "list of strings"},
	} {
		o := find(t, api, want.id)
		if !slices.ContainsFunc(openapi.Flat(o.Body.Fields), func(f openapi.Field) bool { return f.Name == want.name && f.Type == want.kind }) {
			t.Errorf("%s has no field %s that is %q: %+v", want.id, want.name, want.kind, o.Body.Fields)
		}
	}
	answers := find(t, api, "listCharges").Answers
	if f := answers[0].Fields; f[0].Name != "charges" || f[1].Name != "charges[].id" || !f[1].Required {
		t.Errorf("fields of the answer: %+v", f)
	}
}

// The document for a server names its address, and keeps its references.
func TestJSON(t *testing.T) {
	text, err := openapi.JSON(base)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		OpenAPI string
		Servers []struct{ URL string }
		Paths   map[string]any
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" || document.Servers[0].URL != base || len(document.Paths) < 20 {
		t.Errorf("%+v", document.Servers)
	}
	if strings.Contains(string(text), "127.0.0.1") || !strings.Contains(string(text), `"$ref":"#/components/schemas/Charge"`) {
		t.Error("the document has another address, or no references")
	}
}

func TestSnippets(t *testing.T) {
	api := read(t)
	charge := find(t, api, "createCharge")
	for language, want := range map[string]string{
		"curl": `curl -sS 'https://shop.example:8443/api/v1/charges' \
  -H "x-api-key: $SVC_KEY" \
  -H 'Content-Type: application/json' \
  -d '{
    "merchant_email": "shop@example.com",
    "amount_cents": 1250,
    "currency": "gbp",
    "description": "Two bags of coffee"
  }'`,
		"javascript": `const response = await fetch("https://shop.example:8443/api/v1/charges", {
  method: "POST",
  headers: {
    "x-api-key": process.env.SVC_KEY,
    "Content-Type": "application/json",
  },
  body: JSON.stringify({
    "merchant_email": "shop@example.com",
    "amount_cents": 1250,
    "currency": "gbp",
    "description": "Two bags of coffee"
  }),
});
console.log(response.status, await response.json());`,
		"python": `import json
import os
import urllib.request

request = urllib.request.Request(
    "https://shop.example:8443/api/v1/charges",
    method="POST",
    headers={
        "x-api-key": os.environ["SVC_KEY"],
        "Content-Type": "application/json",
    },
    data=json.dumps({
        "merchant_email": "shop@example.com",
        "amount_cents": 1250,
        "currency": "gbp",
        "description": "Two bags of coffee"
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`,
		"cobol": "",
	} {
		if got := api.Snippet(charge, language); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", language, got, want)
		}
	}
	if list := api.Snippet(find(t, api, "listWebhooks"), "curl"); !strings.Contains(list, `-H "Cookie: __Host-svc_session=$SVC_SESSION"`) {
		t.Errorf("with a session: %s", list)
	}
	if stripe := api.Snippet(find(t, api, "receiveStripeEvent"), "curl"); stripe != "" {
		t.Errorf("of Stripe's events: %s", stripe)
	}
}

// Snippets of Go are as gofmt writes them.
func TestSnippetsOfGo(t *testing.T) {
	api := read(t)
	for _, topic := range api.Topics {
		for _, o := range topic.Operations {
			text := api.Snippet(o, "go")
			if text == "" {
				continue
			}
			formatted, err := format.Source([]byte(text))
			if err != nil || string(formatted) != text+"\n" {
				t.Errorf("%s: %v\n%s", o.ID, err, text)
			}
		}
	}
}
