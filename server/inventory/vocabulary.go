package inventory

import "svc/server/header"

// amountFields are the fields whose cells are numbers.
var amountFields = []string{FieldPrice, FieldCost, FieldStock, FieldReorder}

// vocabulary lists the headings of each field in the form of header.Fold; earlier ones
// win. The headings of Shopify, Square, WooCommerce, Amazon, eBay, Etsy and Loyverse come
// first, then those of English, German, French, Spanish, Portuguese and Italian sheets.
var vocabulary = map[string][]string{
	FieldName: header.Words(`product name|item name|article name|product title|item title|title|name|product|item|menu item|receipt line name
		|artikelbezeichnung|artikelname|produktname|produktbezeichnung|produkttitel|warenbezeichnung|bezeichnung|produkt
		|nom du produit|nom produit|nom de l article|nom|designation|libelle produit|libelle article|libelle|intitule|produit
		|nombre del producto|nombre producto|nombre|titulo|producto
		|nome do produto|nome produto|nome|produto
		|nome prodotto|nome del prodotto|nome articolo|denominazione|prodotto`),
	FieldSKU: header.Words(`variant sku|sku|seller sku|custom label sku|custom label|item sku|product sku|sku code|sku number
		|product code|item code|stock code|article number|article no|article code|part number|part no|item no|style number|upc plu|product number|stock number|model number
		|artikelnummer|artikel nr|artikelnr|artikel no|art nr|artnr|produktnummer
		|reference produit|reference article|reference|ref|code article|code produit|code interne
		|referencia|codigo interno|codigo producto|codigo del producto|codigo do produto|codigo produto|codigo|cod produto|cod|clave|code
		|codice articolo|codice prodotto|codice interno|cod articolo|codice|riferimento`),
	FieldBarcodes: header.Words(`variant barcode|barcode|barcodes|bar code|gtin upc ean or isbn|gtin|ean|upc|gtin 8|gtin 12|gtin 13|gtin 14|gtin8|gtin12|gtin13|gtin14
		|ean 8|ean 13|ean8|ean13|ean code|ean upc|ean gtin|gtin ean|upc ean|upc a|upc code|barcode ean|isbn|isbn 13|isbn13|p upc|p ean|p isbn|barcode number|barcode no|bar code number|ean number|ean no|upc number|upc no|gtin number
		|strichcode|barcode nummer|ean nummer|eannummer
		|code barre|code barres|code a barre|code a barres|codes barres|codebarre|codebarres|gencod|gencode
		|codigo de barras|codigo de barra|codigo barras|codigos de barras|cod barras|codigo ean|codigobarras
		|codice a barre|codici a barre|codice barre|codice ean`),
	FieldAliases: header.Words(`aliases|alias|also known as|aka|alternative names|alternative name|other names|synonyms
		|alternativnamen|alternativname|synonyme|autres noms|otros nombres|sinonimos|outros nomes|altri nomi|nomi alternativi|sinonimi`),
	FieldPrice: header.Words(`variant price|regular price|selling price|sell price|sales price|retail price|default price|price|unit price|your price
		|current price|start price|rrp|msrp|list price|price each|price per unit|item price|price incl vat|price inc vat|price including vat|gross price|sale price|sell|price ex vat|price exc vat|price excl vat|price excluding vat|price net|net price
		|verkaufspreis|verkaufspreis brutto|vk preis|vkpreis|vk brutto|vk|bruttopreis|preis|einzelpreis|stuckpreis|stueckpreis|preis brutto|uvp|vk netto|nettopreis
		|prix de vente ttc|prix de vente|prix vente|prix ttc|prix public|prix|prix unitaire ttc|prix unitaire|prix unitaire ht|prix ht|tarif
		|precio de venta|precio venta|pvp|precio|precio unitario|tarifa
		|preco de venda|preco venda|preco|preco unitario|valor de venda|valor unitario|valor
		|prezzo di vendita|prezzo vendita|prezzo al pubblico|prezzo|prezzo unitario|prezzo di listino|prezzo listino`),
	FieldCost: header.Words(`cost per item|cost price|default unit cost|unit cost|cost|purchase price|purchase cost|buy price|buying price|supplier price
		|landed cost|average cost|cogs|cost of goods|meta wc cog cost|costprice
		|einkaufspreis|einkaufspreis netto|ek preis|ekpreis|ek netto|ek|einstandspreis
		|prix d achat ht|prix d achat|prix achat ht|prix achat|prix de revient|cout d achat|cout unitaire|cout
		|precio de compra|precio compra|precio de coste|precio coste|precio de costo|precio costo|coste unitario|coste|costo unitario|costo
		|preco de custo|preco custo|preco de compra|valor de custo|custo unitario|custo
		|prezzo di acquisto|prezzo d acquisto|prezzo acquisto|costo di acquisto|costo d acquisto|costo acquisto`),
	FieldStock: header.Words(`variant inventory qty|inventory quantity|on hand current|current quantity|available quantity|stock quantity|stock qty|stock level
		|stock on hand|current stock|qty in stock|quantity in stock|units in stock|qty on hand|quantity on hand|on hand|stock|in stock|inventory
		|stock in hand|qty in hand|quantity in hand|in hand
		|quantity available|qty available|available not editable|available|qty|quantity
		|lagerbestand|aktueller bestand|bestand|lagermenge|menge|anzahl|stuckzahl|stuck|stueck
		|stock actuel|stock reel|quantite en stock|qte en stock|en stock|quantite|quantites|qte
		|stock actual|existencias|cantidad en stock|inventario|cantidad|cant
		|estoque atual|stock atual|quantidade em estoque|qtd em estoque|qtde estoque|estoque|quantidade|qtde|qtd
		|giacenza attuale|giacenza|giacenze|quantita in magazzino|quantita disponibile|quantita|qta|scorte|scorta|disponibilita`),
	FieldUnit: header.Words(`unit of measure|unit of measurement|uom|unit name|sales unit|selling unit|stock unit|unit and precision|unit
		|mengeneinheit|verkaufseinheit|einheit|me|unite de mesure|unite de vente|unite|unidad de medida|unidad|unidade de medida|unidade|und|un|unita di misura|unita|um`),
	FieldReorder: header.Words(`reorder point|reorder level|reorder threshold|reorder at|low stock amount|stock alert count|low stock threshold|low stock alert|low stock
		|minimum stock level|min stock level|minimum stock|min stock|minimum level|min level|minimum quantity|min quantity|min qty|safety stock|par level
		|mindestbestand|meldebestand|min bestand|sicherheitsbestand
		|stock minimum|stock mini|stock min|seuil d alerte|seuil de reapprovisionnement|seuil|point de commande
		|stock minimo|existencias minimas|punto de pedido|punto de reorden|minimo|estoque minimo|estoque min|ponto de pedido|ponto de reposicao
		|scorta minima|scorte minime|giacenza minima|quantita minima|punto di riordino|livello di riordino`),
	FieldCategory: header.Words(`category|categories|category name|product category|reporting category|department|e bay category 1 name|menu group|product group
		|kategorie|kategorien|warengruppe|artikelgruppe|produktgruppe|categorie|famille|sous famille|rayon|categoria|categorias|familia|rubro|departamento
		|product type|type|reparto|famiglia|tipologia`),
}

