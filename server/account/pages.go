package account

import (
	"net/http"

	"svc/server/fault"
	"svc/server/views"
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

// show records the problem of the last action, nil for none, and returns the page's status,
// the sentence to show, and the field at fault if there is one.
func show(w *web.Response, problem *fault.Error) (status int, sentence, field string) {
	if problem == nil {
		return http.StatusOK, "", ""
	}
	w.Record(problem)
	return web.Status(problem), views.Sentence(problem), problem.Field
}
