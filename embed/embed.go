// Package embed has the files in the binary: migrations, templates of pages and mails,
// static files, prompts of models and documents. It has no behaviour; the package that
// reads a file knows its meaning.
package embed

import (
	"embed"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed templates
var templates embed.FS

//go:embed static
var static embed.FS

//go:embed prompts
var prompts embed.FS

//go:embed ask
var ask embed.FS

//go:embed rates
var rates embed.FS

//go:embed receivers
var receivers embed.FS

// OpenAPI is the description of the HTTP API, in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Decisions has the rules that comments cite, such as F4 and seed 4.2, in Markdown: a
// heading each, which begins with the rule's name.
//
//go:embed decisions.md
var Decisions []byte

// Licenses has the licence of each module in the binary: a line with its path, a tab and the
// SPDX expression.
//
//go:embed licenses.tsv
var Licenses string

// Migrations returns the schema's migrations, one SQL file a version, at the root of the
// file system, as goose expects them.
func Migrations() fs.FS { return folder(migrations, "migrations") }

// Templates returns the pages' templates, one file a page.
func Templates() fs.FS { return folder(templates, "templates") }

// MailTemplates returns the mails' templates, a text and an HTML file each.
func MailTemplates() fs.FS { return folder(templates, "templates/mail") }

// Static returns the static files of pages: stylesheets, scripts, icon, pictures. htmx.js is
// dist/htmx.min.js of htmx.org 2.0.11, under the Zero-Clause BSD licence.
func Static() fs.FS { return folder(static, "static") }

// Prompts returns the prompts of models and the JSON schemas of their answers.
func Prompts() fs.FS { return folder(prompts, "prompts") }

// Ask returns the words that the reader of questions knows; ask/NOTICE says what they are.
func Ask() fs.FS { return folder(ask, "ask") }

// Rates returns the exchange rates in the binary, if it has any; rates/NOTICE says which.
func Rates() fs.FS { return folder(rates, "rates") }

// Receivers returns programs that receive events and check their signatures: verify.sh,
// verify.mjs, verify.py and verify.go.txt.
func Receivers() fs.FS { return folder(receivers, "receivers") }

func folder(all embed.FS, name string) fs.FS {
	sub, err := fs.Sub(all, name)
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	return sub
}
