package dataset

import (
	"slices"
	"strings"

	"svc/server/english"
	"svc/server/header"
	"svc/server/schema"
)

// channels are values of columns that show how something was sold, whatever their heading.
var channels = wordSet(`online offline instore in-store takeaway take-away coll collect del togo to-go dinein dine-in delivery pickup pick-up collection web website app mobile
	eatin eat-in walkin walk-in drivethru drive-thru phone outlet marketplace wholesale retail trade direct pos
	telephone tel email shop fair fairs market markets event popup stall gallery studio commission ebay etsy amazon airbnb expedia booking.com deliveroo ubereats justeat`)

// statuses are values of columns that show the state of a sale.
var statuses = wordSet(`paid unpaid pending completed complete cancelled canceled refunded returned shipped delivered processing open closed failed fulfilled unfulfilled
	pagado pendiente cancelado enviado entregado completado devuelto pago pendente concluido`)

// payments are values of columns that show how something was paid.
var payments = wordSet(`dd so venmo zelle interac etransfer e-transfer square stripe ach wire cashapp klarna afterpay eftpos eft bacs bank csh crd chq visa mastercard amex contactless chip sumup zettle banktransfer transfer bacs directdebit americanexpress maestro discover card cash credit debit creditcard debitcard voucher giftcard paypal applepay googlepay ewallet invoice account cheque check
	karte bar tarjeta efectivo carte especes cartao dinheiro pix`)

// settleNames corrects roles by the values of columns.
func settleNames(source *schema.Source) {
	for i := range source.Columns {
		settleByValues(source, i)
	}
	settleWhom(source)
	settlePayment(source)
	settleOrder(source)
	settleAccount(source)
	settlePurchases(source)
	settleSheet(source)
	settleStaff(source)
	settleBook(source)
	settleDay(source)
	settleKey(source)
	settleProduct(source)
	settleStock(source)
	settleCost(source)
	settlePrice(source)
	settlePieces(source)
	settleValue(source)
	settleQuote(source)
	settleOwner(source)
	settleOwed(source)
	settlePeople(source)
	settleRest(source)
	settleShelf(source)
	settleClients(source)
	settleFrom(source)
}

// settleByValues corrects the role of a column by its values, or by what the others have.
func settleByValues(source *schema.Source, i int) {
	isOther := func(v string) bool { return v[0] != '#' || !isDigits(v[1:]) }
	c := &source.Columns[i]
	switch {
	case (c.Role == schema.Store || c.Role == schema.Category) && allIn(c.Values, channels):
		move(source, i, schema.Channel)
	case c.Role == schema.Category && tellsType(*c) && slices.ContainsFunc(c.Values, isReturn):
		c.Role = schema.None // kinds of rows, and not of goods
		giveFirst(source, schema.Category, func(o schema.Column) bool { return o.Heading != c.Heading && hintOf(o.Heading) == schema.Category })
	case c.Role == schema.Profit && header.Fold(c.Heading) == "earnings" && !hasAny(*source, schema.Revenue, schema.Gross, schema.Cost, schema.UnitCost):
		c.Role = schema.Revenue // of a host
	case c.Role == schema.Brand && hasWord(c.Heading, wordSet("card")):
		move(source, i, schema.Payment)
	case c.Role == schema.SKU && c.Blank > 0 && hasAny(*source, schema.Order) && slices.Contains([]string{"ref", "reference"}, header.Fold(c.Heading)):
		c.Role = schema.None // of the customer
	case c.Role == schema.State && allIn(c.Values, statuses):
		move(source, i, schema.Status)
	case c.Role == schema.Product && len(c.Values) > 0 && !slices.ContainsFunc(c.Values, isOther):
		move(source, i, schema.Order) // #1051
	case c.Role == schema.Product && c.HasSessions():
		c.Role = schema.None
	case c.Role == schema.Staff && areMeasures(c.Values):
		c.Role = schema.None // sold by the kilo or each
	case c.Role == schema.Customer && allIn(c.Values, payments):
		move(source, i, schema.Payment)
	case c.Role == schema.Customer && hasWord(c.Heading, accountWords) && !hasAny(*source, schema.Order, schema.Product):
		c.Role = schema.None // of a bank, or of ledgers
	case c.Role == schema.Customer && header.Fold(c.Heading) == "buyer" && hasAny(*source, schema.Supplier) && !hasAny(*source, schema.Revenue, schema.Price):
		move(source, i, schema.Staff) // who buys for the shop
	case c.Role == schema.Customer && hasWord(c.Heading, wordSet("donor")) && c.Blank > 0 && hasAny(*source, schema.Product, schema.Quantity):
		c.Role = schema.None // who gave the goods
	case c.Role == schema.Customer && header.Fold(c.Heading) == "member" && c.Distinct <= mostKinds:
		move(source, i, schema.Segment) // yes and no, or the kind of member
	}
}

// sellsFor are headings of the prices in lists of goods: Retail beside Cost.
var sellsFor = wordSet("ticket tag sticker asking ask retail sell sells selling charge charged rsp srp")

