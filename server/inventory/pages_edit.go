package inventory

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// problemOf returns the sentence and the field of a problem, for a form in a part of a page,
// and the status of that page.
func problemOf(w *web.Response, problem *fault.Error, names map[string]string) (status int, sentence, field string) {
	named := *problem
	if name, ok := names[problem.Field]; ok {
		named.Field = name
	}
	status, sentence, _ = views.Report(w, &named)
	return status, sentence, problem.Field
}

// wrongOf returns the sentences about the fields of an item's form.
func wrongOf(problems []error) map[string]string {
	all := views.Wrong(problems...)
	for _, err := range problems {
		var e *fault.Error
		if errors.As(err, &e) && itemNames[e.Field] != "" {
			named := *e
			named.Field = itemNames[e.Field]
			all[e.Field] = views.Sentence(&named)
		}
	}
	return all
}

// itemNames are the fields of an item that pages call otherwise than other forms.
var itemNames = map[string]string{"name": "item-name"}

// changed returns the fields of a form that differ from what the form showed first.
func changed(form web.Form) Edit {
	field := func(name string) *string {
		if typed := form.Value(name); typed != form.Value("was-"+name) {
			return &typed
		}
		return nil
	}
	return Edit{
		Name: field("name"), SKU: field("sku"), Barcodes: field("barcodes"), Price: field("price"), CostPrice: field("cost"),
		Unit: field("unit"), Category: field("category"), ReorderPoint: field("reorder-point"),
	}
}

// typedForm returns the fields of an item as they were typed.
func typedForm(form web.Form) views.ItemForm {
	return views.ItemForm{
		Name: form.Value("name"), SKU: form.Value("sku"), Barcodes: form.Value("barcodes"), Price: form.Value("price"), Cost: form.Value("cost"),
		Unit: form.Value("unit"), Category: form.Value("category"), Reorder: form.Value("reorder-point"), Stock: form.Value("stock"),
	}
}

// Add handles POST /console/inventory/add.
func (p *Pages) Add(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	e := changed(form)
	name, stock := form.Value("name"), form.Value("stock")
	e.Name, e.Stock = &name, &stock
	added, err := p.service.Add(r.Context(), v.Account, e)
	l := sentList(form)
	if problem := web.UserError(err); problem != nil {
		page, err := p.listPage(r.Context(), v, l, "")
		if err != nil {
			return err
		}
		status, sentence, field := problemOf(w, problem, itemNames)
		typed := typedForm(form)
		page.New, page.Problem = &typed, sentence
		typed.Wrong = wrongOf(e.problems(money.Decimals(v.Account.Profile.Currency)))
		if typed.Field, typed.Problem = field, sentence; field == "" {
			page.NewProblem = sentence
		}
		return p.views.Render(w, status, page)
	}
	if err != nil {
		return err
	}
	return w.Redirect(l.address("open", added.ID, "done", "added"))
}

// Edit handles POST /console/inventory/edit.
func (p *Pages) Edit(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	e := changed(form)
	_, err := p.service.Set(r.Context(), v.Account, form.Value("id"), e)
	return p.answer(w, r, v, form, err, "edited", func(d *views.ItemDetail, field, sentence string) {
		was := d.Form.Was
		d.Form = typedForm(form)
		d.Form.Was, d.Form.Field, d.Form.Problem = was, field, sentence
		d.Form.Wrong = wrongOf(e.problems(money.Decimals(v.Account.Profile.Currency)))
	})
}

// Adjust handles POST /console/inventory/adjust.
func (p *Pages) Adjust(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, how, amount := form.Value("id"), form.Value("how"), form.Value("quantity")
	var err error
	switch how {
	case howCount:
		_, err = p.service.Count(r.Context(), v.Account, id, amount, form.Value("reason"))
	case howAdd, howTake:
		sign := map[string]string{howAdd: "+", howTake: "-"}[how]
		if amount, err = unsigned(amount); err == nil {
			_, err = p.service.Adjust(r.Context(), v.Account, id, sign+amount, form.Value("reason"))
		}
	default:
		err = fault.Invalid("how", "must be one of the choices")
	}
	return p.answer(w, r, v, form, err, "adjusted", func(d *views.ItemDetail, field, sentence string) {
		d.Adjust = adjustForm(how, d.Known)
		d.Adjust.Quantity, d.Adjust.Reason, d.Adjust.Problem = form.Value("quantity"), form.Value("reason"), sentence
		if d.Adjust.Field = field; field == "change" || field == "stock" {
			d.Adjust.Field = "quantity"
		}
	})
}

