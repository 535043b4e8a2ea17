package llm

import (
	"bytes"
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
	// scanPredict is room for the longest answer that scan.schema.json allows, in
	// scripts that take more than a token a character.
	scanPredict = 768
	// minSide and maxAspect keep pictures away that crash models.
	minSide   = 64
	maxAspect = 20
)

var (
	// ErrNoProduct: the model looked, and saw nothing that it could name.
	ErrNoProduct = errors.New("model: no product on the picture")
	// ErrPicture: no JPEG, or one that models crash on. None was asked.
	ErrPicture = errors.New("model: not a picture to show to a model")
)

// Product is what a model sees on a photo. Each text is one line of plain text
// without control characters; a < in it is a character like any other.
type Product struct {
	Name  string // as a shop lists it, with the brand and without the size; never empty
	Brand string // empty if there is none to be seen
	Size  string // as printed, such as 250 g; empty if there is none to be seen
	// Barcode has the digits that the model read below a barcode, with a check
	// digit that is right, or is empty. Models make digits up, and one in ten of
	// those passes: believe it only if it is known.
	Barcode string
	Sure    bool // the model says so
}

// Identify asks a model for the product on a photo. prompts holds scan.txt and
// scan.schema.json; the photo is as Request.Images has them. Errors are
// ErrNoProduct, ErrPicture and *Error, or tell of prompts that cannot be read.
//
// What stands on the photo cannot do harm: no matter what it makes the model say,
// it becomes a Product or an error.
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
		Model:      modelName,
		System:     task.system,
		Prompt:     task.prompt,
		Schema:     task.schema,
		Images:     [][]byte{photo},
		NumPredict: scanPredict,
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

// task is what a model is asked, from two files: NAME.txt with the system prompt,
// a line of ---, and the prompt, and NAME.schema.json.
type task struct {
	system, prompt string
	schema         json.RawMessage
}

func readTask(prompts fs.FS, name string) (task, error) {
	text, err := fs.ReadFile(prompts, name+".txt")
	if err != nil {
		return task{}, fmt.Errorf("model: prompt: %w", err)
	}
	schema, err := fs.ReadFile(prompts, name+".schema.json")
	if err != nil {
		return task{}, fmt.Errorf("model: schema: %w", err)
	}

	system, prompt, _ := strings.Cut(string(text), "\n---\n")
	t := task{strings.TrimSpace(system), strings.TrimSpace(prompt), schema}
	if t.system == "" || t.prompt == "" || !json.Valid(schema) {
		return task{}, fmt.Errorf("model: %s.txt has not two parts, or %[1]s.schema.json is not JSON", name)
	}
	return t, nil
}

// sighting is the answer as scan.schema.json has it.
type sighting struct {
	Kind       string  `json:"kind"`
	Brand      string  `json:"brand"`
	Name       *string `json:"name"`
	Size       string  `json:"size"`
	Barcode    string  `json:"barcode_digits"`
	Confidence string  `json:"confidence"`
}

// The kinds of sightings. An answer that a schema did not bind may have none.
const (
	oneProduct   = "product"
	manyProducts = "several"
	noProduct    = "none"
)

// parseProduct believes nothing. Its errors are ErrNoProduct, or sentences that
// quote nothing of the answer.
func parseProduct(answer []byte) (Product, error) {
	var seen sighting
	err := json.Unmarshal(answer, &seen)
	if err == nil && seen.Kind == noProduct {
		return Product{}, ErrNoProduct // whatever else it says
	}
	known := seen.Kind == oneProduct || seen.Kind == manyProducts || seen.Kind == ""
	if err != nil || !known || seen.Name == nil {
		return Product{}, errors.New("the answer does not follow the schema")
	}
	name, err := line("name", *seen.Name, maxName)
	if err != nil {
		return Product{}, err
	}
	brand, err := line("brand", seen.Brand, maxBrand)
	if err != nil {
		return Product{}, err
	}
	size, err := line("size", seen.Size, maxSize)
	if err != nil {
		return Product{}, err
	}

	if name == "" {
		return Product{}, ErrNoProduct
	}
	return Product{
		Name:    name,
		Brand:   brand,
		Size:    size,
		Barcode: barcode(seen.Barcode),
		Sure:    seen.Confidence == "high",
	}, nil
}

// tag is where text turns into HTML.
var tag = regexp.MustCompile(`<[/!?]?\s*[A-Za-z]`)

// line makes one line of a text, or refuses it. What says nothing is empty. Marks that
// cannot be seen are left out, as labels have them in good faith: of right to left, or
// where a word may be parted.
func line(field, text string, maxRunes int) (string, error) {
	// Far too long a text is refused unread.
	if len(text) > 8*utf8.UTFMax*maxRunes {
		return "", fmt.Errorf("%s is too long", field)
	}
	text = strings.Join(strings.Fields(strings.Map(visible, text)), " ")
	switch {
	case utf8.RuneCountInString(text) > maxRunes:
		return "", fmt.Errorf("%s is too long", field)
	case strings.ContainsFunc(text, unprintable):
		return "", fmt.Errorf("%s has control characters", field)
	case tag.MatchString(text):
		return "", fmt.Errorf("%s has tags", field)
	case saysNothing(text):
		return "", nil
	}
	return text, nil
}

// visible drops invisible marks.
func visible(c rune) rune {
	if unicode.Is(unicode.Cf, c) && !joins(c) {
		return -1
	}
	return c
}

// joins says whether a character is one of the two joiners, which have their place in
// the words of Persian and of Indian languages.
func joins(c rune) bool { return c == '\u200c' || c == '\u200d' }

// unprintable says whether a character has no place in a line of text.
func unprintable(c rune) bool { return !unicode.IsPrint(c) && !joins(c) }

// nothing is what models say where there is nothing to say.
var nothing = map[string]bool{
	"unknown": true, "unknown product": true, "unknown item": true, "unknown object": true, "unknown brand": true,
	"none": true, "null": true, "nil": true, "undefined": true, "empty": true, "n/a": true, "na": true, "nothing": true,
	"no product": true, "no brand": true, "no name": true, "no size": true, "not a product": true,
	"not visible": true, "not available": true, "not applicable": true, "not specified": true, "not shown": true,
	"not readable": true, "unreadable": true, "illegible": true, "unidentified": true, "unidentifiable": true,
	"product": true, "item": true, "object": true, "string": true,
}

// excuse is what models say in whole sentences where there is nothing to name.
var excuse = regexp.MustCompile(`^(i )?(am )?(no|none|not|cannot|can['’]?t|could not|unable)\b.*\b(visible|see|seen|product|identify|identified|identifiable)\b`)

func saysNothing(text string) bool {
	if !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }) {
		return true
	}
	text = strings.Trim(strings.ToLower(text), ` .!?"'()[]<>*_-`)
	return nothing[text] || excuse.MatchString(text)
}

// barcode is the digits of a text if they are those of a GTIN, and else empty.
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
