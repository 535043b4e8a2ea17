// Package barcode reads the codes on a photo: EAN-13, EAN-8, UPC-A, UPC-E, Code
// 128 and QR, at any rotation (F2).
//
// gozxing decodes: it owns the symbologies, their tables and their check digits.
// This package prepares its input, because a photo is not a drawing, and checks its
// output, because a wrong number is worse than none:
//
//   - The photo is sampled in several sizes, along lines in several directions
//     (raster.go). Three binarizers with different weaknesses find the edges of the
//     bars on each line (binarizer.go). Edges with the layout of a code are redrawn
//     and handed to gozxing (linear.go, code128.go). QR codes are found by gozxing in
//     the whole picture (qr.go).
//   - The text that gozxing returns is encoded again, and the edges of that code must
//     match the edges on the photo (fit.go). This check, rather than the check digit,
//     detects misreadings: one wrong number in ten has a valid check digit, but none
//     on the photos of TestRates fits. Then several readings must agree (results.go).
//
// The order of the attempts is a table (reader.go). Work is counted in steps, not in
// time, so that a photo has the same result on each run.
//
// The package stores nothing: no picture, no state between calls.
package barcode

import (
	"context"
	"image"
	"time"

	"svc/server/gtin"
)

// Symbology is a kind of code, under its usual name.
type Symbology string

// The symbologies that Read supports.
const (
	EAN13   Symbology = "EAN-13"
	EAN8    Symbology = "EAN-8"
	UPCA    Symbology = "UPC-A"
	UPCE    Symbology = "UPC-E"
	Code128 Symbology = "Code 128"
	QR      Symbology = "QR"
)

// Code is one code on a photo.
type Code struct {
	// Text is the content. A UPC-A has 12 digits and a UPC-E 8, as they are
	// printed; an EAN-13 that begins with 0 is a UPC-A. A Code 128 or a QR code can
	// have any text.
	Text      string
	Symbology Symbology
	// Sure means that the first pass read the code, or that two binarizers did
	// (F2). A code that is not sure counts only if it is in the inventory.
	Sure bool
}

// GTIN returns the article number of the code, in the form of gtin.Parse. A Code 128 or
// a QR code has one if its whole text is one.
func (c Code) GTIN() (number string, ok bool) {
	switch c.Symbology {
	case UPCE:
		return gtin.ParseUPCE(c.Text)
	case EAN8:
		return gtin.ParseEAN8(c.Text)
	}
	return gtin.Parse(c.Text)
}

const (
	// stepsPerSecond converts a time budget to steps. One core of a small server
	// does 60 million steps per second, and 40 million on pure noise.
	stepsPerSecond = 36_000_000
	// clockMargin is how many times its budget Read may take by the clock, if the
	// core is slow or shared.
	clockMargin = 3
)

// Read returns the distinct codes on img, the best first, or nil. It stops after the
// last attempt, when a product code is sure, or when the budget or ctx ends, and
// returns the codes that it has read by then.
//
// The budget is the time on one core. It is counted in steps, so that a photo has
// the same result however busy the machine is. A photo of 2 megapixels without a
// code takes about 160 ms.
func Read(ctx context.Context, img *image.Gray, budget time.Duration) []Code {
	ctx, cancel := context.WithTimeout(ctx, clockMargin*budget)
	defer cancel()
	return read(ctx, img, int(budget.Seconds()*stepsPerSecond))
}

// read is Read with a budget in steps.
func read(ctx context.Context, img *image.Gray, steps int) []Code {
	if img == nil || img.Rect.Dx() < minSide || img.Rect.Dy() < minSide {
		return nil
	}
	r := newReader(ctx, img, steps)
	if r == nil {
		return nil
	}
	r.run(attempts)
	return r.results.codes()
}