// settlePrice makes a number of a list of goods that is called Retail or Sell the price, if there
// is none.
func settlePrice(source *schema.Source) {
	if !hasAny(*source, schema.Stock) {
		return
	}
	giveFirst(source, schema.Price, isTicket)
}

// isTicket reports whether a heading begins with such a word.
func isTicket(c schema.Column) bool {
	word, _, _ := strings.Cut(header.Loose(c.Heading), " ")
	return sellsFor[word]
}

// settleOwed finds beside the amounts what was paid of them, and what is owed.
func settleOwed(source *schema.Source) {
	giveFirst(source, schema.Owed, func(c schema.Column) bool {
		isOpen := hasAny(*source, schema.Customer) && names(schema.Owed, c.Heading) && strings.Contains(header.Fold(c.Heading), " ")
		return isOpen || hasWord(c.Heading, wordSet("owes owing arrears"))
	})
	if !hasAny(*source, schema.Revenue, schema.Gross, schema.Price, schema.Cost) {
		return
	}
	for _, role := range rolesBeside {
		giveFirst(source, role, func(c schema.Column) bool { return names(role, c.Heading) || names(role, header.Loose(c.Heading)) })
	}
}

// ownedWords are in the headings of what customers own.
var ownedWords = wordSet("pet animal dog cat horse species breed vehicle car reg registration bike property instrument")

// settleAccount makes the accounts, or the pubs and schools, that goods are sold to the customers, if there are none.
func settleAccount(source *schema.Source) {
	if !hasAny(*source, schema.Order, schema.Product) || !hasAny(*source, schema.Revenue, schema.Gross) {
		return
	}
	buyers := header.Words("account|account name|pub|bar|cafe|hotel|school|deli|club|church|practice|grocer")
	giveFirst(source, schema.Customer, func(c schema.Column) bool {
		return c.Distinct > mostKinds && slices.Contains(buyers, writtenOut(header.Fold(c.Heading)))
	})
}

// settleOwner makes children, or the owners of pets, cars and the like, the customers, if there are none.
func settleOwner(source *schema.Source) {
	giveFirst(source, schema.Customer, func(c schema.Column) bool { return header.Fold(c.Heading) == "child" })
	isOf := func(c schema.Column) bool { return hasWord(c.Heading, ownedWords) }
	if slices.ContainsFunc(source.Columns, isOf) {
		giveFirst(source, schema.Customer, func(c schema.Column) bool { return hasWord(c.Heading, wordSet("owner keeper")) })
	}
}

// contacts are headings of how to reach somebody, or of the codes of accounts; contactWords are in the former.
var (
	contacts     = header.Words("a c|ac|acc|acct|account|account code|account ref|account no|account number|a c ref|a c no|a c code|phone|tel|telephone|mobile|mob|ph|cell|email|e mail|email address|phone number|phone no|mobile number|mobile no|contact number|contact no|tel no")
	contactWords = wordSet("phone tel telephone mobile mob ph cell email mail")
)

// titlesOfPeople begin names of people.
var titlesOfPeople = wordSet("mr mrs ms miss dr mx")

// settleWhom gives a column with the heading Name the role Customer if no column has it and either another column
// holds contact details or codes of accounts, or most values begin with a title such as Mrs. A name that at least nine in ten rows have alone
// replaces an e-mail address, a recipient or a number as the customer.
func settleWhom(source *schema.Source) {
	customer, ok := source.ByRole(schema.Customer)
	isWord := func(v string) bool { return !hasDigit(v) }
	isNumbered := ok && len(customer.Values) > 0 && !slices.ContainsFunc(customer.Values, isWord)
	if hasAny(*source, schema.Stock, schema.Supplier) || ok && !isNumbered && !hasWord(customer.Heading, wordSet("email mail recipient")) {
		return
	}
	if ok { // who is named, and not how they are reached or who gets it
		for i, c := range source.Columns {
			isName := hintOf(c.Heading) == schema.Customer && !hasWord(c.Heading, contactWords) || isPersonName(c)
			if isName && c.Role != schema.Customer && accepts(schema.Customer, c) && 10*c.Distinct >= 9*customer.Distinct { // nearly no two share a name
				giveRole(source.Columns, i, schema.Customer)
				return
			}
		}
		return
	}
	reached := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return slices.Contains(contacts, header.Fold(c.Heading)) })
	for i, c := range source.Columns {
		titled := 0
		for _, v := range c.Values {
			if first, _, _ := strings.Cut(header.Fold(v), " "); titlesOfPeople[first] {
				titled++
			}
		}
		if isPersonName(c) && (reached || 2*titled > len(c.Values)) {
			source.Columns[i].Role = schema.Customer
			return
		}
	}
}

// accountWords are in the headings of those who buy on account.
var accountWords = wordSet("account acct ac")

// mostKinds bounds the kinds of members, of whom there are more.
const mostKinds = 6

