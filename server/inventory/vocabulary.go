package inventory

import "svc/server/heading"

// amountFields are those whose cells are numbers.
var amountFields = []string{FieldPrice, FieldCost, FieldStock, FieldReorder}

// vocabulary lists the headings of each field as heading.Fold writes them: what comes
// earlier wins. The words of Shopify, Square, WooCommerce, Amazon, eBay, Etsy and
// Loyverse come first, then those of English, German, French, Spanish,
// Portuguese and Italian sheets.
var vocabulary = map[string][]string{
	FieldName: heading.Words(`product name|item name|article name|product title|item title|title|name|product|item|menu item|receipt line name
		|artikelbezeichnung|artikelname|produktname|produktbezeichnung|produkttitel|warenbezeichnung|bezeichnung|produkt
		|nom du produit|nom produit|nom de l article|nom|designation|libelle produit|libelle article|libelle|intitule|produit
		|nombre del producto|nombre producto|nombre|titulo|producto
		|nome do produto|nome produto|nome|produto
		|nome prodotto|nome del prodotto|nome articolo|denominazione|prodotto`),
	FieldSKU: heading.Words(`variant sku|sku|seller sku|custom label sku|custom label|item sku|product sku|sku code|sku number
		|product code|item code|stock code|article number|article no|article code|part number|part no|item no|style number|upc plu|product number|stock number|model number
		|artikelnummer|artikel nr|artikelnr|artikel no|art nr|artnr|produktnummer
		|reference produit|reference article|reference|ref|code article|code produit|code interne
		|referencia|codigo interno|codigo producto|codigo del producto|codigo do produto|codigo produto|codigo|cod produto|cod|clave|code
		|codice articolo|codice prodotto|codice interno|cod articolo|codice|riferimento`),
	FieldBarcodes: heading.Words(`variant barcode|barcode|barcodes|bar code|gtin upc ean or isbn|gtin|ean|upc|gtin 8|gtin 12|gtin 13|gtin 14|gtin8|gtin12|gtin13|gtin14
		|ean 8|ean 13|ean8|ean13|ean code|ean upc|ean gtin|gtin ean|upc ean|upc a|upc code|barcode ean|isbn|isbn 13|isbn13|p upc|p ean|p isbn|barcode number|barcode no|bar code number|ean number|ean no|upc number|upc no|gtin number
		|strichcode|barcode nummer|ean nummer|eannummer
		|code barre|code barres|code a barre|code a barres|codes barres|codebarre|codebarres|gencod|gencode
		|codigo de barras|codigo de barra|codigo barras|codigos de barras|cod barras|codigo ean|codigobarras
		|codice a barre|codici a barre|codice barre|codice ean`),
	FieldAliases: heading.Words(`aliases|alias|also known as|aka|alternative names|alternative name|other names|synonyms
		|alternativnamen|alternativname|synonyme|autres noms|otros nombres|sinonimos|outros nomes|altri nomi|nomi alternativi|sinonimi`),
	FieldPrice: heading.Words(`variant price|regular price|selling price|sell price|sales price|retail price|default price|price|unit price|your price
		|current price|start price|rrp|msrp|list price|price each|price per unit|item price|price incl vat|price inc vat|price including vat|gross price|sale price|sell|price ex vat|price exc vat|price excl vat|price excluding vat|price net|net price
		|verkaufspreis|verkaufspreis brutto|vk preis|vkpreis|vk brutto|vk|bruttopreis|preis|einzelpreis|stuckpreis|stueckpreis|preis brutto|uvp|vk netto|nettopreis
		|prix de vente ttc|prix de vente|prix vente|prix ttc|prix public|prix|prix unitaire ttc|prix unitaire|prix unitaire ht|prix ht|tarif
		|precio de venta|precio venta|pvp|precio|precio unitario|tarifa
		|preco de venda|preco venda|preco|preco unitario|valor de venda|valor unitario|valor
		|prezzo di vendita|prezzo vendita|prezzo al pubblico|prezzo|prezzo unitario|prezzo di listino|prezzo listino`),
	FieldCost: heading.Words(`cost per item|cost price|default unit cost|unit cost|cost|purchase price|purchase cost|buy price|buying price|supplier price
		|landed cost|average cost|cogs|cost of goods|meta wc cog cost|costprice
		|einkaufspreis|einkaufspreis netto|ek preis|ekpreis|ek netto|ek|einstandspreis
		|prix d achat ht|prix d achat|prix achat ht|prix achat|prix de revient|cout d achat|cout unitaire|cout
		|precio de compra|precio compra|precio de coste|precio coste|precio de costo|precio costo|coste unitario|coste|costo unitario|costo
		|preco de custo|preco custo|preco de compra|valor de custo|custo unitario|custo
		|prezzo di acquisto|prezzo d acquisto|prezzo acquisto|costo di acquisto|costo d acquisto|costo acquisto`),
	FieldStock: heading.Words(`variant inventory qty|inventory quantity|on hand current|current quantity|available quantity|stock quantity|stock qty|stock level
		|stock on hand|current stock|qty in stock|quantity in stock|units in stock|qty on hand|quantity on hand|on hand|stock|in stock|inventory
		|stock in hand|qty in hand|quantity in hand|in hand
		|quantity available|qty available|available not editable|available|qty|quantity
		|lagerbestand|aktueller bestand|bestand|lagermenge|menge|anzahl|stuckzahl|stuck|stueck
		|stock actuel|stock reel|quantite en stock|qte en stock|en stock|quantite|quantites|qte
		|stock actual|existencias|cantidad en stock|inventario|cantidad|cant
		|estoque atual|stock atual|quantidade em estoque|qtd em estoque|qtde estoque|estoque|quantidade|qtde|qtd
		|giacenza attuale|giacenza|giacenze|quantita in magazzino|quantita disponibile|quantita|qta|scorte|scorta|disponibilita`),
	FieldUnit: heading.Words(`unit of measure|unit of measurement|uom|unit name|sales unit|selling unit|stock unit|unit and precision|unit
		|mengeneinheit|verkaufseinheit|einheit|me|unite de mesure|unite de vente|unite|unidad de medida|unidad|unidade de medida|unidade|und|un|unita di misura|unita|um`),
	FieldReorder: heading.Words(`reorder point|reorder level|reorder threshold|reorder at|low stock amount|stock alert count|low stock threshold|low stock alert|low stock
		|minimum stock level|min stock level|minimum stock|min stock|minimum level|min level|minimum quantity|min quantity|min qty|safety stock|par level
		|mindestbestand|meldebestand|min bestand|sicherheitsbestand
		|stock minimum|stock mini|stock min|seuil d alerte|seuil de reapprovisionnement|seuil|point de commande
		|stock minimo|existencias minimas|punto de pedido|punto de reorden|minimo|estoque minimo|estoque min|ponto de pedido|ponto de reposicao
		|scorta minima|scorte minime|giacenza minima|quantita minima|punto di riordino|livello di riordino`),
	FieldCategory: heading.Words(`category|categories|category name|product category|reporting category|department|e bay category 1 name|menu group|product group
		|kategorie|kategorien|warengruppe|artikelgruppe|produktgruppe|categorie|famille|sous famille|rayon|categoria|categorias|familia|rubro|departamento
		|product type|type|reparto|famiglia|tipologia`),
}

