package llm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image/jpeg"
	"io/fs"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/server/gtin"
	"svc/server/redact"
)

const (
	// The longest texts of a product, in code points.
	maxName  = 200
	maxBrand = 100
	maxSize  = 50
	// scanPredict is enough tokens for the longest answer that scan.schema.json
	// allows, also in scripts with more than a token a character.
	scanPredict = 768
	// minSide and maxAspect refuse pictures that crash models.
	minSide   = 64
	maxAspect = 20
)

var (
	// ErrNoProduct: the model found nothing on the picture that it could name.
	ErrNoProduct = errors.New("llm: no product on the picture")
	// ErrPicture: the picture is no JPEG, or crashes models. No model was asked.
	ErrPicture = errors.New("llm: not a picture for a model")
)

// Product is what a model sees on a photo. Each text is one line of plain text (not
// HTML: it may have a <) without control characters.
type Product struct {
	Name  string // as a shop lists it, with the brand and without the size; never empty
	Brand string // empty if none is visible
	Size  string // as printed, such as 250 g; empty if none is visible
	// Barcode is the digits that the model read below a barcode, if their check digit
	// is right, or empty. Models invent digits, and one in ten of those passes the
	// check: believe only a barcode that is known.
	Barcode string
	Sure    bool // the model's own confidence is high
}

// Identify asks a model for the product on a photo. prompts contains scan.txt and
// scan.schema.json; the photo is a JPEG as Request.Images wants it. Errors are
// ErrNoProduct, ErrPicture and *Error, or those of prompts that cannot be read.
//
// Texts on the photo can do no harm: whatever they make the model write becomes a
// Product or an error.
func Identify(ctx context.Context, m Model, prompts fs.FS, modelName string, photo []byte) (Product, error) {
	size, err := jpeg.DecodeConfig(bytes.NewReader(photo))
	if err != nil {
		return Product{}, fmt.Errorf("%w: %w", ErrPicture, err)
	}
	short, long := min(size.Width, size.Height), max(size.Width, size.Height)
	if short < minSide || long > maxAspect*short {
		return Product{}, fmt.Errorf("%w: %d x %d pixels", ErrPicture, size.Width, size.Height)
	}
	task, err := readTask(prompts, "scan")
	if err != nil {
		return Product{}, err
	}

	answer, err := m.Ask(ctx, Request{
		Model: modelName, System: task.system, Prompt: task.prompt, Schema: task.schema,
		Images: [][]byte{photo}, NumPredict: scanPredict,
	})
	if err != nil {
		return Product{}, err
	}
	product, err := parseProduct(answer)
	if err != nil && !errors.Is(err, ErrNoProduct) {
		name := redact.New(maxTextRunes).Clean(modelName)
		return Product{}, &Error{Kind: Malformed, Model: name, Reason: Malformed.reason(name, ""), Err: err}
	}
	return product, err
}

// task is what a model is asked. It comes from two files: NAME.txt with the system
// prompt, a line of --- and the prompt, and NAME.schema.json.
type task struct {
	system, prompt string
	schema         json.RawMessage
}

func readTask(prompts fs.FS, name string) (task, error) {
	text, err := fs.ReadFile(prompts, name+".txt")
	if err != nil {
		return task{}, fmt.Errorf("llm: prompt: %w", err)
	}
	schema, err := fs.ReadFile(prompts, name+".schema.json")
	if err != nil {
		return task{}, fmt.Errorf("llm: schema: %w", err)
	}

	system, prompt, _ := strings.Cut(string(text), "\n---\n")
	t := task{strings.TrimSpace(system), strings.TrimSpace(prompt), schema}
	if t.system == "" || t.prompt == "" || !json.Valid(schema) {
		return task{}, fmt.Errorf("llm: %s.txt does not have two parts, or %[1]s.schema.json is not JSON", name)
	}
	return t, nil
}

// scanAnswer is an answer in the form of scan.schema.json.
type scanAnswer struct {
	Kind       string  `json:"kind"`
	Brand      string  `json:"brand"`
	Name       *string `json:"name"`
	Size       string  `json:"size"`
	Barcode    string  `json:"barcode_digits"`
	Confidence string  `json:"confidence"`
}

