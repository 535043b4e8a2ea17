package read

import (
	"svc/server/ask/plan"
)

// productions is the grammar: what adjacent items mean together. Items that no production
// joins merge as they are, at the cost of looseCost.
var productions = []production{
	// Values and conditions.
	{"value of name", []string{valueCat, nameCat}, valueCat, 0, valueOfName},
	{"name value", []string{nameCat, valueCat}, valueCat, 0, nameValue},
	{"name number", []string{nameCat, valueCat}, valueCat, -0.9, nameNumber},
	{"values", []string{valueCat, "and|or|versus", valueCat}, valueCat, 0, values},
	{"cancelled or value", []string{"cancelled", "and|or", valueCat}, valueCat, -0.2, orCancelled},
	{"value or cancelled", []string{valueCat, "and|or", "cancelled"}, valueCat, -0.2, orCancelled},
	{"value beats value", []string{valueCat, "grown|shrunk", valueCat}, clauseCat, 0, contrast},
	{"how many of each value", []string{valueCat, "howmany", valueCat}, valueCat, -0.1, values},
	{"how many of each value", []string{valueCat, "and", "howmany", valueCat}, valueCat, -0.1, eachValue},
	{"list of values", []string{valueCat, valueCat}, valueCat, 0.1, values},
	{"number of figure", []string{numberCat, figureCat}, valueCat, 0.3, numberOfFigure},
	{"not value", []string{"not|without", valueCat}, valueCat, 0, notValue},
	{"value left out", []string{valueCat, "leftout"}, valueCat, -0.4, valueLeftOut},
	{"leave a value out", []string{"leaving", valueCat, "leftout"}, valueCat, -0.4, notValue},
	{"leave returns out", []string{"leaving", "refund|cancelled", "leftout"}, "net of returns", -0.4, netOfReturns},
	{"not a value left out", []string{"not", valueCat, "leftout"}, valueCat, 0, notValue},
	{"not told", []string{"not|without", "told|with"}, "without", 0, notTold},
	{"tells nothing", []string{"told|with", "without"}, "without", 0, second},
	{"nothing told", []string{valueCat, "told"}, valueCat, 0, nothingTold},
	{"blanks left out", []string{"not|without", "without"}, clauseCat, 0, blanksLeftOut},
	{"without name", []string{"without|nothing", nameCat}, valueCat, 0.2, blank},
	{"without who or how", []string{"without", "who|how|which|when|where", nameCat}, valueCat, 0.2, blank},
	{"name missing", []string{nameCat, "without"}, valueCat, 0, missingName},
	{"figure missing", []string{figureCat, "without"}, valueCat, 0, missingFigure},
	{"under a flag", []string{opCat, valueCat}, valueCat, 0, underFlag},
	{"with name", []string{"with|holding", nameCat}, valueCat, -0.1, filled},
	{"without figure", []string{"without", figureCat}, valueCat, 0.2, blankFigure},
	{"none of figure", []string{"nothing|some|negative", figureCat}, valueCat, 0, amountOf},
	{"negative figure", []string{"negative", figureCat}, clauseCat, 0, negativeFigure},
	{"with some of figure", []string{"with", "nothing|some|negative", figureCat}, valueCat, -0.4, withSome},
	{"not happened", []string{"not|without", eventCat}, valueCat, -0.1, happenedNot},
	{"happened", []string{"with", eventCat}, valueCat, 0.1, hasHappened},
	{"event late", []string{eventCat, valueCat}, valueCat, -0.1, eventValue},
	{"late event", []string{valueCat, eventCat}, valueCat, -0.1, eventValue},
	{"event on days", []string{eventCat, timeCat}, valueCat, -0.1, onDays},
	{"days to come of an event", []string{timeCat, eventCat}, valueCat, -0.1, comingEvent},
	{"expires within days", []string{eventCat, "in", numberCat}, valueCat, -0.3, expiresWithin},
	{"same day", []string{"same", nameCat}, valueCat, 0, sameDay},
	{"event same day", []string{eventCat, "same", nameCat}, valueCat, -0.1, sameDay},
	{"same day event", []string{"same", nameCat, eventCat}, valueCat, -0.1, sameDay},
	{"events same day", []string{eventCat, "and", eventCat, "same", nameCat}, valueCat, -0.1, sameDay},
	{"number or value", []string{numberCat, "and|or", valueCat}, valueCat, 0, numberOrValue},
	{"off a price", []string{"off", figureCat}, clauseCat, -1, offPrice},
	{"per cent off", []string{numberCat, "off|" + figureCat}, valueCat, 0, percentOff},
	{"figure of number", []string{figureCat, numberCat}, valueCat, 0.3, figureOfNumber},
	{"figure of value versus figure of value", []string{valueCat, figureCat, "versus|or|and|than", valueCat, figureCat}, clauseCat, -0.1, figuresOfValues},
	{"figure of value versus value", []string{valueCat, figureCat, "versus|or", valueCat}, clauseCat, 0, figuresOfValues},
	{"versus values", []string{"versus", valueCat, "with|and|in|versus", valueCat}, valueCat, 0, valuesCompared},
	{"versus figures of values", []string{"versus", valueCat, figureCat, "with|and|in|versus", valueCat}, clauseCat, -0.1, versusFigures},
	{"value than value", []string{valueCat, "than", valueCat}, clauseCat, -0.1, contrast},
	{"versus things", []string{"versus", valueCat, "with|and|in|versus", valueCat}, clauseCat, 0, sidesApart},
	{"value versus the rest", []string{valueCat, "versus|or|than", "other"}, clauseCat, -0.1, againstRest},
	{"part versus part", []string{valueCat, "versus|or", valueCat}, clauseCat, 0, partsOfTime},
	{"days said again", []string{timeCat, timeCat}, timeCat, -0.3, saidAgain},
	{"named days said again", []string{timeCat, nameCat + "|row|" + figureCat, timeCat}, timeCat, -0.3, saidAgain},
	{"days only", []string{timeCat, "only"}, timeCat, 0, first},
	{"days but not days", []string{timeCat, "not|without", timeCat}, timeCat, -0.1, daysButNot},
	{"days but not in days", []string{timeCat, "not|without", "in", timeCat}, timeCat, -0.1, daysButNot},
	{"only days", []string{"only", timeCat}, timeCat, 0, second},
	{"only value", []string{"only", valueCat}, valueCat, 0, second},
	{"value only", []string{valueCat, "only"}, valueCat, 0, first},
	{"value of rows only", []string{valueCat, "row|" + nameCat + "|" + figureCat, "only"}, valueCat, 0, rowsOnly},
	{"only figure", []string{"only", figureCat}, figureCat, 0, onlyFigure},
	{"before a year", []string{"before|after|until|in", numberCat}, valueCat, 0, ofYears},
	{"by value", []string{"by", valueCat}, valueCat, 0, byValue},
	{"by spending", []string{"by", "sell"}, figureCat, 0, bySpending},
	{"by what is spent", []string{"by", "which", "sell"}, figureCat, 0, byWhatIsSpent},
	{"by number", []string{"by", numberCat}, numberCat, 0, byNumber},
	{"value versus its opposite", []string{valueCat, "versus|or|and|than", valueCat}, groupCat, -0.1, oppositeValues},
	{"value or not", []string{valueCat, "versus|or|and", "not|without"}, groupCat, 0, yesOrNo},
	{"value yes or no", []string{valueCat, "yesno"}, groupCat, 0, yesOrNo},
	{"with or without", []string{valueCat, "versus|or|and|than", "without|not"}, clauseCat, -0.1, withOrWithout},
	{"with or who not", []string{valueCat, "versus|or|and|than", "who", "without|not"}, clauseCat, -0.1, withOrWithout},
	{"by whether value", []string{"by|and", "whether", valueCat}, groupCat, 0, whether},
	{"value or who not", []string{valueCat, "versus|or|and", "who", "not|without"}, groupCat, 0, yesOrNo},
	{"value sells more than value", []string{valueCat, "sell", "more|less", "than", valueCat}, clauseCat, 0, contrast},
	{"value more figure than value", []string{valueCat, "more|less", figureCat, "than", valueCat}, clauseCat, 0, contrastFigure},
	{"value sells more figure than value", []string{valueCat, "sell", "more|less", figureCat, "than", valueCat}, clauseCat, 0, contrastFigure},
	{"value sells more per order than value", []string{valueCat, "sell", "more|less", "divisor", "than", valueCat}, clauseCat, -0.2, contrastOrders},
	{"more value or more value", []string{"more|less", valueCat, "or|than", "more|less", valueCat}, clauseCat, 0, moreOrMore},
	{"value more than value", []string{valueCat, "more|less|grown|shrunk", "than", valueCat}, clauseCat, 0, contrast},

	{"with figure", []string{"with|holding", figureCat}, valueCat, -0.3, withFigure},

	{"after returns", []string{"after|without|not|net|bare net", "refund|cancelled"}, "net of returns", 0, netOfReturns},
	{"never reversed", []string{"not", "refund|cancelled"}, valueCat, 0, neverReversed},
	{"total given back", []string{foldCat, "refund"}, figureCat, -0.5, totalRefunded},
	{"returns left out", []string{"refund|cancelled", "leftout"}, "net of returns", 0, netOfReturns},
	{"net revenue", []string{"bare net", figureCat}, figureCat, 0, netRevenue},
	{"rate of value", []string{"rate of", valueCat}, clauseCat, 0, rateOf},
	{"bought with", []string{"buy|sell", "with|and", valueCat}, thingCat, -0.5, boughtWith},

	// Names and groups.
	{"modified name", []string{valueCat, nameCat}, nameCat, 0.05, modified},
	{"number of a column", []string{"howmany", nameCat}, nameCat, -0.1, numericName},
	{"count of a column", []string{nameCat, foldCat}, nameCat, -0.2, numericCount},
	{"count of things", []string{nameCat + "|row", foldCat}, figureCat, 0, countOfThings},
	{"count rows", []string{"howmany", "row"}, figureCat, 0, countOfThings},
	{"by values", []string{"by", valueCat}, groupCat, 0, byValues},
	{"split between values", []string{"by", opCat, valueCat}, groupCat, 0, byValues},
	{"average time", []string{foldCat, nameCat}, groupCat, -0.1, averageTime},
	{"number of each", []string{"howmany", "by"}, "howmany", 0, ofEach},
	{"figure of each", []string{figureCat, "by"}, figureCat, 0, ofEach},
	{"names of each", []string{nameCat, "by"}, nameCat, 0, ofEach},
	{"distribution of names", []string{"distribution", nameCat}, groupCat, 0, distribution},
	{"date of what happens", []string{nameCat + "|" + eventCat, nameCat + "|" + thingCat}, nameCat, -0.1, dateOf},
	{"noun of noun", []string{nameCat + "|row|" + thingCat, nameCat}, nameCat, 0, compound},
	{"figure of noun", []string{nameCat + "|row", figureCat}, figureCat, 0, compoundFigure},
	{"figure in its unit", []string{figureCat, figureCat}, figureCat, -0.3, inItsUnit},
	{"figure in money", []string{figureCat, "money"}, figureCat, 0, inMoney},
	{"money of a figure", []string{figureCat, figureCat}, figureCat, -0.3, moneyOf},
	{"order lines", []string{figureCat + "|" + nameCat, figureCat}, figureCat, -0.1, orderLines},
	{"kind of name", []string{thingCat, nameCat}, nameCat, -1, kindOf},
	{"name kind", []string{nameCat, thingCat}, nameCat, -1, kindOf},
	{"by time", []string{"by", "times"}, "trend", 0, trend},
	{"name on an axis", []string{nameCat, "by"}, groupCat, 0, onAxis},
	{"by name", []string{"by", nameCat}, groupCat, 0, byName},
	{"figure per row", []string{figureCat, "by", "row"}, figureCat, -0.1, perRows},
	{"things that an order has", []string{figureCat + "|" + nameCat, figureCat + "|" + nameCat, "with"}, figureCat, -0.4, thingsOfOrder},
	{"figure of each row", []string{figureCat, "in", "row"}, figureCat, 0, first},
	{"over years", []string{opCat, nameCat}, groupCat, 0, overYears},
	{"groups", []string{groupCat, "and", nameCat}, groupCat, 0.1, moreGroups},
	{"list of groups", []string{groupCat, nameCat}, groupCat, 0, listedGroups},
	{"by figure", []string{"by", figureCat}, clauseCat, 0.1, byFigure},
	{"things by figure", []string{nameCat + "|" + figureCat, "by", figureCat}, clauseCat, -0.2, thingsByFigure},
	{"totals of things", []string{nameCat + "|" + figureCat, foldCat}, clauseCat, -0.2, totalsOf},
	{"by what figure", []string{"by", "which", figureCat}, clauseCat, 0, byWhat},
	{"figure per figure", []string{figureCat, "by", figureCat}, figureCat, 0, perFigure},
	{"per figure", []string{"by", figureCat + "|" + nameCat + "|row"}, "divisor", -0.3, divisorOf},
	{"what one of a figure spends", []string{foldCat + "|by", figureCat, "sell"}, figureCat, -0.4, spentByOne},
	{"one of a figure", []string{figureCat + "|" + nameCat + "|row"}, "divisor", -0.1, oneOf},
	{"name by name", []string{nameCat, groupCat}, groupCat, 0, nameByName},
	{"things done per name", []string{"shrunk|grown", groupCat}, clauseCat, -0.5, doneTimes},
	{"names per name", []string{nameCat, groupCat}, clauseCat, 0.1, namesPer},
	{"which name", []string{"which", nameCat}, groupCat, 0, byWord("which")},
	{"which number of names", []string{"which", numberCat, nameCat}, clauseCat, 0, rankedName},
	{"which number", []string{"which", numberCat}, clauseCat, 0.4, whichNumber},
	{"names in order", []string{"ascending|descending", nameCat}, nameCat, 0, merged},
	{"list names", []string{"list", nameCat}, groupCat, 0.1, byWord("list")},
	{"rank names", []string{"rank", nameCat}, groupCat, 0, byWord("rank")},

	// Order.
	{"ranked name", []string{rankCat, nameCat}, clauseCat, 0, rankedName},
	{"ranked number of names", []string{rankCat, numberCat, nameCat}, clauseCat, 0, rankedName},
	{"names ranked by doing", []string{rankCat, "sell", nameCat}, clauseCat, 0, rankedDoers},
	{"number of names ranked by doing", []string{numberCat, rankCat, "sell", nameCat}, clauseCat, 0, rankedDoers},
	{"number of ranked names", []string{numberCat, rankCat, nameCat}, clauseCat, 0, rankedName},
	{"ranked kind", []string{rankCat, valueCat}, clauseCat, 0.1, rankedKind},
	{"ranked number of a kind", []string{rankCat, numberCat, valueCat}, clauseCat, 0.1, rankedKind},
	{"number of a ranked kind", []string{numberCat, rankCat, valueCat}, clauseCat, 0.1, rankedKind},
	{"which kind", []string{"which", valueCat}, clauseCat, 0, whichKind},
	{"both ends", []string{rankCat, "and|or|versus", rankCat}, rankCat, -0.1, bothEnds},
	{"ranked number", []string{rankCat, numberCat}, rankCat, 0.1, rankedNumber},
	{"nth ranked", []string{numberCat, rankCat}, rankCat, 0, nthRanked},
	{"ranked figure", []string{rankCat, figureCat}, clauseCat, 0, merged},
	{"number of figure-ranked names", []string{numberCat, rankCat, figureCat, nameCat}, clauseCat, 0, figureRanked},
	{"figure-ranked names", []string{rankCat, figureCat, nameCat}, clauseCat, 0.1, figureRanked},
	{"most different", []string{rankCat, nameCat}, clauseCat, 0.1, mostDifferent},

	// Bounds.
	{"bound", []string{opCat, numberCat}, boundCat, 0, boundNumber},
	{"bound after", []string{numberCat, afterCat}, boundCat, 0, boundAfter},
	{"bound on so many", []string{numberCat, figureCat + "|" + nameCat, afterCat}, clauseCat, -0.2, boundAfterThings},
	{"between", []string{opCat, numberCat, "and", numberCat}, boundCat, 0, between},
	{"bound of figure", []string{figureCat, boundCat}, clauseCat, 0, boundOfFigure},
	{"figure within bound", []string{boundCat, figureCat}, clauseCat, 0, boundOfFigure},
	{"rows with a bound", []string{"in", figureCat + "|row", "with", figureCat, boundCat}, valueCat, -0.5, rowsWithin},
	{"bound on number of names", []string{boundCat, nameCat}, clauseCat, 0.1, boundOnNames},
	{"bound on pieces", []string{boundCat, valueCat}, clauseCat, 0, boundOnPieces},
	{"bound on what is off", []string{boundCat, "off"}, clauseCat, -0.1, boundOff},
	{"bounds", []string{boundCat, "and", boundCat}, boundCat, 0, bothBounds},
	{"bound on different names", []string{boundCat, "different", nameCat}, clauseCat, 0, boundOnDifferent},
	{"only so many", []string{"only", numberCat}, boundCat, 0.1, onlyNumber},
	{"only had so many", []string{"only", "with|buy|sell", numberCat}, boundCat, 0, onlyHad},
	{"bound of times", []string{boundCat, "times"}, clauseCat, 0, boundOfTimes},
	{"so many times or more", []string{numberCat, "times", afterCat}, clauseCat, -0.2, timesOrMore},
	{"bound of one unit", []string{opCat, groupCat}, boundCat, 0, boundOneUnit},
	{"bound of one unit after it", []string{groupCat, afterCat}, boundCat, 0, boundOneUnitAfter},
	{"fee per time", []string{boundCat, groupCat}, boundCat, -0.3, feePerTime},
	{"bound per time", []string{boundCat, groupCat}, boundCat, 0, boundPerTime},
	{"figure beside figure", []string{figureCat, opCat, figureCat}, clauseCat, 0, besideFigure},
	{"more figure than figure", []string{"more|less", figureCat, "than", figureCat}, clauseCat, 0, moreThanFigure},
	{"beside figure", []string{opCat, figureCat}, clauseCat, 0.1, besideFigure},
	{"sells beside figure", []string{opCat + "|sell", opCat + "|less|more", figureCat}, clauseCat, -0.2, sellsBeside},
	{"how far beside figure", []string{"how", opCat, figureCat}, clauseCat, -0.1, howFar},
	{"range of figure", []string{thingCat, figureCat}, clauseCat, -1, rangeOf},

	{"names as a share of figure", []string{nameCat, "share", figureCat}, clauseCat, -0.1, namesAsShare},
	{"share of figure that is a kind", []string{"share", figureCat, figureCat}, clauseCat, -0.1, shareOfKind},
	{"figure as a share of figure", []string{figureCat, "share", figureCat + "|" + nameCat}, clauseCat, -0.1, pairOf(plan.ShareOf)},
	{"figure as a share of all", []string{figureCat, "share", foldCat}, clauseCat, 0, shareOfAll},
	{"figure in per cent", []string{figureCat, "share"}, figureCat, -0.05, inPercent},
	{"share of the bill", []string{"share", nameCat}, clauseCat, 0, shareOfBill},
	{"share of figure that is figure", []string{"share", figureCat + "|" + nameCat, figureCat}, clauseCat, -0.1, shareThatIs},
	{"ratio of figures", []string{"ratio", figureCat, "and|in|by", figureCat}, clauseCat, -0.1, pairOf(plan.Ratio)},
	{"figure converted to figure", []string{"conversion", figureCat, "in", figureCat}, clauseCat, -0.2, converted},
	{"ratio of figures", []string{"ratio", figureCat, figureCat}, clauseCat, -0.1, pairOf(plan.Ratio)},
	{"difference of figures", []string{"difference", figureCat, "and", figureCat}, clauseCat, -0.1, pairOf(plan.Difference)},
	{"amount against amount", []string{figureCat, "versus", figureCat}, clauseCat, -0.2, amountsAgainst},
	{"revenue net of an amount", []string{figureCat, "without|not|before|after|minus|net", figureCat}, clauseCat, -0.3, netOf},
	{"revenue minus cost", []string{figureCat, "minus|less", figureCat}, figureCat, -0.5, revenueMinusCost},
	{"owed after what is paid", []string{"owed", "after|minus|net|without|not", figureCat}, clauseCat, -0.3, owedAfterPaid},
	{"owed of a value after what is paid", []string{"owed", valueCat, "after|minus|net|without|not", figureCat}, clauseCat, -0.3, owedAfterPaid},
	{"less a part", []string{"after|minus|net", figureCat}, clauseCat, 0, lessOf},
	{"total of figures", []string{figureCat, "plus", figureCat}, clauseCat, -0.1, pairOf(plan.Total)},
	{"figure ratio", []string{figureCat, "in", figureCat, "ratio"}, clauseCat, -0.1, pairOf(plan.Ratio)},

	{"value of stock", []string{figureCat, figureCat}, figureCat, -0.3, valueOfStock},
	{"value of some stock", []string{figureCat, valueCat, figureCat}, figureCat, -0.3, valueOfStock},
	{"stock at a price", []string{figureCat, "in", figureCat}, figureCat, -0.5, stockAtPrice},
	{"at a price, stock", []string{"in", figureCat, figureCat}, figureCat, -0.5, stockAtPrice},
	{"at a price, what stock", []string{"in", figureCat, "which", figureCat}, figureCat, -0.5, stockAtPrice},
	{"worth at a price", []string{"money", "in", figureCat}, figureCat, -0.5, worthAtPrice},
	{"cost of what is on order", []string{figureCat, figureCat}, figureCat, -0.3, valueOnOrder},
	{"a kind of price", []string{figureCat, "price|" + figureCat}, figureCat, -0.3, kindOfPrice},
	{"stock sells for", []string{figureCat, "sell"}, figureCat, -0.1, stockSellsFor},
	{"stock at a price", []string{figureCat, "valued"}, figureCat, -0.5, stockAtPrice},

	// Counts.
	{"times of value", []string{"times", valueCat}, clauseCat, -0.1, doneTimes},
	{"count names", []string{"howmany", nameCat}, clauseCat, 0, countOf},
	{"names how many", []string{nameCat, "howmany"}, clauseCat, 0, countOfBefore},
	{"count different names", []string{"howmany", "different", nameCat}, clauseCat, 0, countOf},
	{"count different values", []string{"howmany", "different", valueCat}, clauseCat, 0.1, countDifferent},
	{"count figure", []string{"howmany", figureCat}, clauseCat, 0, countOf},
	{"count names with value", []string{"howmany", valueCat, nameCat + "|" + figureCat}, clauseCat, 0, countOf},
	{"count value", []string{"howmany", valueCat}, clauseCat, 0.1, countOf},
	{"number of names", []string{numberCat, nameCat}, clauseCat, 0.1, numberOfNames},
	{"kinds of a name", []string{"different", nameCat}, nameCat, 0, kindsOf},
	{"distinct names", []string{"different", nameCat}, clauseCat, 0.1, distinctNames},
	{"different names", []string{"different", nameCat}, groupCat, 0.1, differentNames},

	// Days between two dates.
	{"how long rows", []string{"howlong", "row|" + nameCat + "|" + figureCat}, "howlong", 0, howLongRows},
	{"bound on days late", []string{boundCat, valueCat}, valueCat, -0.2, daysLate},
	{"time of rows", []string{nameCat + "|row|" + figureCat, "duration"}, figureCat, -0.1, timeOfRows},

	// Folds and averages.
	{"fold figure", []string{foldCat, figureCat}, figureCat, 0, foldFigure},
	{"two folds of a figure", []string{foldCat, "and", foldCat, figureCat}, clauseCat, -0.2, twoFolds},
	{"figure folded", []string{figureCat, foldCat}, figureCat, 0, figureFolded},
	{"fold order", []string{foldCat, nameCat}, figureCat, -0.1, foldOrder},
	{"fold number of figure", []string{foldCat, "howmany", figureCat}, figureCat, -0.1, foldNumber},
	{"fold per time of number", []string{foldCat, groupCat, "howmany", figureCat}, figureCat, -0.1, foldNumberPerTime},
	{"fold per time", []string{foldCat, groupCat, figureCat}, figureCat, 0, foldPerTime},
	{"fold figure per time", []string{foldCat, figureCat, groupCat}, figureCat, 0, foldFigurePer},
	{"time fold figure", []string{groupCat, foldCat, figureCat}, figureCat, 0, timeFoldFigure},
	{"fold per day of the week", []string{foldCat, figureCat, "by", valueCat}, figureCat, 0, foldPerWeekday},
	{"fold on days", []string{foldCat, valueCat, figureCat}, figureCat, 0, foldOnDays},
	{"fold figure on days of the week", []string{foldCat, figureCat, valueCat}, figureCat, -0.2, foldOnWeekdays},
	{"not paid", []string{"not", "sell"}, valueCat, 0, notPaid},
	{"never", []string{"not", "sell|buy"}, clauseCat, 0.3, never},
	{"not happened on days", []string{"not", eventCat, timeCat}, clauseCat, 0, neverOnDays},
	{"nothing", []string{"sell|buy", "nothing"}, clauseCat, 0, never},
	{"no orders", []string{"without", figureCat + "|" + nameCat}, clauseCat, 0.1, noOrders},
}

// first, second, merged and the like are compositions of several productions.
func first(_ *chart, parts []*item) (sketch, bool) { return parts[0].s, true }

func second(_ *chart, parts []*item) (sketch, bool) { return parts[1].s, true }

func merged(_ *chart, parts []*item) (sketch, bool) {
	s := parts[0].s
	for _, p := range parts[1:] {
		next, ok := merge(s, p.s)
		if !ok {
			return sketch{}, false
		}
		s = next
	}
	return s, true
}

// comma reports whether a sign is between two items, and no word.
func (c *chart) comma(a, b *item) bool {
	to := a.to
	if to < b.from && c.tokens[to].Text == "'s" {
		to++
	}
	return to == b.from && c.tokens[b.from].Start > c.tokens[to-1].End+1
}

// adjacent reports whether nothing is between two items, not even a comma; "'s" is part of the
// first.
func (c *chart) adjacent(a, b *item) bool {
	to := a.to
	if to < b.from && c.tokens[to].Text == "'s" {
		to++
	}
	return to == b.from && c.tokens[b.from].Start <= c.tokens[to-1].End+1
}
