//go:build unix

package engine

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// lockFile waits for the lock at path. It never removes the file: two processes
// could then hold locks on two files of the same name.
func lockFile(path string) (unlock func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
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
