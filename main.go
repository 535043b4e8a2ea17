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
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		signal.Stop(signals) // before anything stops: from here on a signal ends the process at once
		select {
		case <-signals: // a second one came before
			os.Exit(1)
		default:
			cancel()
		}
	}()
	os.Exit(cmd.Execute(ctx, os.Args[1:], cmd.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
