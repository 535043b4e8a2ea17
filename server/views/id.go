package views

import (
	"html/template"
	"strings"
)

const (
	idHead = 3 // letters of an id after its prefix that pages show
	idTail = 4 // and at its end
)

// cutID cuts the middle of an id out: "req_01k…9xq2". Short ids stay as they are.
func cutID(id string) string {
	letters := []rune(id)
	head := len([]rune(id[:strings.Index(id, "_")+1])) + idHead
	if len(letters) <= head+idTail+1 {
		return id
	}
	return string(letters[:head]) + "…" + string(letters[len(letters)-idTail:])
}

// shortID returns an element with an id that keeps to one line, for lists.
func shortID(id string) template.HTML {
	if id == "" {
		return ""
	}
	return template.HTML(`<code class="id" title="` + template.HTMLEscapeString(id) + `"><bdi>` + template.HTMLEscapeString(cutID(id)) + `</bdi></code>`)
}

// id is shortID with a button that copies the whole id, for details.
func id(id string) template.HTML {
	if id == "" {
		return ""
	}
	return shortID(id) + template.HTML(` <button type="button" class="quiet" data-copy-text="`+template.HTMLEscapeString(id)+`" hidden>Copy</button>`)
}
