package message_test

import "testing"

// What a person's message costs is in the usage of the account, and of none of its keys.
func TestConsoleSendIsInUsage(t *testing.T) {
	t.Parallel()
	d := newDesk(t, 100)
	d.Send(t)
	d.owner.Post(t, composePath, written(t, d.owner)).Expect(t, 303, "")
	d.ExpectSent(t, 2)
	page := d.owner.Get(t, "/console/usage")
	page.ExpectPage(t, 200, "$0.02 of it by", `<td class="num">$0.0`)
	if !page.Says(`<p class="figure">$0.0`) {
		t.Error("nothing was spent")
	}
	if key := d.owner.Get(t, "/console/usage?key="+d.LiveKey.ID); key.Says("of it by") {
		t.Error("a key has spent what a person has")
	}
}