// Second choices, for files without a better one. An article is the product's
// name beside an article number, and its number beside a description.
var (
	articles     = heading.Words(`article|artikel|articulo|artigo|articolo`)
	descriptions = heading.Words(`description|item description|product description|beschreibung|artikelbeschreibung|descripcion|descricao|descricao do produto
		|descrizione|descrizione prodotto|descrizione articolo|stock description|part description|article description`)
	numbersLast = heading.Words(`bestellnummer|product id|item id|item number|produkt id|id produit|plu|id prodotto`)
)

// What a row of variants has beside the fields.
var (
	handles    = heading.Words(`handle|url handle`)
	options    = [][]string{heading.Words(`option1 value|option 1 value|option value 1`), heading.Words(`option2 value|option 2 value|option value 2`), heading.Words(`option3 value|option 3 value|option value 3`)}
	variations = heading.Words(`variation name|variant name|variant title|price point name`)
	locations  = heading.Words(`location`)
	attributes = [][]string{heading.Words(`attribute 1 value s`), heading.Words(`attribute 2 value s`), heading.Words(`attribute 3 value s`)}
)

// plainOptions tell the variants of one name apart in sheets that no shop wrote.
var plainOptions = heading.Words(`size|colour|color|variant|flavour|flavor|pack size|groesse|grosse|farbe|variante|taille|couleur
	|talla|sabor|tamano|tamanho|cor|taglia|colore|gusto`)

// orderWords are headings that only orders, invoices and sales have: their
// quantity is what was sold, not what is there.
var orderWords = heading.Words(`lineitem name|lineitem quantity|amazon order id|order id|order item id|sales record number|transaction id|transaction
	|subtotal|financial status|billing name|billing city|buyer name|buyer username|invoice id|invoice no|invoice number|invoice date|order date|sale date|transaction date|settlement id
	|rechnungsnummer|auftragsnummer|bestelldatum|rechnungsdatum|liefertermin|numero facture|numero de facture|numero commande|numero de commande
	|numero de factura|numero de pedido|numero do pedido|pedido id|id pedido|nota fiscal
	|numero fattura|numero ordine|data fattura|data ordine`)

// hintWords are headings that sales have and products may have: one of them is
// worth a warning, or a refusal where the names repeat, and two are one too many.
var hintWords = [][]string{
	heading.Words(`date|datum|fecha|data`), heading.Words(`time|uhrzeit|heure|hora|ora`), heading.Words(`order number|order no`), heading.Words(`units sold`), heading.Words(`buyer`),
	heading.Words(`line total|gesamtpreis|total ht|valor total`),
}

// telling are the parts of a heading that say which field it may be, although it is
// not in the vocabulary. Those of three letters are whole words.
var telling = []struct {
	field, called string
	parts         []string
}{
	{FieldPrice, "price", heading.Words(`price|preis|prix|precio|preco|prezzo`)},
	{FieldBarcodes, "barcode", heading.Words(`barcode|strichcode|codigo de barras|ean|upc`)},
	{FieldStock, "stock", heading.Words(`stock|bestand|estoque|giacenza|qty`)},
}

// What shops write in place of a price or of a quantity.
var (
	priceWords = heading.Words(`variable|variable pricing`)
	stockWords = heading.Words(`yes|no|true|false|in stock|out of stock|instock|outofstock|ja|nein|oui|non|sì|si|unlimited|∞`)
)
