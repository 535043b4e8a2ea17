package gate

import (
	"crypto/sha256"
	"sync"
)

// knownKeys are the hashes of keys that were found in the store. They are looked
// up there even for an address that has failed too often, so that one client with
// a wrong key does not shut out the others behind the same address (A6).
type knownKeys struct {
	mu     sync.RWMutex
	hashes map[[sha256.Size]byte]bool
}

// maxKnownKeys bounds the table; a full one is emptied and fills again.
const maxKnownKeys = 20_000

func newKnownKeys() *knownKeys { return &knownKeys{hashes: map[[sha256.Size]byte]bool{}} }

func (k *knownKeys) has(hash [sha256.Size]byte) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.hashes[hash]
}

func (k *knownKeys) add(hash [sha256.Size]byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.hashes) >= maxKnownKeys {
		clear(k.hashes)
	}
	k.hashes[hash] = true
}
