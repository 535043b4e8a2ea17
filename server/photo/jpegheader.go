package photo

import (
	"bytes"
	"encoding/binary"
)

// header is the part of a JPEG's header that decoding needs.
type header struct {
	width, height int
	orientation   int // of EXIF, 1 to 8
	memory        int // of decoding, in bytes
}

// The markers of a JPEG that inspect uses.
const (
	markerSOF0 = 0xc0 // baseline; other kinds of frames follow, up to SOF15
	markerSOF2 = 0xc2 // progressive
	markerDHT  = 0xc4 // DHT, JPG and DAC are in the range of the frames, but are none
	markerJPG  = 0xc8
	markerDAC  = 0xcc
	markerSOFF = 0xcf
	markerRST0 = 0xd0
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerAPP1 = 0xe1
	markerAPPE = 0xee
)

// frame is the frame header of a JPEG.
type frame struct {
	header
	progressive bool
	rgb         bool // the components are red, green and blue; decoding converts them
	components  []component
}

// component has the sampling factors of a colour component.
type component struct{ across, down int }

// inspect reads the markers of a file, and returns an *Error if the file is no JPEG or
// too costly to decode. Only decoding shows whether the file is complete.
func inspect(file []byte) (header, error) {
	if !bytes.HasPrefix(file, []byte{0xff, markerSOI, 0xff}) {
		return header{}, &Error{Problem: problemJPEG}
	}
	var found *frame
	scans, orientation := 0, 1
	exif, adobeRGB := false, false
	for marker, body := range segments(file) {
		switch {
		case marker == markerSOS:
			scans++
		case marker == markerAPP1 && !exif:
			if tiff, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok {
				orientation, exif = orientationOf(tiff), true
			}
		case marker == markerAPPE:
			adobeRGB = bytes.HasPrefix(body, []byte("Adobe")) && len(body) >= 12 && body[11] == 0
		case isFrame(marker) && found == nil:
			f, err := parseFrame(marker, body)
			if err != nil {
				return header{}, err
			}
			found = f
		}
	}
	if found == nil || scans == 0 {
		return header{}, &Error{Problem: problemIncomplete}
	}
	found.rgb = found.rgb || adobeRGB
	found.memory = found.estimate()
	if found.memory > MaxMemory || scans*found.width*found.height > maxScanned {
		return header{}, &Error{Problem: problemCostly}
	}
	found.orientation = orientation
	return found.header, nil
}

func isFrame(marker byte) bool {
	return marker >= markerSOF0 && marker <= markerSOFF &&
		marker != markerDHT && marker != markerJPG && marker != markerDAC
}

// segments yields each marker up to the end of the picture, with its payload. It skips
// the entropy-coded data, in which only restart markers can follow a 0xff.
func segments(file []byte) func(yield func(marker byte, body []byte) bool) {
	return func(yield func(byte, []byte) bool) {
		rest := file[2:]
		for {
			at := bytes.IndexByte(rest, 0xff)
			if at < 0 || at+1 >= len(rest) {
				return
			}
			marker := rest[at+1]
			if marker == 0xff {
				rest = rest[at+1:]
				continue
			}
			rest = rest[at+2:]
			switch {
			case marker == 0, marker >= markerRST0 && marker < markerSOI:
				continue
			case marker == markerEOI:
				return
			}
			if len(rest) < 2 {
				return
			}
			size := int(binary.BigEndian.Uint16(rest))
			if size < 2 || size > len(rest) {
				return
			}
			if !yield(marker, rest[2:size]) {
				return
			}
			rest = rest[size:]
		}
	}
}

// parseFrame reads the header of a frame. Its error is an *Error.
func parseFrame(marker byte, body []byte) (*frame, error) {
	if marker > markerSOF2 {
		return nil, &Error{Problem: problemKind} // lossless, hierarchical or arithmetic
	}
	if len(body) < 6 || len(body) < 6+3*int(body[5]) {
		return nil, &Error{Problem: problemIncomplete}
	}
	f := &frame{progressive: marker == markerSOF2}
	f.height = int(binary.BigEndian.Uint16(body[1:]))
	f.width = int(binary.BigEndian.Uint16(body[3:]))
	if f.width == 0 || f.height == 0 {
		return nil, &Error{Problem: problemIncomplete}
	}
	if f.width*f.height > MaxPixels {
		return nil, &Error{Problem: problemPixels}
	}
	f.rgb = body[5] == 3 && body[6] == 'R' && body[9] == 'G' && body[12] == 'B'
	for i := range int(body[5]) {
		sampling := body[7+3*i]
		f.components = append(f.components, component{int(sampling >> 4), int(sampling & 15)})
	}
	return f, nil
}

// estimate returns what image/jpeg allocates for the frame, in bytes: 1 for each sample,
// 4 more for each sample of a progressive JPEG, and 4 for each pixel if the colours are
// converted (RGB, or four components).
func (f *frame) estimate() int {
	most := component{1, 1}
	for _, c := range f.components {
		most = component{max(most.across, c.across), max(most.down, c.down)}
	}
	// Sides are rounded up to whole blocks of the component that is sampled most.
	width := roundUp(f.width, 8*most.across)
	height := roundUp(f.height, 8*most.down)
	samples := 0
	for _, c := range f.components {
		samples += width * c.across / most.across * height * c.down / most.down
	}
	bytes := samples
	if f.progressive {
		bytes += 4 * samples
	}
	if len(f.components) == 4 || f.rgb {
		bytes += 4 * f.width * f.height
	}
	return bytes
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }

const (
	tagOrientation = 0x0112
	typeShort      = 3
	entryBytes     = 12
)

// orientationOf returns the orientation from the first directory of EXIF data, or 1
// (upright) if it is missing or invalid.
func orientationOf(tiff []byte) int {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(tiff, []byte("II*\x00")):
		order = binary.LittleEndian
	case bytes.HasPrefix(tiff, []byte("MM\x00*")):
		order = binary.BigEndian
	default:
		return 1
	}
	if len(tiff) < 8 {
		return 1
	}
	start := int64(order.Uint32(tiff[4:]))
	if start+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[start+2:]
	for range order.Uint16(tiff[start:]) {
		if len(entries) < entryBytes {
			return 1
		}
		if order.Uint16(entries) == tagOrientation && order.Uint16(entries[2:]) == typeShort {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[entryBytes:]
	}
	return 1
}
