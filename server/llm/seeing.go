package llm

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/ollama/ollama/api"
	ollama "github.com/ollama/ollama/types/model"
)

// sightLife is how long a model is known to see without another look. It can
// change: a name may be pulled or made anew.
const sightLife = 5 * time.Minute

// seeing remembers which models can see. That one cannot is not remembered.
type seeing struct {
	now func() time.Time

	mu    sync.Mutex
	until map[string]time.Time
}

func newSeeing(now func() time.Time) *seeing {
	return &seeing{now: now, until: map[string]time.Time{}}
}

func (s *seeing) known(model string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now().Before(s.until[model])
}

func (s *seeing) learn(model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.until[model] = s.now().Add(sightLife)
}

func (s *seeing) forget(model string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.until, model)
}

// mustSee fails for a model that cannot see. Ollama would drop the picture
// without a word, and the model would make a product up.
func (c *Client) mustSee(ctx context.Context, r Request, spent *spent) error {
	if c.seeing.known(r.Model) {
		return nil
	}

	var shown *api.ShowResponse
	err := c.call(ctx, r, spent, func(ctx context.Context) (err error) {
		shown, err = c.api.Show(ctx, &api.ShowRequest{Model: r.Model})
		return err
	})
	if err != nil {
		return err
	}
	if !slices.Contains(shown.Capabilities, ollama.CapabilityVision) {
		return c.redactor.newError(NoVision, r, errors.New("vision is not among its capabilities"))
	}
	c.seeing.learn(r.Model)
	return nil
}
