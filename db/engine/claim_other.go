//go:build !unix

package engine

// HasClaims reports whether the system has them.
const HasClaims = false

// NewClaimSuffix ends the name that a claim has until it is locked.
const NewClaimSuffix = ".new"

// Claim does nothing on systems without flock.
func Claim(string) (release func() error, err error) { return func() error { return nil }, nil }

// Claimed finds no claim on systems without flock.
func Claimed(string) (held, found bool, err error) { return false, false, nil }
