//go:build unix

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// HasClaims reports whether the system has them.
const HasClaims = true

// NewClaimSuffix ends the name that a claim has until it is locked.
const NewClaimSuffix = ".new"

// Claim makes a file at path and locks it until release, or until the process ends, however
// it ends. Release removes the file. The path is the caller's alone. The file gets its name
// when it is locked, so that no Claimed takes it for that of a process that has ended.
func Claim(path string) (release func() error, err error) {
	file, err := os.OpenFile(path+NewClaimSuffix, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("claim: %w", err)
	}
	if err = tryLock(file); err == nil {
		err = os.Rename(path+NewClaimSuffix, path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("claim: %w", err), os.Remove(path+NewClaimSuffix), file.Close())
	}
	return func() error {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, file.Close())
	}, nil
}

// Claimed reports whether a process holds the claim at path. Found is false if there is no
// such file.
func Claimed(path string) (held, found bool, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("claim: %w", err)
	}
	defer file.Close() // which gives the lock back
	switch err := tryLock(file); {
	case err == nil:
		return false, isAt(file, path), nil // else it was released meanwhile
	case errors.Is(err, syscall.EWOULDBLOCK):
		return true, true, nil
	default:
		return false, true, fmt.Errorf("claim: %w", err)
	}
}

func tryLock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
