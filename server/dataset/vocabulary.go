package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// numbers are the last words of headings of what identifies something.
const numbers = "id|number|no|nr|num|ref|reference"

// people are those of whom a list may have one row each.
const people = "lead|lead guest|lead booker|lead passenger|organiser|organizer|booker|renter|hirer|swimmer|dancer|camper|member|subscriber|patient|student|pupil|learner|guest|donor|supporter|tenant|attendee|invitee|participant|delegate|player|resident|couple|passenger|consignee"

// named returns headings that begin with a thing and end in one of some words: order id, order
// number, invoice id. An empty word is the thing alone.
func named(ends, things string) (all []string) {
	for _, thing := range header.Words(things) {
		for _, end := range header.Words(ends) {
			all = append(all, strings.TrimSpace(thing+" "+end))
		}
	}
	return all
}

// vocabulary has the headings of each role as header.Fold writes them, in English, German,
// French, Spanish and Portuguese. Earlier ones win.
var vocabulary = map[schema.Role][]string{
	schema.Day: header.Words(`date time|datetime|timestamp|sale date|sales date|date of sale|sold at|sold on|sold date|date sold|day sold|transaction date|order date|date of order|ordered at
		|invoice date|issue date|date issued|issued date|issued on|issued|dated on|purchase date|buy date|date bought|bought on|purchased on|date purchased|receipt date|date|created at|created on|created date|order created|date created|date raised|raised|placed at|completed at|opened|opened at|logged|posted date time|posted date|posting date|transaction creation date|creation date|paid at|date paid|paid on date|payment date
		|business date|trading date|visit date|booking date|appointment date|rental date|reservation date|session date|service date|job date|event date|date of visit|date of booking|date of service|date in|check in date|checkin date|arrival date|date received|date opened|day|week|week ending|week commencing|wk comm|week comm|w c|w e|week beginning|week of|month|period
		|verkaufsdatum|bestelldatum|auftragsdatum|rechnungsdatum|belegdatum|buchungsdatum|datum|tag|monat
		|date de vente|date vente|date de commande|date commande|date de facture|date facture|date d achat|jour|mois
		|fecha de venta|fecha venta|fecha de pedido|fecha pedido|fecha de factura|fecha factura|fecha de compra|fecha|dia|mes
		|data da venda|data de venda|data venda|data do pedido|data pedido|data da compra|data de emissao|data emissao|data`),
	schema.DayTime:   header.Words(`transaction time|sale time|order time|time of sale|time of day|time|start time|scheduled time|time start|start|starts at|appointment time|booking time|slot|time slot|hour|hr|hour of day|check in time|visit time|uhrzeit|zeit|heure|hora`),
	schema.Cancelled: header.Words(`cancelled at|canceled at|cancelled on|canceled on|cancelled date|canceled date|cancellation date|cancellation time|voided date|date cancelled|date canceled|cancelled|canceled|voided at|storniert am|stornodatum|annule le|date d annulation|fecha de cancelacion|fecha de anulacion|data de cancelamento|data do cancelamento`),
	schema.Order: slices.Concat(named(numbers, `amazon order|order|sale|sales|transaction|invoice|receipt|ticket|bill|check|basket|sales record|sales order`),
		header.Words(`transaction|invoice|receipt|ticket|order|sales order|wo|ro`),
		named("code|"+numbers, `booking|reservation|confirmation`), named(numbers, `appointment|visit|rental|hire|job|repair|docket|shipment|consignment|delivery note|delivery|dispatch|work order|ride|trip|journey|stay|folio|purchase|purchase order|po`),
		header.Words(`booking|reservation|appointment|visit|rental|docket|shipment|consignment|grn|goods received note
		|bestellnummer|bestell nr|bestellung|auftragsnummer|auftrag|rechnungsnummer|rechnungs nr|rechnung|belegnummer|beleg nr|bonnummer|bon nr
		|numero de commande|numero commande|n commande|no commande|commande|numero de facture|numero facture|n facture|facture|numero de ticket
		|numero de pedido|numero pedido|n pedido|id pedido|pedido|numero de factura|numero factura|n factura|factura|id venta|numero de venta
		|numero do pedido|pedido id|nota fiscal|numero da venda|id venda|cupom`)),
	schema.Product: header.Words(`lineitem name|product name|item name|product title|item title|article name|plu description|plu name|goods description|description of goods|goods|stock description|sku description|sku name|line description|menu item|item sold|clean|groom|yarn|work done|work carried out|job description|event type name|product|item|title|product description|item description|track name|listing title|article|description
		|artikelbezeichnung|artikelname|produktname|produktbezeichnung|bezeichnung|artikel|produkt|beschreibung
		|nom du produit|nom produit|nom de l article|designation|libelle produit|libelle article|libelle|produit
		|nombre del producto|nombre producto|nombre articulo|producto|articulo|descripcion
		|nome do produto|nome produto|produto|artigo|descricao do produto|descricao|product type|track|song|service|services|treatment|equipment|dish|drink|meal|game|course|lesson|plant|artwork|artwork title|title of work|work title|work|painting|piece|variety|tour|activity|package|flavour|flavor|model|model name|name|nom|nombre|nome`),
	schema.SKU: header.Words(`lineitem sku|variant sku|sku|seller sku|merchant sku|item sku|product sku|custom label sku|custom label|stock code|stock no|stock number|stock id|product code|item code|article number|article no|part number|part no|style number
		|product id|item id|item number|product no|product number|asin|menu item number|inventory item code|plu|isbn|isbn13|gtin|upc|ean|barcode
		|artikelnummer|artikel nr|artikelnr|art nr|produktnummer|produkt id
		|reference produit|reference article|code article|code produit|reference|ref|id produit
		|codigo de producto|codigo del producto|codigo producto|codigo do produto|codigo produto|codigo|referencia|cod produto|id producto|id produto`),
	schema.Category: header.Words(`product category|item category|category name|category|categories|reporting category|sub category|subcategory|department|product line|line|range|product group|item group|product family|family|genre|menu group|collection|section|categ code|categ cod|group|labels|type of product|product type|type|category id|medium
		|kategorie|kategorien|warengruppe|artikelgruppe|produktgruppe|produktkategorie
		|categorie|categorie de produit|famille|rayon|gamme
		|categoria|categorias|categoria de producto|categoria do produto|familia|rubro|departamento`),
	schema.Brand:    header.Words(`brand|brand name|manufacturer|maker|make|producer|designer|brewery|winery|distillery|publisher|vendor|marke|hersteller|marque|fabricant|marca|fabricante`),
	schema.Supplier: header.Words(`supplier name|supplier|last supplied by|supplier id|wholesaler|distributor|purchased from|bought from|got from|sourced from|where from|trader|source name|grower|growers|from|shipper|importer|merchant|lieferant|lieferantenname|fournisseur|nom du fournisseur|proveedor|fornecedor`),
	schema.Customer: slices.Concat(named("name|", `customer|client|buyer username|buyer`), named(numbers+"|code|email", `customer|client|buyer`), header.Words("billing email|contact name|full name billing|billing full name|full name shipping|shipping full name|customer full name|buyer full name"),
		header.Words(`billing name|bill to|company name|company|recipient|recipient name`), named(numbers+"|name|", people), named(numbers, "membership"), named("name|"+numbers, "account|trade account"), header.Words(`who for|made for|for whom|contact|trade account|account holder|team name|card number|card
		|kundenname|kunde|kundennummer|kunden nr|kunden id
		|nom du client|nom client|code client|numero client
		|nombre del cliente|nombre cliente|cliente|id cliente|codigo cliente|nome do cliente|nome cliente|email|e mail`)),
	schema.Segment: header.Words(`customer segment|segment|customer type|customer group|client type|membership|member type|loyalty|loyalty tier|customer category|kundengruppe|kundensegment|segment client|type de client|segmento|tipo de cliente`),
	schema.Region:  header.Words(`region|sales region|territory|sales territory|area|zone|gebiet|vertriebsgebiet|zona|regiao|ship region|billing region`),
	schema.State:   header.Words(`state|province|state province|province region state|billing province|billing state|buyer state|customer state|ship state|ship to state|shipping province|ship province|shipping state|store state|county|bundesland|kanton|departement|provincia|estado|uf`),
	schema.City:    header.Words(`city|town|suburb|billing city|buyer city|customer city|store city|ship city|ship to city|shipping city|stadt|ort|ville|ciudad|localidad|cidade|municipio`),
	schema.Country: header.Words(`country|country name|country code|billing country|buyer country|customer country|ship country|ship to country|shipping country|destination country|country of destination|delivery country|consignee country|country region|land|pays|pais`),
	schema.Store: header.Words(`store name|store location|store|branch name|branch|location name|location|shop name|shop|restaurant name|restaurant|establishment|outlet|store id|store number|store no|shop id|branch id|point of sale|warehouse|retailer|retailer name|dealer|venue|where|where sold|sold where|site|clinic|pool|market|pitch|studio|salon|home studio
		|filiale|standort|geschaft|magasin|boutique|point de vente|tienda|sucursal|local|loja|filial|unidade`),
	schema.Channel: header.Words(`sales channel|channel|sales method|order channel|channel name|fulfillment channel|marketplace|marketplace name|platform|source|order source|booking channel|booking source|lead source|referral source|referral|heard via|heard from|heard of us|how heard|found us via|found us|sold through|sold via|sold on|ordered via|booked via|booked through|how sold|sold how|how ordered|how booked|booked how|placed via|order type|attribution|fulfilment type|fulfillment type|service type|dining option|sale type|vertriebskanal|kanal|verkaufskanal|canal de vente|canal de venta|canal de vendas|canal de venda|canal`),
	schema.Payment: header.Words(`payment method|payment method title|payment type|payment mode|payment|pay method|paid by|paid with|how pd|how|how paid|paid how|pays by|pays how|how they pay|paid via|pay type|paid using|mode of payment|method of payment|tender type|tender|cash type|card brand|zahlungsart|zahlungsmethode|zahlungsmittel|mode de paiement|moyen de paiement|paiement|forma de pago|metodo de pago|medio de pago|forma de pagamento|meio de pagamento|pagamento|pago`),
	schema.Staff:   header.Words(`staff|staff name|staff member|staffer|service provider|provider|employee name|employee|sales person|salesperson|sales rep|sales representative|rep|representative|account rep|account executive|sales executive|sales consultant|sales agent|cashier|till operator|sales assistant|clerk|server|barista|waiter|team member|employee id|staff id|cashier id|seller|sold by|served by|attendant|practitioner|crew|on till|mechanic|game master|technician|stylist|therapist|instructor|doctor|dentist|optometrist|optician|optom|vet|agent|baker|chef|cook|driver|trainer|coach|tutor|guide|teacher|account manager|operator|engineer|groomer|handled by|made by|volunteer|assistant|carer|cleaner|worker|photographer|tutor name|fitter|taken by|taken in by|bought by|calendar|mech|sorted by|checked by|walker|sitter|host|nurse|physio|surveyor|plumber|electrician|gardener|decorator|builder|installer|valeter|barber|picker|packer|framer|engraver|courier|supervisor|helper|adviser|advisor|counsellor|assigned to|assigned|allocated to|mitarbeiter|verkaufer|kassierer|bediener|vendeur|vendeuse|employe|caissier|vendedor|vendedora|empleado|cajero|funcionario|caixa`),
	schema.Status:  header.Words(`order status|financial status|booking status|job status|session status|outcome|payment status|status|item status|sale status|transaction status|event type|state of order|bestellstatus|statut|statut de commande|estado del pedido|estado de pedido|status do pedido|situacao`),

	schema.Quantity: header.Words(`lineitem quantity|quantity sold|units sold|qty sold|items sold|quantity ordered|qty ordered|qty order|menu item count|quantity purchased|quantity|qty|units|order quantity|order qty|sold|item quantity|number of items|no of items|num items|item count|number of units|no of units|pieces|pcs|count|how many|tickets|tickets sold|number of tickets|no of tickets|seats|copies|copies sold|boxes|bottles|portions|dishes|meals|covers|packs|cases|bags
		|verkaufte menge|verkaufte stuck|menge|anzahl|stuckzahl|stuck
		|quantite vendue|quantite|quantites|qte|nombre d articles
		|cantidad vendida|unidades vendidas|cantidad|cant|unidades|quantidade vendida|quantidade|qtd|qtde`),
	schema.Price: header.Words(`lineitem price|ask|unit price|unit amount|price tier 1|price per unit|price each|price per item|unit selling price|selling price|sales price|sale price|item price|retail price|variant price|regular price|price|list price|ask price|asking price|sell price|sell|sells at|shelf price|each|shop price|our price|current price|ticket price|rate|unit sale price|price incl vat|rrp|msrp
		|einzelpreis|stuckpreis|verkaufspreis|vk preis|vk|preis
		|prix unitaire|prix unitaire ttc|prix unitaire ht|prix de vente|prix de vente ttc|prix
		|precio unitario|precio de venta|precio por unidad|pvp|precio|preco unitario|preco de venda|valor unitario|preco`),
	schema.Revenue: header.Words(`net sales|net revenue|net sales amount|total sales|total revenue|revenue|sales revenue|sales amount|sales value|sale amount|sales|turnover|takings|line total|line amount|item total|extended price|extended amount|total spent|total spend|amount spent|total amount|total price|total paid|order total|order value|order amount|grand total|total|net amount|amount|money|subtotal|sub total|net total|price total|sales net of discounts|ticket size|sold for|took|we took|total invoice amount|revenue per visit|job value|job total|amount taken|money taken|total taken|z total|z reading|z read|till total|day total|daily total|sold total|transaction amount|amount charged|bill amount|bill total|invoice amount|invoice total|bill|total bill|total charge|total due|fee|fees|fee paid|charge|charges|charged|price charged|total charged|weekly sales|daily sales|monthly sales|net|ex vat|exc vat|excl vat|excluding vat|ex tax|excl tax|ex gst|excl gst|inc vat|incl vat|including vat|inc tax|incl tax|inc gst|incl gst|taken|amount received|amount paid|price paid|invoiced|amount invoiced|invoiced amount|total invoiced|invoiced total|billed|amount billed|billed amount|total billed|quote|quoted|quote total|quoted amount|quoted price|payment amount|sold at|price got|went for|fetched
		|nettoumsatz|gesamtumsatz|umsatz|gesamtpreis|gesamtbetrag|zeilensumme|gesamt|betrag|erlos|summe
		|chiffre d affaires|ventes nettes|ventes|ca ttc|ca ht|ca|montant total|montant ttc|montant ht|montant|total ttc|prix total|total ht
		|ventas netas|ventas|ventas totales|venta total|ingresos|importe total|importe|precio total|monto total|monto|total venta|facturacion
		|vendas liquidas|vendas|receita liquida|receita total|receita|faturamento|valor total|total da venda|preco total|valor da venda|valor`),
	schema.Gross:    header.Words(`gross sales|line subtotal|gross revenue|gross sales amount|gross amount|gross total|gross earnings|gross|sales before discount|list total|bruttoumsatz|ventes brutes|montant brut|ventas brutas|importe bruto|vendas brutas|receita bruta|valor bruto`),
	schema.Cost:     header.Words(`cogs|cost of goods sold|cost of goods|cost of sales|total cost|total costs|prep cost|line cost|bought in for|bought for|stock cost|trade cost|cost amount|product cost|costs|cost|wareneinsatz|gesamtkosten|kosten|cout total|cout des ventes|coute|cout|costo total|coste total|costos|costes|costo|coste|custo total|custos|custo`),
	schema.UnitCost: header.Words(`unit cost|default cost|standard cost|latest cost|last cost|cost ex vat|cost exc vat|cost price|cost per item|cost per unit|case cost|box cost|pack cost|case price|purchase price|purchases unit price|purchase rate|buying price|buy price|paid for it|paid for|we paid|bought for|cost to us|cost us|bought in at|buy|bought at|w s|wholesale|trade price|cost each|wholesale price|supplier price|landed cost|average cost|default unit cost|manufacturing price|item cost|einkaufspreis|ek preis|ek|einstandspreis|prix d achat|prix achat|prix d achat ht|prix de revient|cout unitaire|precio de compra|precio de costo|precio de coste|costo unitario|coste unitario|preco de custo|preco de compra|custo unitario|valor de custo`),
	schema.Profit:   header.Words(`operating profit|gross profit|net profit|total profit|estimated profit|profit|profit amount|gross income|earnings|contribution|gewinn|rohgewinn|rohertrag|deckungsbeitrag|benefice|marge brute|ganancia|ganancias|utilidad|beneficio|lucro|lucro bruto|lucro liquido`),
	schema.Margin:   header.Words(`gm|gp|gp pct|gp percent|gp margin|operating margin|gross margin|profit margin|net margin|margin|gross margin percentage|gross margin percent|margin percentage|margin percent|margin pct|gross profit margin|profit percentage|marge|handelsspanne|gewinnmarge|taux de marge|margen|margen bruto|margem|margem de lucro|margem bruta`),
	schema.Discount: header.Words(`lineitem discount|discount amount|discounts|discount|total discount|discount value|item promotion discount|item discount|discount percent|discount percentage|discount pct|discount rate|disc|disc pct|disc percent|disc amount|rabatt|nachlass|remise|remises|reduction|descuento|descuentos|desconto|descontos`),
	schema.Tax:      header.Words(`tax amount|sales tax|tax|taxes|total tax|vat|vat amount|gst|hst|pst|qst|gst hst|item tax|order sales tax|tax 5|mwst|mehrwertsteuer|ust|umsatzsteuer|steuer|tva|taxe|taxes totales|iva|impuesto|impuestos|imposto|impostos|icms`),
	schema.Shipping: header.Words(`shipping|shipping price|shipping amount|shipping cost|shipping fee|shipping and handling|shipping and handling amount|freight|postage|order shipping|delivery fee|delivery charge|delivery cost|versand|versandkosten|porto|fracht|frais de port|frais de livraison|livraison|envio|gastos de envio|costo de envio|flete|frete|valor do frete`),
	schema.Refund:   header.Words(`refunded amount|refund amount|amount refunded|refunded to buyer amount|partial refunds|refund total|refunded total|total refunded|total refund|total refunds|order refund amount|item refund amount|refund value|refunds|refund|refunded|returned amount|return amount|returns|erstattungsbetrag|erstatteter betrag|erstattung|erstattungen|ruckerstattung|montant rembourse|remboursement|remboursements|monto reembolsado|importe reembolsado|reembolso|reembolsos|valor reembolsado|valor estornado|estorno|estornos`),
	schema.Rating:   header.Words(`rating 5|rating out of 5|rating 10|score 10|stars 5|rating|customer rating|star rating|review rating|review score|review stars|stars|satisfaction|bewertung|evaluation|calificacion|valoracion|avaliacao|nota`),

	schema.Stock:    header.Words(`o h|qoh|soh|units in stock|variant inventory qty|inventory quantity|on hand current|available quantity|stock quantity|stock qty|stock level|stock on hand|current stock|qty in stock|quantity in stock|qty on hand|quantity on hand|on hand|in stock|stock|inventory|current quantity|quantity available|qty available|lagerbestand|aktueller bestand|bestand|lagermenge|stock actuel|quantite en stock|en stock|stock actual|existencias|cantidad en stock|inventario|estoque atual|quantidade em estoque|estoque`),
	schema.Reorder:  header.Words(`reorder level|min qty|min quantity|minimum qty|minimum quantity|reorder point|reorder threshold|reorder at|rol|re ord|low at|low stock amount|stock alert count|low stock threshold|low stock alert|low stock|minimum stock|min stock|minimum stock level|min stock level|minimum before reorder|safety stock|par level|reorder|mindestbestand|meldebestand|sicherheitsbestand|stock minimum|stock mini|seuil d alerte|seuil de reapprovisionnement|stock minimo|punto de pedido|punto de reorden|estoque minimo|ponto de pedido`),
	schema.Incoming: header.Words(`units on order|qoo|soo|o o|qty on po|quantity on purchase order|qty on purchase order|oo|qty oo|on po|qty on order|quantity on order|on order|on purchase|incoming|incoming stock|in transit|bestellt|bestellmenge|en commande|en pedido|em pedido`),
	// What was paid of an amount, and what is still to be paid; see settleOwed.
	schema.Paid:     header.Words("amount paid|paid amount|amount received|received|paid|invoice amount paid|amount paid online|paid online|total paid|paid to date|paid so far|payments|payments received|payment received|payment"),
	schema.Owed:     header.Words("balance|balance due|amount due|due value|amount owed|invoice amount due|owed|owing|outstanding|amount outstanding|outstanding balance|outstanding amount|balance outstanding|remaining balance|balance remaining|left to pay|still to pay|to pay|o s|owe|owes|still owing|due|unpaid"),
	schema.LeadTime: header.Words(`lead|lead time days|lead time|supplier lead time|delivery days|lieferzeit|wiederbeschaffungszeit|delai de livraison|delai|plazo de entrega|prazo de entrega`),
}

