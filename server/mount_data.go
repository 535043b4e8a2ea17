package server

import (
	"net/http"

	"svc/server/dataset"
	"svc/server/session"
)

// askRoutes are the pages on which an account asks its data.
func (f *fronts) askRoutes() []route {
	const one = "/console/ask/:id"
	a := f.askPages
	return []route{
		{method: http.MethodGet, pattern: "/console/ask", who: member, page: a.Show},
		{method: http.MethodPost, pattern: "/console/ask", who: member, page: session.Form(a.Ask)},
		{method: http.MethodGet, pattern: one, who: member, page: a.ShowAnswer},
		{method: http.MethodGet, pattern: one + "/table.csv", who: member, page: a.ExportTable},
		{method: http.MethodPost, pattern: one + "/pin", who: member, page: session.Form(a.Pin)},
		{method: http.MethodPost, pattern: one + "/remove", who: member, page: session.Form(a.Remove)},
		{method: http.MethodPost, pattern: one + "/words", who: member, page: session.Form(a.Teach)},
	}
}

// dataRoutes are the pages of an account's datasets.
func (f *fronts) dataRoutes() []route {
	const all, one = "/console/data", "/console/data/set/:id"
	d := f.dataPages
	return []route{
		{method: http.MethodGet, pattern: all, who: member, page: d.Show},
		{method: http.MethodPost, pattern: all + "/newest", who: member, page: session.Form(d.UseNewest)},
		{method: http.MethodPost, pattern: all + "/sample", who: member, page: session.Form(d.Sample)},
		{method: http.MethodPost, pattern: all + "/upload", who: member, page: session.Upload(dataset.Console.Bytes, d.Upload)},
		{method: http.MethodGet, pattern: all + "/upload/:id", who: member, page: d.ShowUpload},
		{method: http.MethodPost, pattern: all + "/upload/:id", who: member, page: session.Form(d.UseUpload)},
		{method: http.MethodGet, pattern: one, who: member, page: d.ShowSet},
		{method: http.MethodGet, pattern: one + "/rows.csv", who: member, page: d.Export},
		{method: http.MethodPost, pattern: one + "/roles", who: member, page: session.Form(d.SetRoles)},
		{method: http.MethodPost, pattern: one + "/use", who: member, page: session.Form(d.Use)},
		{method: http.MethodPost, pattern: one + "/undo", who: member, page: session.Form(d.Undo)},
		{method: http.MethodPost, pattern: one + "/remove", who: member, page: session.Form(d.Remove)},
		{method: http.MethodPost, pattern: one + "/words", who: member, page: session.Form(d.Teach)},
		{method: http.MethodPost, pattern: one + "/forget", who: member, page: session.Form(d.Forget)},
	}
}
