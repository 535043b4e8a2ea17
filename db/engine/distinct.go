package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"
)

// distinctSet is a set of pairs of a group and a value, as the number of different values
// of each group needs. It is an open hash table: over a million rows a map of Go costs as
// much again as reading them.
type distinctSet struct {
	slots []distinctPair // a power of two; an empty slot is zero
	used  int
	last  distinctPair
	texts map[string]uint64 // numbers of texts that do not fit a pair
}

// distinctPair is a value of a group: a text of at most 11 bytes, the number of a longer
// one, or an integer. The lowest byte of tail is the kind, so that no pair is zero.
type distinctPair struct {
	head uint64
	tail uint64 // group, three more bytes of a text, kind
}

// The kinds of values: a text's length plus 1, or one of these.
const (
	longText = 0xfe
	integer  = 0xff

	inlineText = 11 // bytes
	// maxDistinct bounds the memory of a set.
	maxDistinct = 4 << 20
)

// add adds a value of a group; it reports whether it is a new one.
func (s *distinctSet) add(group uint32, v any) (bool, error) {
	p := distinctPair{tail: uint64(group) << 32}
	switch v := v.(type) {
	case int64:
		p.head, p.tail = uint64(v), p.tail|integer
	case string:
		s.setText(&p, v)
	default:
		return false, fmt.Errorf("groups: a counted value is %T", v)
	}
	if p == s.last { // lines of an order follow one another
		return false, nil
	}
	s.last = p
	if 3*(s.used+1) > 2*len(s.slots) {
		if s.used >= maxDistinct {
			return false, errors.New("groups: too many different values")
		}
		s.grow()
	}
	return s.insert(p), nil
}

func (s *distinctSet) setText(p *distinctPair, text string) {
	if len(text) > inlineText {
		n, ok := s.texts[text]
		if !ok {
			if s.texts == nil {
				s.texts = map[string]uint64{}
			}
			n = uint64(len(s.texts))
			s.texts[strings.Clone(text)] = n
		}
		p.head, p.tail = n, p.tail|longText
		return
	}
	var bytes [16]byte
	copy(bytes[:], text)
	p.head = binary.LittleEndian.Uint64(bytes[:])
	p.tail |= binary.LittleEndian.Uint64(bytes[8:])<<8 | uint64(len(text)+1)
}

func (s *distinctSet) insert(p distinctPair) bool {
	mask := uint64(len(s.slots) - 1)
	high, low := bits.Mul64(p.head^0x9e3779b97f4a7c15, p.tail^0xff51afd7ed558ccd)
	for i := (high ^ low) & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case p:
			return false
		case distinctPair{}:
			s.slots[i] = p
			s.used++
			return true
		}
	}
}

func (s *distinctSet) grow() {
	old := s.slots
	s.slots, s.used = make([]distinctPair, max(1024, 2*len(old))), 0
	for _, p := range old {
		if p != (distinctPair{}) {
			s.insert(p)
		}
	}
}