// abbreviations are words of headings that are cut short, in full.
var abbreviations = map[string]string{
	"acct": "account", "acc": "account", "ac": "account", "amt": "amount", "bght": "bought", "bt": "bought", "cond": "condition", "csh": "cash", "crd": "card", "coll": "collection", "flwr": "flower", "arr": "arrival", "jnd": "joined", "refnds": "refunds", "mgn": "margin", "mthd": "method", "rfd": "refund", "rfds": "refunds", "stat": "status", "stk": "stock", "whslr": "wholesaler", "appt": "appointment", "avg": "average", "bal": "balance", "btl": "bottle", "btls": "bottles", "bkg": "booking", "cat": "category", "ctry": "country", "chg": "charge", "cust": "customer", "custs": "customers", "cvrs": "covers",
	"del": "delivery", "deliv": "delivery", "dept": "department", "desc": "description", "descr": "description", "descrip": "description", "dest": "destination", "dt": "date", "emp": "employee", "instr": "instructor", "inv": "invoice", "loc": "location", "mktplace": "marketplace", "mfr": "manufacturer", "mfg": "manufacturer", "mbr": "member", "mo": "monthly", "mgr": "manager",
	"nbr": "number", "nts": "nights", "num": "number", "pr": "price", "ord": "order", "pay": "payment", "pd": "paid", "pmt": "payment", "px": "patient", "pymt": "payment", "prod": "product", "qnty": "quantity", "reord": "reorder", "lvl": "level", "rcpt": "receipt", "rct": "receipt", "shpt": "shipment", "shpmt": "shipment", "consgt": "consignment", "rcvd": "received", "recd": "received", "recvd": "received", "resv": "reservation", "sess": "session",
	"rev": "revenue", "supp": "supplier", "tech": "technician", "tkt": "ticket", "tm": "time", "tot": "total", "trans": "transaction", "wgt": "weight", "whse": "warehouse", "whs": "warehouse", "wh": "warehouse", "txn": "transaction",
}

