package openapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"svc/db/event"
	"svc/embed"
	"svc/server/openapi"
)

// The description has all kinds and no other.
func TestEventsAreDescribed(t *testing.T) {
	var document struct{ Webhooks map[string]any }
	if err := yaml.Unmarshal(embed.OpenAPI, &document); err != nil {
		t.Fatal(err)
	}
	if described := slices.Sorted(maps.Keys(document.Webhooks)); len(described) != len(event.Kinds) {
		t.Errorf("described are %v, want %v", described, event.Kinds)
	}
	for _, e := range openapi.Events() {
		if e.Summary == "" || e.When == "" || !strings.HasSuffix(e.When, ".") || strings.Contains(e.Summary, "\n") {
			t.Errorf("%s: summary %q, when %q", e.Kind, e.Summary, e.When)
		}
		if bytes.Contains(e.Schema, []byte(`"$ref"`)) {
			t.Errorf("%s: the schema refers to another document", e.Kind)
		}
	}
	if _, ok := openapi.Of("nothing"); ok {
		t.Error("an unknown kind is described")
	}
}

// Samples are what the program sends: the schema accepts them, and they lose nothing when
// they are read into the payload's struct and written again.
func TestSamples(t *testing.T) {
	for _, e := range openapi.Events() {
		t.Run(string(e.Kind), func(t *testing.T) {
			sample := decode(t, e.Sample)
			if err := closed(t, e.Schema).Validate(sample); err != nil {
				t.Error(err)
			}
			var envelope event.Envelope
			if err := json.Unmarshal(e.Sample, &envelope); err != nil {
				t.Fatal(err)
			}
			data, err := openapi.Sample(e.Kind, envelope.Timestamp)
			if err != nil || data.Kind() != e.Kind {
				t.Fatalf("%+v, %v", data, err)
			}
			body, err := event.Body(envelope, data)
			if err != nil {
				t.Fatal(err)
			}
			if written := decode(t, body); !reflect.DeepEqual(written, sample) {
				t.Errorf("the program writes\n%s, the sample is\n%s", body, e.Sample)
			}
		})
	}
}

func TestSampleIsOfNow(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 0, 1, 3e8, time.UTC)
	data, err := openapi.Sample(event.BriefReady, at)
	brief, ok := data.(event.Brief)
	if err != nil || !ok || brief.Period != "2030-01-01" || at.Sub(brief.GeneratedAt) > time.Second {
		t.Errorf("%+v, %v", data, err)
	}
	data, err = openapi.Sample(event.ChurnScanCompleted, at)
	if scan, ok := data.(event.ChurnScan); err != nil || !ok || scan.ScannedAt.Sub(scan.Silent[0].LastPurchase).Hours() < 24*41 {
		t.Errorf("%+v, %v", data, err)
	}
	if _, err := openapi.Sample("nothing", at); err == nil {
		t.Error("an unknown kind has a sample")
	}
}

// A body that lacks a field, has one more, or one of another type is refused.
func TestSchemasRefuseOtherBodies(t *testing.T) {
	for _, e := range openapi.Events() {
		schema, body := closed(t, e.Schema), decode(t, e.Sample)
		refused := func(what string) {
			t.Helper()
			if schema.Validate(body) == nil {
				t.Errorf("%s: accepted although %s", e.Kind, what)
			}
		}
		each(body, func(object map[string]any) {
			for _, name := range slices.Sorted(maps.Keys(object)) {
				kept := object[name]
				object[name] = []any{true}
				refused(name + " is an array of true")
				delete(object, name)
				refused("there is no " + name)
				object[name] = kept
			}
			object["more"] = 1
			refused("there is a field more")
			delete(object, "more")
		})
		if err := schema.Validate(body); err != nil {
			t.Errorf("%s: %v", e.Kind, err)
		}
	}
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// closed compiles a schema that also refuses fields that it does not describe.
func closed(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	schema := decode(t, text)
	each(schema, func(object map[string]any) {
		if _, described := object["properties"]; described {
			object["additionalProperties"] = false
		}
	})
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// each calls fn with all objects in a value.
func each(value any, fn func(map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		fn(v)
		for _, inner := range v {
			each(inner, fn)
		}
	case []any:
		for _, inner := range v {
			each(inner, fn)
		}
	}
}
