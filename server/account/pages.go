package account

import (
	"svc/server/fault"
	"svc/server/web"
)

// redirect answers a form: it sends the browser to next, or shows the page again with a
// problem that the sender can correct.
func redirect(w *web.Response, err error, next string, again func(*fault.Error) error) error {
	if problem := web.UserError(err); problem != nil {
		return again(problem)
	}
	if err != nil {
		return err
	}
	return w.Redirect(next)
}