// rolesInOrder is the order in which roles get a column that several want.
var rolesInOrder = []schema.Role{
	schema.Day, schema.DayTime, schema.Order, schema.Product, schema.SKU, schema.Category, schema.Brand, schema.Supplier,
	schema.Customer, schema.Segment, schema.Region, schema.State, schema.City, schema.Country, schema.Store, schema.Channel,
	schema.Payment, schema.Staff, schema.Status, schema.Stock, schema.Reorder, schema.Incoming, schema.LeadTime,
	schema.Quantity, schema.Price, schema.Revenue, schema.Gross, schema.Cost, schema.UnitCost, schema.Profit, schema.Margin,
	schema.Discount, schema.Tax, schema.Shipping, schema.Rating, schema.Refund, schema.Cancelled, schema.Paid, schema.Owed,
}

// moneyRoles are amounts in the source's currency.
var moneyRoles = map[schema.Role]bool{
	schema.Price: true, schema.Revenue: true, schema.Gross: true, schema.Cost: true, schema.UnitCost: true,
	schema.Profit: true, schema.Discount: true, schema.Tax: true, schema.Shipping: true, schema.Refund: true,
	schema.Paid: true, schema.Owed: true,
}

// countRoles are numbers of pieces and days.
var countRoles = map[schema.Role]bool{
	schema.Quantity: true, schema.Stock: true, schema.Reorder: true, schema.Incoming: true, schema.LeadTime: true,
}

