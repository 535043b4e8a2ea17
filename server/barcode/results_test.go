package barcode

import (
	"slices"
	"testing"
)

// vote is one reading of a line.
type vote struct {
	symbology Symbology
	text      string
	line      int
	by        binarizer
	misfit    float32
}

func collect(readings ...vote) *results {
	t := &results{seen: map[candidate]*votes{}}
	for _, v := range readings {
		t.lines = v.line
		t.add(reading{v.symbology, v.text, v.misfit}, v.by)
	}
	return t
}

func TestSureNeedsTwoBinarizersAndTwoLines(t *testing.T) {
	const ean, lot, e0, e1 = "4006381333931", "LOT-0042", "04252614", "10638133"
	tests := []struct {
		name  string
		votes []vote
		want  bool
	}{
		{"OneReading", []vote{{EAN13, ean, 1, local, 0.1}}, false},
		{"TwoBinarizersOnOneLine", []vote{{EAN13, ean, 1, local, 0.1}, {EAN13, ean, 1, slope, 0.1}}, false},
		{"OneBinarizerOnTwoLines", []vote{{EAN13, ean, 1, local, 0.1}, {EAN13, ean, 2, local, 0.1}}, false},
		{"TwoOfEach", []vote{{EAN13, ean, 1, local, 0.1}, {EAN13, ean, 2, slope, 0.1}}, true},
		{"OneFitsLoosely", []vote{{EAN13, ean, 1, local, 0.1}, {EAN13, ean, 2, slope, 0.25}}, false},
		{"Code128", []vote{{Code128, lot, 1, local, 0}, {Code128, lot, 2, histogram, 0}}, true},
		{"UPCE", []vote{{UPCE, e0, 1, local, 0.1}, {UPCE, e0, 2, slope, 0.1}}, true},
		{"UPCEOfSystem1", []vote{{UPCE, e1, 1, local, 0.1}, {UPCE, e1, 2, slope, 0.1}, {UPCE, e1, 3, histogram, 0.1}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := collect(test.votes...).codes()
			if want := (Code{test.votes[0].text, test.votes[0].symbology, test.want}); !slices.Equal(got, []Code{want}) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestSureQRNeedsAPlainReadingOrTwo(t *testing.T) {
	for name, test := range map[string]struct {
		plain []bool // of each reading
		want  bool
	}{
		"Plain": {[]bool{true}, true},
		"Once":  {[]bool{false}, false},
		"Twice": {[]bool{false, false}, true},
	} {
		r := collect()
		for _, plain := range test.plain {
			r.addQR("text", plain)
		}
		if got := r.codes(); !slices.Equal(got, []Code{{"text", QR, test.want}}) {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestCodesAreOrderedBestFirst(t *testing.T) {
	r := collect(
		vote{EAN8, "96385074", 1, local, 0.1},
		vote{EAN13, "4006381333931", 1, local, 0.1},
		vote{EAN13, "4006381333931", 1, slope, 0.1},
		vote{Code128, "LOT", 2, local, 0},
		vote{Code128, "LOT", 3, slope, 0},
		vote{UPCA, "036000291452", 4, local, 0.1},
		vote{UPCA, "036000291452", 5, slope, 0.1},
		vote{Code128, "rare", 6, slope, 0},
	)
	r.addQR("sure", true)
	r.addQR("once", false)
	var got []string
	for _, c := range r.codes() {
		got = append(got, c.Text)
	}
	// Sure product codes, other sure codes, product codes, the rest;
	// each group by the number of readings.
	want := []string{"036000291452", "LOT", "sure", "4006381333931", "96385074", "once", "rare"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCodesDropUPCEInsideEAN13(t *testing.T) {
	half := vote{UPCE, "10638137", 1, local, 0.1}
	whole := vote{EAN13, "4063813333931", 2, local, 0.1}
	other := vote{EAN13, "5099999999999", 2, local, 0.1}
	if got := collect(half, whole).codes(); len(got) != 1 || got[0].Text != whole.text {
		t.Errorf("UPC-E and the EAN-13 that begins with its digits: got %v, want the EAN-13 only", got)
	}
	if got := collect(half, other).codes(); len(got) != 2 {
		t.Errorf("UPC-E and another EAN-13: got %v, want both", got)
	}
}
