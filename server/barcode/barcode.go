// Package barcode reads the codes on a photo: EAN-13, EAN-8, UPC-A, UPC-E, Code
// 128 and QR, at any rotation (F2).
//
// gozxing decodes: it owns the symbologies, their tables and their checks. What
// is ours comes before, because a photo is not a drawing, and after, because a
// wrong number is worse than none:
//
//   - The picture is looked at in several sizes, and along lines in several
//     directions (plane.go). Each line is split into dark and light by three
//     binarizers that go wrong in different ways (edge.go). What has the outline
//     of a code is straightened and handed to gozxing (linear.go, code128.go).
//     QR codes are looked for by gozxing in the whole picture (qr.go).
//   - The code that gozxing says it read is drawn again, and must lie where the
//     edges of the photo lie (fit.go). This, rather than the check digit, is what
//     tells a reading from a misreading: one wrong number in ten has a valid check
//     digit, but none that we met fits. Then readings have to agree (tally.go).
//
// The order of the attempts is data (ladder.go). Work is counted in steps, not in
// time, so that a photo has the same result on each run.
//
// The package keeps nothing: no picture, no state between calls.
package barcode

import (
	"context"
	"image"
	"time"
)

// Symbology is a kind of code, spelled as people write it.
type Symbology string

// The symbologies that are read.
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
	// Text is what the code says. A UPC-A has 12 digits and a UPC-E 8, as they
	// are printed; an EAN-13 that begins with 0 is a UPC-A. The text of a Code 128
	// or a QR code is whatever somebody put there.
	Text      string
	Symbology Symbology
	// Sure says that the plain pass read the code, or that two binarizers did
	// (F2). A code that is not sure counts only if it stands in the inventory.
	Sure bool
}

const (
	// stepsPerSecond turns a budget of time into one of steps. One core of a small
	// server makes 60 million, and 40 million where all is noise.
	stepsPerSecond = 36_000_000
	// clockMargin is how many times its budget Read may take by the clock, where a
	// core is slow or others want it too.
	clockMargin = 3
)

// Read returns the distinct codes on img, the best first, or none. It stops when
// the attempts are used up, when a product code is sure, or when the budget or ctx
// ends; what was read until then is returned.
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
	r.climb(ladder)
	return r.tally.codes()
}