// Headings for files without a better one. An article is the product's name in a file
// with an article number, and its number in a file with a description.
var (
	articles     = header.Words(`article|artikel|articulo|artigo|articolo`)
	descriptions = header.Words(`description|item description|product description|beschreibung|artikelbeschreibung|descripcion|descricao|descricao do produto
		|descrizione|descrizione prodotto|descrizione articolo|stock description|part description|article description`)
	numbersLast = header.Words(`bestellnummer|product id|item id|item number|produkt id|id produit|plu|id prodotto`)
)

// Headings of the columns that only variants have.
var (
	handles    = header.Words(`handle|url handle`)
	options    = [][]string{header.Words(`option1 value|option 1 value|option value 1`), header.Words(`option2 value|option 2 value|option value 2`), header.Words(`option3 value|option 3 value|option value 3`)}
	variations = header.Words(`variation name|variant name|variant title|price point name`)
	locations  = header.Words(`location`)
	attributes = [][]string{header.Words(`attribute 1 value s`), header.Words(`attribute 2 value s`), header.Words(`attribute 3 value s`)}
)

// plainOptions are headings that distinguish variants in sheets that are no shop's
// export.
var plainOptions = header.Words(`size|colour|color|variant|flavour|flavor|pack size|groesse|grosse|farbe|variante|taille|couleur
	|talla|sabor|tamano|tamanho|cor|taglia|colore|gusto`)

// orderWords are headings that only orders, invoices and sales have. Quantities in such
// files are sold, not in stock.
var orderWords = header.Words(`lineitem name|lineitem quantity|amazon order id|order id|order item id|sales record number|transaction id|transaction
	|subtotal|financial status|billing name|billing city|buyer name|buyer username|invoice id|invoice no|invoice number|invoice date|order date|sale date|transaction date|settlement id
	|rechnungsnummer|auftragsnummer|bestelldatum|rechnungsdatum|liefertermin|numero facture|numero de facture|numero commande|numero de commande
	|numero de factura|numero de pedido|numero do pedido|pedido id|id pedido|nota fiscal
	|numero fattura|numero ordine|data fattura|data ordine`)

// hintWords are headings that sales have and products may have. A file with one of them
// gets a warning, or is refused if its names repeat; a file with two is refused.
var hintWords = [][]string{
	header.Words(`date|datum|fecha|data`), header.Words(`time|uhrzeit|heure|hora|ora`), header.Words(`order number|order no`), header.Words(`units sold`), header.Words(`buyer`),
	header.Words(`line total|gesamtpreis|total ht|valor total`),
}

// fieldHints are parts of headings outside the vocabulary that suggest a field. Parts of
// at most three letters must be whole words.
var fieldHints = []struct {
	field, called string
	parts         []string
}{
	{FieldPrice, "price", header.Words(`price|preis|prix|precio|preco|prezzo`)},
	{FieldBarcodes, "barcode", header.Words(`barcode|strichcode|codigo de barras|ean|upc`)},
	{FieldStock, "stock", header.Words(`stock|bestand|estoque|giacenza|qty`)},
}

// wordsForNumbers are texts that shops write in place of a price or a quantity.
var wordsForNumbers = map[string][]string{
	FieldPrice: header.Words(`variable|variable pricing`),
	FieldStock: header.Words(`yes|no|true|false|in stock|out of stock|instock|outofstock|ja|nein|oui|non|sì|si|unlimited|∞`),
}
