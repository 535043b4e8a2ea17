package certain

import (
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// doubts are reasons for which a figure may not be what is asked for, although each word has its part.
var doubts = []func(*account) bool{
	(*account).countsByRows, (*account).asksWhetherAll, (*account).asksAdvice, (*account).countsUnknownOrders, (*account).countsUnknownPieces,
	(*account).isBusyByOtherDays, (*account).boundsUnsaid, (*account).sellsWhatIsBought, (*account).spendsWhatIsTaken, (*account).wantsEach,
	(*account).dividesByRepeats, (*account).comparesSales, (*account).ranksByPieces, (*account).isAtLevel, (*account).costsUs,
	(*account).losesPhrase, (*account).countsWhatComesIn, (*account).buysAtPrice, (*account).comesToStaff,
	(*account).mixesGoods, (*account).joinsSides, (*account).hasOrderTotal, (*account).asksWorth, (*account).isAtPlace, (*account).addsLevels, (*account).addsPrices, (*account).joinsMonths, (*account).countsTraits, (*account).averagesDivisor, (*account).averagesStays,
	(*account).isTrailingOrCalendar, (*account).addsGoods, (*account).asksHowItGoes,
}

// isDoubted reports whether there is one.
func (a *account) isDoubted() bool {
	return slices.ContainsFunc(doubts, func(doubt func(*account) bool) bool { return doubt(a) })
}

// asksHowItGoes reports whether it is asked how something goes, of which a plain total is one of several answers: how
// is tea selling.
func (a *account) asksHowItGoes() bool {
	isTotal := len(a.p.By) == 0 && a.p.Compare == nil && len(a.p.Measures) > 0 && a.p.Measures[0].Plain()
	return isTotal && len(a.Tokens) > 1 && a.Tokens[0].Text == "how" && slices.Contains([]string{"is", "are", "'s", "has", "have"}, a.Tokens[1].Text)
}

// countsUnknownOrders reports whether a figure is of orders, and each row is the total of a day, or no
// column tells the orders of goods apart.
func (a *account) countsUnknownOrders() bool {
	_, ordered := a.s.ByRole(schema.Order)
	_, ofGoods := a.s.ByRole(schema.Product)
	isUnknown := !ordered && (ofGoods || a.s.Kind != schema.Sales) || a.isOfDays()
	return isUnknown && slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool { return m.Per == plan.PerOrder || a.isOfDays() && m.Metric == plan.Orders })
}

// countsWhatComesIn reports whether rows are counted where it is asked what comes in, which may be money.
func (a *account) countsWhatComesIn() bool {
	isCount := func(m plan.Measure) bool { return m.Metric == plan.Rows || m.Metric == plan.Orders }
	return slices.ContainsFunc(a.p.Measures, isCount) && a.saysAny("coming", "comes", "bringing", "brings") && !a.saysAny("many", "number", "count")
}

// isOfDays reports whether no two rows are of one day.
func (a *account) isOfDays() bool {
	day, ok := a.s.ByRole(schema.Day)
	return ok && day.Type == schema.Date && day.Distinct == a.s.Rows && a.s.Rows > 1
}

// countsUnknownPieces reports whether pieces are counted that no column has the number of.
func (a *account) countsUnknownPieces() bool {
	_, counted := a.s.ByRole(schema.Quantity)
	return !counted && len(a.s.Kinds()) == 0 && slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Units })
}

// isBusyByOtherDays reports whether it is asked when most came, and the rows are no visits, or have
// several days, of which they may have come on another: that of booking.
func (a *account) isBusyByOtherDays() bool {
	dates := 0
	for _, c := range a.s.Columns {
		if c.Type == schema.Date || c.Type == schema.Moment {
			dates++
		}
	}
	_, ordered := a.s.ByRole(schema.Order)
	_, ofGoods := a.s.ByRole(schema.Product)
	return a.saysAny(busy...) && (a.s.Kind != schema.Sales || dates > 1 || !ordered && ofGoods || a.isOfDays())
}

// boundsUnsaid reports whether rows are bounded by a column that the words do not name and that is no
// amount of theirs: lines over 50, by the price of one piece.
func (a *account) boundsUnsaid() bool {
	return slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool {
		c, _ := plan.Column(a.s, f.Column)
		isBound := slices.Contains([]plan.Op{plan.More, plan.Less, plan.AtLeast, plan.AtMost}, f.Op) && f.Other == ""
		isNamed := slices.ContainsFunc(a.Links, func(m link.Mention) bool {
			return m.Column != nil && m.Column.Heading == f.Column || m.Kind == link.Op && m.Arg != "" || m.Kind == link.Word && m.Sense == "price"
		})
		return isBound && !isNamed && (c.Role == schema.Price || c.Role == schema.UnitCost)
	})
}

