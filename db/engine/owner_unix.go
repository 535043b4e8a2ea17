//go:build unix

package engine

import (
	"errors"
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
