package gtin

import "testing"

func TestParse(t *testing.T) {
	tests := []struct {
		name, text, want string // want "": not an article number
	}{
		{"EAN13", "4006381333931", "4006381333931"},
		{"White", " 4006381333931\n", "4006381333931"},
		{"EAN13WrongCheck", "4006381333930", ""},
		{"UPCA", "036000291452", "0036000291452"},
		{"UPCAAs13", "0036000291452", "0036000291452"},
		{"UPCAWrongCheck", "036000291453", ""},
		{"EAN8", "96385074", "96385074"},
		{"EAN8WrongCheck", "96385075", ""},
		{"EAN8As12", "000096385074", "96385074"},
		{"EAN8As13", "0000096385074", "96385074"},
		{"EAN8As14", "00000096385074", "96385074"},
		{"GTIN14", "04006381333931", "4006381333931"},
		{"Case", "14006381333938", ""},
		{"CaseWrongCheck", "04006381333930", ""},
		{"UPCEEnding0", "01234505", "0012000003455"},
		{"UPCEEnding1", "04252614", "0042100005264"},
		{"UPCEEnding2", "01234523", "0012200003453"},
		{"UPCEEnding3", "01234531", "0012300000451"},
		{"UPCEEnding4", "01234543", "0012340000053"},
		{"UPCEEnding5", "01234558", "0012345000058"},
		{"UPCEEnding9", "01234596", "0012345000096"},
		{"UPCEWrongCheck", "04252615", ""},
		{"UPCEOfSystem1", "11015545", "0110150000055"},
		{"BothBeginningWith0", "02345673", "0023456000073"},
		{"BothBeginningWith1", "12345670", "12345670"},
		{"EAN8BeginningWith0", "02345802", "02345802"},
		{"Zeros", "0000000000000", ""},
		{"ZerosOf8", "00000000", ""},
		{"Letters", "40063813339E1", ""},
		{"Sign", "+400638133393", ""},
		{"OtherDigits", "４００６３８１３", ""},
		{"Short", "1234567", ""},
		{"Long", "0004006381333931", ""},
		{"Empty", "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := Parse(test.text); got != test.want || ok != (test.want != "") {
				t.Errorf("Parse(%q) = %q, %v; want %q", test.text, got, ok, test.want)
			}
		})
	}
}

func TestValid(t *testing.T) {
	for digits, want := range map[string]bool{
		"4006381333931": true, "4006381333932": false, "036000291452": true, "96385074": true, "14006381333938": true,
		"400638133393": false, "0000000000000": false, "40063813339x1": false, "": false, "4": false,
	} {
		if got := Valid(digits); got != want {
			t.Errorf("Valid(%q) = %v, want %v", digits, got, want)
		}
	}
}

func TestCheckDigit(t *testing.T) {
	for digits, want := range map[string]byte{"400638133393": '1', "03600029145": '2', "9638507": '4', "": '0'} {
		if got := CheckDigit(digits); got != want {
			t.Errorf("CheckDigit(%q) = %c, want %c", digits, got, want)
		}
	}
}
