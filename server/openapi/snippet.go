package openapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Languages are those of snippets, by their names in addresses.
var Languages = []Language{{"curl", "curl"}, {"javascript", "JavaScript"}, {"python", "Python"}, {"go", "Go"}}

// Language is a language of snippets.
type Language struct{ ID, Name string }

// The variables of the environment from which snippets take the secret.
const (
	KeyVariable     = "SVC_KEY"
	SessionVariable = "SVC_SESSION"
)

// Snippet returns a program that calls an operation of the server with the example of the
// description, and prints the answer. It is empty for an unknown language and for an
// operation that is not for callers: one whose required parameters have no example.
func (api *API) Snippet(o Operation, language string) string {
	c, ok := api.call(o)
	if !ok {
		return ""
	}
	switch language {
	case "curl":
		return c.curl()
	case "javascript":
		return c.javascript()
	case "python":
		return c.python()
	case "go":
		return c.golang()
	}
	return ""
}

// call is a request of a snippet.
type call struct {
	method, url string
	headers     []header
	body        json.RawMessage // nil: none
}

// header is a header of a snippet's request: its text, or a variable of the environment
// after the text.
type header struct{ name, text, variable string }

// call fills an operation's request with the examples of required parameters and bodies, and
// with an Idempotency-Key where it is obeyed.
func (api *API) call(o Operation) (c call, ok bool) {
	c = call{method: o.Method}
	path, query := o.Path, url.Values{}
	for _, p := range o.Parameters {
		value := Plain(p.Example)
		if p.Required && value == "" {
			return c, false
		}
		switch {
		case value == "":
		case p.In == "path":
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
		case p.In == "query":
			query.Set(p.Name, value)
		case p.In == "header":
			c.headers = append(c.headers, header{name: p.Name, text: value})
		}
	}
	c.url = api.Base + path
	if len(query) > 0 {
		c.url += "?" + query.Encode()
	}
	switch o.Access {
	case ByKey:
		c.headers = append([]header{{name: "x-api-key", variable: KeyVariable}}, c.headers...)
	case BySession:
		c.headers = append([]header{{name: "Cookie", text: sessionCookie(api.Base) + "=", variable: SessionVariable}}, c.headers...)
	}
	if o.Body != nil && o.Body.Example != nil {
		c.body = o.Body.Example
		c.headers = append(c.headers, header{name: "Content-Type", text: "application/json"})
	}
	return c, true
}

// sessionCookie is the name of the console's cookie (L3).
func sessionCookie(base string) string {
	if strings.HasPrefix(base, "https://") {
		return "__Host-svc_session"
	}
	return "svc_session"
}

// Plain returns an example as it stands in an address or a header, empty for none.
func Plain(example json.RawMessage) string {
	var s string
	if json.Unmarshal(example, &s) == nil {
		return s
	}
	return string(example)
}

func (c call) curl() string {
	line := "curl -sS"
	if c.method != "GET" && (c.method != "POST" || c.body == nil) {
		line += " -X " + c.method
	}
	lines := []string{line + " " + shellQuote(c.url)}
	for _, h := range c.headers {
		value := shellQuote(h.name + ": " + h.text)
		if h.variable != "" {
			value = `"` + h.name + ": " + h.text + "$" + h.variable + `"`
		}
		lines = append(lines, "  -H "+value)
	}
	if c.body != nil {
		lines = append(lines, "  -d "+shellQuote(indented(c.body, "  ")))
	}
	return strings.Join(lines, " \\\n")
}

// shellQuote quotes a text for a POSIX shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (c call) javascript() string {
	var out strings.Builder
	fmt.Fprintf(&out, "const response = await fetch(%s, {\n", quote(c.url))
	if c.method != "GET" {
		fmt.Fprintf(&out, "  method: %s,\n", quote(c.method))
	}
	if len(c.headers) > 0 {
		out.WriteString("  headers: {\n")
		for _, h := range c.headers {
			fmt.Fprintf(&out, "    %s: %s,\n", quote(h.name), h.value(" + ", "process.env.", ""))
		}
		out.WriteString("  },\n")
	}
	if c.body != nil {
		fmt.Fprintf(&out, "  body: JSON.stringify(%s),\n", indented(c.body, "  "))
	}
	out.WriteString("});\nconsole.log(response.status, await response.json());")
	return out.String()
}

