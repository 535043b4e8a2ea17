package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// An archive is a tar file: any number of files, each streamed from where it is, and then a
// manifest with the length and the SHA-256 of each. The manifest is last because the sums
// are known only then; an archive without one was cut off. Tar has no limit of size, which
// a SQLite file with blobs would have, and every system can look into it.

const (
	manifestName = "manifest.json"
	maxManifest  = 64 << 20 // bytes
	// tarBlock is the unit of a tar file, which ends with two blocks of zeros.
	tarBlock = 512
)

// Manifest says what an archive holds.
type Manifest struct {
	Format    int            `json:"format"` // archiveFormat
	Schema    int64          `json:"schema"` // of the database in it
	CreatedAt time.Time      `json:"created_at"`
	Files     []ArchivedFile `json:"files"`
}

const archiveFormat = 1

// ArchivedFile is one file of an archive.
type ArchivedFile struct {
	Name   string `json:"name"` // with slashes
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	source string
}

// FileToArchive returns the file at path, to be archived under a name.
func FileToArchive(name, path string) ArchivedFile { return ArchivedFile{Name: name, source: path} }

// WriteArchive writes the manifest's files to a new archive at path (0600) and syncs it. The error is
// fs.ErrNotExist if one of them does not exist.
func WriteArchive(ctx context.Context, path string, manifest Manifest) (err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	archive := tar.NewWriter(file)
	manifest.Format, manifest.Files = archiveFormat, slices.Clone(manifest.Files)
	for i := range manifest.Files {
		if err := addFile(ctx, archive, &manifest.Files[i], manifest.CreatedAt); err != nil {
			return fmt.Errorf("archive %s: %w", manifest.Files[i].Name, err)
		}
	}
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(archiveHeader(manifestName, int64(len(text)), manifest.CreatedAt)); err != nil {
		return err
	}
	if _, err := archive.Write(text); err != nil {
		return err
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return file.Sync()
}

// archiveHeader describes a file that only its owner may read.
func archiveHeader(name string, size int64, at time.Time) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: at.Truncate(time.Second)}
}

func addFile(ctx context.Context, archive *tar.Writer, f *ArchivedFile, at time.Time) error {
	source, err := os.Open(f.source)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	f.Size = info.Size()
	if err := archive.WriteHeader(archiveHeader(f.Name, f.Size, at)); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(archive, io.TeeReader(contextReader{ctx, source}, sum)); err != nil {
		return err
	}
	f.SHA256 = hexSum(sum)
	return archive.Flush() // fails if the file was shorter than its size
}

// contextReader stops reading when its context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// Unpack writes the files of the archive at path into a new folder (0700), syncs them, and
// compares them with the manifest. It fails with ErrDamaged if the archive is cut off or
// altered, or none at all.
func Unpack(ctx context.Context, path, folder string) (manifest Manifest, err error) {
	file, err := os.Open(path)
	if err != nil {
		return Manifest{}, err
	}
	defer file.Close()
	if err := checkEnd(file); err != nil {
		return Manifest{}, err
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		return Manifest{}, err
	}

	u := unpacker{folder: folder}
	archive := tar.NewReader(contextReader{ctx, file})
	for {
		header, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = u.take(header, archive)
		}
		if err != nil {
			return Manifest{}, asDamage(ctx, err)
		}
	}
	if err := atEnd(file); err != nil {
		return Manifest{}, err
	}
	return u.finish()
}

// checkEnd checks that the file ends as tar files do.
func checkEnd(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size, end := info.Size(), make([]byte, 2*tarBlock)
	if size < int64(len(end)) || size%tarBlock != 0 {
		return fmt.Errorf("%w: it is no backup, or was cut off", ErrDamaged)
	}
	if _, err := file.ReadAt(end, size-int64(len(end))); err != nil {
		return err
	}
	if !bytes.Equal(end, make([]byte, len(end))) {
		return fmt.Errorf("%w: it is no backup, or was cut off", ErrDamaged)
	}
	return nil
}

// atEnd checks that all of the file was read: tar stops at the first end mark.
func atEnd(file *os.File) error {
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if end, err := file.Seek(0, io.SeekEnd); err != nil || at != end {
		return errors.Join(err, fmt.Errorf("%w: something follows its end", ErrDamaged))
	}
	return nil
}

// asDamage returns ErrDamaged for an error of the tar format.
func asDamage(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, tar.ErrHeader) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// unpacker writes the files of one archive.
type unpacker struct {
	folder   string
	files    []ArchivedFile // those written so far
	manifest []byte         // nil until it was read; nothing may follow it
}

func (u *unpacker) take(header *tar.Header, content io.Reader) error {
	if header.Typeflag != tar.TypeReg || !filepath.IsLocal(filepath.FromSlash(header.Name)) || u.manifest != nil {
		return fmt.Errorf("%w: unexpected entry %q", ErrDamaged, header.Name)
	}
	if header.Name == manifestName {
		var err error
		u.manifest, err = io.ReadAll(io.LimitReader(content, maxManifest))
		return err
	}
	to := filepath.Join(u.folder, filepath.FromSlash(header.Name))
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), content)
	if err == nil {
		err = file.Sync()
	}
	u.files = append(u.files, ArchivedFile{Name: header.Name, Size: size, SHA256: hexSum(sum)})
	return errors.Join(err, file.Close())
}

func hexSum(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// finish compares what was written with the manifest.
func (u *unpacker) finish() (manifest Manifest, err error) {
	if u.manifest == nil {
		return Manifest{}, fmt.Errorf("%w: it is no backup, or was cut off", ErrDamaged)
	}
	decoder := json.NewDecoder(bytes.NewReader(u.manifest))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&manifest); err != nil {
		return Manifest{}, fmt.Errorf("%w: its manifest: %w", ErrDamaged, err)
	}
	if manifest.Format > archiveFormat {
		return Manifest{}, errors.New("the backup was made by a newer svc; use that version or a newer one")
	}
	if manifest.Format != archiveFormat || len(manifest.Files) != len(u.files) {
		return Manifest{}, fmt.Errorf("%w: its manifest does not fit its files", ErrDamaged)
	}
	for i, f := range u.files {
		if f != manifest.Files[i] {
			return Manifest{}, fmt.Errorf("%w: %s is not what was written", ErrDamaged, f.Name)
		}
	}
	return manifest, nil
}