// Undo handles POST /console/inventory/undo: it takes the change of the stock in `move` back.
func (p *Pages) Undo(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	seq, err := strconv.ParseInt(form.Value("move"), 10, 64)
	if err != nil {
		seq = 0 // which no move has
	}
	_, err = p.service.Undo(r.Context(), v.Account, form.Value("id"), seq)
	return p.answer(w, r, v, form, err, "undone", func(d *views.ItemDetail, _, sentence string) { d.Problem = sentence })
}

// unsigned refuses a quantity with a sign: the choice beside it says the direction.
func unsigned(text string) (string, error) {
	n, err := parseUnits(text, stockDecimals)
	if err == nil && n < 0 {
		return "", fault.Invalid("quantity", "must not have a minus; choose to take away instead")
	}
	if err != nil {
		return "", fault.Invalid("quantity", err.Error())
	}
	return numberText(&n, stockDecimals), nil
}

// Alias handles POST /console/inventory/alias: it adds the name in `alias`, or removes the one
// in `remove`.
func (p *Pages) Alias(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, done := form.Value("id"), "alias"
	var err error
	if name := form.Value("remove"); name != "" {
		_, err = p.service.RemoveAlias(r.Context(), v.Account.ID, id, name)
		done = "unnamed"
	} else {
		_, _, err = p.service.AddAlias(r.Context(), v.Account.ID, id, form.Value("alias"))
	}
	return p.answer(w, r, v, form, err, done, func(d *views.ItemDetail, field, sentence string) {
		d.Alias, d.AliasProblem = form.Value("alias"), sentence
	})
}

// Teach handles POST /console/inventory/teach: a photo showed the barcode in `code` or the name
// in `read`, or both, by which the item is found from now on.
func (p *Pages) Teach(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, code, read := form.Value("id"), form.Value("code"), form.Value("read")
	var err error
	if code != "" {
		_, err = p.service.AddBarcode(r.Context(), v.Account.ID, id, code)
	}
	if err == nil && read != "" {
		_, _, err = p.service.AddAlias(r.Context(), v.Account.ID, id, read)
	}
	if err == nil {
		return w.Redirect(path + "/scan?" + url.Values{"item": {id}, "done": {"taught"}}.Encode())
	}
	return p.answer(w, r, v, form, err, "", func(d *views.ItemDetail, field, sentence string) {
		d.Alias, d.AliasProblem = read, sentence
	})
}

// Remove handles POST /console/inventory/remove.
func (p *Pages) Remove(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	_, err := p.service.Remove(r.Context(), v.Account.ID, form.Value("id"))
	if err != nil {
		return notFound(err)
	}
	return w.Redirect(sentList(form).address("done", "removed"))
}

// answer answers a form of the open item: it shows the item, or with a problem that the sender
// can correct the form as it was typed.
func (p *Pages) answer(w *web.Response, r *http.Request, v session.Visitor, form web.Form, err error, done string,
	typed func(d *views.ItemDetail, field, sentence string)) error {
	l, id := sentList(form), form.Value("id")
	problem := web.UserError(err)
	if problem == nil && err != nil {
		return notFound(err)
	}
	if problem == nil {
		return w.Redirect(l.address("open", id, "done", done))
	}
	page, err := p.listPage(r.Context(), v, l, id)
	if err != nil {
		return err
	}
	detail, err := p.detail(r.Context(), v, l, id, false)
	if err != nil {
		return err
	}
	status, sentence, field := problemOf(w, problem, itemNames)
	if page.Problem = sentence; field == "" {
		detail.Problem = sentence
	} else {
		typed(&detail, field, sentence)
	}
	page.Detail = &detail
	return p.views.Render(w, status, page)
}
