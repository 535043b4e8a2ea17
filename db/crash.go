//go:build !crashtest

package db

// crashPoint marks a step at which the crash test kills the process.
func crashPoint(string) {}
