package photo

import (
	"bytes"
	"encoding/binary"
)

// header is what a JPEG says of itself before its pixels.
type header struct {
	width, height int
	orientation   int // of EXIF, 1 to 8
}

// The markers of a JPEG that are looked at.
const (
	markerSOF0 = 0xc0 // baseline; the frames of other kinds follow up to SOF15
	markerSOF2 = 0xc2 // progressive
	markerDHT  = 0xc4 // these three lie among the frames and are none
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

// frame is the part of a JPEG that says what is in it.
type frame struct {
	header
	progressive bool
	rgb         bool // its colours are red, green and blue, which are converted
	components  []component
}

// component is a colour, with how often it is sampled across and down.
type component struct{ across, down int }

// inspect goes over the markers of a file and refuses it if it is no JPEG or if
// decoding it would cost too much. Whether it is whole, only the decoding shows.
// Its error is an *Error.
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
	if found.memory() > maxMemory || scans*found.width*found.height > maxScanned {
		return header{}, &Error{Problem: problemCostly}
	}
	found.orientation = orientation
	return found.header, nil
}

func isFrame(marker byte) bool {
	return marker >= markerSOF0 && marker <= markerSOFF &&
		marker != markerDHT && marker != markerJPG && marker != markerDAC
}

// segments calls yield with each marker up to the end of the picture and with what
// belongs to it. It passes over the pixels, in which no 0xff is followed by a
// marker except that of a restart.
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

// memory is about what image/jpeg allocates for the frame, in bytes: a sample each,
// four more where the scans are put together at the end, and four a pixel where
// the colours are converted, as four components and red, green and blue are.
func (f *frame) memory() int {
	most := component{1, 1}
	for _, c := range f.components {
		most = component{max(most.across, c.across), max(most.down, c.down)}
	}
	// The picture ends with a whole block of the component that is sampled most.
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

// orientationOf reads the orientation from the first directory of EXIF data, and
// takes the photo for upright where it is missing or makes no sense.
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
