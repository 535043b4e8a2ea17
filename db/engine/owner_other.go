//go:build !unix

package engine

// Chown does nothing on systems without owners in the manner of Unix.
func Chown(string, ...string) error { return nil }

// keepPrivate does nothing on systems without modes in the manner of Unix.
func keepPrivate(string) error { return nil }
