package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// state is what a text says became of a sale.
type state int

const (
	stands    state = iota // or the text does not tell
	cancelled              // before it was delivered, or without a payment
	refunded               // as a whole
	inPart                 // refunded or returned in part
	missed                 // nobody came
	draft                  // not sent yet, or only offered
)

// Words of states, in English, German, French, Spanish and Portuguese.
var (
	cancelledWords = wordSet(`cancelled canceled canc cncl cxl canx cxld voided storniert annulliert annule annulee annules annulees cancelado cancelada cancelados canceladas anulado anulada anulados anuladas`)
	cancelWords    = wordSet(`cancel cancellation void storno stornierung`)
	refundWords    = wordSet(`refunded refund returned return chargeback reimbursed erstattet ruckerstattet zuruckerstattet retourniert zuruckgegeben zuruckgesandt
		rembourse remboursee rembourses retourne retournee reembolsado reembolsada devuelto devuelta devolvido devolvida estornado estornada`)
	partWords = wordSet(`partial partially partly part teilweise teil partiel partielle partiellement parcial parcialmente`)
	notWords  = wordSet(`not no non never without nicht ohne sans sin sem nao`)
	// openWords show that it has not happened.
	openWords = wordSet(`requested request pending awaiting expected denied declined rejected refused angefragt demande solicitado pendiente pendente possible eligible allowed`)
	// returnWords name a kind of document or row that takes a sale back.
	returnWords = wordSet(`refund refunds return returns chargeback storno stornorechnung gutschrift rechnungskorrektur retoure erstattung ruckerstattung
		avoir remboursement retour abono devolucion reembolso devolucao estorno reversal`)
	draftWords    = wordSet("draft drafts quote quoted quotation estimate estimated entwurf brouillon borrador rascunho")
	paidWords     = wordSet(`paid pay payment`)
	missedPhrases = header.Words("no show|noshow|did not attend|did not show|did not turn up|did not come|not attended|dna")
	returnPhrases = header.Words("credit note|credit memo|credit invoice|nota de credito|note de credit|facture d avoir")
)

// longestState bounds the texts that are read as states, in bytes.
const longestState = 60

// stateOf returns the state that a value of a status column says. What is cancelled stays so
// while its refund is pending.
func stateOf(text string) state {
	has := func(words map[string]bool) bool { return hasWord(text, words) }
	isRefund, isCancel := has(refundWords), has(cancelWords)
	switch {
	case len(text) <= longestState && slices.ContainsFunc(missedPhrases, func(p string) bool { return header.Fold(text) == p }):
		return missed
	case len(text) > longestState || has(notWords):
		return stands
	case has(partWords) && (isRefund || isCancel || has(cancelledWords)):
		return inPart
	case has(cancelledWords):
		return cancelled
	case has(openWords):
		return stands
	case isCancel:
		return cancelled
	case isRefund:
		return refunded
	case has(draftWords):
		return draft
	}
	return stands
}

// attendWords are in the headings of whether people came to what they had booked.
var attendWords = wordSet("attended attend attendance attd")

// absence returns the state that a no means under a heading.
func absence(heading string) state {
	if hasWord(heading, attendWords) {
		return missed
	}
	return stands
}

// attendance is stateOf of a column that says whether people came.
func attendance(text string) state {
	if is, ok := truths[strings.ToLower(text)]; ok && !is || strings.EqualFold(text, "absent") {
		return missed
	}
	return stateOf(text)
}

// webStates are the states of orders of web shops such as WooCommerce, and unpaidStates those in which the
// payment failed or never came; their own reports leave these orders out. So do those of card readers and payment
// services, which say successStates beside failedStates. paymentStates are all states of payments: among these alone
// pending is a payment that has not come, and else an order that is under way.
var (
	successStates = header.Words("successful|success|succeeded|paid|captured|approved|completed|complete|settled|cleared")
	webStates     = header.Words("pending payment|pending|processing|on hold|completed|cancelled|canceled|refunded|failed|draft|checkout draft")
	failedStates  = header.Words("failed|fail|failure|declined|denied|payment failed|payment declined|card declined")
	unpaidStates  = append(header.Words("pending payment|checkout draft"), failedStates...)
	paymentStates = slices.Concat(successStates, failedStates, header.Words("pending|pending payment|refunded|partially refunded|cancelled|canceled|voided|expired|disputed|chargeback"))
)

