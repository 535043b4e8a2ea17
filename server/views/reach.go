package views

import (
	"html/template"
	"text/template/parse"
)

// addReached adds copies of the shared template of a name, and of those that it calls, to t. What
// t has itself stays. A page calls few of the shared templates, and to copy all of them for
// each page took most of the time in which the program starts.
func addReached(t, parts *template.Template, name string, reached map[string]bool) (err error) {
	if reached[name] {
		return nil
	}
	reached[name] = true
	own := t.Lookup(name)
	if own == nil || own.Tree == nil {
		part := parts.Lookup(name)
		if part == nil {
			return nil // the page cannot be executed, which says where the name stands
		}
		if own, err = t.AddParseTree(name, part.Tree.Copy()); err != nil {
			return err
		}
	}
	eachCall(own.Tree.Root, func(name string) {
		if err == nil {
			err = addReached(t, parts, name, reached)
		}
	})
	return err
}

// eachCall calls fn with the name of each template that a part of a template calls.
func eachCall(list *parse.ListNode, fn func(name string)) {
	if list == nil {
		return
	}
	branches := func(b parse.BranchNode) {
		eachCall(b.List, fn)
		eachCall(b.ElseList, fn)
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.TemplateNode:
			fn(n.Name)
		case *parse.IfNode:
			branches(n.BranchNode)
		case *parse.RangeNode:
			branches(n.BranchNode)
		case *parse.WithNode:
			branches(n.BranchNode)
		}
	}
}
