package db

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"strings"
)

// Env is a key's environment, fixed at its creation (seed 5.4).
type Env string

// The environments.
const (
	Test Env = "test"
	Live Env = "live"
)

// Mode is the kind of data that a key works on, fixed at its creation (seed 5.5).
type Mode string

// The modes: the account's own data, or data in the request.
const (
	AccountMode Mode = "account"
	GenericMode Mode = "generic"
)

// Envs and Modes list what a key can have.
var (
	Envs  = []Env{Test, Live}
	Modes = []Mode{AccountMode, GenericMode}
)

// Secret is the API key itself (A1): a prefix, 32 random base62 characters and a checksum
// of 6. Only its owner has it; the store has its hash.
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

// ParseSecret reports whether s has the form of a key, with a correct checksum. It does
// not look whether the key exists.
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

// Hash returns the hash under which the key is stored (A2).
func (s Secret) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(s)) }

func (s Secret) lastFour() string { return string(s[len(s)-4:]) }

func randomBase62(n int) string {
	out := make([]byte, 0, n)
	var raw [64]byte
	for {
		rand.Read(raw[:])
		for _, b := range raw {
			if b &= 63; b >= 62 {
				continue // skipped, so that all characters are equally likely
			}
			if out = append(out, base62[b]); len(out) == n {
				return string(out)
			}
		}
	}
}

// checksum returns the CRC-32 of s in base62, most significant digit first.
func checksum(s string) string {
	sum := crc32.ChecksumIEEE([]byte(s))
	var out [checksumLength]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:])
}
