package openapi

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"svc/embed"
)

// API is the description of the HTTP API, for a server at an address.
type API struct {
	Base   string // address of the server, without a slash at the end
	Text   string // about all endpoints, in Markdown
	Topics []Topic
	Codes  []ErrorCode
}

// Topic is a group of endpoints.
type Topic struct {
	Name, Description string
	Operations        []Operation
}

// ErrorCode is a value of the header X-Error-Code.
type ErrorCode struct{ Code, Meaning string }

// Access says who may call an operation.
type Access string

// Who may call an operation.
const (
	ByAnyone  Access = ""
	ByKey     Access = "key"
	BySession Access = "session"
)

// Operation is a method of a path.
type Operation struct {
	ID, Method, Path     string
	Also                 []string // further paths that do the same and share its limits
	Summary, Description string
	Access               Access
	PriceCents           int64 // of a successful call; 0: free
	Idempotent           bool  // obeys Idempotency-Key
	Parameters           []Field
	Body                 *Body // nil: none
	Answers              []Answer
}

// Field is a parameter, or a field of a body or an answer.
type Field struct {
	// Name is the path to a field of an object: `items[].sku`.
	Name string
	In   string // of a parameter: path, query or header
	// Type is the type and its limits, in words.
	Type        string
	Required    bool
	Description string          // in Markdown
	Example     json.RawMessage // of a parameter; nil: none
	Choices     []string        // of a parameter; nil: any value of its type
	Variants    []Variant       // that an object, or each of a list, is one of; nil: its fields follow it
}

// Variant is an object that a field may hold. The names of its fields begin in it.
type Variant struct {
	Title       string // like "A sale"
	Description string // in Markdown; may be empty
	Fields      []Field
}

// Flat returns fields, those of the variants after the field that has them.
func Flat(fields []Field) (all []Field) {
	for _, f := range fields {
		all = append(all, f)
		for _, v := range f.Variants {
			all = append(all, Flat(v.Fields)...)
		}
	}
	return all
}

// Body is what a request sends.
type Body struct {
	Description string
	Fields      []Field
	Example     json.RawMessage
	Schema      json.RawMessage // JSON Schema; it refers to no other document
}

// Answer is a status with what it carries.
type Answer struct {
	Status      int
	Description string
	Headers     []Field
	Fields      []Field
	Examples    []Example
}

// Example is a body. Name may be empty.
type Example struct {
	Name  string
	Value json.RawMessage
}

// ExampleBase is the address of the server in openapi.yaml.
const ExampleBase = "http://127.0.0.1:8080"

// readFor reads the description of a server at an address.
func readFor(base string) (document, error) {
	return read([]byte(strings.ReplaceAll(string(embed.OpenAPI), ExampleBase, base)))
}

// JSON returns the description of a server at an address as one JSON object.
func JSON(base string) ([]byte, error) {
	d, err := readFor(base)
	if err != nil {
		return nil, err
	}
	d.keepRefs = true
	return d.json(d.root)
}

// Read returns the description of a server at an address.
func Read(base string) (*API, error) {
	d, err := readFor(base)
	if err != nil {
		return nil, err
	}
	api := &API{Base: base, Text: text(d.at("info", "description"))}
	for _, tag := range d.at("tags").Content {
		api.Topics = append(api.Topics, Topic{Name: text(get(tag, "name")), Description: text(get(tag, "description"))})
	}
	if err := d.operations(api); err != nil {
		return nil, err
	}
	for _, code := range d.at("components", "headers", "ErrorCode", "schema", "oneOf").Content {
		api.Codes = append(api.Codes, ErrorCode{text(get(code, "const")), text(get(code, "description"))})
	}
	return api, nil
}

// Methods are the fields of a path that are operations, in the order in which documents have
// them.
var methods = []string{"get", "post", "put", "patch", "delete"}

// operations fills the topics.
func (d document) operations(api *API) error {
	for _, path := range fields(d.at("paths")) {
		for _, f := range fields(path.value) {
			if !slices.Contains(methods, f.name) {
				continue
			}
			o, err := d.operation(path, f)
			if err != nil {
				return fmt.Errorf("%s %s: %w", f.name, path.name, err)
			}
			if err := api.add(f.value, o); err != nil {
				return fmt.Errorf("%s %s: %w", f.name, path.name, err)
			}
		}
	}
	return nil
}

