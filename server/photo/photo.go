// Package photo takes in the photo of a scan (F1): a JPEG in base64 from a caller
// who is not trusted.
//
// What it bounds, and by what: the upload by its bytes; the picture by what its
// header says, before a pixel is decoded; and the memory and the time of the decoding
// by what the header and the markers let it cost. A photo is made smaller while it is still the decoder's own planes, so
// that beside those only a picture of WorkingSide exists, upright.
//
// Nothing is kept here (F1: images are never stored). What is on the photo, the
// package does not ask: barcode and model do.
package photo

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"strings"
)

const (
	// MaxBytes bounds the JPEG, as decoded from base64.
	MaxBytes = 5 << 20
	// MaxPixels bounds the picture as its header gives it.
	MaxPixels = 40_000_000
	// WorkingSide is the longest side of the picture that is kept for the reading: a
	// barcode that fills a quarter of it still has 5 pixels a bar.
	WorkingSide = 2048

	// maxMemory bounds what one decoding may use: a baseline JPEG of MaxPixels, of
	// any kind, or a progressive one with the usual chroma of half size.
	maxMemory = 330 << 20
	// maxScanned bounds how many pixels the scans of a file go over together, and
	// with it the time: a progressive JPEG has about ten scans, and one made for the
	// purpose thousands.
	maxScanned = 12 * MaxPixels
)

// Error is a photo that is refused, the caller's fault.
type Error struct {
	// Problem completes a sentence that begins with the name of the field, such as
	// "must be a JPEG".
	Problem string
	Err     error // the cause, for the log; nil where Problem says all
}

// Error is for the log; a caller gets the Problem.
func (e *Error) Error() string {
	if e.Err == nil {
		return "photo " + e.Problem
	}
	return fmt.Sprintf("photo %s: %v", e.Problem, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// The problems that a photo may have.
const (
	problemDataURI    = "must be raw base64 without a data URI prefix"
	problemBase64     = "must be raw base64 of the standard alphabet, without line breaks"
	problemLength     = "is not whole base64"
	problemJPEG       = "must be a JPEG"
	problemBytes      = "must be at most 5 MiB"
	problemPixels     = "must have at most 40 megapixels"
	problemIncomplete = "is not a complete JPEG"
	problemKind       = "must be a baseline or progressive JPEG of 8 bits"
	problemCostly     = "takes too much to decode; save it as a baseline JPEG"
)

// Check says whether text could be base64 by its characters alone, which is all that is
// asked of a test key (F6). Its error is an *Error.
func Check(text string) error {
	if len(text) >= 5 && strings.EqualFold(text[:5], "data:") {
		return &Error{Problem: problemDataURI}
	}
	digits := strings.TrimRight(text, "=")
	if digits == "" {
		return &Error{Problem: problemBase64}
	}
	for i := range len(digits) {
		switch c := digits[i]; {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '+', c == '/':
		default:
			return &Error{Problem: problemBase64}
		}
	}
	return nil
}

// Upload is a file whose header is that of a photo that may be decoded. Whether it is
// whole, only Decode shows.
type Upload struct {
	file []byte
	head header
}

// OpenText is Open for the file in raw standard base64, with or without padding.
func OpenText(text string) (*Upload, error) {
	if err := Check(text); err != nil {
		return nil, err
	}
	digits := strings.TrimRight(text, "=")
	if padding := len(text) - len(digits); padding > 0 && (padding > 2 || len(text)%4 != 0) {
		return nil, &Error{Problem: problemLength}
	}
	if base64.RawStdEncoding.DecodedLen(len(digits)) > MaxBytes {
		return nil, &Error{Problem: problemBytes}
	}
	file, err := base64.RawStdEncoding.DecodeString(digits)
	if err != nil {
		return nil, &Error{Problem: problemLength, Err: err}
	}
	return Open(file)
}

// Open looks at the header of a file, which costs next to nothing. Its error is an
// *Error.
func Open(file []byte) (*Upload, error) {
	if len(file) > MaxBytes {
		return nil, &Error{Problem: problemBytes}
	}
	head, err := inspect(file)
	if err != nil {
		return nil, err
	}
	return &Upload{file, head}, nil
}

// Decode makes the photo. It takes up to 330 MiB for a moment, and usually 20 to 60, so
// the caller bounds how many run at once. Its error is an *Error, or that of ctx when it
// ends first.
func (u *Upload) Decode(ctx context.Context) (*Photo, error) {
	img, err := jpeg.Decode(&reader{ctx: ctx, file: bytes.NewReader(u.file)})
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	if err != nil {
		if _, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
			return nil, &Error{Problem: problemKind, Err: err}
		}
		return nil, &Error{Problem: problemIncomplete, Err: err}
	}
	return &Photo{planes: shrink(img, WorkingSide).turn(u.head.orientation)}, nil
}

// reader lets go of a file once ctx has ended, which is the only way to stop the
// decoder.
type reader struct {
	ctx  context.Context
	file *bytes.Reader
}

func (r *reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.file.Read(p)
}

// Photo is a photo of at most WorkingSide, upright as its EXIF data say. Its
// methods may be called concurrently; it does not change.
type Photo struct {
	planes *planes
}

// Luminance returns the brightness of the photo. The caller must not change it.
func (p *Photo) Luminance() *image.Gray {
	img := p.planes.img
	return &image.Gray{Pix: img.Y, Stride: img.YStride, Rect: img.Rect}
}

// minSide is the least side of a JPEG for a vision model; some models die of less.
const minSide = 64

// JPEG returns the photo as a JPEG whose longest side is at most longest, which
// should not be less than 64, for a vision model. Where a side would be less than
// that, the photo lies on a grey ground.
func (p *Photo) JPEG(longest, quality int) ([]byte, error) {
	img := shrink(p.planes.img, max(longest, minSide)).padded(minSide).img
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("photo: encode: %w", err)
	}
	return out.Bytes(), nil
}
