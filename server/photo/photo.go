// Package photo decodes the photo of a scan (F1): a JPEG in base64 from an untrusted
// caller.
//
// It bounds the size of the upload, the pixels that the header declares, and the memory
// and time of decoding, which it estimates from the markers before it decodes a pixel.
// It scales a photo down directly from the decoder's planes, so that beside those only a
// picture of WorkingSide exists, upright.
//
// The package stores nothing (F1: images are never stored). Packages barcode and llm
// recognize what is on the photo.
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
	// MaxPixels bounds the pixels that the header declares.
	MaxPixels = 40_000_000
	// WorkingSide is the longest side of a decoded photo: a barcode that fills a
	// quarter of it still has 5 pixels per bar.
	WorkingSide = 2048

	// MaxMemory bounds the memory of one decoding, in bytes. It allows any baseline JPEG of
	// MaxPixels in the usual colours, YCbCr or grey. The decoder keeps all coefficients of a progressive one: with the usual
	// chroma of half size that is up to 25 megapixels.
	MaxMemory = 192 << 20
	// maxScanned bounds the pixels of all scans of a file together, and so the time of
	// decoding: a progressive JPEG has about ten scans, a malicious one thousands.
	maxScanned = 12 * MaxPixels
)

// Error is the reason why a photo is refused. It is the caller's fault.
type Error struct {
	// Problem completes a sentence that begins with the name of the field, such as
	// "must be a JPEG".
	Problem string
	Err     error // the cause, for the log; may be nil
}

// Error returns the text for the log; a caller gets the Problem.
func (e *Error) Error() string {
	if e.Err == nil {
		return "photo " + e.Problem
	}
	return fmt.Sprintf("photo %s: %v", e.Problem, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// The values of Error.Problem.
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

// Check returns an *Error if text has characters that base64 does not have. A call with
// a test key is checked no further (F6).
func Check(text string) error {
	if len(text) >= 5 && strings.EqualFold(text[:5], "data:") {
		return &Error{Problem: problemDataURI}
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	if digits := strings.TrimRight(text, "="); digits == "" || strings.Trim(digits, alphabet) != "" {
		return &Error{Problem: problemBase64}
	}
	return nil
}

// Upload is a file whose header has passed all checks. Only Decode shows whether the
// file is complete.
type Upload struct {
	file []byte
	head header
}

// OpenText is Open for a file in raw standard base64, with or without padding.
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

// Open checks the header of a file, which takes almost no time. Its error is an *Error.
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

// Memory estimates what Decode needs, in bytes: at most MaxMemory, usually 20 to 60 MiB.
func (u *Upload) Memory() int64 { return int64(u.head.memory) }

// Decode decodes the photo. The caller bounds the Memory of all that run at once. Its error is an *Error, or ctx.Err if ctx ends
// first.
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
	return &Photo{picture: shrink(img, WorkingSide).upright(u.head.orientation)}, nil
}

// reader returns an error once ctx has ended, which is the only way to stop the decoder.
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

// Photo is a decoded photo whose sides are at most WorkingSide, upright by its EXIF
// orientation. It is immutable and safe for concurrent use.
type Photo struct{ picture *ycbcr }

// Luminance returns the brightness of the photo. The caller must not change it.
func (p *Photo) Luminance() *image.Gray {
	img := p.picture
	return &image.Gray{Pix: img.Y, Stride: img.YStride, Rect: img.Rect}
}

// minSide is the least side of a JPEG for a vision model; some models crash below it.
const minSide = 64

// JPEG returns the photo as a JPEG for a vision model. Its sides are at most longest,
// and at least 64 pixels: a smaller photo is padded with grey.
func (p *Photo) JPEG(longest, quality int) ([]byte, error) {
	img := shrink(p.picture.YCbCr, max(longest, minSide)).padded(minSide)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, img.YCbCr, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("photo: encode: %w", err)
	}
	return out.Bytes(), nil
}