// ofPayments returns the function that reads the values of a column of payment states. It returns nil for other
// columns. A column has payment states if all its values are states of a web shop and one is of an unpaid order, or
// if it has both a payment that succeeded and one that failed.
func ofPayments(values []string) func(string) state {
	has := func(states ...string) bool {
		return slices.ContainsFunc(values, func(v string) bool { return slices.Contains(states, header.Fold(v)) })
	}
	all := func(states []string) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(states, header.Fold(v)) })
	}
	hasFailed := has(failedStates...) && has(successStates...)
	if isOfWebShop := has(unpaidStates...) && has("completed") && has("processing", "on hold") && all(webStates); !isOfWebShop && !hasFailed {
		return nil
	}
	unpaid := unpaidStates
	if hasFailed && all(paymentStates) {
		unpaid = append(slices.Clone(unpaid), "pending")
	}
	return func(text string) state {
		if slices.Contains(unpaid, header.Fold(text)) {
			return draft
		}
		return stateOf(text)
	}
}

// isReturn reports whether a value of a column of types names rows that take a sale back.
func isReturn(text string) bool {
	folded := header.Fold(text)
	if len(text) > longestState || hasWord(text, openWords) || hasWord(text, notWords) {
		return false
	}
	for _, phrase := range returnPhrases {
		if strings.Contains(folded, phrase) {
			return true
		}
	}
	return slices.Contains([]string{"cn", "crn", "scn"}, folded) || hasWord(text, returnWords)
}

// isVoid reports whether a value of a column of types names sales that do not count. A
// cancellation fee does.
func isVoid(text string) bool {
	folded := header.Fold(text)
	return cancelWords[folded] || cancelledWords[folded]
}

var (
	statusWords = wordSet("status statut estado situacao zustand")
	typeWords   = wordSet("type typ art kind event document doc trans transaction txn belegart vorgang vorgangsart transaktionsart tipo")
	flagWords   = wordSet("is was has been order item sale line")
)

// isDropped reports whether somebody took a column's role away, so that it tells nothing.
func isDropped(c schema.Column) bool { return c.Corrected && c.Role == schema.None }

// tellsState reports whether a column's texts are states of sales.
func tellsState(c schema.Column) bool {
	return c.Type == schema.Text && !isDropped(c) && !tellsType(c) && (c.Role == schema.Status || hintOf(c.Heading) == schema.Status || hasWord(c.Heading, statusWords))
}

// tellsType reports whether a column's texts are kinds of rows.
func tellsType(c schema.Column) bool {
	isOther := c.Role != schema.None && c.Role != schema.Status && c.Role != schema.Category
	return c.Type == schema.Text && !isDropped(c) && !isOther && hasWord(c.Heading, typeWords)
}

// flagOf returns the state that the heading of a yes or no names: Cancelled, Is returned, Marked as No-Show.
func flagOf(heading string) state {
	found, words := stands, 0
	isRest := func(word string) bool { return flagWords[word] || word == "marked" || word == "as" }
	if said := slices.DeleteFunc(strings.Fields(header.Fold(heading)), isRest); slices.Contains(missedPhrases, strings.Join(said, " ")) {
		return missed
	}
	for word := range strings.FieldsSeq(header.Fold(heading)) {
		switch {
		case flagWords[word]:
			continue
		case cancelWords[word] || cancelledWords[word]:
			found = cancelled
		case refundWords[word]:
			found = refunded
		}
		words++
	}
	if words != 1 {
		return stands
	}
	return found
}
