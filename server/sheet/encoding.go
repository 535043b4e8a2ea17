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

const bomUTF8 = "\xef\xbb\xbf"

// textFormat is the encoding and the line ends of a text file.
type textFormat struct {
	encoding string
	skip     int64 // bytes of the byte order mark
	eol      byte  // the end of a line: '\n', or '\r' if the file has no '\n'
}

// byteCounts are the counts that decide on the format of a text.
type byteCounts struct {
	zeros   int64 // bytes that are 0
	wide    int64 // characters of several bytes
	invalid int64 // bytes that are not UTF-8
	cr, lf  int64
}

// inspectText detects the format by the whole file: the first umlaut may be in the last
// line.
func inspectText(r io.ReaderAt, size int64) (textFormat, error) {
	start := make([]byte, min(size, 4096))
	if _, err := r.ReadAt(start, 0); err != nil && !errors.Is(err, io.EOF) {
		return textFormat{}, fmt.Errorf("read: %w", err)
	}
	t := guessFormat(start)
	seen, err := countBytes(t.reader(r, size))
	if err != nil {
		return textFormat{}, fmt.Errorf("read: %w", err)
	}

	if seen.zeros > 0 {
		return textFormat{}, errorAt(0, "the file is neither CSV nor XLSX: it is not text")
	}
	switch {
	case seen.invalid == 0:
	case t.encoding == "utf-8" && seen.wide <= seen.invalid:
		t.encoding = "windows-1252"
	default:
		t.encoding = "mixed"
	}
	t.eol = '\n'
	if seen.lf == 0 && seen.cr > 0 {
		t.eol = '\r'
	}
	return t, nil
}

// guessFormat detects a byte order mark, and UTF-16 by the zero byte of each Latin letter.
func guessFormat(start []byte) textFormat {
	switch {
	case bytes.HasPrefix(start, []byte(bomUTF8)):
		return textFormat{encoding: "utf-8-bom", skip: 3}
	case bytes.HasPrefix(start, []byte("\xff\xfe")):
		return textFormat{encoding: "utf-16le", skip: 2}
	case bytes.HasPrefix(start, []byte("\xfe\xff")):
		return textFormat{encoding: "utf-16be", skip: 2}
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
		return textFormat{encoding: "utf-16le"}
	case zeros[0]*2 > most && zeros[1]*10 < most:
		return textFormat{encoding: "utf-16be"}
	}
	return textFormat{encoding: "utf-8"}
}

// reader returns the file as UTF-8, from its beginning.
func (t textFormat) reader(r io.ReaderAt, size int64) io.Reader {
	in := io.NewSectionReader(r, t.skip, size-t.skip)
	switch t.encoding {
	case "utf-16le":
		return transform.NewReader(in, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder())
	case "utf-16be":
		return transform.NewReader(in, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder())
	case "windows-1252":
		return transform.NewReader(in, charmap.Windows1252.NewDecoder())
	case "mixed":
		return transform.NewReader(in, mixedDecoder{})
	}
	return in
}

// countBytes counts the bytes and characters of a text.
func countBytes(r io.Reader) (byteCounts, error) {
	var seen byteCounts
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

// add counts a piece of the text. It returns the number of bytes at its end that are an
// incomplete character, which continues in the next piece.
func (c *byteCounts) add(data []byte, last bool) int {
	for i := 0; i < len(data); {
		b := data[i]
		if b < utf8.RuneSelf {
			switch b {
			case 0:
				c.zeros++
			case '\r':
				c.cr++
			case '\n':
				c.lf++
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			if !last && !utf8.FullRune(data[i:]) {
				return len(data) - i
			}
			c.invalid++
		} else {
			c.wide++
		}
		i += n
	}
	return 0
}

// mixedDecoder decodes UTF-8 in which single bytes are Windows-1252, as in files that were
// put together from several.
type mixedDecoder struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (mixedDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
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
