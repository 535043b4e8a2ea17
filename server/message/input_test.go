package message_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"svc/db"
	"svc/server/servertest"
)

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")

// bad is an invalid body and the error about it; an error that ends with a colon and a
// space is only the beginning.
type bad struct{ name, body, sentence string }

// with returns a good body in which a field has another value, in JSON, or is left out if
// the value is empty.
func with(field, value string) string {
	fields := map[string]json.RawMessage{
		"phone":    json.RawMessage(`"` + servertest.Phone + `"`),
		"template": json.RawMessage(`"receipt"`),
		"text":     json.RawMessage(`"` + servertest.Text + `"`),
	}
	var out bytes.Buffer
	out.WriteByte('{')
	for _, name := range []string{"phone", "template", "text"} {
		if name == field {
			fields[name] = json.RawMessage(value)
		}
		if len(fields[name]) == 0 {
			continue
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + name + `":`)
		out.Write(fields[name])
	}
	out.WriteByte('}')
	return out.String()
}

func badBodies() []bad {
	const format = "must be in international format, like +447700900123: + and 8 to 15 digits, the first not 0, and nothing between them"
	const kinds = "must be receipt or purchase_order; otp is reserved"
	all := []bad{
		{"Empty", "", "body: must be a JSON object, not empty"},
		{"WhiteSpace", " \r\n\t", "body: must be a JSON object, not empty"},
		{"Null", "null", "body: must be a JSON object"},
		{"Array", "[" + servertest.SendBody + "]", "body: must be a JSON object"},
		{"String", `"text"`, "body: must be a JSON object"},
		{"Number", "12", "body: must be a JSON object"},
		{"Boolean", "true", "body: must be a JSON object"},
		{"Broken", servertest.SendBody[:len(servertest.SendBody)-1], "body: is not valid JSON: "},
		{"SingleQuotes", strings.ReplaceAll(servertest.SendBody, `"`, `'`), "body: is not valid JSON: "},
		{"TrailingComma", servertest.SendBody[:len(servertest.SendBody)-1] + ",}", "body: is not valid JSON: "},
		{"TwoValues", servertest.SendBody + servertest.SendBody, "body: is not valid JSON: "},
		{"TwoLines", servertest.SendBody + "\n" + servertest.SendBody, "body: is not valid JSON: "},
		{"TrailingGarbage", servertest.SendBody + "x", "body: is not valid JSON: "},
		{"ByteOrderMark", "\ufeff" + servertest.SendBody, "body: is not valid JSON: "},
		{"Form", "phone=%2B447700900123&template=receipt", "body: is not valid JSON: "},
		{"RawNUL", with("text", "\"a\x00b\""), "body: is not valid JSON: "},
		{"RawLineBreak", with("text", "\"a\nb\""), "body: is not valid JSON: "},
		{"DeepArray", with("text", strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)), "body: is not valid JSON: "},
		{"DeepUnknownField", `{"x":` + strings.Repeat(`{"x":`, 10_000) + "1" + strings.Repeat("}", 10_000) + "}", "body: is not valid JSON: "},
		{"DeepAndOpen", strings.Repeat("[", 60_000), "body: is not valid JSON: "},
		{"InvalidUTF8InAValue", with("text", "\"caf\xe9\""), "text: is not valid UTF-8"},
		{"InvalidUTF8InPhone", with("phone", "\"+44770090012\xff\""), "phone: is not valid UTF-8"},
		{"InvalidUTF8InAnUnknownField", servertest.SendBody[:len(servertest.SendBody)-1] + ",\"note\":\"\xff\"}", "note: is not valid UTF-8"},
		{"InvalidUTF8InAName", servertest.SendBody[:len(servertest.SendBody)-1] + ",\"n\xff\":1}", "body: is not valid UTF-8"},
		{"InvalidUTF8InAnOverwrittenField", "{\"text\":\"\xff\"," + servertest.SendBody[1:], "body: is not valid UTF-8"},
		{"OverlongUTF8", with("text", "\"\xc0\xaf\""), "text: is not valid UTF-8"},
		{"SurrogateInUTF8", with("text", "\"\xed\xa0\x80\""), "text: is not valid UTF-8"},

		{"PhoneMissing", with("phone", ""), "phone: is required"},
		{"PhoneWithoutPlus", with("phone", `"447700900123"`), "phone: " + format},
		{"PhoneWithZeros", with("phone", `"00447700900123"`), "phone: " + format},
		{"PhoneNational", with("phone", `"07700900123"`), "phone: " + format},
		{"PhoneBeginsWithZero", with("phone", `"+0447700900123"`), "phone: " + format},
		{"PhoneOfSevenDigits", with("phone", `"+4477009"`), "phone: " + format},
		{"PhoneOfSixteenDigits", with("phone", `"+4477009001234567"`), "phone: " + format},
		{"PhoneWithSpaces", with("phone", `"+44 7700 900123"`), "phone: " + format},
		{"PhoneWithDashes", with("phone", `"+44-7700-90012"`), "phone: " + format},
		{"PhoneWithLineBreak", with("phone", `"+447700900123\n"`), "phone: " + format},
		{"PhoneWithLetters", with("phone", `"+44770090012a"`), "phone: " + format},
		{"PhoneWithLetterInside", with("phone", `"+4477a0900123"`), "phone: " + format},
		{"PhoneInArabicDigits", with("phone", `"+٤٤٧٧٠٠٩٠٠١٢٣"`), "phone: " + format},
		{"PhoneInFullWidth", with("phone", `"＋447700900123"`), "phone: " + format},
		{"PhoneWithTwoPluses", with("phone", `"++447700900123"`), "phone: " + format},
		{"PhonePlusAlone", with("phone", `"+"`), "phone: " + format},

		{"TemplateMissing", with("template", ""), "template: is required"},
		{"TemplateReserved", with("template", `"otp"`), "template: " + kinds},
		{"TemplateUnknown", with("template", `"invoice"`), "template: " + kinds},
		{"TemplateOtherCase", with("template", `"Receipt"`), "template: " + kinds},
		{"TemplateWithSpace", with("template", `"receipt "`), "template: " + kinds},
		{"TemplateLong", with("template", `"`+strings.Repeat("x", 65)+`"`), "template: must be at most 64 characters, not 65"},

		{"TextMissing", with("text", ""), "text: is required"},
		{"TextTooLong", with("text", `"`+strings.Repeat("x", 1025)+`"`), "text: must be at most 1024 characters, not 1025"},
		{"TextOfTooManyEmoji", with("text", `"`+strings.Repeat("🍵", 1025)+`"`), "text: must be at most 1024 characters, not 1025"},
		{"TextOfTooManyEscapedEmoji", with("text", `"`+strings.Repeat(`\ud83c\udf75`, 1025)+`"`), "text: must be at most 1024 characters, not 1025"},
		{"OtherCaseIsAnotherName", strings.Replace(servertest.SendBody, `"text"`, `"Text"`, 1), "text: is required"},
		{"LastOfTwoNamesCounts", servertest.SendBody[:len(servertest.SendBody)-1] + `,"template":"otp"}`, "template: " + kinds},
	}
	for _, field := range []string{"phone", "template", "text"} {
		for value, problem := range map[string]string{
			"null": "is required", `""`: "is required", `" \t\u00a0\u2003"`: "is required",
			"1": "must be a string", "-1.5e3": "must be a string", "true": "must be a string", "false": "must be a string",
			`["a"]`: "must be a string", `{"a":"b"}`: "must be a string", "{}": "must be a string",
			`"a\u0000b"`:       "must not contain NUL characters",
			`"\ud83c"`:         "has half of a surrogate pair",
			`"\udf75\ud83c"`:   "has half of a surrogate pair",
			`"\uD83C\n"`:       "has half of a surrogate pair",
			`"\ud83c \ufffd"`:  "has half of a surrogate pair",
			`"\ud83c�"`:        "has half of a surrogate pair",
			`"\\ufffd \ud83c"`: "has half of a surrogate pair",
		} {
			all = append(all, bad{"Any" + field + value, with(field, value), field + ": " + problem})
		}
	}
	return all
}

