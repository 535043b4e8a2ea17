package scan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"svc/server/barcode"
	"svc/server/fault"
	"svc/server/gtin"
	"svc/server/llm"
	"svc/server/photo"
)

// sighting is a product as a recognizer sees it: by what stands under a barcode, by a
// name, or both.
type sighting struct {
	code string // a product's number or a shop's own label, as gtin.Key has it; empty: none
	text string // the code as it is printed, which may be a SKU
	name string // to be matched, with the size; empty: none
	// calls is how the product is named when it stands in no inventory. Empty: the
	// sighting counts only when it stands there (F2).
	calls string
	words string // what was seen, for people
}

// rung is one recognizer.
type rung struct {
	name string
	// see looks at a photo. What it sees comes the best first; nothing is no error.
	see func(context.Context, *photo.Photo) ([]sighting, error)
	// heavy work keeps a core busy, so it waits for its turn. Heavy rungs come first.
	heavy bool
}

// Vision is the model that looks at photos; the zero value is none.
type Vision struct {
	Model   llm.Model
	Name    string // as Ollama lists it
	Prompts fs.FS  // with scan.txt and scan.schema.json
}

// newLadder is the order of F2. To recognize products in another way, add a rung.
func newLadder(v Vision) []rung {
	ladder := []rung{{name: "barcodes", see: seeBarcodes, heavy: true}}
	if v.Model != nil {
		ladder = append(ladder, rung{name: "model " + v.Name, see: v.see})
	}
	return ladder
}

// barcodeBudget is what reading barcodes may take of one core: enough for every attempt
// on a photo of 2 megapixels.
const barcodeBudget = 300 * time.Millisecond

// seeBarcodes reads them. One that is sure identifies a product if its number is an
// article's; a link in a QR code does not.
func seeBarcodes(ctx context.Context, p *photo.Photo) (all []sighting, err error) {
	for _, code := range barcode.Read(ctx, p.Luminance(), barcodeBudget) {
		s := sighting{text: code.Text, words: fmt.Sprintf("%s %s", code.Symbology, code.Text)}
		number, ok := code.GTIN()
		switch {
		case !ok:
			s.code = gtin.Key(code.Text)
		case code.Sure:
			s.code, s.calls = number, "Barcode "+code.Text
		default:
			s.code = number
			s.words += " (not sure: counts if it stands in the inventory)"
		}
		all = append(all, s)
	}
	return all, nil
}

const (
	// modelSide and modelQuality are the photo as a model gets it.
	modelSide    = 1280
	modelQuality = 85
)

// see asks the vision model. A barcode that it claims to read counts only when it
// stands in the inventory: models make digits up.
func (v Vision) see(ctx context.Context, p *photo.Photo) ([]sighting, error) {
	picture, err := p.JPEG(modelSide, modelQuality)
	if err != nil {
		return nil, err
	}
	product, err := llm.Identify(ctx, v.Model, v.Prompts, v.Name, picture)
	if errors.Is(err, llm.ErrNoProduct) || errors.Is(err, llm.ErrPicture) {
		return nil, nil
	}
	if err != nil {
		return nil, modelFailed(err)
	}
	name := withSize(product)
	s := sighting{name: name, calls: name}
	if product.Barcode != "" {
		s.code, s.text = gtin.Key(product.Barcode), product.Barcode
	}
	s.words = s.name
	if !product.Sure {
		s.words += " (the model is not sure)"
	}
	return []sighting{s}, nil
}

// withSize is the name as a shop lists it. Some models write the size into the name.
func withSize(p llm.Product) string {
	bare := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	if strings.Contains(bare(p.Name), bare(p.Size)) {
		return p.Name
	}
	return p.Name + " " + p.Size
}

// modelFailed is a 502 that is free (F3). The address of the model's server is for the
// log alone.
func modelFailed(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) {
		return err
	}
	reason := e.Reason
	if e.Kind == llm.Down {
		reason = "Its server does not answer."
	}
	return &fault.Error{
		Code:    fault.ProviderFailed,
		Message: "the vision model failed, and nothing was charged: " + reason,
		Err:     err,
	}
}

// notIdentified is a 422 (F3).
func (s *Service) notIdentified() error {
	message := "no product could be identified on the photo"
	if len(s.ladder) == 1 {
		message += ": it shows no product's barcode that could be read, and no vision model is configured"
	}
	return &fault.Error{Code: fault.NotIdentified, Message: message}
}
