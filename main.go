// Command svc serves the merchant-operations API from one binary and one SQLite
// file, and manages what is in it.
package main

import (
	"context"
	_ "embed"
	"os"
	"os/signal"
	"syscall"

	"svc/cmd"
)

//go:embed CHANGELOG.md
var changelog string

func main() {
	cmd.Changelog = changelog
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	status := cmd.Execute(ctx, os.Args[1:], cmd.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(status)
}
