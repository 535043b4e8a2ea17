package views

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// element is a node of a page's markup.
type element struct {
	name     string
	attrs    map[string]string
	parent   *element
	children []*element
	text     string // including that of its children
}

// void elements have no end tag.
var void = []string{"meta", "link", "img", "input", "br"}

// parseMarkup parses HTML strictly: all tags must be closed in order, no attribute may
// be repeated, and special characters must be escaped.
func parseMarkup(markup string) (*element, error) {
	decoder := xml.NewDecoder(strings.NewReader(markup))
	decoder.Strict = false
	root := &element{name: "#root"}
	at := root
	for {
		token, err := decoder.RawToken()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			child := &element{name: token.Name.Local, attrs: map[string]string{}, parent: at}
			for _, a := range token.Attr {
				if _, twice := child.attrs[a.Name.Local]; twice {
					return nil, fmt.Errorf("<%s> has %s twice", child.name, a.Name.Local)
				}
				child.attrs[a.Name.Local] = a.Value
			}
			at.children = append(at.children, child)
			if !slices.Contains(void, child.name) {
				at = child
			}
		case xml.EndElement:
			if token.Name.Local != at.name {
				return nil, fmt.Errorf("</%s> ends <%s> near byte %d", token.Name.Local, at.name, decoder.InputOffset())
			}
			at = at.parent
		case xml.CharData:
			for e := at; e != nil; e = e.parent {
				e.text += string(token)
			}
		}
	}
	if at != root {
		return nil, fmt.Errorf("<%s> is not closed", at.name)
	}
	return root, nil
}

// find returns the elements below e that match.
func (e *element) find(match func(*element) bool) []*element {
	var out []*element
	for _, child := range e.children {
		if match(child) {
			out = append(out, child)
		}
		out = append(out, child.find(match)...)
	}
	return out
}

func (e *element) named(names ...string) []*element {
	return e.find(func(e *element) bool { return slices.Contains(names, e.name) })
}

func (e *element) has(attr string) bool {
	_, ok := e.attrs[attr]
	return ok
}

func (e *element) String() string { return fmt.Sprintf("<%s %v>", e.name, e.attrs) }
