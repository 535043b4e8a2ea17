package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"svc/server/sheet"
)

// amountFields are those whose cells are numbers.
var amountFields = []string{FieldPrice, FieldCost, FieldStock, FieldReorder}

// vocabulary lists the headings of each field as fold writes them: what comes
// earlier wins. The words of Shopify, Square, WooCommerce, Amazon, eBay, Etsy and
// Loyverse come first, then those of English, German, French, Spanish and
// Portuguese sheets.
var vocabulary = map[string][]string{
	FieldName: words(`product name|item name|article name|product title|item title|title|name|product|item|menu item|receipt line name
		|artikelbezeichnung|artikelname|produktname|produktbezeichnung|produkttitel|warenbezeichnung|bezeichnung|produkt
		|nom du produit|nom produit|nom de l article|nom|designation|libelle produit|libelle article|libelle|intitule|produit
		|nombre del producto|nombre producto|nombre|titulo|producto
		|nome do produto|nome produto|nome|produto`),
	FieldSKU: words(`variant sku|sku|seller sku|custom label sku|custom label|item sku|product sku|sku code|sku number
		|product code|item code|stock code|article number|article no|article code|part number|part no|item no|style number|upc plu
		|artikelnummer|artikel nr|artikelnr|artikel no|art nr|artnr|produktnummer
		|reference produit|reference article|reference|ref|code article|code produit|code interne
		|referencia|codigo interno|codigo producto|codigo del producto|codigo do produto|codigo produto|codigo|cod produto|cod|clave|code`),
	FieldBarcodes: words(`variant barcode|barcode|barcodes|bar code|gtin upc ean or isbn|gtin|ean|upc|gtin 8|gtin 12|gtin 13|gtin 14|gtin8|gtin12|gtin13|gtin14
		|ean 8|ean 13|ean8|ean13|ean code|ean upc|ean gtin|gtin ean|upc ean|upc a|upc code|barcode ean|isbn|isbn 13|isbn13|p upc|p ean|p isbn
		|strichcode|barcode nummer|ean nummer|eannummer
		|code barre|code barres|code a barre|code a barres|codes barres|codebarre|codebarres|gencod|gencode
		|codigo de barras|codigo de barra|codigo barras|codigos de barras|cod barras|codigo ean|codigobarras`),
	FieldAliases: words(`aliases|alias|also known as|aka|alternative names|alternative name|other names|synonyms
		|alternativnamen|alternativname|synonyme|autres noms|otros nombres|sinonimos|outros nomes`),
	FieldPrice: words(`variant price|regular price|selling price|sell price|sales price|retail price|default price|price|unit price|your price
		|current price|start price|rrp|msrp|list price|price each|price per unit|item price|price incl vat|price inc vat|price including vat|gross price|sale price
		|verkaufspreis|verkaufspreis brutto|vk preis|vkpreis|vk brutto|vk|bruttopreis|preis|einzelpreis|stuckpreis|stueckpreis|preis brutto|uvp|vk netto|nettopreis
		|prix de vente ttc|prix de vente|prix vente|prix ttc|prix public|prix|prix unitaire ttc|prix unitaire|prix unitaire ht|prix ht|tarif
		|precio de venta|precio venta|pvp|precio|precio unitario|tarifa
		|preco de venda|preco venda|preco|preco unitario|valor de venda|valor unitario|valor`),
	FieldCost: words(`cost per item|cost price|default unit cost|unit cost|cost|purchase price|purchase cost|buy price|buying price|supplier price
		|landed cost|average cost|cogs|cost of goods|meta wc cog cost|costprice
		|einkaufspreis|einkaufspreis netto|ek preis|ekpreis|ek netto|ek|einstandspreis
		|prix d achat ht|prix d achat|prix achat ht|prix achat|prix de revient|cout d achat|cout unitaire|cout
		|precio de compra|precio compra|precio de coste|precio coste|precio de costo|precio costo|coste unitario|coste|costo unitario|costo
		|preco de custo|preco custo|preco de compra|valor de custo|custo unitario|custo`),
	FieldStock: words(`variant inventory qty|inventory quantity|on hand current|current quantity|available quantity|stock quantity|stock qty|stock level
		|stock on hand|current stock|qty in stock|quantity in stock|units in stock|qty on hand|quantity on hand|on hand|stock|in stock|inventory
		|quantity available|qty available|available not editable|available|qty|quantity
		|lagerbestand|aktueller bestand|bestand|lagermenge|menge|anzahl|stuckzahl|stuck|stueck
		|stock actuel|stock reel|quantite en stock|qte en stock|en stock|quantite|quantites|qte
		|stock actual|existencias|cantidad en stock|inventario|cantidad|cant
		|estoque atual|stock atual|quantidade em estoque|qtd em estoque|qtde estoque|estoque|quantidade|qtde|qtd`),
	FieldUnit: words(`unit of measure|unit of measurement|uom|unit name|sales unit|selling unit|stock unit|unit and precision|unit
		|mengeneinheit|verkaufseinheit|einheit|me|unite de mesure|unite de vente|unite|unidad de medida|unidad|unidade de medida|unidade|und|un`),
	FieldReorder: words(`reorder point|reorder level|reorder threshold|reorder at|low stock amount|stock alert count|low stock threshold|low stock alert|low stock
		|minimum stock level|min stock level|minimum stock|min stock|minimum level|min level|minimum quantity|min quantity|min qty|safety stock|par level
		|mindestbestand|meldebestand|min bestand|sicherheitsbestand
		|stock minimum|stock mini|stock min|seuil d alerte|seuil de reapprovisionnement|seuil|point de commande
		|stock minimo|existencias minimas|punto de pedido|punto de reorden|minimo|estoque minimo|estoque min|ponto de pedido|ponto de reposicao`),
	FieldCategory: words(`category|categories|category name|product category|reporting category|department|e bay category 1 name|menu group|product group
		|kategorie|kategorien|warengruppe|artikelgruppe|produktgruppe|categorie|famille|sous famille|rayon|categoria|categorias|familia|rubro|departamento
		|product type|type`),
}

