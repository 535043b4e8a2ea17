//go:build !linux && !darwin

package server

// freeBytes reports that the room left on the disk is not known.
func freeBytes(string) (free uint64, known bool) { return 0, false }
