package barcode

import "svc/server/gtin"

// GTIN returns the article number of the code, in the form of gtin.Parse. A Code 128 or
// a QR code has one if its whole text is one.
func (c Code) GTIN() (number string, ok bool) {
	switch c.Symbology {
	case UPCE:
		return gtin.ParseUPCE(c.Text)
	case EAN8:
		return gtin.ParseEAN8(c.Text)
	}
	return gtin.Parse(c.Text)
}
