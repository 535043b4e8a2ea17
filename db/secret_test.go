package db_test

import (
	"strings"
	"testing"

	"svc/db"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// kinds are all keys that there are, with their prefix (A1).
var kinds = []struct {
	env    db.Env
	mode   db.Mode
	prefix string
}{
	{db.Test, db.AccountMode, "svc_test_"},
	{db.Live, db.AccountMode, "svc_live_"},
	{db.Test, db.GenericMode, "svc_generic_test_"},
	{db.Live, db.GenericMode, "svc_generic_live_"},
}

func TestSecret(t *testing.T) {
	for _, kind := range kinds {
		secret := string(db.NewSecret(kind.env, kind.mode))

		t.Run(kind.prefix, func(t *testing.T) {
			t.Run("RoundTrip", func(t *testing.T) {
				if rest, ok := strings.CutPrefix(secret, kind.prefix); !ok || len(rest) != 38 || strings.Trim(rest, base62) != "" {
					t.Errorf("not a key: %q", secret)
				}
				if parsed, ok := db.ParseSecret(secret); !ok || string(parsed) != secret {
					t.Errorf("%q is refused", secret)
				}
			})

			t.Run("EachSingleChangeRefused", func(t *testing.T) {
				for i := range secret {
					for _, c := range []byte(base62 + "_- \n\x00\xc3") {
						if c != secret[i] {
							wantRefused(t, secret[:i]+string([]byte{c})+secret[i+1:])
						}
					}
				}
			})

			t.Run("EachSwapRefused", func(t *testing.T) {
				for i := range len(secret) - 1 {
					if a, b := secret[i:i+1], secret[i+1:i+2]; a != b {
						wantRefused(t, secret[:i]+b+a+secret[i+2:])
					}
				}
			})

			t.Run("WrongLengthRefused", func(t *testing.T) {
				for i := range secret {
					wantRefused(t, secret[:i])
					wantRefused(t, secret[i+1:])
					wantRefused(t, secret[:i]+secret[i+1:])
					wantRefused(t, secret[:i]+"A"+secret[i:])
				}
				wantRefused(t, secret+"A")
				wantRefused(t, secret+secret)
			})

			t.Run("OtherPrefixRefused", func(t *testing.T) {
				rest := strings.TrimPrefix(secret, kind.prefix)
				for _, other := range kinds {
					if other != kind {
						wantRefused(t, other.prefix+rest)
					}
				}
				for _, prefix := range []string{"", "svc_", "SVC_" + kind.prefix[4:], "svc_demo_", "svc_generic_", " " + kind.prefix} {
					wantRefused(t, prefix+rest)
				}
			})

			t.Run("LookalikesRefused", func(t *testing.T) {
				for _, pair := range []string{"0O", "0o", "O0", "o0", "1l", "1I", "l1", "I1", "lI", "Il", "5S", "S5"} {
					for i := range secret {
						if secret[i] == pair[0] {
							wantRefused(t, secret[:i]+pair[1:]+secret[i+1:])
						}
					}
				}
				wantRefused(t, strings.ToLower(secret))
				wantRefused(t, strings.ToUpper(secret))
				wantRefused(t, strings.Replace(secret, "_", "\uff3f", 1))
				wantRefused(t, strings.Replace(secret, "e", "\u0435", 1)) // a Cyrillic one
			})
		})
	}

	t.Run("Unique", func(t *testing.T) {
		seen := map[string]bool{}
		for range 10_000 {
			seen[string(db.NewSecret(db.Live, db.AccountMode))] = true
		}
		if len(seen) != 10_000 {
			t.Errorf("%d of 10000 keys are different", len(seen))
		}
	})

	t.Run("ChecksumStays", func(t *testing.T) {
		// Keys that were handed out must be good for ever.
		for _, secret := range []string{
			"svc_test_0123456789ABCDEFabcdefghijklmnop0Ya9aI",
			"svc_live_0123456789ABCDEFabcdefghijklmnop3Blrqd",
			"svc_generic_test_0123456789ABCDEFabcdefghijklmnop2Tn1j4",
			"svc_generic_live_0123456789ABCDEFabcdefghijklmnop10d3FT",
		} {
			if _, ok := db.ParseSecret(secret); !ok {
				t.Errorf("%q is refused", secret)
			}
		}
	})
}

func wantRefused(t *testing.T, s string) {
	t.Helper()
	if _, ok := db.ParseSecret(s); ok {
		t.Errorf("%q is taken for a key", s)
	}
}

func FuzzParseSecret(f *testing.F) {
	for _, kind := range kinds {
		secret := string(db.NewSecret(kind.env, kind.mode))
		f.Add(secret)
		f.Add(secret[:len(secret)-1])
		f.Add(kind.prefix)
	}
	f.Add("")
	f.Add("svc_live_" + strings.Repeat("\xff", 38))

	f.Fuzz(func(t *testing.T, s string) {
		secret, ok := db.ParseSecret(s)
		if !ok {
			return
		}
		if string(secret) != s {
			t.Fatalf("%q became %q", s, secret)
		}
		known := false
		for _, kind := range kinds {
			rest, ok := strings.CutPrefix(s, kind.prefix)
			known = known || ok && len(rest) == 38 && strings.Trim(rest, base62) == ""
		}
		if !known {
			t.Fatalf("%q is taken for a key", s)
		}
		for i := range s {
			changed := []byte(s)
			changed[i] ^= 1
			if _, ok := db.ParseSecret(string(changed)); ok {
				t.Fatalf("%q and %q are both taken for keys", s, changed)
			}
		}
	})
}
