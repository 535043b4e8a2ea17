//go:build linux || darwin

package server

import "syscall"

// freeBytes returns the room that is left for the process on the disk of a folder, in bytes.
func freeBytes(folder string) (free uint64, known bool) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return 0, false
	}
	return uint64(disk.Bavail) * uint64(disk.Bsize), true
}