// settlePayment makes a column whose values are all ways to pay the payment, if there is none.
func settlePayment(source *schema.Source) {
	giveFirst(source, schema.Payment, func(c schema.Column) bool { return len(c.Values) > 1 && allIn(c.Values, payments) })
}

// maxStaff bounds the people by whom something is done.
const maxStaff = 60

// settleStaff makes a column of the people by whom something was done the staff, such as signed
// up by, if there is none.
func settleStaff(source *schema.Source) {
	giveFirst(source, schema.Staff, func(c schema.Column) bool {
		words := strings.Fields(header.Fold(c.Heading))
		if len(words) == 1 && (words[0] == "by" || words[0] == "user" && hasAny(*source, schema.Order)) {
			return c.Distinct > 1 && c.Distinct <= maxStaff // the user is one of a till
		}
		if areMeasures(c.Values) {
			return false
		}
		isBy := len(words) > 1 && words[len(words)-1] == "by" && isParticiple(words[0])
		byOthers := wordSet("ordered booked cancelled canceled referred superseded replaced")
		return isBy && !boughtWords[words[0]] && !byOthers[words[0]] && c.Distinct > 1 && c.Distinct <= maxStaff
	})
}

// areMeasures reports whether most of some values are what goods are sold by: each, kg, bunch.
func areMeasures(values []string) bool {
	measures := 0
	for _, v := range values {
		if hasWord(v, sizeWords) || hasWord(v, eachWords) {
			measures++
		}
	}
	return len(values) > 0 && 2*measures > len(values)
}

// isParticiple reports whether a word says what was done: signed, taught, made.
func isParticiple(word string) bool {
	lemma := english.Lemma(word)
	isIrregular := lemma != word && !strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ing") && english.SensesOf(lemma).Verb > 0
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "ght") || isIrregular
}

// personWords are in the headings of a table whose rows are people.
var personWords = wordSet("age gender sex birth birthday dob")

// feeWords are in the headings of what a person pays again and again, which is no sale.
var feeWords = wordSet("fee fees charge charges bill monthly weekly yearly annual")

// settlePeople takes the product and what is paid from a list of people, of whom each is one row:
// a name is no product, a fee or a monthly price is no sale, and a day on which somebody cancelled
// is no cancelled sale. Names that tell all of them apart are the customers, and not their numbers.
// An e-mail address stays the customer if people share names, and so does a client's name beside that of a pet.
func settlePeople(source *schema.Source) {
	name := slices.IndexFunc(source.Columns, isPersonName)
	number := numberOfPeople(*source)
	customer := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.Customer })
	if customer < 0 && name >= 0 && (source.Columns[name].Distinct == source.Rows || number < 0) {
		customer = name
	} else if customer < 0 {
		customer = number
	}
	lasts := listsMembers(*source)
	hasTrait := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return hasWord(c.Heading, personWords) })
	isNamed := hasTrait && customer >= 0 && (customer != name || source.Columns[name].Role == schema.Product && source.Columns[name].Distinct == source.Rows)
	isNumbered := number >= 0 && name >= 0 && !hasAny(*source, schema.Quantity, schema.Stock)
	if !lasts && (!isNamed && !isNumbered || !listsOnce(*source)) {
		return
	}
	for i, c := range source.Columns {
		isPaid := (c.Role == schema.Revenue || c.Role == schema.Price) && (lasts || hasWord(c.Heading, feeWords))
		if isPaid {
			source.Columns[i].Unit = schema.Money
		}
		isPlan := lasts && c.Role == schema.Product && hasWord(c.Heading, wordSet("membership plan tier package level"))
		if c.Role == schema.Product && i == name || isPlan || isPaid || !lasts && c.Role == schema.Cancelled {
			source.Columns[i].Role = schema.None
		}
	}
	if customer < 0 {
		return
	}
	if isCode := source.Columns[customer].Role == schema.None || isCodeHeading(source.Columns[customer].Heading); name >= 0 && source.Columns[name].Distinct == source.Rows && isCode {
		customer = name
	}
	giveRole(source.Columns, customer, schema.Customer)
}

// isPersonName reports whether a column has names of people or things by its heading alone.
func isPersonName(c schema.Column) bool {
	heading := header.Fold(c.Heading)
	noun, isOne := strings.CutSuffix(heading, " name")
	isOne = isOne && !strings.Contains(noun, " ") && english.IsPerson(noun) && !english.IsA(noun, "worker")
	return c.Type == schema.Text && (c.Role == schema.Product || c.Role == schema.None) && (heading == "name" || heading == "full name" || isOne)
}

// numberOfPeople returns the column of the numbers of people, such as Subscriber ID, of whom each is
// one row; -1 if there is none. The people who do the work are none of them.
func numberOfPeople(source schema.Source) int {
	return slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		noun, number, _ := strings.Cut(header.Fold(c.Heading), " ")
		who := english.Lemma(noun)
		isClient := english.IsPerson(who) && !english.IsA(who, "worker") && !english.IsA(who, english.Event)
		return isClient && c.Distinct == source.Rows && (c.Role == schema.None || c.Role == schema.Customer) && (codeWords[number] || number == "ref" || number == "reference")
	})
}

