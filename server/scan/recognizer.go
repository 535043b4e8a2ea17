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

// detection is a product that a recognizer has detected, by the text of a barcode, by a
// name, or both.
type detection struct {
	code string // article number or shop's own label, in the form of gtin.Key; empty: none
	text string // the code as it is printed, which may be a SKU
	name string // with the size, for matching; empty: none
	// label names the product if it is in no inventory. If label is empty, the
	// detection counts only if the product is in the inventory (F2).
	label   string
	summary string // the detection, for people
}

// recognizer is one way to recognize products.
type recognizer struct {
	name string
	// detect returns the products on a photo, the best first. A photo without products
	// is no error.
	detect func(context.Context, *photo.Photo) ([]detection, error)
	// heavy recognizers keep a core busy, so they wait in the queue. They come first.
	heavy bool
}

// Vision is the vision model; the zero value means that there is none.
type Vision struct {
	Model   llm.Model
	Name    string // as in Ollama
	Prompts fs.FS  // with scan.txt and scan.schema.json
}

// newRecognizers returns the recognizers in the order of F2. To recognize products in
// another way, add one here.
func newRecognizers(v Vision) []recognizer {
	all := []recognizer{{name: "barcodes", detect: detectBarcodes, heavy: true}}
	if v.Model != nil {
		all = append(all, recognizer{name: "model " + v.Name, detect: v.detect})
	}
	return all
}

// barcodeBudget bounds the CPU time of reading barcodes. It is enough for every attempt
// on a photo of 2 megapixels.
const barcodeBudget = 300 * time.Millisecond

// detectBarcodes reads the barcodes. A sure one identifies a product if it has an
// article number; a link in a QR code does not.
func detectBarcodes(ctx context.Context, p *photo.Photo) (all []detection, err error) {
	for _, code := range barcode.Read(ctx, p.Luminance(), barcodeBudget) {
		d := detection{text: code.Text, summary: fmt.Sprintf("%s %s", code.Symbology, code.Text)}
		number, ok := code.GTIN()
		switch {
		case !ok:
			d.code = gtin.Key(code.Text)
		case code.Sure:
			d.code, d.label = number, "Barcode "+code.Text
		default:
			d.code = number
			d.summary += " (not sure: counts if it stands in the inventory)"
		}
		all = append(all, d)
	}
	return all, nil
}

const (
	// modelSide (pixels) and modelQuality are those of the JPEG for the model.
	modelSide    = 1280
	modelQuality = 85
)

// detect asks the vision model. A barcode in its answer counts only if it is in the
// inventory, because models make digits up.
func (v Vision) detect(ctx context.Context, p *photo.Photo) ([]detection, error) {
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
	d := detection{name: name, label: name, summary: name}
	if product.Barcode != "" {
		d.code, d.text = gtin.Key(product.Barcode), product.Barcode
	}
	if !product.Sure {
		d.summary += " (the model is not sure)"
	}
	return []detection{d}, nil
}

// withSize returns the name with the size, as shops list it. Some models write the size
// into the name.
func withSize(p llm.Product) string {
	bare := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, " ", "")) }
	if strings.Contains(bare(p.Name), bare(p.Size)) {
		return p.Name
	}
	return p.Name + " " + p.Size
}

// modelFailed returns a 502, which costs nothing (F3). Only the log gets the address of
// the model's server.
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

// notIdentified returns a 422 (F3).
func (s *Service) notIdentified() error {
	message := "no product could be identified on the photo"
	if len(s.recognizers) == 1 {
		message += ": it shows no product's barcode that could be read, and no vision model is configured"
	}
	return &fault.Error{Code: fault.NotIdentified, Message: message}
}
