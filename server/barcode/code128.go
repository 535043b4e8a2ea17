package barcode

// The layout of a Code 128, in modules: symbols of 11, then the stop symbol of 13,
// which has one bar more than the others.
const (
	symbolModules = 11
	symbolBars    = 6
	stopModules   = 13
	// minSymbols counts the start, one character, the checksum and the stop.
	minSymbols = 4
	// code128Quiet is the least light space on either side. The standard asks for
	// 10; no light bar inside is wider than 4.
	code128Quiet = 5
)

// readCode128 tries to read a Code 128 that begins at edges[0] after a quiet zone. It
// finds the end by going from symbol to symbol, each as wide as the one before, to a
// bar with a quiet zone after it.
func (l *linearReader) readCode128(edges []float32, quiet, end float32) {
	module := (edges[symbolBars] - edges[0]) / symbolModules
	start := (edges[3] - edges[0]) / module // 2, 1 and 1 in each of the three start symbols
	if module < minModule || quiet < code128Quiet*module || start < 2.8 || start > 5.2 {
		return
	}
	at := 0
	for symbols := 1; at+symbolBars+1 < len(edges); symbols++ {
		width := (edges[at+symbolBars] - edges[at]) / module
		if width < symbolModules-1.5 || width > symbolModules+1.5 {
			return
		}
		module = (edges[at+symbolBars] - edges[at]) / symbolModules
		at += symbolBars

		bar := edges[at+1] - edges[at]
		if bar < 3.2*module && lightAfter(edges, at+1, end) >= code128Quiet*module {
			if symbols >= minSymbols {
				l.decodeCode128(edges[:at+2], symbols)
			}
			return
		}
	}
}

func (l *linearReader) decodeCode128(edges []float32, symbols int) {
	modules := (symbols-1)*symbolModules + stopModules
	module := (edges[len(edges)-1] - edges[0]) / float32(modules)

	// The four dark bars of the stop have 8 modules together.
	stop := edges[len(edges)-8:]
	dark := stop[1] - stop[0] + stop[3] - stop[2] + stop[5] - stop[4] + stop[7] - stop[6]
	spread := dark/4 - 2*(stop[7]-stop[0])/stopModules

	if text, ok := l.decode(l.code128, redraw(edges, module, spread)); ok && text != "" {
		l.found(reading{symbology: Code128, text: fromLatin1(text)})
	}
}

// fromLatin1 converts the bytes of a Code 128 to UTF-8.
func fromLatin1(bytes string) string {
	runes := make([]rune, len(bytes))
	for i := range len(bytes) {
		runes[i] = rune(bytes[i])
	}
	return string(runes)
}
