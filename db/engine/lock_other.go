//go:build !unix

package engine

// lockFile does nothing on systems without flock: do not start two processes there
// on a file that still has to be migrated.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }

// TryLock reports that it got the lock. Without flock nothing shows whether a process works
// in a folder, so do not start two backups or restores at once there.
func TryLock(string) (unlock func(), ok bool, err error) { return func() {}, true, nil }
