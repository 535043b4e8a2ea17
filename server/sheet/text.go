package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	bomUTF8    = "\xef\xbb\xbf"
	bomUTF16LE = "\xff\xfe"
	bomUTF16BE = "\xfe\xff"
)

// text is how a text file is to be read.
type text struct {
	encoding string
	skip     int64 // bytes of the byte order mark
	eol      byte  // what ends a line: '\n', or '\r' where the file has no '\n'
}

// tally is what one pass over a text shows.
type tally struct {
	zeros   int64 // bytes that are 0
	wide    int64 // characters of several bytes
	invalid int64 // bytes that are no UTF-8
	cr, lf  int64
}

// inspectText decides on the encoding by the whole file: a shop's first umlaut
// may stand in its last line.
func inspectText(r io.ReaderAt, size int64) (text, error) {
	start := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return text{}, fmt.Errorf("read: %w", err)
	}
	t := guess(start)
	in := io.Reader(io.NewSectionReader(r, t.skip, size-t.skip))
	if isUTF16(t.encoding) {
		in = t.reader(r, size)
	}
	seen, err := scan(in)
	if err != nil {
		return text{}, fmt.Errorf("read: %w", err)
	}

	if seen.zeros > 0 {
		return text{}, faulty(0, "the file is neither CSV nor XLSX: it is not text")
	}
	if t.encoding == "utf-8" && seen.invalid > 0 {
		t.encoding = "windows-1252"
		if seen.wide > seen.invalid {
			t.encoding = "mixed"
		}
	}
	if t.encoding == "utf-8-bom" && seen.invalid > 0 {
		t.encoding = "mixed"
	}
	t.eol = '\n'
	if seen.lf == 0 && seen.cr > 0 {
		t.eol = '\r'
	}
	return t, nil
}

// guess looks for a byte order mark, and for the zeros that UTF-16 puts beside
// each Latin letter.
func guess(start []byte) text {
	switch {
	case bytes.HasPrefix(start, []byte(bomUTF8)):
		return text{encoding: "utf-8-bom", skip: 3}
	case bytes.HasPrefix(start, []byte(bomUTF16LE)):
		return text{encoding: "utf-16le", skip: 2}
	case bytes.HasPrefix(start, []byte(bomUTF16BE)):
		return text{encoding: "utf-16be", skip: 2}
	}
	var zeros [2]int
	for i, b := range start {
		if b == 0 {
			zeros[i%2]++
		}
	}
	most := len(start) / 2
	switch {
	case zeros[1]*2 > most && zeros[0]*10 < most:
		return text{encoding: "utf-16le"}
	case zeros[0]*2 > most && zeros[1]*10 < most:
		return text{encoding: "utf-16be"}
	}
	return text{encoding: "utf-8"}
}

func isUTF16(encoding string) bool { return encoding == "utf-16le" || encoding == "utf-16be" }

// reader gives the file as UTF-8, from its beginning.
func (t text) reader(r io.ReaderAt, size int64) io.Reader {
	in := io.NewSectionReader(r, t.skip, size-t.skip)
	switch t.encoding {
	case "utf-16le":
		return transform.NewReader(in, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	case "utf-16be":
		return transform.NewReader(in, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	case "windows-1252":
		return transform.NewReader(in, charmap.Windows1252.NewDecoder())
	case "mixed":
		return transform.NewReader(in, mender{})
	}
	return in
}

// scan counts what decides on the encoding.
func scan(r io.Reader) (tally, error) {
	var seen tally
	buf := make([]byte, 64<<10)
	kept := 0
	for {
		n, err := r.Read(buf[kept:])
		data := buf[:kept+n]
		rest := seen.add(data, err != nil)
		kept = copy(buf, data[len(data)-rest:])
		if errors.Is(err, io.EOF) {
			return seen, nil
		}
		if err != nil {
			return seen, err
		}
	}
}

// add counts a piece and returns how many bytes at its end belong to a character
// that goes on in the next one.
func (t *tally) add(data []byte, last bool) int {
	for i := 0; i < len(data); {
		b := data[i]
		if b < utf8.RuneSelf {
			switch b {
			case 0:
				t.zeros++
			case '\r':
				t.cr++
			case '\n':
				t.lf++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			if !last && !utf8.FullRune(data[i:]) {
				return len(data) - i
			}
			t.invalid++
		} else {
			t.wide++
		}
		i += n
	}
	return 0
}

// mender reads UTF-8 in which single bytes are Windows-1252, as files have it
// that were put together of several.
type mender struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (mender) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		r, n := utf8.DecodeRune(src[nSrc:])
		if r == utf8.RuneError && n == 1 {
			if !atEOF && !utf8.FullRune(src[nSrc:]) {
				return nDst, nSrc, transform.ErrShortSrc
			}
			r = charmap.Windows1252.DecodeByte(src[nSrc])
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += n
	}
	return nDst, nSrc, nil
}
