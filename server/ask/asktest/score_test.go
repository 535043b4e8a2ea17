package asktest_test

import (
	"encoding/json"
	"testing"

	"svc/server/ask/asktest"
)

// question returns a question with its gold in JSON.
func question(goldType, gold, unit string) asktest.Question {
	q := asktest.Question{Standard: asktest.Standard{GoldType: goldType, Gold: json.RawMessage(gold), Unit: unit, Ordered: true}}
	switch unit {
	case "currency":
		q.Tolerance.Rel = 0.005
	case "percent":
		q.Tolerance.Abs = 0.5
	}
	return q
}

// answer decodes a response as a client gets it.
func answer(t *testing.T, body string) asktest.Response {
	t.Helper()
	var r asktest.Response
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestJudge(t *testing.T) {
	money := question("number", `717821450`, "currency")
	count := question("number", `18`, "count")
	margin := question("number", `36.9`, "percent")
	top := question("labels", `["Foot Locker","West Gear"]`, "")
	month := question("labels", `["2020-12"]`, "")
	pairs := question("pairs", `[["2021-01",55225396],["2021-02",46102165],["2021-03",39148532]]`, "currency")
	change := question("comparison", `{"current":190,"previous":210,"change":-20,"change_pct":-9.52,"direction":"down"}`, "currency")
	none := question("none", `null`, "")
	for name, row := range map[string]struct {
		q    asktest.Question
		body string
		want bool
	}{
		"number in the text":        {money, `{"answer":"Sales were $717,821,450."}`, true},
		"number in millions":        {money, `{"answer":"Sales were $717.8 million."}`, true},
		"number in a card":          {money, `{"answer":"See.","kpi_cards":[{"label":"Sales","value":"$717,821,450"}]}`, true},
		"number within tolerance":   {money, `{"answer":"Sales were $717,000,000, or 1 %."}`, true},
		"number out of tolerance":   {money, `{"answer":"Sales were $710,000,000."}`, false},
		"count must be exact":       {count, `{"answer":"It is 19."}`, false},
		"date is not a number":      {count, `{"answer":"On 18 March 2021 it was 3."}`, false},
		"per cent":                  {margin, `{"answer":"The margin is 37%."}`, true},
		"labels in a table":         {top, `{"answer":"See.","table":{"headers":["a"],"rows":[["Foot Locker",1],["West Gear",2]]}}`, true},
		"labels in the wrong order": {top, `{"answer":"West Gear, then Foot Locker."}`, false},
		"labels in the text":        {top, `{"answer":"Foot Locker, then West Gear."}`, true},
		"month in words":            {month, `{"answer":"It was December 2020."}`, true},
		"another month first":       {month, `{"answer":"November 2020, then December 2020.","chart":{"labels":["2020-11","2020-12"],"values":[1,2]}}`, false},
		"series":                    {pairs, `{"answer":"x","chart":{"labels":["2021-01","2021-02","2021-03"],"values":[55225396,46102165,39148532]}}`, true},
		"series newest first":       {pairs, `{"answer":"x","chart":{"labels":["2021-03","2021-02","2021-01"],"values":[39148532,46102165,55225396]}}`, true},
		"series with wrong numbers": {pairs, `{"answer":"x","chart":{"labels":["2021-01","2021-02","2021-03"],"values":[1,2,3]}}`, false},
		"both figures":              {change, `{"answer":"190 now, down from 210."}`, true},
		"wrong direction":           {change, `{"answer":"190 now, up from 210."}`, false},
		"change only":               {change, `{"answer":"Down 9.5%."}`, true},
		"refusal":                   {none, `{"answer":"There is no column of staff.","confidence":"low"}`, true},
		"refusal with confidence":   {none, `{"answer":"There is no column of staff.","confidence":"high"}`, false},
		"refusal with a number":     {none, `{"answer":"There is no column.","confidence":"low","kpi_cards":[{"label":"a","value":"5"}]}`, false},
		"empty answer":              {money, `{"answer":""}`, false},
	} {
		if got := asktest.Judge(row.q, answer(t, row.body)); got != row.want {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

func TestAlternativesPass(t *testing.T) {
	q := question("number", `10`, "count")
	q.GoldAlt = []asktest.Standard{{GoldType: "number", Gold: json.RawMessage(`12`), Unit: "count"}}
	if !asktest.Judge(q, answer(t, `{"answer":"It is 12."}`)) || asktest.Judge(q, answer(t, `{"answer":"It is 11."}`)) {
		t.Error("12 must pass, and 11 must not")
	}
}

func TestJudgeRefusesManyNumbers(t *testing.T) {
	if asktest.Judge(question("number", `7`, "count"), answer(t, `{"answer":"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17"}`)) {
		t.Error("17 numbers pass")
	}
}

func TestTally(t *testing.T) {
	var tally asktest.Tally
	tally.Add(asktest.Question{ID: "a", Kind: "total", Standard: asktest.Standard{GoldType: "number", Gold: json.RawMessage(`1`)}}, answer(t, `{"answer":"It is 2.","confidence":"high"}`))
	tally.Add(asktest.Question{ID: "b", Kind: "unanswerable", Standard: asktest.Standard{GoldType: "none"}}, answer(t, `{"answer":"It is 2.","confidence":"medium"}`))
	if tally.All.Asked != 2 || tally.All.Right != 0 || len(tally.HighWrong) != 1 || len(tally.Answered) != 1 {
		t.Errorf("got %+v", tally)
	}
}