// Second choices, for files without a better one. An article is the product's
// name beside an article number, and its number beside a description.
var (
	articles     = words(`article|artikel|articulo|artigo`)
	descriptions = words(`description|item description|product description|beschreibung|artikelbeschreibung|descripcion|descricao|descricao do produto`)
	numbersLast  = words(`bestellnummer|product id|item id|item number|produkt id|id produit|plu`)
)

// What a row of variants has beside the fields.
var (
	handles    = words(`handle|url handle`)
	options    = [][]string{words(`option1 value|option 1 value|option value 1`), words(`option2 value|option 2 value|option value 2`), words(`option3 value|option 3 value|option value 3`)}
	variations = words(`variation name|variant name|variant title|price point name`)
	attributes = [][]string{words(`attribute 1 value s`), words(`attribute 2 value s`), words(`attribute 3 value s`)}
)

// orderWords are headings that only orders, invoices and sales have: their
// quantity is what was sold, not what is there.
var orderWords = words(`lineitem name|lineitem quantity|amazon order id|order id|order item id|sales record number|transaction id
	|subtotal|financial status|billing name|billing city|buyer name|buyer username|invoice id|invoice no|invoice number|invoice date|order date|sale date|transaction date|settlement id
	|rechnungsnummer|auftragsnummer|bestelldatum|rechnungsdatum|numero facture|numero de facture|numero commande|numero de commande
	|numero de factura|numero de pedido|numero do pedido|pedido id|id pedido|nota fiscal`)

// hintWords are headings that sales have and products may have: one of them is
// worth a warning, and two are one too many.
var hintWords = [][]string{words(`date|datum|fecha|data`), words(`order number|order no`), words(`units sold`), words(`buyer`)}