// listsOnce reports whether no customer has two rows, and no row an order.
func listsOnce(source schema.Source) bool {
	customer, ok := source.ByRole(schema.Customer)
	return !hasAny(source, schema.Order) && (!ok || customer.Distinct == source.Rows)
}

func allIn(values []string, known map[string]bool) bool {
	isOther := func(value string) bool { return !known[strings.ReplaceAll(strings.ToLower(value), " ", "")] }
	return len(values) > 0 && !slices.ContainsFunc(values, isOther)
}

// move gives a column another role, or none if another column has it.
func move(source *schema.Source, column int, role schema.Role) {
	source.Columns[column].Role = schema.None
	if !hasAny(*source, role) {
		source.Columns[column].Role = role
	}
}

// documents are headings of the numbers of what is done for customers.
var documents = wordSet("job repair ticket tkt docket hire visit")

// isReference reports whether a column has the reference of each row that is something done for a customer, such as a
// lesson: no goods are named of which it could be the code, since they and the customers come again.
func isReference(s schema.Source, c schema.Column) bool {
	customer, ok := s.ByRole(schema.Customer)
	product, named := s.ByRole(schema.Product)
	again := ok && 10*customer.Distinct < 7*s.Rows && (!named || 2*product.Distinct < s.Rows)
	ofWork := again && hasAny(s, schema.Revenue, schema.Gross) && !hasAny(s, schema.Order)
	return ofWork && c.Role == schema.SKU && !hasWord(c.Heading, wordSet("stock sku product item part style article")) && c.Blank == 0 && c.Distinct == s.Rows && accepts(schema.Order, c)
}

// settleOrder finds the numbers of orders: of two columns, those that every row has, since an invoice comes later.
func settleOrder(source *schema.Source) {
	const kinds, many = 5, 100 // of receipts, and rows that tell
	if order, ok := source.ByRole(schema.Order); ok && source.Rows > many && order.Distinct <= kinds {
		giveNone(source, schema.Order) // the kind of each
		giveFirst(source, schema.Order, func(c schema.Column) bool {
			return c.Distinct > kinds && hintOf(c.Heading) == schema.Order && c.Heading != order.Heading
		})
	}
	giveFirst(source, schema.Order, func(c schema.Column) bool {
		isWord := func(v string) bool { return !hasDigit(v) }
		return documents[header.Fold(writtenOut(c.Heading))] && c.Blank == 0 && c.Distinct == source.Rows && len(c.Values) > 0 && !slices.ContainsFunc(c.Values, isWord)
	})
	if at := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return isReference(*source, c) }); at >= 0 {
		giveRole(source.Columns, at, schema.Order)
	}
	isWhole := func(c schema.Column) bool {
		isFree := c.Role == schema.None || c.Role == schema.SKU && c.Distinct == source.Rows
		return isFree && c.Blank == 0 && fits(schema.Order, c) && hintOf(c.Heading) == schema.Order
	}
	isCut := func(c schema.Column) bool { return c.Role == schema.Order && c.Blank > 0 }
	if at := slices.IndexFunc(source.Columns, isWhole); at >= 0 && slices.ContainsFunc(source.Columns, isCut) {
		giveRole(source.Columns, at, schema.Order)
	}
}

// settleKey makes the number of each row of dated amounts that of the order, whatever the shop calls
// an order: an enrolment, a policy. The number of a person, of goods or of a line is none.
func settleKey(source *schema.Source) {
	isSold := hasAny(*source, schema.Revenue, schema.Gross) || hasAny(*source, schema.Price) && hasAny(*source, schema.Staff, schema.Customer)
	if !hasAny(*source, schema.Day) || !isSold || hasAny(*source, schema.Stock) || listsMembers(*source) {
		return
	}
	giveFirst(source, schema.Order, func(c schema.Column) bool {
		folded := header.Fold(c.Heading)
		noun, _, isNamed := strings.Cut(folded, " ")
		isOther := lineHeadings[folded] || wordSet("row postal post zip phone contact mobile tel sort discount coupon promo voucher tracking bar")[noun] || english.IsPerson(english.Lemma(noun))
		isBare := !isNamed && slices.Contains([]string{"ref", "reference", "no", "num", "number", "id"}, noun)
		return !isOther && (isBare || isNamed && isCodeHeading(c.Heading)) && isKeyOf(*source, c)
	})
}

// settleSheet takes the cost of a piece away from a sheet of days, which has nothing of which there are pieces: its
// Whsle is what was taken wholesale.
func settleSheet(source *schema.Source) {
	isOfPieces := hasAny(*source, schema.Product, schema.SKU, schema.Category, schema.Brand, schema.Supplier, schema.Order, schema.Quantity, schema.Stock, schema.Customer)
	if !isOfPieces && hasAny(*source, schema.Day) && hasAny(*source, schema.Revenue) {
		giveNone(source, schema.UnitCost)
	}
}