// sellsWhatIsBought reports whether it is asked what was sold, of rows of what was bought.
func (a *account) sellsWhatIsBought() bool {
	return a.s.Kind == schema.Purchases && slices.ContainsFunc(a.Tokens, func(t link.Token) bool { return t.Text == "sold" || t.Lemma == "sell" })
}

// spendsWhatIsTaken reports whether "spend" is taken for takings, and no customer is named whose spend it
// is, so that it may be what the shop spends.
func (a *account) spendsWhatIsTaken() bool {
	isRevenue := slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Revenue && m.Per == "" })
	ofCustomers := func(heading string) bool {
		c, _ := plan.Column(a.s, heading)
		return c.Role == schema.Customer || c.Role == schema.Segment
	}
	isTheirs := slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool { return ofCustomers(d.Column) }) ||
		slices.ContainsFunc(a.filters(), func(f plan.Filter) bool { return ofCustomers(f.Column) })
	return isRevenue && !isTheirs && slices.ContainsFunc(a.Tokens, func(t link.Token) bool { return t.Lemma == "spend" }) && !a.saysAny("customers", "customer", "people", "they")
}

// wantsEach reports whether the figure of each is asked for beside that of the first.
func (a *account) wantsEach() bool {
	return a.p.Limit == 1 && len(a.p.By) == 1 && a.saysAny("each")
}

// comparesSales reports whether two things are compared by what was sold of them, where pieces and money
// may say otherwise: more roses than lilies.
func (a *account) comparesSales() bool {
	_, counted := a.s.ByRole(schema.Quantity)
	isRevenue := a.p.Measures[0].Metric == plan.Revenue && a.p.Measures[0].Per == ""
	isOfTwo := slices.ContainsFunc(a.filters(), func(f plan.Filter) bool { return len(f.Values) > 1 })
	return counted && isRevenue && isOfTwo && a.saysAny("more", "less", "fewer", "most") && !a.saysAny("much", "money", "revenue", "takings", "income", "turnover")
}

// ranksByPieces reports whether others than goods are ranked by how many pieces they sold or took, which no
// word says: the most popular way to pay, who sold the most.
func (a *account) ranksByPieces() bool {
	isUnits := a.p.Measures[0].Metric == plan.Units && a.p.Measures[0].Per == "" && a.p.Order != "" && a.p.Order != plan.ByLabel
	isOther := slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool {
		c, _ := plan.Column(a.s, d.Column)
		return d.Part == plan.Whole && !slices.Contains(goods, c.Role)
	})
	return isUnits && isOther && !a.saysAny("units", "unit", "items", "pieces", "quantity", "qty", "volume", "number", "many")
}

// isAtLevel reports whether the question asks for goods at their reorder point, and the plan shows the
// points.
func (a *account) isAtLevel() bool { return a.saysAny("at") && a.measures(schema.Reorder) }

// costsUs reports whether "cost" is taken for the price, where what goods cost the shop is known, too.
func (a *account) costsUs() bool {
	_, known := a.s.ByRole(schema.UnitCost)
	isPrice := slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool {
		c, _ := plan.Column(a.s, f.Column)
		return c.Role == schema.Price
	})
	return known && isPrice && a.saysAny("cost", "costs", "costing")
}

// dividesByRepeats reports whether a figure is divided by a number that may stand on each line of an order,
// such as its guests.
func (a *account) dividesByRepeats() bool {
	order, ordered := a.s.ByRole(schema.Order)
	hasLines := ordered && order.Distinct < a.s.Rows
	return hasLines && slices.ContainsFunc(a.p.Derived, func(d plan.Derived) bool {
		c, _ := plan.Column(a.s, a.p.Measures[d.And].Column)
		return d.Kind == plan.Ratio && c.Type == schema.Number && c.Role == schema.None
	})
}