// add adds an operation to its topic, or its path to the operation that it is the same as.
func (api *API) add(n *yaml.Node, o Operation) error {
	same := text(get(n, "x-same-as"))
	tags := get(n, "tags")
	if tags == nil || len(tags.Content) != 1 {
		return fmt.Errorf("must have one tag")
	}
	for i := range api.Topics {
		t := &api.Topics[i]
		if t.Name != tags.Content[0].Value {
			continue
		}
		if same == "" {
			t.Operations = append(t.Operations, o)
			return nil
		}
		for j := range t.Operations {
			if t.Operations[j].ID == same {
				t.Operations[j].Also = append(t.Operations[j].Also, o.Path)
				return nil
			}
		}
		return fmt.Errorf("x-same-as: no operation %s before it", same)
	}
	return fmt.Errorf("no tag %s", tags.Content[0].Value)
}

func (d document) operation(path, method field) (o Operation, err error) {
	n := method.value
	o = Operation{
		ID: text(get(n, "operationId")), Method: strings.ToUpper(method.name), Path: path.name,
		Summary: text(get(n, "summary")), Description: strings.TrimSpace(text(get(n, "description"))), Access: d.access(n),
	}
	if price := text(get(n, "x-price-cents")); price != "" {
		if o.PriceCents, err = strconv.ParseInt(price, 10, 64); err != nil {
			return o, err
		}
	}
	for _, list := range []*yaml.Node{get(path.value, "parameters"), get(n, "parameters")} {
		if list == nil {
			continue
		}
		for _, p := range list.Content {
			f, err := d.parameter(p)
			if err != nil {
				return o, err
			}
			o.Idempotent = o.Idempotent || f.Name == "Idempotency-Key"
			o.Parameters = append(o.Parameters, f)
		}
	}
	if o.Body, err = d.body(get(n, "requestBody")); err != nil {
		return o, err
	}
	for _, response := range fields(get(n, "responses")) {
		a, err := d.answer(response)
		if err != nil {
			return o, fmt.Errorf("%s: %w", response.name, err)
		}
		o.Answers = append(o.Answers, a)
	}
	return o, nil
}

// access reads who may call an operation; the document's default is ByKey.
func (d document) access(n *yaml.Node) Access {
	security := get(n, "security")
	switch {
	case security == nil:
		return ByKey
	case len(security.Content) == 0:
		return ByAnyone
	case get(security.Content[0], "session") != nil:
		return BySession
	default:
		return ByKey
	}
}

func (d document) parameter(n *yaml.Node) (f Field, err error) {
	n = d.meant(n)
	schema := get(n, "schema")
	f = Field{
		Name: text(get(n, "name")), In: text(get(n, "in")), Required: text(get(n, "required")) == "true",
		Description: strings.TrimSpace(text(get(n, "description"))), Type: d.typeOf(schema),
	}
	for _, choice := range list(get(schema, "enum")) {
		f.Choices = append(f.Choices, choice.Value)
	}
	if example := get(n, "example"); example != nil {
		f.Example, err = d.json(example)
	}
	return f, err
}

// list returns the elements of a list, none of nil.
func list(n *yaml.Node) []*yaml.Node {
	if n == nil {
		return nil
	}
	return n.Content
}

func (d document) body(n *yaml.Node) (*Body, error) {
	if n == nil {
		return nil, nil
	}
	content := get(get(d.meant(n), "content"), "application/json")
	b := &Body{Description: strings.TrimSpace(text(get(d.meant(n), "description"))), Fields: d.flatten(get(content, "schema"), "")}
	schema, example := get(content, "schema"), get(content, "example")
	if schema == nil || example == nil {
		return b, nil
	}
	var err error
	if b.Schema, err = d.json(schema); err != nil {
		return nil, err
	}
	b.Example, err = d.json(example)
	return b, err
}

func (d document) answer(f field) (a Answer, err error) {
	n := d.meant(f.value)
	if a.Status, err = strconv.Atoi(f.name); err != nil {
		return a, err
	}
	a.Description = strings.TrimSpace(text(get(n, "description")))
	for _, header := range fields(get(n, "headers")) {
		h := d.meant(header.value)
		a.Headers = append(a.Headers, Field{
			Name: header.name, In: "header", Type: d.typeOf(get(h, "schema")), Description: strings.TrimSpace(text(get(h, "description"))),
		})
	}
	content := get(get(n, "content"), "application/json")
	a.Fields = d.flatten(get(content, "schema"), "")
	if example := get(content, "example"); example != nil {
		value, err := d.json(example)
		if err != nil {
			return a, err
		}
		a.Examples = append(a.Examples, Example{Value: value})
	}
	for _, example := range fields(get(content, "examples")) {
		value, err := d.json(get(example.value, "value"))
		if err != nil {
			return a, err
		}
		a.Examples = append(a.Examples, Example{Name: text(get(example.value, "summary")), Value: value})
	}
	return a, nil
}