// settlePurchases makes what the shop pays of the amounts and prices of purchase orders, which a table
// without customers lists by their numbers.
func settlePurchases(source *schema.Source) {
	if order, ok := source.ByRole(schema.Order); ok && hasWord(order.Heading, wordSet("po grn bill")) && !hasAny(*source, schema.Supplier) {
		if at := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
			return c.Role == schema.Customer && hasWord(c.Heading, wordSet("contact contactname company"))
		}); at >= 0 {
			move(source, at, schema.Supplier) // from whom the shop orders
		}
	}
	if !ofPurchases(*source) {
		return
	}
	isPriced, isCosted := hasAny(*source, schema.UnitCost), hasAny(*source, schema.Cost)
	for i, c := range source.Columns {
		switch {
		case c.Role == schema.Revenue && !isCosted:
			source.Columns[i].Role = schema.Cost
		case c.Role == schema.Gross && !isCosted && hasAny(*source, schema.Revenue, schema.Cost):
			source.Columns[i].Role, source.Columns[i].Unit = schema.None, schema.Money // with VAT
		case c.Role == schema.Price && !isPriced:
			source.Columns[i].Role = schema.UnitCost
		}
	}
}

// ofPurchases reports whether the order numbers are those of purchase orders or of goods received, and not a
// customer's, or those of the bills of suppliers, or the rows have how much of their goods was received.
func ofPurchases(s schema.Source) bool {
	if hasAny(s, schema.Customer, schema.Stock) {
		return false
	}
	if hasAny(s, schema.Supplier) && deliversGoods(s) {
		return true
	}
	received := slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit != schema.Money && hasWord(writtenOut(header.Fold(c.Heading)), wordSet("received"))
	})
	if received && hasAny(s, schema.Supplier) {
		return true
	}
	order, ok := s.ByRole(schema.Order)
	is := func(words string) bool { return hasWord(order.Heading, wordSet(words)) }
	cost, costed := s.ByRole(schema.UnitCost)
	sells := slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		return hasWord(c.Heading, wordSet("sale sales sold revenue takings turnover"))
	})
	if is("invoice inv bill po grn doc") && hasAny(s, schema.Supplier) && !sells && !hasAny(s, schema.Channel, schema.Staff, schema.Store, schema.Segment) {
		return true
	}
	isBill := costed && !sells && hasWord(cost.Heading, wordSet("cost")) && hasAny(s, schema.Supplier) && !hasAny(s, schema.Price) && is("invoice inv bill")
	return ok && (is("po grn") || is("purchase") && is("order") || isBill)
}

// deliversGoods reports whether the rows tell how many were ordered and how many delivered, and nothing of how they
// were sold.
func deliversGoods(s schema.Source) bool {
	has := func(words map[string]bool) bool {
		return slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
			return c.Type == schema.Number && c.Unit != schema.Money && hasWord(writtenOut(header.Fold(c.Heading)), words)
		})
	}
	return has(wordSet("ordered order")) && has(wordSet("delivered delivery received arrived")) && !hasAny(s, schema.Channel, schema.Segment, schema.Staff, schema.Store)
}

// otherDayWords are in the headings of days that are not those of sales.
var otherDayWords = wordSet(`deliver delivery delivered due ship shipped shipping required birth birthday dob born expiry expires expiration valid until updated modified end ended left start refunded returned
	follow next last latest count counted stocktake movement moved best before reminder renewal renewed manufacture manufactured manufacturing produced production checkout
	liefertermin lieferdatum faellig fallig geburtsdatum livraison echeance entrega vencimiento vencimento nacimiento nascimento`)

// joinedWords are in the headings of the days of customers, which are those of the rows only
// in a list of customers.
var joinedWords = wordSet("since registered registration signed sign signup join joined joining enrol enrolled enrolment enrollment contract member membership")

// sentWords are in the headings of days on which goods went out, which are those of sales where
// there are no others.
var sentWords = wordSet("deliver delivery delivered dispatch dispatched ship shipped shipping sent supplied")

// dueWords are in the headings of days that may be still to come.
var dueWords = wordSet("due expected promised required estimated requested")

// lateWords are in the headings of days on which what began on another day ended.
var lateWords = wordSet("use ready collected collect collection picked sorted completed done finish finished fixed closed")

// visitWords are in the headings of the days for which something was booked, and not on which it was.
var visitWords = wordSet("scheduled appointment arrival arrive arrives arriving checkin check visit stay")

// saleDayWords are in the headings of days of sales.
var saleDayWords = wordSet("sold sale ordered placed raised issued booked purchased bought invoiced paid")

