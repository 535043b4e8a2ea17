package account

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"svc/server/fault"
)

// argon2id with OWASP's parameters: 19 MiB, two passes, one lane (L3).
const (
	argonMemoryKiB = 19 * 1024
	argonPasses    = 2
	argonLanes     = 1
	argonSalt      = 16
	argonKey       = 32

	minPassword = 10
	maxPassword = 200
)

var encodeHash = base64.RawStdEncoding

// idKey is argon2; tests count its runs.
var idKey = argon2.IDKey

// HashPassword returns the hash of a password in the usual encoded form, with parameters
// and salt. A password that is too short or too long is an Invalid. It takes no turn: the
// service's methods do.
func HashPassword(password string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	salt := make([]byte, argonSalt)
	rand.Read(salt) // never fails: crypto/rand ends the process instead
	key := idKey([]byte(password), salt, argonPasses, argonMemoryKiB, argonLanes, argonKey)
	return encode(salt, key), nil
}

func encode(salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, argonMemoryKiB, argonPasses, argonLanes,
		encodeHash.EncodeToString(salt), encodeHash.EncodeToString(key))
}

func checkPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		return fault.Invalid("password", fmt.Sprintf("must have %d to %d characters", minPassword, maxPassword))
	}
	return nil
}

// noHash is what a password is compared with if there is no account or no hash, so that
// the answer takes the same time. No password has it.
var noHash = encode(make([]byte, argonSalt), make([]byte, argonKey))

// isPassword reports whether the password has this hash. An empty hash has none.
func isPassword(hash, password string) bool {
	has := hash != ""
	if !has {
		hash = noHash
	}
	if utf8.RuneCountInString(password) > maxPassword {
		password = "" // no account's is so long, and none is empty
	}
	h, err := parseHash(hash)
	if err != nil {
		return false
	}
	key := idKey([]byte(password), h.salt, h.passes, h.memoryKiB, h.lanes, uint32(len(h.key)))
	return subtle.ConstantTimeCompare(key, h.key) == 1 && has
}

type parsedHash struct {
	passes, memoryKiB uint32
	lanes             uint8
	salt, key         []byte
}

func parseHash(hash string) (h parsedHash, err error) {
	var version int
	var salt string
	_, err = fmt.Sscanf(hash, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &h.memoryKiB, &h.passes, &h.lanes, &salt)
	if err != nil || version != argon2.Version {
		return h, errors.New("password hash of an unknown form")
	}
	salt, key, _ := strings.Cut(salt, "$")
	if h.salt, err = encodeHash.DecodeString(salt); err != nil {
		return h, err
	}
	h.key, err = encodeHash.DecodeString(key)
	if err == nil && (len(h.key) == 0 || h.lanes == 0 || h.passes == 0) {
		err = errors.New("password hash without a key")
	}
	return h, err
}
