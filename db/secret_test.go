package db_test

import (
	"strings"
	"testing"

	"svc/db"
)

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// kinds are all kinds of keys, with their prefixes (A1).
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
	t.Parallel()
	for _, kind := range kinds {
		secret := string(db.NewSecret(kind.env, kind.mode))

		t.Run(kind.prefix, func(t *testing.T) {
			t.Run("RoundTrip", func(t *testing.T) {
				if rest, ok := strings.CutPrefix(secret, kind.prefix); !ok || len(rest) != 38 || strings.Trim(rest, base62) != "" {
					t.Errorf("%q has not the form of a key", secret)
				}
				if parsed, ok := db.ParseSecret(secret); !ok || string(parsed) != secret {
					t.Errorf("%q is refused", secret)
				}
			})

			t.Run("RefusesEachSingleChange", func(t *testing.T) {
				for i := range secret {
					for _, c := range []byte(base62 + "_- \n\x00\xc3") {
						if c != secret[i] {
							wantRefused(t, secret[:i]+string([]byte{c})+secret[i+1:])
						}
					}
				}
			})

			t.Run("RefusesEachSwap", func(t *testing.T) {
				for i := range len(secret) - 1 {
					if a, b := secret[i:i+1], secret[i+1:i+2]; a != b {
						wantRefused(t, secret[:i]+b+a+secret[i+2:])
					}
				}
			})

			t.Run("RefusesWrongLength", func(t *testing.T) {
				for i := range secret {
					wantRefused(t, secret[:i])
					wantRefused(t, secret[i+1:])
					wantRefused(t, secret[:i]+secret[i+1:])
					wantRefused(t, secret[:i]+"A"+secret[i:])
				}
				wantRefused(t, secret+"A")
				wantRefused(t, secret+secret)
			})

			t.Run("RefusesOtherPrefix", func(t *testing.T) {
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

			t.Run("RefusesLookalikes", func(t *testing.T) {
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
				wantRefused(t, strings.Replace(secret, "e", "\u0435", 1)) // a Cyrillic e
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

	t.Run("ChecksumIsStable", func(t *testing.T) {
		// Keys that were issued must stay valid.
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
		t.Errorf("%q is accepted as a key", s)
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
			t.Fatalf("%q is accepted as a key", s)
		}
		for i := range s {
			changed := []byte(s)
			changed[i] ^= 1
			if _, ok := db.ParseSecret(string(changed)); ok {
				t.Fatalf("%q and %q are both accepted as keys", s, changed)
			}
		}
	})
}
