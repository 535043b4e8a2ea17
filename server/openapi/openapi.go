// Package openapi reads the description of the HTTP API in embed/openapi.yaml, which is the
// only place where the bodies of events are described (K2).
package openapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

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
	Headers []Field         // of the request that carries it
	Fields  []Field         // of the body
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

// Sample returns the data of the sample of a kind, as if it had happened at a time: its times
// are moved by as much.
func Sample(kind event.Kind, at time.Time) (event.Payload, error) {
	e, ok := Of(kind)
	if !ok {
		return nil, fmt.Errorf("no kind of event %q", kind)
	}
	var body struct {
		Timestamp time.Time
		Data      any
	}
	if err := json.Unmarshal(e.Sample, &body); err != nil {
		return nil, fmt.Errorf("sample of %s: %w", kind, err)
	}
	data, err := json.Marshal(moved(body.Data, body.Timestamp, at.UTC()))
	if err != nil {
		return nil, fmt.Errorf("sample of %s: %w", kind, err)
	}
	return event.Decode(kind, data)
}

// moved returns a JSON value with its times moved by as much as it takes from one time to
// another, and its days by as many days.
func moved(value any, from, to time.Time) any {
	const day = 24 * time.Hour
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			v[name] = moved(inner, from, to)
		}
	case []any:
		for i, inner := range v {
			v[i] = moved(inner, from, to)
		}
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at.Add(to.Sub(from).Truncate(time.Second)).UTC().Format(time.RFC3339)
		}
		if at, err := time.Parse(time.DateOnly, v); err == nil {
			return at.Add(to.Truncate(day).Sub(from.Truncate(day))).Format(time.DateOnly)
		}
	}
	return value
}

func (d document) event(kind event.Kind) (e Event, err error) {
	post := d.at("webhooks", string(kind), "post")
	content := get(get(get(post, "requestBody"), "content"), "application/json")
	e = Event{Kind: kind, Summary: text(get(post, "summary")), When: strings.TrimSpace(text(get(post, "description")))}
	if e.Sample, err = d.json(get(content, "example")); err != nil {
		return e, fmt.Errorf("%s: sample: %w", kind, err)
	}
	for _, p := range get(post, "parameters").Content {
		header, err := d.parameter(p)
		if err != nil {
			return e, fmt.Errorf("%s: %w", kind, err)
		}
		e.Headers = append(e.Headers, header)
	}
	e.Fields = d.flatten(get(content, "schema"), "")
	schema, err := d.json(get(content, "schema"))
	if err != nil {
		return e, fmt.Errorf("%s: schema: %w", kind, err)
	}
	const dialect = `{"$schema":"https://json-schema.org/draft/2020-12/schema",`
	e.Schema = append([]byte(dialect), schema[len("{"):]...)
	return e, nil
}
