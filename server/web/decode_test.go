package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"svc/server/fault"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

func TestReadObjectNeverGoesTooDeep(t *testing.T) {
	for _, depth := range []int{10_001, 100_000, 1_000_000} {
		for _, body := range []string{
			strings.Repeat("[", depth) + strings.Repeat("]", depth),
			strings.Repeat(`{"a":`, depth) + "1" + strings.Repeat("}", depth),
			`{"a":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}",
			strings.Repeat(`{"a":[`, depth),
		} {
			if err := ReadObject([]byte(body)).Err(); err == nil {
				t.Errorf("a body nested %d deep was accepted: %.20s…", depth, body)
			}
		}
	}
}

func TestNullObjectHasNoFields(t *testing.T) {
	object := ReadObject([]byte(`{}`))
	if err := object.Err(); err != nil {
		t.Fatal(err)
	}
	object.Text("x", 10)
	if err := object.Err(); err == nil || err.Error() != "invalid_request: x: is required" {
		t.Errorf("%v", err)
	}
}

func TestObjectKeepsTheFirstFault(t *testing.T) {
	object := ReadObject([]byte(`{"name":" ","count":1.5,"options":{"explain":1}}`))
	object.Object("options").Flag("explain")
	object.Text("name", 10)
	object.Integer("count")
	object.Keep(errors.New("later"))
	if err := object.Err(); err == nil || err.Error() != "invalid_request: options.explain: must be true or false" {
		t.Errorf("got %v", err)
	}
}

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		64 << 10: "64 KiB", 5 << 20: "5 MiB", 7<<20 + 512<<10: "7.5 MiB", 1 << 20: "1 MiB", 512 << 10: "0.5 MiB", 20_000_000: "20 MB",
	} {
		if got := size(bytes); got != want {
			t.Errorf("%d is %s, want %s", bytes, got, want)
		}
	}
}

// FuzzReadObject checks that only JSON objects in UTF-8 are accepted, and that Text
// returns the string that was sent.
func FuzzReadObject(f *testing.F) {
	for _, seed := range []string{
		`{"x":"text"}`, `{"x":"a\u0000b"}`, `{"x":"\ud83c\udf75"}`, `{"x":"\ud83c"}`, `{"x":"\\ud83c \ufffd \ud83c"}`,
		`{"x":" "}`, `{"x":null}`, `{"x":1,"x":"y"}`, `{"x":"\xff"}`, `[1]`, `null`, ``, `{} {}`, `{"x":"` + strings.Repeat("🍵", 9) + `"}`,
		`{"\ud83c":"x"}`, "\ufeff{}", `{"x":{"x":"x"}}`, `{"x":"�"}`, `{"x":"\\\ud83c"}`, `{"x":"\uD83C\uD83C\uDF75"}`,
	} {
		f.Add([]byte(seed))
	}
	const limit = 8
	f.Fuzz(func(t *testing.T, body []byte) {
		object := ReadObject(body)
		err := object.Err()
		trimmed := bytes.TrimLeft(body, " \t\r\n")
		isObject := json.Valid(body) && utf8.Valid(body) && trimmed[0] == '{'
		if (err == nil) != isObject {
			t.Fatalf("%q: %v, an object in UTF-8: %v", body, err, isObject)
		}
		if err != nil {
			mustName(t, err)
			return
		}

		text := object.Text("x", limit)
		err = object.Err()
		want, isText := plainText(object.Fields["x"])
		good := isText && strings.TrimSpace(want) != "" && !strings.ContainsRune(want, 0) && len([]rune(want)) <= limit
		if (err == nil) != good || err == nil && text != want {
			t.Fatalf("%q: %q, %v, want %q, %v", body, text, err, want, good)
		}
		if err != nil {
			mustName(t, err)
		}
	})
}

// mustName checks that an error is a 400 that names a field.
func mustName(t *testing.T, err error) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || Status(e) != 400 || len(e.Details) != 0 {
		t.Fatalf("not a plain 400: %v", err)
	}
	if e.Field == "" || e.Message == "" {
		t.Fatalf("names no field: %v", e)
	}
	if body := Body(e); !utf8.Valid(body) || !json.Valid(body) {
		t.Fatalf("body %q", body)
	}
}

// plainText decodes a JSON string by hand. It reports false for any other value and for
// half of a surrogate pair.
func plainText(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	var out []uint16
	for len(raw) > 0 {
		if raw[0] != '\\' {
			r, size := utf8.DecodeRune(raw)
			out = utf16.AppendRune(out, r)
			raw = raw[size:]
			continue
		}
		if raw[1] == 'u' {
			unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
			if err != nil {
				return "", false
			}
			out = append(out, uint16(unit))
			raw = raw[6:]
			continue
		}
		out = append(out, uint16(map[byte]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}[raw[1]]))
		raw = raw[2:]
	}
	for i := 0; i < len(out); i++ {
		if !utf16.IsSurrogate(rune(out[i])) {
			continue
		}
		if i+1 == len(out) || utf16.DecodeRune(rune(out[i]), rune(out[i+1])) == utf8.RuneError {
			return "", false
		}
		i++
	}
	return string(utf16.Decode(out)), true
}
