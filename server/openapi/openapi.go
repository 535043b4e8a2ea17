// Package openapi reads the description of the HTTP API in embed/openapi.yaml, which is the
// only place where the bodies of events are described (K2).
package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"svc/db/event"
	"svc/embed"
)

// Event is a kind of event as the description has it, under webhooks.
type Event struct {
	Kind    event.Kind
	Summary string          // a line
	When    string          // what makes it happen (K8), in sentences
	Sample  json.RawMessage // the body of such an event, complete
	Schema  json.RawMessage // JSON Schema 2020-12 of the body; it refers to no other document
}

// Events returns all kinds in the order of event.Kinds.
var Events = sync.OnceValue(func() []Event {
	d, err := read(embed.OpenAPI)
	var all []Event
	for _, kind := range event.Kinds {
		if err == nil {
			var e Event
			e, err = d.event(kind)
			all = append(all, e)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("openapi.yaml: %v", err)) // the file is part of the binary
	}
	return all
})

// Of returns the description of a kind.
func Of(kind event.Kind) (e Event, ok bool) {
	for _, e := range Events() {
		if e.Kind == kind {
			return e, true
		}
	}
	return Event{}, false
}

// Sample returns the data of the sample of a kind.
func Sample(kind event.Kind) (event.Payload, error) {
	e, _ := Of(kind)
	var body struct{ Data json.RawMessage }
	if err := json.Unmarshal(e.Sample, &body); err != nil {
		return nil, fmt.Errorf("sample of %s: %w", kind, err)
	}
	return event.Decode(kind, body.Data)
}

func (d document) event(kind event.Kind) (e Event, err error) {
	post := d.at("webhooks", string(kind), "post")
	content := get(get(get(post, "requestBody"), "content"), "application/json")
	e = Event{Kind: kind, Summary: text(get(post, "summary")), When: strings.TrimSpace(text(get(post, "description")))}
	if e.Sample, err = d.json(get(content, "example")); err != nil {
		return e, fmt.Errorf("%s: sample: %w", kind, err)
	}
	schema, err := d.json(get(content, "schema"))
	if err != nil {
		return e, fmt.Errorf("%s: schema: %w", kind, err)
	}
	const dialect = `{"$schema":"https://json-schema.org/draft/2020-12/schema",`
	e.Schema = append([]byte(dialect), schema[len("{"):]...)
	return e, nil
}
