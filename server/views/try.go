package views

// TryField is a parameter of the endpoint that is tried. In is path, query or header.
type TryField struct{ Name, In, Type, Description, Value string }

// Try is `/console/try`: an endpoint as a form, which the page's script sends. Its forms get
// the same page with `call`, and post `call` to /console/try/key.
type Try struct {
	Frame
	Calls                          []Option // the endpoints
	ID, Method, Path, Name, Access string   // Access: key, session or empty
	Description, Price             string   // prose; a few words
	Fields                         []TryField
	Body                           string // JSON; empty: none
	Curl                           string
	Base                           string // address of the API
	// Key is the secret of a test key that was just made for the page. It is shown this once.
	Key       string
	Reference string // address of the endpoint in the reference
}

func (Try) template() string { return "console_try" }

// callInput is the choice of an endpoint.
func callInput(options []Option) input { return selectInput("calls", "call", "Endpoint", options) }
