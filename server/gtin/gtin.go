// Package gtin parses the article numbers of barcodes: GTIN-8, -12, -13 and -14, their
// check digit, and the canonical form in which they are compared.
package gtin

import "strings"

// Parse returns the article number in text in canonical form, so that different
// spellings of one number are equal, or false if text is no article number.
//
//   - 13 digits stay as they are (EAN-13, ISBN-13).
//   - 12 digits (UPC-A) get a 0 in front. 14 digits (GTIN-14, a case of goods) lose
//     their first, which must be 0: a case of 24 is not the article.
//   - 8 digits stay 8 (EAN-8). 12, 13 or 14 digits that are 8 digits padded with zeros
//     become 8, because no company has a prefix of that many zeros.
//   - A UPC-E of 8 digits is expanded. If 8 digits are valid as both UPC-E and EAN-8,
//     those that begin with 0 are read as UPC-E, since such an EAN-8 is a shop's own
//     number, and the others as EAN-8. Callers that know the symbology use ParseUPCE or
//     ParseEAN8.
//
// The check digit must be correct. White space around text is ignored.
func Parse(text string) (gtin string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) != 8 {
		return canonical(text)
	}
	if text[0] == '0' {
		if long, ok := ParseUPCE(text); ok {
			return long, true
		}
	}
	if short, ok := canonical(text); ok {
		return short, true
	}
	return ParseUPCE(text)
}

// Key returns the form in which texts of barcodes are compared: the article number, or
// the trimmed text if it is no article number, such as a shop's own label.
func Key(text string) string {
	if number, ok := Parse(text); ok {
		return number
	}
	return strings.TrimSpace(text)
}

// ParseEAN8 is Parse for the text of an EAN-8.
func ParseEAN8(text string) (gtin string, ok bool) { return canonical(text) }

// Valid reports whether digits are 8, 12, 13 or 14 digits with a correct check digit,
// and not all zeros.
func Valid(digits string) bool {
	switch len(digits) {
	case 8, 12, 13, 14:
		return strings.Trim(digits, "0") != "" && strings.Trim(digits, "0123456789") == "" &&
			CheckDigit(digits[:len(digits)-1]) == digits[len(digits)-1]
	}
	return false
}

// CheckDigit returns the check digit for digits: what is missing to the next ten if
// digits are summed with weights 3, 1, 3, … from the right.
func CheckDigit(digits string) byte {
	sum := 0
	for i := range len(digits) {
		n := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			n *= 3
		}
		sum += n
	}
	return byte('0' + (10-sum%10)%10)
}

// canonical is Parse without UPC-E.
func canonical(digits string) (gtin string, ok bool) {
	if !Valid(digits) {
		return "", false
	}
	long := strings.Repeat("0", 14-len(digits)) + digits
	if long[0] != '0' {
		return "", false
	}
	if short, ok := strings.CutPrefix(long, "000000"); ok {
		return short, true
	}
	return long[1:], true
}

// ParseUPCE is Parse for the eight digits of a UPC-E. The seventh encodes which zeros were
// left out, and where.
func ParseUPCE(text string) (gtin string, ok bool) {
	if len(text) != 8 || text[0] > '1' {
		return "", false
	}
	system, d, check := text[:1], text[1:7], text[7:]
	var company, item string
	switch last := d[5]; last {
	case '0', '1', '2':
		company, item = d[:2]+d[5:]+"00", "00"+d[2:5]
	case '3':
		company, item = d[:3]+"00", "000"+d[3:5]
	case '4':
		company, item = d[:4]+"0", "0000"+d[4:5]
	default:
		company, item = d[:5], "0000"+d[5:]
	}
	return canonical(system + company + item + check)
}