// settleDay makes the only date that may be of sales the day, and one on which goods went out where
// there is no other, or on which began what an amount is for, such as a course, where there is no other
// but the day on which it ended. Of several it is the only one
// that every row has, since what is booked in is completed later, if at all; or, in a list of
// orders or amounts, the only one of these that is named like a sale. Otherwise none is.
func settleDay(source *schema.Source) {
	if began := slices.IndexFunc(source.Columns, isBeginning); began >= 0 && !hasAny(*source, schema.Day) && listsMembers(*source) {
		source.Columns[began].Role = schema.Day
	}
	var days, filled, sold, sent []int
	dates := 0
	if settleDocument(source) || settleSpan(source) {
		return
	}
	for i, c := range source.Columns {
		if accepts(schema.Day, c) {
			dates++
			if c.Blank == 0 && hasWord(c.Heading, sentWords) && !hasWord(c.Heading, dueWords) {
				sent = append(sent, i)
			}
		}
		switch {
		case c.Role == schema.Day:
			return
		case c.Role == schema.Cancelled || !accepts(schema.Day, c) || hasWord(c.Heading, otherDayWords) || hasWord(c.Heading, dueWords) && c.Blank == 0:
		case hasWord(c.Heading, joinedWords) && !listsOnce(*source):
		default:
			days = append(days, i)
			if c.Blank == 0 {
				filled = append(filled, i)
			}
			if c.Blank == 0 && hasWord(c.Heading, saleDayWords) {
				sold = append(sold, i)
			}
		}
	}
	isLate := func(i int) bool { return hasWord(source.Columns[i].Heading, lateWords) }
	early := slices.DeleteFunc(slices.Clone(days), isLate)
	if len(early) > 0 {
		days, filled, sold = early, slices.DeleteFunc(filled, isLate), slices.DeleteFunc(sold, isLate)
	}
	isOther := func(i int) bool {
		return !hasWord(source.Columns[i].Heading, visitWords) || hasWord(source.Columns[i].Heading, wordSet("out"))
	}
	if came := slices.DeleteFunc(slices.Clone(filled), isOther); len(days) > 1 && len(came) == 1 {
		days = came
	}
	if len(days) > 1 {
		if days = filled; len(days) > 1 && hasAny(*source, schema.Order, schema.Revenue, schema.Gross) {
			days = sold
		}
	}
	if len(sent) == 1 && dates == 1 {
		days = sent
	}
	if began := beganAt(*source, len(days) > 0); len(early) == 0 && began >= 0 {
		days = []int{began}
	}
	isStock := hasAny(*source, schema.Stock) || hasAny(*source, schema.Reorder) && !hasAny(*source, schema.Order, schema.Customer)
	if len(days) == 1 && !isStock {
		source.Columns[days[0]].Role = schema.Day
	}
}

// beganAt returns the column of the day on which what was sold began, or -1. A quote of a list of jobs may not have begun.
func beganAt(source schema.Source, dated bool) int {
	if !hasAny(source, schema.Revenue, schema.Gross) {
		return -1
	}
	return slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return accepts(schema.Day, c) && (c.Blank == 0 || dated && hasAny(source, schema.Order)) && hasWord(c.Heading, beganWords)
	})
}

// settleDocument makes the date of the documents that the rows are numbered by the day, where another
// document has one, too: Invoice Date, and not Order Date, beside an Invoice No. It reports whether it
// did.
func settleDocument(source *schema.Source) bool {
	order, ok := source.ByRole(schema.Order)
	document, _, _ := strings.Cut(writtenOut(header.Fold(order.Heading)), " ")
	i := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return writtenOut(header.Fold(c.Heading)) == document+" date" && c.Blank == 0 && accepts(schema.Day, c)
	})
	if !ok || i < 0 {
		return false
	}
	giveRole(source.Columns, i, schema.Day)
	return true
}

// settleSpan makes the day on which something began the day, in place of the one on which it was booked, if the row has
// when it ended, too: Start Time and End Time beside Date Scheduled, Out and Back of what is hired. Without those it is the
// one for which it was booked: Scheduled Date beside Created On. It reports whether it did.
func settleSpan(source *schema.Source) bool {
	isFull := func(c schema.Column) bool { return c.Blank == 0 && accepts(schema.Day, c) }
	start := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		ends := endsOf(header.Fold(c.Heading))
		isEnd := func(o schema.Column) bool {
			return slices.Contains(ends, header.Fold(o.Heading)) && accepts(schema.Day, o)
		}
		return isFull(c) && slices.ContainsFunc(source.Columns, isEnd)
	})
	if start < 0 {
		start = slices.IndexFunc(source.Columns, func(c schema.Column) bool { return isFull(c) && hasWord(c.Heading, wordSet("scheduled appointment")) })
	}
	day, dated := source.ByRole(schema.Day)
	if start < 0 || dated && !hasWord(day.Heading, wordSet("created booked booking scheduled")) {
		return false
	}
	giveRole(source.Columns, start, schema.Day)
	return true
}

// endsOf returns the headings of the end of what a heading is the beginning of, none if it is that of none.
func endsOf(heading string) []string {
	if rest, ok := strings.CutPrefix(heading, "start "); ok {
		return []string{"end " + rest}
	}
	switch heading {
	case "out", "date out", "out date", "hired", "hired on", "hire date", "hired from":
		return strings.Split("back,date back,back date,due back,back on,returned,date returned,returned on,return date,hired to", ",")
	case "pick up", "pickup", "pick up date", "pickup date":
		return strings.Split("drop off,dropoff,drop off date,dropoff date,return,return date", ",")
	}
	return nil
}

// otherNameWords begin the headings of names that are no products.
var otherNameWords = wordSet(`customer client first last full company contact ship shipping billing employee staff supplier vendor store shop branch city month day user file
	brand category payment sales cashier seller buyer device screen account project campaign state country region
	invitee bill restaurant retailer recipient tab team latin scientific botanical guest patient member student pupil parent owner tenant child rider driver passenger visitor`)

// settleProduct finds the product among the columns of names if no heading tells it, and the category in a column with
// its kinds.
func settleProduct(source *schema.Source) {
	kinds := kindsOfThings(*source)
	_, named := source.ByRole(schema.Product)
	for i, c := range source.Columns {
		heading := header.Fold(c.Heading)
		words := strings.Fields(heading)
		isName := len(words) > 1 && words[len(words)-1] == "name" && !otherNameWords[words[0]]
		kind, hasKind := kinds[heading]
		if c.Role == schema.Product || !named && (isName || hasKind) && c.Role == schema.None && c.Type == schema.Text && c.Distinct > 1 {
			source.Columns[i].Role = schema.Product
			if hasKind && !hasAny(*source, schema.Category) {
				source.Columns[kind].Role = schema.Category
			}
			return
		}
	}
}

// kindsOfThings returns the columns with the kinds of things, by the heading of the things:
// Plant Type by plant.
func kindsOfThings(source schema.Source) map[string]int {
	kinds := map[string]int{}
	for i, c := range source.Columns {
		thing, last, ok := strings.Cut(header.Fold(c.Heading), " ")
		isKind := ok && slices.Contains([]string{"type", "kind", "category", "group", "family"}, last)
		if _, has := kinds[thing]; isKind && !has && c.Type == schema.Text && (c.Role == schema.Category || c.Role == schema.None) {
			kinds[thing] = i
		}
	}
	return kinds
}

// settleBook makes the day on which a thing went out the day of a stock book, in which each thing has a row, and an
// amount once it is sold: Out, and not In. What is on its ticket is the price.
func settleBook(source *schema.Source) {
	in := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return accepts(schema.Day, c) && c.Blank == 0 })
	out := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return accepts(schema.Day, c) && c.Blank > 0 && hasWord(c.Heading, outWords)
	})
	key := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return c.Distinct == source.Rows && (c.Role == schema.SKU || c.Role == schema.None && isCodeHeading(c.Heading))
	})
	if !in || out < 0 || key < 0 {
		return
	}
	sold := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		isCount := c.Role == schema.Quantity && c.Blank == source.Columns[out].Blank && header.Fold(c.Heading) == "sold"
		return c.Blank > 0 && (c.Role == schema.Revenue || isCount)
	})
	if sold < 0 {
		return
	}
	giveRole(source.Columns, sold, schema.Revenue)
	giveRole(source.Columns, out, schema.Day)
	giveRole(source.Columns, key, schema.SKU)
	giveFirst(source, schema.Price, isTicket)
}

// outWords are in the headings of days on which things left a shop.
var outWords = wordSet("out sold")

// settlePieces makes what was paid the cost, in a list of single things that were bought on one day and
// sold on another, if at all: Paid beside Sold For. A cost of repair is a part of it.
func settlePieces(source *schema.Source) {
	sold, dated := source.ByRole(schema.Day)
	bought := slices.ContainsFunc(source.Columns, func(c schema.Column) bool {
		return c.Role == schema.None && accepts(schema.Day, c) && (hasWord(c.Heading, boughtWords) || dated && sold.Blank > 0 && c.Blank == 0 && (hasWord(sold.Heading, soldWords) || hasWord(sold.Heading, outWords)))
	})
	cost, costed := source.ByRole(schema.Cost)
	isWhole := costed && !hasWord(cost.Heading, repairWords)
	if !bought || !dated || !hasAny(*source, schema.Revenue) || isWhole || hasAny(*source, schema.UnitCost, schema.Quantity, schema.Payment) {
		return
	}
	paid := slices.IndexFunc(source.Columns, func(c schema.Column) bool {
		return (c.Role == schema.None || c.Role == schema.Paid) && accepts(schema.Cost, c) && hasWord(c.Heading, wordSet("paid gave spent"))
	})
	if paid >= 0 {
		giveRole(source.Columns, paid, schema.Cost)
	}
}

// repairWords are in the headings of what was spent on a thing after it was bought.
var repairWords = wordSet("repair repairs fix parts cleaning restoration resto")

// boughtWords are in the headings of the days on which the shop bought something that it sells.
var boughtWords = wordSet("bought purchased acquired")

// soldWords are in the headings of quantities that were sold.
var soldWords = wordSet("sold ordered purchased bought used")

// pieceWords are headings of how many pieces of goods there are.
var pieceWords = wordSet("balls skeins hanks cones plants trees pots books copies bikes garments skus")

// settleStock makes the quantity of a list the stock, if the list has what only lists of
// goods have (suppliers, reorder points), or prices and a code of each row, and no
// days, orders, customers or amounts.
func settleStock(source *schema.Source) {
	if hasAny(*source, schema.Day, schema.Order, schema.Revenue, schema.Gross, schema.Stock, schema.Customer) {
		return
	}
	isPriced := hasAny(*source, schema.Price) && hasAny(*source, schema.Cost)
	isList := isPriced || hasAny(*source, schema.Reorder, schema.Incoming, schema.LeadTime, schema.Supplier, schema.UnitCost)
	hasCodes := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.SKU && c.Distinct == source.Rows })
	if !isList && !(hasCodes && hasAny(*source, schema.Price)) {
		return
	}
	giveFirst(source, schema.Stock, func(c schema.Column) bool {
		words := strings.Fields(writtenOut(header.Loose(c.Heading)))
		isCount := c.Scale == 0 && c.Unit == schema.Plain && len(words) > 0
		ofEach := len(words) == 1 && (words[0] == "got" || words[0] == "have" || sizeWords[words[0]] && strings.HasSuffix(words[0], "s") || pieceWords[words[0]])
		return isList && isCount && (ofEach || len(words) == 2 && words[0] == "total" && sizeWords[words[1]]) // of cases and single bottles
	})
	if hasAny(*source, schema.Stock) {
		giveNone(source, schema.Quantity)
		return
	}
	for i, c := range source.Columns {
		if c.Role == schema.Quantity && !hasWord(c.Heading, wordSet("sold")) && (isList || !hasWord(c.Heading, soldWords)) {
			source.Columns[i].Role = schema.Stock
		}
	}
}

// settleCost makes what a unit of the stock costs the unit cost, in place of a trade price, for which
// others may buy it, and of what another unit costs: Cost/Btl beside Total Btls and Cost/Case.
func settleCost(source *schema.Source) {
	stock, ok := source.ByRole(schema.Stock)
	cost, costed := source.ByRole(schema.UnitCost)
	if !ok || !costed {
		return
	}
	units := strings.Fields(writtenOut(header.Loose(stock.Heading)))
	best := -1
	for i, c := range source.Columns {
		if c.Type != schema.Number || !hasWord(c.Heading, wordSet("cost")) || !slices.Contains(composed(c.Heading), schema.UnitCost) && c.Role != schema.UnitCost {
			continue
		}
		isOfStock := slices.ContainsFunc(units, func(u string) bool {
			return sizeWords[u] && hasWord(writtenOut(header.Loose(strings.ReplaceAll(c.Heading, "/", " per "))), wordSet(u+" "+english.Lemma(u)))
		})
		if isOfStock || best < 0 && !hasWord(cost.Heading, wordSet("cost")) {
			best = i
			if isOfStock {
				break
			}
		}
	}
	if best >= 0 {
		giveRole(source.Columns, best, schema.UnitCost)
	}
}

// nameAbbreviated sets the full name of columns with abbreviated headings: W/hse is Warehouse, and a flag Disc. is
// Discontinued in a list of goods and Discounted in sales.
func nameAbbreviated(source *schema.Source) {
	for i, c := range source.Columns {
		if full := writtenOut(header.Fold(c.Heading)); c.Type == schema.Number && schema.ShelfOf(header.Fold(c.Heading)) == "" && schema.ShelfOf(full) != "" {
			source.Columns[i].Named = full
		}
		if header.Fold(c.Heading) == "pd" && (c.Type == schema.Truth || c.Type == schema.Text) {
			source.Columns[i].Named = "Paid"
		}
		if folded := header.Fold(c.Heading); c.Type == schema.Truth && (folded == "disc" || folded == "d c" || folded == "discont" || folded == "disco") {
			source.Columns[i].Named = map[bool]string{true: "Discounted", false: "Discontinued"}[source.Kind == schema.Sales && folded == "disc"]
		}
	}
}

// giveFirst gives a role that no column has to the first column that passes, fits it and has none.
func giveFirst(source *schema.Source, role schema.Role, passes func(schema.Column) bool) {
	if hasAny(*source, role) {
		return
	}
	i := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Role == schema.None && accepts(role, c) && passes(c) })
	if i >= 0 {
		source.Columns[i].Role = role
	}
}

// giveNone takes a role away.
func giveNone(source *schema.Source, role schema.Role) {
	for i, c := range source.Columns {
		if c.Role == role {
			source.Columns[i].Role = schema.None
		}
	}
}

// hasAny reports whether a column has one of the roles.
func hasAny(source schema.Source, roles ...schema.Role) bool {
	return slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return slices.Contains(roles, c.Role) })
}

// settleFrom takes a column called just From for no supplier where nothing says what goods cost.
func settleFrom(source *schema.Source) {
	from, ok := source.ByRole(schema.Supplier)
	if ok && header.Fold(from.Heading) == "from" && (hasAny(*source, schema.Revenue, schema.Gross) || !hasAny(*source, schema.UnitCost, schema.Cost, schema.Stock, schema.Reorder)) {
		giveNone(source, schema.Supplier)
	}
}
