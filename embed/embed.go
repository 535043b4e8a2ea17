// Package embed holds the bytes that travel inside the binary: migrations and
// the OpenAPI document. It has no behaviour; what a file means is known by the
// package that reads it.
package embed

import (
	"embed"
	"io/fs"
)

//go:embed migrations/*.sql
var migrations embed.FS

// OpenAPI is the description of the HTTP API, in YAML.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Migrations returns the schema's migrations, one SQL file a version, at the
// root of the file system as goose wants them.
func Migrations() fs.FS {
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		panic(err) // the directory is part of the binary
	}
	return sub
}
