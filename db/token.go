package db

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Token is what a link or a cookie carries: 32 random bytes in base64url (D3, L3).
// It exists only there; the store has its hash.
type Token string

const tokenBytes = 32

// NewToken draws a token.
func NewToken() Token {
	var raw [tokenBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand ends the process instead
	return Token(base64.RawURLEncoding.EncodeToString(raw[:]))
}

// ParseToken tells what may be a token from anything else, which needs no look
// at the store.
func ParseToken(s string) (Token, bool) {
	if len(s) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return Token(s), false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s) // which skips line ends
	return Token(s), err == nil && len(raw) == tokenBytes
}

// Hash is what the store knows the token by.
func (t Token) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(t)) }
