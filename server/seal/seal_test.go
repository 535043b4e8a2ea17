package seal_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"svc/server/seal"
)

func newBox(t *testing.T) (*seal.Box, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "svc.db.key")
	box := seal.New(path, nil)
	if err := box.Create(); err != nil {
		t.Fatal(err)
	}
	return box, path
}

func sealed(t *testing.T, box *seal.Box, secret, name string) []byte {
	t.Helper()
	s, err := box.Seal(secret, name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealAndOpen(t *testing.T) {
	box, path := newBox(t)
	first, second := sealed(t, box, "whsec_1", "wh_1"), sealed(t, box, "whsec_1", "wh_1")
	if string(first) == string(second) {
		t.Error("the same secret is sealed the same twice")
	}
	other := seal.New(path, nil) // another process
	if err := other.Create(); err != nil {
		t.Fatal(err)
	}
	for _, s := range [][]byte{first, second} {
		if secret, err := other.Open(s, "wh_1"); secret != "whsec_1" || err != nil {
			t.Errorf("opened %q, %v", secret, err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != 32 {
		t.Errorf("key file %v, %v", info, err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("folder has %v, %v", left, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	box, path := newBox(t)
	s := sealed(t, box, "whsec_1", "wh_1")
	for i := range s {
		changed := append([]byte(nil), s...)
		changed[i] ^= 1
		if secret, err := box.Open(changed, "wh_1"); err == nil {
			t.Errorf("opened %q with byte %d changed", secret, i)
		}
	}
	for _, short := range [][]byte{nil, s[:5], s[:len(s)-1]} {
		if _, err := box.Open(short, "wh_1"); !errors.Is(err, seal.ErrDamaged) {
			t.Errorf("%d bytes: %v", len(short), err)
		}
	}
	if _, err := box.Open(s, "wh_2"); !errors.Is(err, seal.ErrDamaged) {
		t.Errorf("another name: %v", err)
	}
	stranger, _ := newBox(t)
	if _, err := stranger.Open(s, "wh_1"); !errors.Is(err, seal.ErrWrongKey) {
		t.Errorf("another key: %v", err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Open(s, "wh_1"); !errors.Is(err, seal.ErrBadKey) {
		t.Errorf("short key: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := box.Open(s, "wh_1"); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("no key: %v", err)
	}
	if _, err := box.Seal("whsec_1", "wh_1"); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("seal without a key: %v", err)
	}
}

func TestCreateAtOnceMakesOneKey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db.key")
	var all sync.WaitGroup
	results := make([][]byte, 8)
	for i := range results {
		all.Go(func() {
			box := seal.New(path, nil)
			if err := box.Create(); err != nil {
				t.Error(err)
				return
			}
			s, err := box.Seal("whsec_1", "wh_1")
			if err != nil {
				t.Error(err)
			}
			results[i] = s
		})
	}
	all.Wait()
	for _, s := range results {
		if _, err := seal.New(path, nil).Open(s, "wh_1"); err != nil {
			t.Error(err)
		}
	}
}

// Prepare makes a file only as long as nothing is sealed.
func TestPrepare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db.key")
	box := seal.New(path, nil)
	if err := box.Prepare(nil, ""); err != nil {
		t.Fatal(err)
	}
	s := sealed(t, box, "whsec_1", "wh_1")
	if err := box.Prepare(s, "wh_1"); err != nil {
		t.Errorf("with the file: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := box.Prepare(s, "wh_1"); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("without the file: %v", err)
	}
	if err := box.Prepare(nil, ""); err != nil {
		t.Fatal(err)
	}
	if err := box.Prepare(s, "wh_1"); !errors.Is(err, seal.ErrWrongKey) {
		t.Errorf("with another file: %v", err)
	}
}
