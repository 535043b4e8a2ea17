package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// document is the description as it is written: the order of its fields is kept.
type document struct {
	root *yaml.Node
	// keepRefs writes references as they are.
	keepRefs bool
}

func read(text []byte) (document, error) {
	var all yaml.Node
	if err := yaml.Unmarshal(text, &all); err != nil {
		return document{}, err
	}
	return document{root: all.Content[0]}, nil
}

// at returns the node at a path of fields, nil if there is none.
func (d document) at(path ...string) *yaml.Node {
	n := d.root
	for _, name := range path {
		n = get(n, name)
	}
	return n
}

// field is a name of a mapping and its value.
type field struct {
	name  string
	value *yaml.Node
}

// fields returns the fields of a mapping in order, those that it merges in first. It
// returns none of another node.
func fields(n *yaml.Node) (all []field) {
	n = target(n)
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag == "!!merge" {
			all = append(all, fields(n.Content[i+1])...)
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Tag != "!!merge" {
			all = set(all, field{n.Content[i].Value, n.Content[i+1]})
		}
	}
	return all
}

// set replaces the field with the name of f, or appends f.
func set(all []field, f field) []field {
	for i := range all {
		if all[i].name == f.name {
			all[i] = f
			return all
		}
	}
	return append(all, f)
}

// get returns the value of a field of a mapping, nil if there is none.
func get(n *yaml.Node, name string) *yaml.Node {
	for _, f := range fields(n) {
		if f.name == name {
			return target(f.value)
		}
	}
	return nil
}

// text returns the text of a scalar, "" of nil.
func text(n *yaml.Node) string {
	if n == nil {
		return ""
	}
	return n.Value
}

// target returns the node that an alias is for.
func target(n *yaml.Node) *yaml.Node {
	if n != nil && n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// meant returns the node that a reference is for, or the node itself. It returns nil if there
// is none.
func (d document) meant(n *yaml.Node) *yaml.Node {
	n = target(n)
	if ref := text(get(n, "$ref")); ref != "" {
		return d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// json writes a node as JSON, with what it refers to in the place of each reference.
func (d document) json(n *yaml.Node) ([]byte, error) {
	n = target(n)
	if n == nil {
		return nil, fmt.Errorf("there is none")
	}
	switch n.Kind {
	case yaml.MappingNode:
		return d.object(n)
	case yaml.SequenceNode:
		return d.array(n)
	}
	if n.Tag == "!!timestamp" {
		return json.Marshal(n.Value)
	}
	var scalar any
	if err := n.Decode(&scalar); err != nil {
		return nil, err
	}
	return json.Marshal(scalar)
}

func (d document) object(n *yaml.Node) ([]byte, error) {
	all := fields(n)
	if ref := text(get(n, "$ref")); ref != "" && !d.keepRefs {
		meant := d.at(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
		if meant == nil {
			return nil, fmt.Errorf("no %s", ref)
		}
		all = fields(meant)
		for _, f := range fields(n) { // beside $ref
			if f.name != "$ref" {
				all = set(all, f)
			}
		}
	}
	var parts [][]byte
	for _, f := range all {
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := d.json(f.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		parts = append(parts, append(append(name, ':'), value...))
	}
	return enclose('{', parts, '}'), nil
}

func (d document) array(n *yaml.Node) ([]byte, error) {
	var parts [][]byte
	for _, one := range n.Content {
		value, err := d.json(one)
		if err != nil {
			return nil, err
		}
		parts = append(parts, value)
	}
	return enclose('[', parts, ']'), nil
}

func enclose(begin byte, parts [][]byte, end byte) []byte {
	return append(append([]byte{begin}, bytes.Join(parts, []byte{','})...), end)
}
