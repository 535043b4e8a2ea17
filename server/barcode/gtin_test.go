package barcode

import "testing"

func TestCodeGTIN(t *testing.T) {
	tests := []struct {
		code Code
		want string
	}{
		{Code{Text: "4006381333931", Symbology: EAN13}, "4006381333931"},
		{Code{Text: "036000291452", Symbology: UPCA}, "0036000291452"},
		{Code{Text: "02345673", Symbology: EAN8}, "02345673"},
		{Code{Text: "02345673", Symbology: UPCE}, "0023456000073"},
		{Code{Text: "12345670", Symbology: UPCE}, "0123456000070"},
		{Code{Text: "96385074", Symbology: UPCE}, ""},
		{Code{Text: "04006381333931", Symbology: Code128}, "4006381333931"},
		{Code{Text: "LOT-0042", Symbology: Code128}, ""},
		{Code{Text: "https://example.com/4006381333931", Symbology: QR}, ""},
	}
	for _, test := range tests {
		if got, ok := test.code.GTIN(); got != test.want || ok != (test.want != "") {
			t.Errorf("%v: GTIN = %q, %v; want %q", test.code, got, ok, test.want)
		}
	}
}
