package views

import (
	"slices"
	"time"
)

// Ask is `/console/ask`, and with an Answer `/console/ask/<id>`. Its form posts `question`
// and `dataset` to /console/ask, and so do the suggestions; the search of the last questions
// gets the same page with `search`. Of an answer, the forms post `pinned` (1 or 0) to …/pin,
// nothing to …/remove, and each `word` with its `target` to …/words.
type Ask struct {
	Frame
	Question string // as it was typed
	Field    string // that Problem is about: question, dataset, word or target; may be empty
	// Scopes are what can be asked, of which one is chosen; empty: the account has no data.
	Scopes      []Option
	Chosen      string // its value
	Reads       []AskSource
	Suggestions []string
	Answer      *AskAnswer
	Asked       []AskedRow // the last questions, newest first
	Search      string     // as it was typed
	Pager       Pager
	Zone        *time.Location
}

// AskSource is a table that is read.
type AskSource struct {
	Name   string
	Rows   int64
	Period string // like "1 Jan 2026 to 31 Mar 2026"; may be empty
}

// AskedRow is one of the last questions.
type AskedRow struct {
	Link, Text, Confidence string
	Pinned, Open           bool
	At                     time.Time
}

// AskAnswer is an answer. Its texts are those of the API, and ReadAs, SQL, Source, Rows and
// AsOf how it was computed.
type AskAnswer struct {
	ID, Question     string
	Header, Text     string
	Verdict          string // act, watch or problem; empty: none
	VerdictSentence  string
	Confidence       string // high, medium or low
	Cards            []AskCard
	Partly           string // what is shown of a time that is not whole; may be empty
	Chart            *Chart
	Table            *AskTable
	CSV              string // address; empty without a table
	Recommendations  []string
	Rivals, FollowUp []string // questions: other readings, and further ones
	ReadAs           string
	SQL              []string
	Source           string
	Rows             int64
	AsOf             string
	Asked            time.Time
	Pinned           bool
	MayPin           bool      // there are figures to pin, or it is pinned
	Teach            *AskTeach // nil: no word can be taught
}

// AskCard is a figure.
type AskCard struct{ Label, Value string }

// AskTable is a table of an answer; a cell is a number or a text.
type AskTable struct {
	Heads []AskCell
	Rows  [][]AskCell
	More  int64 // rows that are not shown
}

// Shown returns the number of its rows that are shown.
func (t AskTable) Shown() int64 { return int64(len(t.Rows)) }

// AskCell is a cell, or a heading of such cells.
type AskCell struct {
	Text   string
	Number bool
}

// AskTeach is the form for words that the shop uses.
type AskTeach struct {
	Dataset string // its name
	Words   []AskWord
	Targets []AskTargets
	Cut     bool   // there are more than Targets
	More    string // address where all can be taught
	Unread  bool   // the question was not understood for want of the words
	Open    bool
}

// AskTargets are what a word can mean, of one kind.
type AskTargets struct {
	Title  string
	Values []string
}

// Unlisted reports whether a target that was typed is not among Targets.
func (t AskTeach) Unlisted(target string) bool {
	return target != "" && !slices.ContainsFunc(t.Targets, func(g AskTargets) bool { return slices.Contains(g.Values, target) })
}

// AskWord is a word to teach, as it was typed or asked.
type AskWord struct {
	Word, Target string
	Wrong        bool // the page's Problem is about it
}

// Drawing returns the chart with the id of its only place.
func (a AskAnswer) Drawing() Chart {
	c := *a.Chart
	c.ID = "answer"
	return c
}

func (Ask) template() string { return "console_ask" }

// askForm is a question to press, of chosen data.
type askForm struct{ Question, Dataset string }

func askThis(question, dataset string) askForm { return askForm{question, dataset} }
