package views

// panelHead is the head of the panel that an open row has beside its list: a title, and the
// link back to the list without it.
type panelHead struct {
	ID     string // of the title, which names the panel
	Before string // words before the title; may be empty
	Title  string
	Close  string // address of the list; empty: no link
	Focus  bool   // the title has the focus once the panel is shown
}

func panel(id, before, title, list string, focus bool) panelHead {
	return panelHead{id, before, title, list, focus}
}
