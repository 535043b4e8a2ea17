package db

import (
	"crypto/rand"
	"encoding/binary"
	"time"
)

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID makes an id (L5): the prefix and 26 characters of Crockford's base32,
// 48 bits of time and 80 random ones, so that ids sort by the time at which
// they were made.
func NewID(prefix string, at time.Time) string {
	var raw [16]byte
	rand.Read(raw[6:]) // never fails: crypto/rand ends the process instead
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		raw[i] = byte(ms >> (40 - 8*i))
	}

	high, low := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	id := make([]byte, len(prefix)+26)
	copy(id, prefix)
	for i := len(id) - 1; i >= len(prefix); i-- {
		id[i] = crockford[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(id)
}
