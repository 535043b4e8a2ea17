//go:build unix

package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Chown gives files, if they exist, the owner of the file at like, or of its folder if there
// is none: what root restores must stay the server's. For others than root it does nothing.
func Chown(like string, paths ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(like)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(like))
	}
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	for _, path := range paths {
		if chownErr := os.Lchown(path, int(owner.Uid), int(owner.Gid)); chownErr != nil && !errors.Is(chownErr, fs.ErrNotExist) {
			err = errors.Join(err, chownErr)
		}
	}
	return err
}

// keepPrivate takes from everybody but the owner the access to the database at path, its log,
// its shared memory and its data folder: rows hold addresses and hashes of keys. Files made
// by this program have it so; a file that was copied or restored by hand may not.
func keepPrivate(path string) error {
	folder := DataFolder(path)
	names, err := FileNames(folder)
	if err != nil {
		return err
	}
	paths := []string{path, path + "-wal", path + "-shm", folder}
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(p, info.Mode().Perm()&0o700)
		}
		if err != nil {
			return fmt.Errorf("others may read %s, and its mode cannot be changed; make it 0600 as its owner: %w", p, err)
		}
	}
	return nil
}