// A bad request is not billed, sent or stored, and the error names the field (A9, A10).
func TestBadRequest(t *testing.T) {
	s := servertest.NewShop(t, db.Business, 1000)
	_, secret := s.TestKey(t)
	for i, row := range badBodies() {
		if i%50 == 0 {
			s.Clock.Advance(db.Window)
		}
		t.Run(row.name, func(t *testing.T) {
			for _, key := range []string{s.Secret, secret} {
				a := s.Post(t, row.body, servertest.WithKey(key), withKeyK)
				a.Expect(t, 400, "invalid_request")
				sentence, _ := a.Field(t, "error").(string)
				if sentence != row.sentence && !(strings.HasSuffix(row.sentence, ": ") && strings.HasPrefix(sentence, row.sentence)) {
					t.Errorf("%q, want %q", sentence, row.sentence)
				}
			}
		})
	}
	expectNothingDone(t, s)
}

func expectNothingDone(t *testing.T, s *servertest.Shop) {
	t.Helper()
	s.ExpectSent(t, 0)
	s.ExpectStored(t, 0)
	s.ExpectWallet(t, 1000, 0)
}

func TestBodyOverItsCap(t *testing.T) {
	const limit = 64 << 10
	s := servertest.NewShop(t, db.Growth, 1000)
	padded := func(size int) string { return servertest.SendBody + strings.Repeat(" ", size-len(servertest.SendBody)) }
	const sentence = `{"error":"body: must be at most 64 KiB"}` + "\n"
	s.Post(t, padded(limit+1)).ExpectBody(t, 400, sentence)
	s.Post(t, io.MultiReader(strings.NewReader(padded(limit+1)))).ExpectBody(t, 400, sentence) // in chunks
	s.Post(t, strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000)).ExpectBody(t, 400, sentence)
	s.Post(t, strings.Repeat("x", 8<<20)).ExpectBody(t, 400, sentence)
	expectNothingDone(t, s)

	s.Post(t, padded(limit)).ExpectBody(t, 200, servertest.Sent)
	s.Post(t, io.MultiReader(strings.NewReader(padded(limit)))).ExpectBody(t, 200, servertest.Sent)
}