// losesPhrase reports whether the plan lacks what "on order" or "at least" means, although other phrases
// match their words.
func (a *account) losesPhrase() bool {
	says := func(phrases ...string) bool {
		for i := range a.Tokens {
			if a.says(i, phrases...) > 0 {
				return true
			}
		}
		return false
	}
	isOnOrder := slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.OnOrder })
	incoming, _ := a.s.ByRole(schema.Incoming)
	isOnOrder = isOnOrder || slices.ContainsFunc(a.filters(), func(f plan.Filter) bool { return f.Column == incoming.Heading })
	isBound := slices.ContainsFunc(a.filters(), func(f plan.Filter) bool { return f.Op == plan.AtLeast || f.Op == plan.AtMost })
	return says("on order") && !isOnOrder || says("at least", "at most") && len(a.p.Having) == 0 && !isBound
}

// buysAtPrice reports whether the question asks for a buying price, and the plan has the selling price.
func (a *account) buysAtPrice() bool {
	return a.measures(schema.Price) && a.saysAny("buy", "bought", "buying")
}

// comesToStaff reports whether the question asks who came, and the plan groups by staff.
func (a *account) comesToStaff() bool {
	isStaff := slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool {
		c, _ := plan.Column(a.s, d.Column)
		return c.Role == schema.Staff
	})
	return isStaff && a.saysAny("come", "comes", "came", "visited", "visits", "visit")
}

// measures reports whether a measure is of the column with a role.
func (a *account) measures(role schema.Role) bool {
	return slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool {
		c, _ := plan.Column(a.s, m.Column)
		return c.Role == role
	})
}

// isTrailingOrCalendar reports whether a week, month, quarter or year is the past or the last one, which
// may be that of the calendar or the days up to today: in the last week, but not last week.
func (a *account) isTrailingOrCalendar() bool {
	units := []string{"week", "month", "quarter", "year"}
	says := func(i int, words ...string) bool {
		return i >= 0 && i < len(a.Tokens) && slices.Contains(words, a.Tokens[i].Text)
	}
	for i := range a.Tokens {
		isPast := says(i, "past") || says(i, "last") && says(i-1, "the")
		if isPast && says(i+1, units...) && !says(i+2, "of", "in") && (a.p.Period != nil || a.p.Compare != nil) {
			return true
		}
	}
	return false
}

// mixesGoods reports whether goods of a list are told by a name that several of them share, which may be
// sizes or batches of one or not.
func (a *account) mixesGoods() bool {
	return a.s.Kind == schema.Stocklist && slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool {
		c, ok := plan.Column(a.s, d.Column)
		return ok && c.Role == schema.Product && c.Distinct < a.s.Rows-c.Blank
	})
}

// joinsSides reports whether values joined by "and" are added up and told by something else, where each
// may be meant: hats and mitts by colour.
func (a *account) joinsSides() bool {
	isJoined := func(f plan.Filter) bool { return f.Op == plan.In && len(f.Values) == 2 }
	ofSides := func(d plan.Dimension) bool {
		return slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool { return isJoined(f) && f.Column == d.Column })
	}
	return a.saysAny("and") && len(a.p.By) > 0 && slices.ContainsFunc(a.p.Where, isJoined) && !slices.ContainsFunc(a.p.By, ofSides)
}

// hasOrderTotal reports whether a figure is of what orders come to, added up from their lines, while another
// column has the total of each order, with postage and the like.
func (a *account) hasOrderTotal() bool {
	_, own := a.s.ByRole(schema.Revenue)
	isTotal := func(c schema.Column) bool {
		return c.Type == schema.Number && c.Role == schema.None && slices.Contains(strings.Fields(strings.ToLower(link.Spaced(c.Heading))), "total")
	}
	perOrder := func(m plan.Measure) bool { return m.Metric == plan.Revenue && m.Per == plan.PerOrder }
	return !own && slices.ContainsFunc(a.p.Measures, perOrder) && slices.ContainsFunc(a.s.Columns, isTotal)
}

// asksWorth reports whether what goods of a list are worth is asked for, and a figure of single prices or of
// pieces told.
func (a *account) asksWorth() bool {
	isOther := func(m plan.Measure) bool {
		_, ok := plan.Column(a.s, m.Column)
		return ok && slices.Contains([]plan.Metric{plan.Sum, plan.Average}, m.Metric)
	}
	return a.s.Kind == schema.Stocklist && a.saysAny("value", "worth", "valued", "money") && slices.ContainsFunc(a.p.Measures, isOther)
}

// stockMetrics are those of all that is in stock.
var stockMetrics = []plan.Metric{plan.StockUnits, plan.StockValue, plan.RetailValue}

