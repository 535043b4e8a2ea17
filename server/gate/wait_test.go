package gate

import "testing"

func TestWaiters(t *testing.T) {
	ws := newWaiters()
	first, leaveFirst := ws.on("a")
	second, leaveSecond := ws.on("a")
	other, leaveOther := ws.on("b")
	ws.wake("a")
	ws.wake("a") // which nobody waits for any more
	<-first
	<-second
	select {
	case <-other:
		t.Error("another call's waiter was woken")
	default:
	}

	again, leaveAgain := ws.on("a")
	leaveFirst() // late, and not of the same wait
	ws.wake("a")
	<-again
	for _, leave := range []func(){leaveSecond, leaveOther, leaveAgain} {
		leave()
	}
	if len(ws.calls) != 0 {
		t.Errorf("%d calls are kept that nobody waits for", len(ws.calls))
	}
}