// Unusual requests that are valid.
func TestGoodRequest(t *testing.T) {
	emoji := strings.Repeat("🍵", 1024)
	for _, row := range []struct{ name, body, wantText string }{
		{"ShortestPhone", with("phone", `"+12345678"`), servertest.Text},
		{"LongestPhone", with("phone", `"+123456789012345"`), servertest.Text},
		{"TextOf1024Emoji", with("text", `"`+emoji+`"`), emoji},
		{"TextOf1024EscapedEmoji", with("text", `"`+strings.Repeat(`\ud83c\udf75`, 1024)+`"`), emoji},
		{"TextWithBreaks", with("text", `"a\nb\tc"`), "a\nb\tc"},
		{"TextIsNotTrimmed", with("text", `"  a "`), "  a "},
		{"ReplacementCharacter", with("text", `"�"`), "�"},
		{"EscapedReplacementCharacter", with("text", `"\uFFFD \\ud83c"`), `� \ud83c`},
		{"LastOfTwoNamesCounts", `{"text":"first","text":1,` + servertest.SendBody[1:], servertest.Text},
		{"UnknownFieldsAreIgnored", `{"otp":true,"phone2":null,"deep":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "," + servertest.SendBody[1:], servertest.Text},
		{"WhiteSpaceAround", "\n\t " + strings.ReplaceAll(servertest.SendBody, ":", " : ") + "\r\n", strings.ReplaceAll(servertest.Text, ":", " : ")},
		{"EscapedNames", strings.Replace(servertest.SendBody, `"text"`, `"\u0074ext"`, 1), servertest.Text},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := servertest.NewShop(t, db.Growth, 1000)
			s.Post(t, row.body).ExpectBody(t, 200, servertest.Sent)
			if got := s.Provider.Sent()[0].Text; got != row.wantText {
				t.Errorf("the provider got %q, want %q", got, row.wantText)
			}
		})
	}

	t.Run("ContentTypeIsIgnored", func(t *testing.T) {
		s := servertest.NewShop(t, db.Growth, 1000)
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "nonsense"} {
			s.Send(t, servertest.WithHeader("Content-Type", kind)).ExpectBody(t, 200, servertest.Sent)
		}
	})
}