// isAtPlace reports whether how many pieces one column has is told beside what all of the stock is, or of goods
// by all of it, where the stock of one place may be meant: the stockroom stock worth at cost.
func (a *account) isAtPlace() bool {
	isPart := func(m plan.Measure) bool {
		c, ok := plan.Column(a.s, m.Column)
		return ok && m.Metric == plan.Sum && c.Unit != schema.Money && c.Role == schema.None
	}
	ofAll := func(m plan.Measure) bool { return slices.Contains(stockMetrics, m.Metric) }
	byAll := func(f plan.Filter) bool {
		c, ok := plan.Column(a.s, f.Column)
		return ok && c.Role == schema.Stock
	}
	return a.s.Kind == schema.Stocklist && slices.ContainsFunc(a.p.Measures, isPart) && (slices.ContainsFunc(a.p.Measures, ofAll) || slices.ContainsFunc(a.p.Where, byAll))
}

// addsLevels reports whether levels of stock are added up that rows have of several days.
func (a *account) addsLevels() bool {
	day, dated := a.s.ByRole(schema.Day)
	return dated && day.Distinct > 1 && slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool { return slices.Contains(stockMetrics, m.Metric) })
}

// addsGoods reports whether the plan adds up the stock of several goods and the question has no word for
// pieces. Bags, kilos and boxes make no sum.
func (a *account) addsGoods() bool {
	isSum := a.s.Kind == schema.Stocklist && len(a.p.By) == 0 && a.p.Measures[0].Metric == plan.StockUnits && a.p.Measures[0].Plain()
	ofOne := slices.ContainsFunc(a.p.Where, func(f plan.Filter) bool {
		c, _ := plan.Column(a.s, f.Column)
		return f.Op == plan.In && len(f.Values) == 1 && (c.Role == schema.Product || c.Role == schema.SKU)
	})
	return isSum && !ofOne && !a.saysAny("units", "unit", "items", "pieces", "many", "number", "total", "count", "quantity", "altogether")
}

// addsPrices reports whether the prices or costs of single pieces of a list are added up, which come to nothing.
func (a *account) addsPrices() bool {
	return a.s.Kind == schema.Stocklist && slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool {
		c, ok := plan.Column(a.s, m.Column)
		isPrice := c.Role == schema.Price || c.Role == schema.UnitCost || strings.Contains(strings.ToLower(c.Heading), "price")
		return ok && m.Metric == plan.Sum && isPrice
	})
}

// joinsMonths reports whether two months joined by "and" are one period of what is told by something else,
// where each may be meant: by town for February and March.
func (a *account) joinsMonths() bool {
	months := 0
	for _, t := range a.Tokens {
		for m := time.January; m <= time.December; m++ {
			if name := strings.ToLower(m.String()); t.Text == name || t.Text == name[:3] {
				months++
			}
		}
	}
	return months > 1 && a.saysAny("and") && a.p.Period != nil && a.p.Compare == nil && len(a.p.By) > 0
}

// countsTraits reports whether a list of goods is asked for a number of something, and what has few values of each
// was counted, as the three kinds of milk for the number of raw milk cheeses.
func (a *account) countsTraits() bool {
	isTrait := func(m plan.Measure) bool {
		c, ok := plan.Column(a.s, m.Column)
		return ok && m.Metric == plan.Distinct && c.Role == schema.None && 4*c.Distinct < a.s.Rows
	}
	return a.s.Kind == schema.Stocklist && len(a.p.Where) > 0 && slices.ContainsFunc(a.p.Measures, isTrait)
}

// averagesDivisor reports whether what is averaged is what something may be asked for each of: an average a visit is
// of what was spent, and not of Visits.
func (a *account) averagesDivisor() bool {
	return slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool {
		c, ok := plan.Column(a.s, m.Column)
		return ok && m.Metric == plan.Average && c.Unit != schema.Money && a.saysAny("a", "an", "per", "each") && a.s.Kind == schema.Customers
	})
}

// averagesStays reports whether the price of stays is averaged by day, where a price of a day of each may be meant.
func (a *account) averagesStays() bool {
	return a.saysAny("price") && slices.ContainsFunc(a.p.Measures, func(m plan.Measure) bool {
		c, ok := plan.Column(a.s, m.Column)
		return ok && c.Role == schema.Revenue && slices.Contains([]plan.Metric{plan.Sum, plan.Average}, m.Metric)
	}) && a.saysAny("day", "night", "hour", "week")
}
