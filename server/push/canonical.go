package push

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// digestOf returns the SHA-256 of a JSON value in canonical form.
func digestOf(raw []byte) ([]byte, error) {
	text, err := canonical(raw)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// canonical returns a JSON value in the form of RFC 8785: no white space, members sorted by
// the UTF-16 of their names, one spelling for each string and number. Of two equal names the
// last counts. A number that a float64 cannot hold keeps its digits, so that two large
// numbers that differ stay different.
func canonical(raw []byte) ([]byte, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	writeValue(&out, value)
	return out.Bytes(), nil
}

func writeValue(out *bytes.Buffer, value any) {
	switch v := value.(type) {
	case map[string]any:
		out.WriteByte('{')
		for i, name := range slices.SortedFunc(maps.Keys(v), compareUTF16) {
			if i > 0 {
				out.WriteByte(',')
			}
			writeText(out, name)
			out.WriteByte(':')
			writeValue(out, v[name])
		}
		out.WriteByte('}')
	case []any:
		out.WriteByte('[')
		for i, entry := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			writeValue(out, entry)
		}
		out.WriteByte(']')
	case string:
		writeText(out, v)
	case json.Number:
		out.WriteString(canonicalNumber(v.String()))
	default:
		fmt.Fprint(out, cmp.Or(v, any("null"))) // true, false and null
	}
}

func compareUTF16(a, b string) int {
	return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
}

// writeText writes a string with the escapes that it must have, in their shortest form.
func writeText(out *bytes.Buffer, text string) {
	const short = `"\` + "\b\t\n\f\r"
	const letters = `"\btnfr`
	out.WriteByte('"')
	for _, r := range text {
		switch at := strings.IndexRune(short, r); {
		case at >= 0:
			out.WriteByte('\\')
			out.WriteByte(letters[at])
		case r < ' ':
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}

// canonicalNumber returns a number as ECMAScript writes it, if a float64 has its value, else
// its digits and their exponent.
func canonicalNumber(text string) string {
	digits, exponent := significant(text)
	f, err := strconv.ParseFloat(text, 64)
	if shortest, e := significant(strconv.FormatFloat(f, 'e', -1, 64)); err != nil || shortest != digits || e != exponent {
		return fmt.Sprintf("%se%d", digits, exponent)
	}
	if f == 0 {
		return "0"
	}
	if size := math.Abs(f); size >= 1e21 || size < 1e-6 {
		mantissa, power, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return mantissa + "e" + power[:1] + strings.TrimLeft(power[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// significant splits a number into its digits, with its sign and without zeros at either
// end, and their power of ten. Zero has the digit 0.
func significant(text string) (digits string, exponent int) {
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent, _ = strconv.Atoi(power) // too large a power is far from any other number's, too
	mantissa, isNegative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits = strings.TrimLeft(whole+fraction, "0")
	if digits == "" {
		return "0", 0
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short) - len(fraction)
	if isNegative {
		short = "-" + short
	}
	return short, exponent
}
