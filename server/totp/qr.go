package totp

import (
	"fmt"
	"strings"

	"github.com/makiuchi-d/gozxing/qrcode/decoder"
	"github.com/makiuchi-d/gozxing/qrcode/encoder"
)

// QR is a QR code as the data of an SVG path: a square for each run of dark modules. Its
// light margin, which readers need, is not in the path.
type QR struct {
	Size int // modules of an edge
	Path string
}

// quiet is the light margin of a QR code, in modules (ISO 18004).
const quiet = 4

// Box returns the viewBox of an SVG with the code and its margin.
func (q QR) Box() string {
	return fmt.Sprintf("-%d -%d %d %d", quiet, quiet, q.Size+2*quiet, q.Size+2*quiet)
}

// Edge returns the length of an edge with the margin, in modules.
func (q QR) Edge() int { return q.Size + 2*quiet }

// Draw draws a text, which must fit into a QR code: 2,331 bytes.
func Draw(text string) (QR, error) {
	code, err := encoder.Encoder_encode(text, decoder.ErrorCorrectionLevel_M, nil)
	if err != nil {
		return QR{}, fmt.Errorf("draw qr code: %w", err)
	}
	matrix := code.GetMatrix()
	var path strings.Builder
	for y := range matrix.GetHeight() {
		for x := 0; x < matrix.GetWidth(); x++ {
			run := 0
			for x+run < matrix.GetWidth() && matrix.Get(x+run, y) == 1 {
				run++
			}
			if run > 0 {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", x, y, run, run)
				x += run
			}
		}
	}
	return QR{matrix.GetWidth(), path.String()}, nil
}
