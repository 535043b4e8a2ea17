package db

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// Token is the secret of a link or a cookie: 32 random bytes in base64url (D3, L3). The
// store has only its hash.
type Token string

const tokenBytes = 32

// NewToken draws a token.
func NewToken() Token {
	var raw [tokenBytes]byte
	rand.Read(raw[:]) // never fails: crypto/rand crashes the process instead
	return Token(base64.RawURLEncoding.EncodeToString(raw[:]))
}

// ParseToken reports whether s has the form of a token; other texts need no read of the
// store.
func ParseToken(s string) (Token, bool) {
	if len(s) != base64.RawURLEncoding.EncodedLen(tokenBytes) {
		return Token(s), false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(s) // the decoder skips line ends
	return Token(s), err == nil && len(raw) == tokenBytes
}

// Hash returns the hash under which the token is stored.
func (t Token) Hash() []byte {
	hash := sha256.Sum256([]byte(t))
	return hash[:]
}
