package insight

// API answers GET /alerts, /pulse and /brief.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }
