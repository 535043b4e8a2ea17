package dataset

import (
	"slices"

	"svc/server/header"
	"svc/server/schema"
)

// endedWords are in the headings of days on which a membership, a subscription or a contract
// ended, againWords in those of what is paid for it again and again.
var (
	endedWords = wordSet("cancelled canceled cancellation cancels ended end ends left leaving closed lapsed terminated termination expired expires expiry exp renews renewal churned churn quit unsubscribed resigned until")
	againWords = wordSet("monthly weekly yearly annual annually quarterly fortnightly mrr arr pcm pm pa")
	// beganWords are in the headings of days on which it began, beside joinedWords.
	beganWords = wordSet("start started starts begin began begins beginning activated activation subscribed opened inception commenced")
)

// standings are how members stand, as a column of them says.
var standings = wordSet("active lapsed frozen paused dormant")

// listsMembers reports whether each row is somebody or something that joined and stays: it has the
// day on which it began, and one on which it ended, which is blank for those that last, or what is
// paid for it again and again. What they pay is no sale of that day, and one who left was no less a
// member than others. Rows with orders or quantities are sales.
func listsMembers(s schema.Source) bool {
	if hasAny(s, schema.Order, schema.Quantity, schema.Stock) || !slices.ContainsFunc(s.Columns, func(c schema.Column) bool { return isKeyOf(s, c) }) {
		return false
	}
	hasStanding := slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		return c.Type == schema.Text && c.Distinct <= mostOfStatus && slices.ContainsFunc(c.Values, func(v string) bool { return standings[header.Fold(v)] })
	})
	ended := func(c schema.Column) bool {
		return accepts(schema.Day, c) && (c.Blank > 0 || hasStanding) && hasWord(c.Heading, endedWords) || c.Type == schema.Number && isPaidAgain(c)
	}
	return slices.ContainsFunc(s.Columns, isBeginning) && slices.ContainsFunc(s.Columns, ended)
}

// isBeginning reports whether a column has for each row the day on which something began.
func isBeginning(c schema.Column) bool {
	return accepts(schema.Day, c) && c.Blank == 0 && (hasWord(c.Heading, joinedWords) || hasWord(c.Heading, beganWords))
}

// isKeyOf reports whether a column identifies the rows of a source by a number or a name.
func isKeyOf(s schema.Source, c schema.Column) bool {
	isNamed := c.Role == schema.Customer || isCodeHeading(c.Heading) || hintOf(c.Heading) == schema.Customer || header.Fold(c.Heading) == "name"
	return c.Type == schema.Text && c.Blank == 0 && c.Distinct == s.Rows && isNamed
}

// isPaidAgain reports whether a column of numbers is of what is paid each month, or the like.
func isPaidAgain(c schema.Column) bool {
	return hasWord(c.Heading, againWords) && (c.Role == schema.Price || c.Role == schema.Revenue || c.Unit == schema.Money || hasWord(c.Heading, priceWords))
}

// lastWords are in the headings of days on which a client was there last.
var lastWords = wordSet("visit visited seen order ordered appointment booking purchase attended in came groom clean cleaned done lesson session service serviced")

// listsClients reports whether each row is a client, or a pet of one, with the day of the last visit, or with how often
// they came and what they spent: nothing in it is a sale.
func listsClients(s schema.Source) bool {
	customer, ok := s.ByRole(schema.Customer)
	day, dated := s.ByRole(schema.Day)
	joined := !dated || hasWord(day.Heading, joinedWords) || hasWord(day.Heading, wordSet("first"))
	isOther := func(c schema.Column) bool { return c.Role == schema.Quantity && !isComing(c) }
	if !ok || !joined || 10*customer.Distinct < 7*s.Rows || hasAny(s, schema.Order, schema.Stock) || slices.ContainsFunc(s.Columns, isOther) {
		return false
	}
	spent := slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && hasWord(c.Heading, wordSet("spent spend lifetime ltv"))
	})
	return spent && slices.ContainsFunc(s.Columns, isComing) || slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		return accepts(schema.Day, c) && hasWord(c.Heading, wordSet("last")) && hasWord(writtenOut(header.Fold(c.Heading)), lastWords)
	})
}

// isComing reports whether a column has how often each client came or ordered.
func isComing(c schema.Column) bool {
	return c.Type == schema.Number && c.Unit != schema.Money && hasWord(c.Heading, wordSet("orders visits transactions transaction bookings appointments purchases"))
}

// isFirstDay reports whether a column has the days on which clients joined or came for the first time.
func isFirstDay(c schema.Column) bool {
	return accepts(schema.Day, c) && (hasWord(c.Heading, joinedWords) || hasWord(c.Heading, wordSet("first")))
}

// settleClients makes the first day of each client the day of the row, if there is none, and takes the roles of what is
// sold from a list of clients: what each has spent so far is no sale, and what each usually has no product.
func settleClients(source *schema.Source) {
	if !listsClients(*source) {
		return
	}
	if first := slices.IndexFunc(source.Columns, isFirstDay); first >= 0 && !hasAny(*source, schema.Day) && 10*source.Columns[first].Blank < source.Rows {
		source.Columns[first].Role = schema.Day
	}
	for i, c := range source.Columns {
		if c.Role == schema.Revenue || c.Role == schema.Price || c.Role == schema.Gross {
			source.Columns[i].Unit = schema.Money
			source.Columns[i].Role = schema.None
		}
		if c.Role == schema.Product || c.Role == schema.Quantity {
			source.Columns[i].Role = schema.None
		}
	}
}
