package openapi

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"svc/server/money"
)

// flatten lists the fields of a schema with the path to each, an object before its fields.
// A field of a list is `name[]`. The choices of a list's items come one after the other, each
// with its title as the description of `name[]`.
func (d document) flatten(n *yaml.Node, at string) (all []Field) {
	n = d.meant(n)
	for _, name := range []string{"anyOf", "oneOf"} {
		choices := get(n, name)
		if choices == nil {
			continue
		}
		for _, choice := range choices.Content {
			inner := d.flatten(choice, at)
			if title := text(get(d.meant(choice), "title")); title != "" && len(inner) > 0 && at != "" {
				all = append(all, Field{Name: at, Type: "object", Description: title + " " + oneLine(text(get(d.meant(choice), "description")))})
			}
			all = merge(all, inner, at != "")
		}
		return all
	}
	if items := get(n, "items"); items != nil {
		return d.flatten(items, at+"[]")
	}
	required := map[string]bool{}
	if list := get(n, "required"); list != nil {
		for _, name := range list.Content {
			required[name.Value] = true
		}
	}
	for _, f := range fields(get(n, "properties")) {
		name := f.name
		if at != "" {
			name = at + "." + name
		}
		schema := d.meant(f.value)
		all = append(all, Field{Name: name, Type: d.typeOf(schema), Required: required[f.name], Description: d.describe(f.value)})
		all = append(all, d.flatten(schema, name)...)
	}
	return all
}

// merge appends the fields of a choice. Without repeats, a field of an earlier choice is left
// out.
func merge(all, more []Field, repeats bool) []Field {
	for _, f := range more {
		if repeats || !hasField(all, f.Name) {
			all = append(all, f)
		}
	}
	return all
}

func hasField(all []Field, name string) bool {
	for _, f := range all {
		if f.Name == name {
			return true
		}
	}
	return false
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
			return "list of " + inner
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
	for _, name := range []string{"anyOf", "oneOf"} {
		choices := get(n, name)
		if choices == nil {
			continue
		}
		var kinds []string
		for _, c := range choices.Content {
			kind := d.kind(d.meant(c))
			if len(kinds) == 0 || kinds[len(kinds)-1] != kind {
				kinds = append(kinds, kind)
			}
		}
		return strings.Join(kinds, " or ")
	}
	return "any"
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
