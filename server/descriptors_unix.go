//go:build unix

package server

import "syscall"

// descriptors returns how many files and connections the process may have open, 0 if that is
// not known. Go's runtime has raised the limit to the highest that the system allows.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Cur)
}