// value is the value of a header as an expression of a language that joins texts with plus.
func (h header) value(plus, before, after string) string {
	if h.variable == "" {
		return quote(h.text)
	}
	expression := before + h.variable + after
	if h.text != "" {
		expression = quote(h.text) + plus + expression
	}
	return expression
}

func (c call) python() string {
	var out strings.Builder
	if c.body != nil {
		out.WriteString("import json\n")
	}
	fmt.Fprintf(&out, "import os\nimport urllib.request\n\nrequest = urllib.request.Request(\n    %s,\n", quote(c.url))
	if c.method != "GET" {
		fmt.Fprintf(&out, "    method=%s,\n", quote(c.method))
	}
	if len(c.headers) > 0 {
		out.WriteString("    headers={\n")
		for _, h := range c.headers {
			fmt.Fprintf(&out, "        %s: %s,\n", quote(h.name), h.value(" + ", `os.environ["`, `"]`))
		}
		out.WriteString("    },\n")
	}
	if c.body != nil {
		fmt.Fprintf(&out, "    data=json.dumps(%s).encode(),\n", pythonLiteral(indented(c.body, "    ")))
	}
	out.WriteString(")\nwith urllib.request.urlopen(request) as response:\n    print(response.status, response.read().decode())")
	text := out.String()
	if !strings.Contains(text, "os.environ") {
		text = strings.Replace(text, "import os\n", "", 1)
	}
	return text
}

// pythonLiteral turns JSON into the same value of Python: only its three words differ.
func pythonLiteral(text string) string {
	words := strings.NewReplacer("true", "True", "false", "False", "null", "None")
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, `"`)
		out.WriteString(words.Replace(before))
		if !found {
			return out.String()
		}
		end := closing(rest)
		out.WriteString(`"` + rest[:end+1])
		text = rest[end+1:]
	}
}

// closing returns the index of the quote that ends a JSON text after its first quote.
func closing(s string) int {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(s) - 1
}

func (c call) golang() string {
	body, imports := "nil", []string{"fmt", "io", "log", "net/http"}
	text := strings.Builder{}
	if c.body != nil {
		body = "body"
		fmt.Fprintf(&text, "\tbody := strings.NewReader(%s)\n", goQuote(indented(c.body, "\t")))
	}
	fmt.Fprintf(&text, "\trequest, err := http.NewRequest(%s, %s, %s)\n", quote(c.method), quote(c.url), body)
	text.WriteString(goCheck)
	for _, h := range c.headers {
		fmt.Fprintf(&text, "\trequest.Header.Set(%s, %s)\n", quote(h.name), h.value("+", `os.Getenv("`, `")`))
		if h.variable != "" && imports[len(imports)-1] != "os" {
			imports = append(imports, "os")
		}
	}
	if c.body != nil {
		imports = append(imports, "strings")
	}
	text.WriteString("\tresponse, err := http.DefaultClient.Do(request)\n" + goCheck + "\tdefer response.Body.Close()\n")
	text.WriteString("\tanswer, err := io.ReadAll(response.Body)\n" + goCheck + "\tfmt.Println(response.StatusCode, string(answer))\n}")

	var all strings.Builder
	all.WriteString("package main\n\nimport (\n")
	for _, name := range imports {
		all.WriteString("\t" + strconv.Quote(name) + "\n")
	}
	return all.String() + ")\n\nfunc main() {\n" + text.String()
}

const goCheck = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n"

// goQuote returns a text as a raw literal of Go if it can be one.
func goQuote(s string) string {
	if strings.Contains(s, "`") {
		return strconv.Quote(s)
	}
	return "`" + s + "`"
}

// quote returns a text as a JSON string, which is also one of JavaScript, Python and Go.
func quote(s string) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a text always encodes
	return strings.TrimSpace(out.String())
}

// indented returns JSON on several lines, those after the first one indented.
func indented(body json.RawMessage, indent string) string {
	var out bytes.Buffer
	step := "  "
	if strings.HasPrefix(indent, "    ") {
		step = "    "
	}
	if err := json.Indent(&out, body, indent, step); err != nil {
		return string(body)
	}
	return out.String()
}