func words(list string) []string {
	all := strings.Split(list, "|")
	for i, word := range all {
		all[i] = strings.TrimSpace(word)
	}
	return all
}

// columns says in which columns of a file the fields stand.
type columns struct {
	headings []string
	line     int
	fields   map[string][]int
	hint     string // a heading that looks like sales, or ""

	handle    int // of the product that a variant belongs to; -1: none, like the others
	options   []int
	variation int
	details   int // eBay: "Size=M|Colour=Red", and all the values for the group
	kind      int // WooCommerce: simple, variable, variation, grouped, …
	parent    int // WooCommerce: "id:44" or the SKU of the variable product
	id        int
}

// recognise finds the fields by their headings.
func recognise(headings []string, line int) (columns, error) {
	c := columns{headings: headings, line: line, fields: map[string][]int{}}
	m := newMatcher(headings)
	if heading := c.looksLikeSales(m); heading != "" {
		return c, &sheet.Error{Line: line, Reason: fmt.Sprintf("the heading %s is that of orders or sales; import a list of products", quote(heading))}
	}
	for field := range vocabulary {
		if field == FieldName {
			continue
		}
		if i := m.find(vocabulary[field]); i >= 0 {
			c.fields[field] = m.alike(field, i)
		}
	}
	c.findName(m)
	if len(c.fields[FieldName]) == 0 {
		return c, &sheet.Error{Line: line, Reason: "none of the headings is that of a product's name; the file has " + list(headings)}
	}
	c.findVariants(m)
	return c, nil
}

// looksLikeSales returns the heading that proves it, or "".
func (c *columns) looksLikeSales(m *matcher) string {
	if i := m.find(orderWords); i >= 0 {
		return c.headings[i]
	}
	for _, words := range hintWords {
		if i := m.find(words); i >= 0 && c.hint != "" {
			return c.headings[i]
		} else if i >= 0 {
			c.hint = c.headings[i]
		}
	}
	return ""
}

// findName goes by the words for a name; then by article and description, which
// mean one thing or another by what else there is.
func (c *columns) findName(m *matcher) {
	choices := [][]string{vocabulary[FieldName], articles, descriptions}
	if len(c.fields[FieldSKU]) == 0 {
		choices = [][]string{vocabulary[FieldName], descriptions, articles}
	}
	for _, choice := range choices {
		if i := m.find(choice); i >= 0 {
			c.fields[FieldName] = []int{i}
			break
		}
	}
	for _, choice := range [][]string{articles, numbersLast} {
		if i := m.find(choice); i >= 0 && len(c.fields[FieldSKU]) == 0 && !slices.Contains(c.fields[FieldName], i) {
			c.fields[FieldSKU] = []int{i}
		}
	}
}

func (c *columns) findVariants(m *matcher) {
	c.handle, c.variation, c.details = m.find(handles), m.find(variations), m.find([]string{"variation details"})
	c.kind, c.parent, c.id = -1, -1, -1
	choices := options
	if m.find([]string{"regular price"}) >= 0 && m.find([]string{"type"}) >= 0 {
		c.kind, c.parent, c.id = m.find([]string{"type"}), m.find([]string{"parent"}), m.find([]string{"id"})
		choices = attributes
		c.fields[FieldCategory] = slices.DeleteFunc(c.fields[FieldCategory], func(i int) bool { return i == c.kind })
	}
	for _, choice := range choices {
		if i := m.find(choice); i >= 0 {
			c.options = append(c.options, i)
		}
	}
}

// heading is that of a field's first column.
func (c *columns) heading(field string) string {
	if len(c.fields[field]) == 0 {
		return ""
	}
	return c.headings[c.fields[field][0]]
}

// taken is Result.Columns.
func (c *columns) taken() map[string]string {
	taken := map[string]string{}
	for field, all := range c.fields {
		var headings []string
		for _, i := range all {
			headings = append(headings, c.headings[i])
		}
		if len(headings) > 0 {
			taken[field] = strings.Join(headings, " + ")
		}
	}
	return taken
}

