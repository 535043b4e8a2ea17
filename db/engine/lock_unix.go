//go:build unix

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// lockFile waits for the lock at path, which is that of the database with ".lock" behind it.
// It never removes the file: two processes could then hold locks on two files of the same
// name.
func lockFile(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock database: %w", err)
	}
	if err := Chown(strings.TrimSuffix(path, ".lock"), path); err != nil {
		file.Close()
		return nil, fmt.Errorf("lock database: %w", err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock database: %w", err)
	}
	return func() { file.Close() }, nil // closing releases the lock
}

// TryLock takes the lock of an existing file or folder, which ends with the process, and
// reports whether it got it: false if a process has it, or if there is none at path.
func TryLock(path string) (unlock func(), ok bool, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && isAt(file, path) {
		return func() { file.Close() }, true, nil
	}
	return nil, false, file.Close()
}

// isAt reports whether an open file is still the one at path.
func isAt(file *os.File, path string) bool {
	have, err := file.Stat()
	if err != nil {
		return false
	}
	found, err := os.Lstat(path)
	return err == nil && os.SameFile(have, found)
}
