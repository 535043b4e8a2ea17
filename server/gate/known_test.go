package gate

import (
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

func TestKnownKeysStayWithinTheirBound(t *testing.T) {
	nth := func(i int) (hash [sha256.Size]byte) {
		binary.BigEndian.PutUint32(hash[:], uint32(i))
		return hash
	}
	k := newKnownKeys()
	for i := range maxKnownKeys + 10 {
		k.add(nth(i))
		if !k.has(nth(i)) {
			t.Fatalf("key %d is not known after add", i)
		}
	}
	if n := len(k.hashes); n > maxKnownKeys {
		t.Errorf("%d keys are kept", n)
	}
	if k.has(nth(-1)) {
		t.Error("a key is known that was never added")
	}
}
