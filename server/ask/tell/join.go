package tell

// Join returns the answers to two questions as one. The chart and the table are those of the
// first that has them, and the confidence is the lower one.
func Join(first, second Answer) Answer {
	out := first
	out.Answer += " " + second.Answer
	out.Caveats = append(out.Caveats, second.Caveats...)
	out.KPICards = append(out.KPICards, second.KPICards...)
	if out.Chart == nil && out.Table == nil {
		out.Chart, out.Table = second.Chart, second.Table
	}
	if second.Confidence == Low || second.Confidence == Medium && first.Confidence == High {
		out.Confidence = second.Confidence
	}
	if out.Explain != nil && second.Explain != nil {
		both := *out.Explain
		both.Text += " " + second.Explain.Text
		both.SQL = append(both.SQL, second.Explain.SQL...)
		out.Explain = &both
	}
	return out
}
