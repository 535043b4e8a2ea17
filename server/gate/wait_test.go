package gate

import "testing"

func TestWaiters(t *testing.T) {
	ws := newWaiters()
	first, leaveFirst := ws.on("a")
	second, leaveSecond := ws.on("a")
	other, leaveOther := ws.on("b")
	ws.wake("a")
	ws.wake("a") // no call waits for it any more
	<-first
	<-second
	select {
	case <-other:
		t.Error("another call's waiter was woken")
	default:
	}

	again, leaveAgain := ws.on("a")
	leaveFirst() // late: its wait is over
	ws.wake("a")
	<-again
	for _, leave := range []func(){leaveSecond, leaveOther, leaveAgain} {
		leave()
	}
	if len(ws.calls) != 0 {
		t.Errorf("%d calls without waiters are kept", len(ws.calls))
	}
}
