package db

import (
	"crypto/rand"
	"encoding/binary"
	"math"
	"strings"
	"time"
)

// idLength is the length of an id without its prefix.
const idLength = 26

// timeDigits are the characters of an id that have its time: 48 bits after two that are 0.
const timeDigits = 10

const crockford = "0123456789abcdefghjkmnpqrstvwxyz"

// NewID makes an id (L5): the prefix and 26 characters of Crockford's base32, for 48
// bits of time and 80 random bits. Ids sort by the time at which they were made.
func NewID(prefix string, at time.Time) string { return newID(prefix, at, randomTail()) }

// IDTime returns when an id was made, to the millisecond, and whether it is an id with the
// prefix.
func IDTime(prefix, id string) (time.Time, bool) {
	rest, ok := strings.CutPrefix(id, prefix)
	if !ok || len(rest) != idLength {
		return time.Time{}, false
	}
	var ms int64
	for i, c := range []byte(rest) {
		digit := strings.IndexByte(crockford, c)
		if digit < 0 {
			return time.Time{}, false
		}
		if i < timeDigits {
			ms = ms<<5 | int64(digit)
		}
	}
	return time.UnixMilli(ms).UTC(), true
}

// tail is the 80 random bits of an id.
type tail [10]byte

func randomTail() (t tail) {
	rand.Read(t[:]) // never fails: crypto/rand crashes the process instead
	return t
}

func newID(prefix string, at time.Time, t tail) string {
	var raw [16]byte
	copy(raw[6:], t[:])
	ms := uint64(at.UnixMilli())
	for i := range 6 {
		raw[i] = byte(ms >> (40 - 8*i))
	}

	high, low := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	id := make([]byte, len(prefix)+idLength)
	copy(id, prefix)
	for i := len(id) - 1; i >= len(prefix); i-- {
		id[i] = crockford[low&31]
		low = low>>5 | high<<59
		high >>= 5
	}
	return string(id)
}

// sequence makes ids that sort in the order in which they were made, even within one
// millisecond, because lists are ordered by id. Only the writer's goroutine uses it.
type sequence struct {
	ms   int64
	made uint16
}

func (s *sequence) next(prefix string, at time.Time) string {
	if ms := at.UnixMilli(); ms != s.ms {
		*s = sequence{ms: ms}
	}
	t := randomTail()
	binary.BigEndian.PutUint16(t[:], s.made)
	if s.made < math.MaxUint16 {
		s.made++
	}
	return newID(prefix, at, t)
}

// newID makes the id of a new row.
func (tx *Tx) newID(prefix string) string { return tx.ids.next(prefix, tx.Now()) }
