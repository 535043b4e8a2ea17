package header

import "testing"

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"Preço Unitário": "preco unitario", "PREÇO_UNITÁRIO": "preco unitario", "UnitPrice": "unit price", "Stück": "stuck", "Größe": "grosse",
		"Prix d’achat": "prix d achat", "item-name": "item name", "SKU": "sku", "EAN13": "ean13", "Option1 Value": "option1 value", " Désignation ": "designation",
		"Attribute 1 value(s)": "attribute 1 value s", "Œuvre": "oeuvre", "Артикул": "артикул", "": "", "%": "",
		"Item #": "item number", "R.R.P. €": "rrp", "P.O. Number": "po number", "Dept. Mgr.": "dept mgr", "UPC#": "upc number", "# in stock": "in stock", "#": "",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLoose(t *testing.T) {
	for in, want := range map[string]string{
		"Price (GBP)": "price", "In stock [Main Street]": "in stock", "Preis EUR": "preis", "Total (incl. VAT) [USD] (x)": "total", "Price (GBP": "price",
		"EUR": "eur", "Qty": "qty",
	} {
		if got := Loose(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCurrency(t *testing.T) {
	for in, want := range map[string]string{
		"Price (€)": "€", "Price £": "£", "Price (USD)": "USD", "Price (USD) each": "USD", "Price [ gbp ]": "GBP", "price_usd": "USD", "UnitPriceUSD": "USD", "Preis Euro": "EUR",
		"Price": "", "CAD drawings": "", "Weight (kgs)": "", "EUR": "", "": "",
	} {
		if got := Currency(in); got != want {
			t.Errorf("Currency(%q) = %q, want %q", in, got, want)
		}
	}
}
