package db

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

// Env is a key's environment, fixed at its creation (seed 5.4).
type Env string

const (
	Test Env = "test"
	Live Env = "live"
)

// Mode is what a key is tied to, fixed at its creation (seed 5.5).
type Mode string

const (
	AccountMode Mode = "account"
	GenericMode Mode = "generic"
)

// Secret is the API key itself (A1): a prefix, 32 random base62 characters and 6
// of checksum. It exists only in the hands of its owner; the store has its hash.
type Secret string

const (
	base62         = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLength   = 32
	checksumLength = 6
)

var prefixes = []struct {
	env    Env
	mode   Mode
	prefix string
}{
	{Test, AccountMode, "svc_test_"},
	{Live, AccountMode, "svc_live_"},
	{Test, GenericMode, "svc_generic_test_"},
	{Live, GenericMode, "svc_generic_live_"},
}

func prefixOf(env Env, mode Mode) string {
	for _, p := range prefixes {
		if p.env == env && p.mode == mode {
			return p.prefix
		}
	}
	panic("no key prefix for " + string(env) + ", " + string(mode)) // the schema allows no others
}

// NewSecret draws a key for this environment and mode.
func NewSecret(env Env, mode Mode) Secret {
	body := prefixOf(env, mode) + randomBase62(randomLength)
	return Secret(body + checksum(body))
}

// ParseSecret tells a well-formed key, whose checksum is right, from anything
// else. It says nothing of whether the key exists or what it may do.
func ParseSecret(s string) (Secret, bool) {
	for _, p := range prefixes {
		rest, ok := strings.CutPrefix(s, p.prefix)
		if !ok || len(rest) != randomLength+checksumLength || strings.Trim(rest, base62) != "" {
			continue
		}
		body := s[:len(s)-checksumLength]
		return Secret(s), checksum(body) == s[len(body):]
	}
	return "", false
}

// Hash is what the store knows the key by (A2).
func (s Secret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

func (s Secret) lastFour() string { return string(s[len(s)-4:]) }

func randomBase62(n int) string {
	out := make([]byte, 0, n)
	var raw [64]byte
	for {
		rand.Read(raw[:])
		for _, b := range raw {
			if b &= 63; b >= 62 {
				continue // dropped, so that all characters are equally likely
			}
			if out = append(out, base62[b]); len(out) == n {
				return string(out)
			}
		}
	}
}

// checksum is the CRC-32 of s in base62, most significant first.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var out [checksumLength]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:])
}