// The values of scanAnswer.Kind. It may be empty if the model did not follow the schema.
const (
	oneProduct   = "product"
	manyProducts = "several"
	noProduct    = "none"
)

// parseProduct validates an answer. Its errors are ErrNoProduct, or sentences that do
// not quote the answer.
func parseProduct(answer []byte) (Product, error) {
	var seen scanAnswer
	err := json.Unmarshal(answer, &seen)
	if err == nil && seen.Kind == noProduct {
		return Product{}, ErrNoProduct // whatever the other fields contain
	}
	known := seen.Kind == oneProduct || seen.Kind == manyProducts || seen.Kind == ""
	if err != nil || !known || seen.Name == nil {
		return Product{}, errors.New("the answer does not follow the schema")
	}
	name, badName := cleanLine("name", *seen.Name, maxName)
	brand, badBrand := cleanLine("brand", seen.Brand, maxBrand)
	size, badSize := cleanLine("size", seen.Size, maxSize)
	if err := cmp.Or(badName, badBrand, badSize); err != nil {
		return Product{}, err
	}
	if name == "" {
		return Product{}, ErrNoProduct
	}
	return Product{Name: name, Brand: brand, Size: size, Barcode: barcode(seen.Barcode), Sure: seen.Confidence == "high"}, nil
}

// tag matches the beginning of an HTML tag.
var tag = regexp.MustCompile(`<[/!?]?\s*[A-Za-z]`)

// cleanLine returns a text on one line, or an error. Placeholders such as "unknown"
// become empty. Invisible marks, such as that of right-to-left text and the soft hyphen,
// are dropped rather than refused: honest labels have them.
func cleanLine(field, text string, maxRunes int) (string, error) {
	// A text that is far too long is refused unread.
	if len(text) > 8*utf8.UTFMax*maxRunes {
		return "", fmt.Errorf("%s is too long", field)
	}
	text = strings.Join(strings.Fields(strings.Map(dropInvisible, text)), " ")
	switch {
	case utf8.RuneCountInString(text) > maxRunes:
		return "", fmt.Errorf("%s is too long", field)
	case strings.ContainsFunc(text, unprintable):
		return "", fmt.Errorf("%s has control characters", field)
	case tag.MatchString(text):
		return "", fmt.Errorf("%s has tags", field)
	case isPlaceholder(text):
		return "", nil
	}
	return text, nil
}

func dropInvisible(c rune) rune {
	if unicode.Is(unicode.Cf, c) && !isJoiner(c) {
		return -1
	}
	return c
}

// isJoiner reports whether c is one of the two zero-width joiners, which the spelling of
// Persian and of Indian languages needs.
func isJoiner(c rune) bool { return c == '\u200c' || c == '\u200d' }

func unprintable(c rune) bool { return !unicode.IsPrint(c) && !isJoiner(c) }

// placeholders are what models write into a field without a value.
var placeholders = map[string]bool{
	"unknown": true, "unknown product": true, "unknown item": true, "unknown object": true, "unknown brand": true,
	"none": true, "null": true, "nil": true, "undefined": true, "empty": true, "n/a": true, "na": true, "nothing": true,
	"no product": true, "no brand": true, "no name": true, "no size": true, "not a product": true,
	"not visible": true, "not available": true, "not applicable": true, "not specified": true, "not shown": true,
	"not readable": true, "unreadable": true, "illegible": true, "unidentified": true, "unidentifiable": true,
	"product": true, "item": true, "object": true, "string": true,
}

// excuse matches the sentences that models write into a field without a value.
var excuse = regexp.MustCompile(`^(i )?(am )?(no|none|not|cannot|can['’]?t|could not|unable)\b.*\b(visible|see|seen|product|identify|identified|identifiable)\b`)

// isPlaceholder reports whether a text means the lack of a value.
func isPlaceholder(text string) bool {
	if !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
		return true
	}
	text = strings.Trim(strings.ToLower(text), ` .!?"'()[]<>*_-`)
	return placeholders[text] || excuse.MatchString(text)
}

// barcode returns the digits of a text if they are a GTIN, or "".
func barcode(text string) string {
	if len(text) > 2*14 {
		return ""
	}
	digits := strings.NewReplacer(" ", "", "-", "").Replace(text)
	if !gtin.Valid(digits) {
		return ""
	}
	return digits
}
