package views

// TryField is a parameter of the endpoint that is tried. In is path, query or header. A field
// with Choices has one of them.
type TryField struct {
	Name, In, Type, Description, Value string
	Required                           bool
	Choices                            []string
}

// TryGroup is the endpoints of a topic.
type TryGroup struct {
	Title string
	Calls []Option
}

// Try is `/console/try`: an endpoint as a form, which the page's script sends. Its forms get
// the same page with `call`, and post `call` to /console/try/key. The script makes a form of
// the Body by its Schema.
type Try struct {
	Frame
	Groups                         []TryGroup // the endpoints
	ID, Method, Path, Name, Access string     // Access: key, session or empty
	Description, Price             string     // prose; a few words
	Fields                         []TryField
	Body, Schema                   string // JSON and JSON Schema; empty: none
	Example                        string // an answer; may be empty
	Curl                           string
	Base                           string // address of the API
	// Key is a secret that the form has: KeyMade, of a test key that was just made for the page
	// and is shown this once, or of the key KeyName, which was made before.
	Key       string
	KeyMade   bool
	KeyName   string
	Reference string // address of the endpoint in the reference
}

func (Try) template() string { return "console_try" }