// matcher finds headings by their folded form.
type matcher struct {
	exact map[string]int // the whole heading
	loose map[string]int // without what is in brackets, and without a currency at the end
	folds []string
}

func newMatcher(headings []string) *matcher {
	m := &matcher{map[string]int{}, map[string]int{}, make([]string, len(headings))}
	for i, heading := range headings {
		if strings.HasSuffix(heading, "?") {
			continue // yes or no
		}
		m.folds[i] = fold(heading)
		add(m.exact, m.folds[i], i)
		add(m.loose, withoutCurrency(fold(withoutBrackets(heading))), i)
	}
	return m
}

func add(to map[string]int, key string, i int) {
	if _, ok := to[key]; !ok {
		to[key] = i
	}
}

// find returns the column of the first of the words that is there, or -1. A
// heading that is one of them to the letter goes before one that is with more
// beside it.
func (m *matcher) find(words []string) int {
	for _, in := range []map[string]int{m.exact, m.loose} {
		for _, word := range words {
			if i, ok := in[word]; ok {
				return i
			}
		}
	}
	for _, word := range []string{"current quantity", "stock alert count"} {
		if slices.Contains(words, word) {
			return slices.IndexFunc(m.folds, func(f string) bool { return strings.HasPrefix(f, word+" ") })
		}
	}
	return -1
}

// alike returns, for a field that may stand in several columns, all of them:
// barcodes of several kinds, and stock by place, which is summed.
func (m *matcher) alike(field string, first int) []int {
	all := []int{first}
	for i, f := range m.folds {
		if i == first || f == "" {
			continue
		}
		switch field {
		case FieldBarcodes:
			if slices.Contains(vocabulary[FieldBarcodes], f) {
				all = append(all, i)
			}
		case FieldStock:
			if a, b := place(m.folds[first]), place(f); a != "" && a == b {
				all = append(all, i)
			}
		}
	}
	slices.Sort(all)
	return all
}

// place knows the headings that stand once for each place of a shop: "Current
// Quantity Main Street" is Square's, "In stock [Main Street]" Loyverse's.
func place(folded string) string {
	for _, begin := range []string{"current quantity ", "in stock "} {
		if strings.HasPrefix(folded, begin) {
			return begin
		}
	}
	return ""
}

// fold writes a heading in small letters without accents, with one space for
// anything else than letters and digits, and between words that are written
// together: "UnitPrice" and "unit_price" are "unit price".
func fold(heading string) string {
	var b strings.Builder
	var last rune
	for _, r := range norm.NFD.String(ligatures.Replace(heading)) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		last = r
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

var ligatures = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ø", "o", "Ø", "O")

// withoutBrackets cuts what stands in brackets: "Price (GBP)", "In stock [Shop]".
func withoutBrackets(heading string) string {
	for _, pair := range []string{"()", "[]"} {
		for {
			i := strings.IndexByte(heading, pair[0])
			if i < 0 {
				break
			}
			j := strings.IndexByte(heading[i:], pair[1])
			if j < 0 {
				break
			}
			heading = heading[:i] + " " + heading[i+j+1:]
		}
	}
	return heading
}

// withoutCurrency cuts the code of a common currency: "Preis EUR".
func withoutCurrency(folded string) string {
	for _, code := range []string{" eur", " euro", " gbp", " usd", " chf", " brl", " inr", " cad", " aud", " mxn"} {
		if short, ok := strings.CutSuffix(folded, code); ok {
			return short
		}
	}
	return folded
}

// list names headings for an error, not all of them where there are many.
func list(headings []string) string {
	const most = 20
	var quoted []string
	for _, heading := range headings[:min(len(headings), most)] {
		quoted = append(quoted, quote(heading))
	}
	text := strings.Join(quoted, ", ")
	if more := len(headings) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// quote shortens what a cell holds for an error.
func quote(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most-1]) + "…"
	}
	return strconv.Quote(text)
}
