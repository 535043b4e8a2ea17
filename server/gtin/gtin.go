// Package gtin knows the numbers of articles that stand under barcodes: GTIN-8, -12,
// -13 and -14, their check digit, and the one form in which they are compared.
package gtin

import "strings"

// Parse returns the article number that text spells, in the one form by which
// numbers of different spelling can be compared, or false where it spells none.
//
//   - 13 digits stand for themselves (EAN-13, ISBN-13).
//   - 12 digits (UPC-A) get a 0 in front; of 14 (GTIN-14, a case of goods) the
//     first must be 0, which is dropped: a case of 24 is not the article.
//   - 8 digits stay 8 (EAN-8), and so do 8 that were filled up with zeros to 12, 13
//     or 14, because no company has a prefix of that many zeros.
//   - 8 digits that are a UPC-E are written out. Few are both that and an EAN-8;
//     those that begin with 0 are taken for the UPC-E, since such an EAN-8 is a
//     shop's own number, and the others for the EAN-8. Who knows which it is calls
//     ParseUPCE or ParseEAN8.
//
// The check digit must be right. White space around text is ignored.
func Parse(text string) (gtin string, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) != 8 {
		return canonical(text)
	}
	if text[0] == '0' {
		if long, ok := expandUPCE(text); ok {
			return long, true
		}
	}
	if short, ok := canonical(text); ok {
		return short, true
	}
	return expandUPCE(text)
}

// Key is the form in which what stands under barcodes is compared: the article number,
// or the text itself where it is none, such as a shop's own label.
func Key(text string) string {
	if number, ok := Parse(text); ok {
		return number
	}
	return strings.TrimSpace(text)
}

// ParseEAN8 is Parse for the text of an EAN-8.
func ParseEAN8(text string) (gtin string, ok bool) { return canonical(text) }

// ParseUPCE is Parse for the eight digits of a UPC-E.
func ParseUPCE(text string) (gtin string, ok bool) { return expandUPCE(text) }

// Valid says whether digits are 8, 12, 13 or 14 with a check digit that is right, as
// they stand. Zeros alone are not.
func Valid(digits string) bool {
	switch len(digits) {
	case 8, 12, 13, 14:
		return strings.Trim(digits, "0") != "" && strings.Trim(digits, "0123456789") == "" &&
			CheckDigit(digits[:len(digits)-1]) == digits[len(digits)-1]
	}
	return false
}

// CheckDigit is the digit that belongs behind digits: weights 3 and 1 in turn from
// the right, up to the next ten.
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

// canonical is Parse without the UPC-E.
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

// expandUPCE writes a UPC-E of 8 digits out: its seventh digit says where which
// zeros were left out.
func expandUPCE(text string) (gtin string, ok bool) {
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
