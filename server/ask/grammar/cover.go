package grammar

// asksCover reports whether a question is about how long the stock lasts, or how long it
// has not sold.
func (b *builder) asksCover() bool { return false }

func (b *builder) readCover() error { return nil }
