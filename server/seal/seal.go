// Package seal encrypts secrets that the program must read back, such as those that sign
// webhooks (L4). The key is a file beside the database, so that a copy of the database alone
// does not reveal them. Backups contain the key file.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Errors of a Box. Their text names the file.
var (
	// ErrNoKey: there is no key file.
	ErrNoKey = errors.New("the key file is missing; restore it from a backup")
	// ErrWrongKey: the secret was sealed with another key.
	ErrWrongKey = errors.New("the key file is not the one that sealed this secret; restore it from a backup")
	// ErrBadKey: the file is no key file.
	ErrBadKey = errors.New("the key file is damaged; restore it from a backup")
	// ErrDamaged: what was sealed has been changed since, or was sealed for another name.
	ErrDamaged = errors.New("the sealed secret is damaged")
)

const (
	keySize  = 32 // AES-256
	markSize = 8  // of the key's fingerprint, at the beginning of what it seals
)

// Box seals and opens with the key of one file. It may be used concurrently, and several
// processes may use one file.
type Box struct {
	path string
	own  func(path string) error
}

type key struct {
	mark [markSize]byte
	aead cipher.AEAD
}

// New returns a box for the key file at path. own gives a new file its owner; it may be nil.
// It reads nothing yet.
func New(path string, own func(path string) error) *Box { return &Box{path: path, own: own} }

// Create makes the key file (0600) unless there is one. It must be called only as long as
// nothing is sealed: a new key opens nothing that an older one has sealed.
func (b *Box) Create() error {
	_, err := os.Lstat(b.path)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := b.create(); err != nil {
		return fmt.Errorf("make the key file: %w", err)
	}
	return nil
}

// create writes a complete file and links it into place, so that two processes that create
// it at once use the same.
func (b *Box) create() (err error) {
	part, err := os.CreateTemp(filepath.Dir(b.path), "."+filepath.Base(b.path)+"-*") // 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	secret := make([]byte, keySize)
	rand.Read(secret) // never fails
	_, err = part.Write(secret)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	if b.own != nil {
		if err := b.own(part.Name()); err != nil {
			return err
		}
	}
	if err := os.Link(part.Name(), b.path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(filepath.Dir(b.path))
}

func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	_ = folder.Sync() // not every system can
	return folder.Close()
}

// Prepare makes sure that the key file can seal. As long as nothing is sealed, which an empty
// secret says, it is made. Afterwards it must be the file that opens what is sealed: what
// another key seals would be lost once that one is back.
func (b *Box) Prepare(secret []byte, name string) error {
	if len(secret) == 0 {
		return b.Create()
	}
	_, err := b.Open(secret, name)
	return err
}

// Seal encrypts a secret for a name, such as the id of its row. Only Open with the same name
// opens it, so that nobody can exchange sealed secrets.
func (b *Box) Seal(secret, name string) ([]byte, error) {
	k, err := b.read()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, k.aead.NonceSize())
	rand.Read(nonce)
	out := append(k.mark[:], nonce...)
	return k.aead.Seal(out, nonce, []byte(secret), []byte(name)), nil
}

// Open decrypts what Seal returned.
func (b *Box) Open(sealed []byte, name string) (string, error) {
	k, err := b.read()
	if err != nil {
		return "", err
	}
	rest := markSize + k.aead.NonceSize()
	if len(sealed) < rest {
		return "", ErrDamaged
	}
	if [markSize]byte(sealed) != k.mark {
		return "", fmt.Errorf("%s: %w", b.path, ErrWrongKey)
	}
	secret, err := k.aead.Open(nil, sealed[markSize:rest], sealed[rest:], []byte(name))
	if err != nil {
		return "", ErrDamaged
	}
	return string(secret), nil
}

// read reads the key file each time, since another process may restore it. It is 32 bytes.
func (b *Box) read() (*key, error) {
	secret, err := os.ReadFile(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %w", b.path, ErrNoKey)
	case err != nil:
		return nil, fmt.Errorf("the key file: %w", err)
	case len(secret) != keySize:
		return nil, fmt.Errorf("%s: %w", b.path, ErrBadKey)
	}
	block, err := aes.NewCipher(secret)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(secret)
	return &key{mark: [markSize]byte(sum[:]), aead: aead}, nil
}
