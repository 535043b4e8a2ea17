package engine

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// LinkFolder gives the files of a folder second names in a new folder (0700), which gets the
// owner of the first, and syncs it. It makes none if there are no files. A file that is removed meanwhile is left out.
func LinkFolder(from, to string) error {
	names, err := FileNames(from)
	if err != nil || len(names) == 0 {
		return err
	}
	if err := errors.Join(os.Mkdir(to, 0o700), Chown(from, to)); err != nil {
		return err
	}
	for _, name := range names {
		err := LinkOrCopy(filepath.Join(from, name), filepath.Join(to, name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return errors.Join(Sync(to), Sync(filepath.Dir(to)))
}

// LinkOrCopy gives a file a second name. A file system without links gets a copy.
func LinkOrCopy(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) {
		return err
	}
	return CopyFile(from, to)
}

// CopyFile copies a file to a new one (0600) and syncs it.
func CopyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := io.Copy(file, source); err != nil {
		return err
	}
	return file.Sync()
}

// sameContent reports whether two files are equal byte for byte.
func sameContent(a, b string) (bool, error) {
	var sums [2][sha256.Size]byte
	for i, path := range []string{a, b} {
		file, err := os.Open(path)
		if err != nil {
			return false, err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return false, err
		}
		sum.Sum(sums[i][:0])
	}
	return sums[0] == sums[1], nil
}

// FileNames lists the files of a folder; one that does not exist has none.
func FileNames(folder string) (names []string, err error) {
	entries, err := os.ReadDir(folder)
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			names = append(names, entry.Name())
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return names, err
}
