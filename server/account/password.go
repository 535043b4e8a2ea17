package account

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"svc/server/web"
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

// hashing bounds the memory that passwords can take: two at once.
var hashing = make(chan struct{}, 2)

// HashPassword refuses a password that is too short or too long and returns the
// hash of any other in the usual encoded form, parameters and salt included.
func HashPassword(password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < minPassword || n > maxPassword {
		return "", web.Invalid("password", fmt.Sprintf("must have %d to %d characters", minPassword, maxPassword))
	}
	hashing <- struct{}{}
	defer func() { <-hashing }()

	salt := make([]byte, argonSalt)
	rand.Read(salt) // never fails: crypto/rand ends the process instead
	key := argon2.IDKey([]byte(password), salt, argonPasses, argonMemoryKiB, argonLanes, argonKey)
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, argonMemoryKiB, argonPasses, argonLanes, encode(salt), encode(key)), nil
}
