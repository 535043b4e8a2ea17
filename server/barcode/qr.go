package barcode

import (
	"strings"

	"github.com/makiuchi-d/gozxing"
	"github.com/makiuchi-d/gozxing/qrcode"
)

// maxFinders bounds the finder patterns of a picture. A code has three; a picture with
// thousands would keep gozxing busy for hours, since it compares every three of them.
const maxFinders = 150

// readQR calls gozxing to find one QR code in p, which may be rotated or mirrored. It
// treats a panic in gozxing as a picture without a code.
func readQR(p *raster, by binarizer) (text string, ok bool) {
	source, err := gozxing.NewPlanarYUVLuminanceSource(p.pix, p.w, p.h, 0, 0, p.w, p.h, false)
	if err != nil {
		return "", false
	}
	split := gozxing.NewHybridBinarizer(source)
	if by == histogram {
		split = gozxing.NewGlobalHistgramBinarizer(source)
	}
	bitmap, err := gozxing.NewBinaryBitmap(split)
	if err != nil {
		return "", false
	}

	finders := 0
	defer func() {
		if recover() != nil {
			text, ok = "", false
		}
	}()
	result, err := qrcode.NewQRCodeReader().Decode(bitmap, map[gozxing.DecodeHintType]any{
		gozxing.DecodeHintType_TRY_HARDER: true,
		gozxing.DecodeHintType_NEED_RESULT_POINT_CALLBACK: gozxing.ResultPointCallback(func(gozxing.ResultPoint) {
			// The callback cannot return an error, so it panics.
			if finders++; finders > maxFinders {
				panic("too many finder patterns")
			}
		}),
	})
	if err != nil || result.GetText() == "" {
		return "", false
	}
	return strings.ToValidUTF8(result.GetText(), "\uFFFD"), true
}
