package openapi

import (
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"svc/server/money"
)

// flatten lists the fields of a schema with the path to each, an object before its fields.
// A field of a list is `name[]`. Choices that have titles are variants of their field; the
// fields of others come one after the other, each once.
func (d document) flatten(n *yaml.Node, at string) (all []Field) {
	n = d.meant(n)
	if choices := choices(n); choices != nil {
		for _, choice := range choices {
			all = merge(all, d.flatten(choice, at))
		}
		return all
	}
	if items := get(n, "items"); items != nil {
		return d.flatten(items, at+"[]")
	}
	required := map[string]bool{}
	for _, name := range list(get(n, "required")) {
		required[name.Value] = true
	}
	for _, f := range fields(get(n, "properties")) {
		name := f.name
		if at != "" {
			name = at + "." + name
		}
		schema := d.meant(f.value)
		one := Field{
			Name: name, Type: d.typeOf(schema), Required: required[f.name], Description: d.describe(f.value), Variants: d.variants(schema),
		}
		all = append(all, one)
		if one.Variants == nil {
			all = append(all, d.flatten(schema, name)...)
		}
	}
	if other := get(n, "additionalProperties"); text(get(other, "title")) != "" {
		all = append(all, Field{Name: text(get(other, "title")), Type: d.typeOf(other), Description: d.describe(other)})
	}
	return all
}

// choices returns the schemas of which a value must fit one; nil: the schema has none.
func choices(n *yaml.Node) []*yaml.Node {
	return slices.Concat(list(get(n, "anyOf")), list(get(n, "oneOf")))
}

// variants returns the titled choices of a schema or of a list's items; nil if there are none.
func (d document) variants(n *yaml.Node) (all []Variant) {
	if items := get(n, "items"); items != nil {
		n = d.meant(items)
	}
	for _, choice := range choices(n) {
		choice = d.meant(choice)
		title := text(get(choice, "title"))
		if title == "" {
			return nil
		}
		all = append(all, Variant{Title: title, Description: oneLine(text(get(choice, "description"))), Fields: d.flatten(choice, "")})
	}
	return all
}

// merge appends the fields that are not there yet.
func merge(all, more []Field) []Field {
	for _, f := range more {
		if !slices.ContainsFunc(all, func(had Field) bool { return had.Name == f.Name }) {
			all = append(all, f)
		}
	}
	return all
}

// describe returns the description beside a reference, else that of what is meant, else that
// of a list's items.
func (d document) describe(n *yaml.Node) string {
	if own := text(get(n, "description")); own != "" {
		return oneLine(own)
	}
	meant := d.meant(n)
	if own := text(get(meant, "description")); own != "" {
		return oneLine(own)
	}
	return oneLine(text(get(d.meant(get(meant, "items")), "description")))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// typeOf says in words which values a schema allows.
func (d document) typeOf(n *yaml.Node) string {
	n = d.meant(n)
	if n == nil {
		return ""
	}
	words := d.kind(n)
	if enum := get(n, "enum"); enum != nil {
		var values []string
		for _, v := range enum.Content {
			values = append(values, v.Value)
		}
		words = "one of " + strings.Join(values, ", ")
	}
	if limits := limits(n); limits != "" {
		words += ", " + limits
	}
	if def := get(n, "default"); def != nil {
		words += ", default " + def.Value
	}
	return words
}

// kind is the type without its limits: "string or null", "list of strings".
func (d document) kind(n *yaml.Node) string {
	if value := get(n, "const"); value != nil {
		return "always " + value.Value
	}
	types := get(n, "type")
	switch {
	case types == nil:
		return d.kindOfChoice(n)
	case types.Kind == yaml.SequenceNode:
		var names []string
		for _, t := range types.Content {
			names = append(names, t.Value)
		}
		return strings.Join(names, " or ")
	case types.Value == "array":
		if inner := d.kind(d.meant(get(n, "items"))); inner != "" {
			return "list of " + plural(inner)
		}
		return "list"
	case text(get(n, "format")) == "date-time":
		return "time"
	case text(get(n, "format")) == "date":
		return "date"
	}
	return types.Value
}

func (d document) kindOfChoice(n *yaml.Node) string {
	var kinds []string
	for _, c := range choices(n) {
		kind := d.kind(d.meant(c))
		if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
			kinds = append(kinds, kind)
		}
	}
	if kinds != nil {
		return strings.Join(kinds, " or ")
	}
	return "any"
}

// plural is the name of several values of a kind.
func plural(kind string) string {
	if slices.Contains([]string{"object", "string", "integer", "number", "time", "date"}, kind) {
		return kind + "s"
	}
	return kind
}

// grouped writes a whole number with thousands separators.
func grouped(value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return value
	}
	return money.Digits(n, 0)
}

// limits says the bounds of a number, a text or a list.
func limits(n *yaml.Node) string {
	var all []string
	for _, bound := range []struct{ name, before, after string }{
		{"minimum", "at least ", ""},
		{"exclusiveMinimum", "above ", ""},
		{"maximum", "at most ", ""},
		{"maxLength", "at most ", " characters"},
		{"maxItems", "at most ", " items"},
	} {
		if value := text(get(n, bound.name)); value != "" && value != "0" {
			all = append(all, bound.before+grouped(value)+bound.after)
		}
	}
	return strings.Join(all, ", ")
}