// fits reports whether a column can have a role, by its type and unit: a share is neither
// money nor a count.
func fits(role schema.Role, c schema.Column) bool {
	isShare := c.Unit == schema.Percent
	switch {
	case role == schema.None:
		return true
	case role == schema.Day, role == schema.Cancelled:
		return c.Type == schema.Date || c.Type == schema.Moment
	case role == schema.DayTime:
		return c.Type == schema.Time
	case role == schema.Margin:
		return c.Type == schema.Number && isShare
	case role == schema.Discount, role == schema.Rating:
		return c.Type == schema.Number
	case isFigure(role):
		return c.Type == schema.Number && !isShare
	}
	return c.Type == schema.Text || role == schema.Status && c.Type == schema.Truth
}

// isFigure reports whether a role is of numbers.
func isFigure(role schema.Role) bool {
	return moneyRoles[role] || countRoles[role] || role == schema.Margin || role == schema.Rating
}

// isTextRole reports whether a role is of names. Numbers under it are not added up.
func isTextRole(role schema.Role) bool {
	return role != schema.None && role != schema.Day && role != schema.DayTime && role != schema.Cancelled && !isFigure(role)
}

// In these roles a cell "none" is blank.
var noneIsBlankRoles = map[schema.Role]bool{
	schema.Order: true, schema.Product: true, schema.SKU: true, schema.Supplier: true, schema.Customer: true, schema.Store: true, schema.City: true,
}

// codeWords begin or end the headings of numbers that are names.
var codeWords = wordSet(`id ids no nr num number numero nummer code codigo zip zipcode postcode postal plz phone tel telephone telefon telefono mobile fax
	token suffix handle year jahr annee ano quarter month week weekday day hour asin isbn ean upc gtin barcode siret iban phone index rank row table tbl`)
