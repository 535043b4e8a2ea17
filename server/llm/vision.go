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

// visionTTL is how long it is remembered that a model has vision. That can change:
// the name may be pulled or created again.
const visionTTL = 5 * time.Minute

// visionCache remembers which models have vision. That a model lacks it is not
// remembered.
type visionCache struct {
	now func() time.Time

	mu      sync.Mutex
	expires map[string]time.Time // by model
}

func (c *visionCache) has(model string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now().Before(c.expires[model])
}

func (c *visionCache) add(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.expires[model] = c.now().Add(visionTTL)
}

func (c *visionCache) remove(model string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.expires, model)
}

// requireVision fails for a model without vision. Ollama would drop the picture
// silently, and the model would invent a product.
func (c *Client) requireVision(ctx context.Context, r Request, used *usage) error {
	if c.vision.has(r.Model) {
		return nil
	}

	shown, err := c.show(ctx, r, used)
	if err != nil {
		return err
	}
	if !slices.Contains(shown.Capabilities, ollama.CapabilityVision) {
		return c.redactor.newError(NoVision, r, errors.New("vision is not among its capabilities"))
	}
	c.vision.add(r.Model)
	return nil
}

// show asks Ollama about a model.
func (c *Client) show(ctx context.Context, r Request, used *usage) (shown *api.ShowResponse, err error) {
	err = c.call(ctx, r, used, func(ctx context.Context) (err error) {
		shown, err = c.api.Show(ctx, &api.ShowRequest{Model: r.Model})
		return err
	})
	return shown, err
}

// Check fails if Ollama is not reached or does not have the model, or if the model must see and does not. It does
// not load it.
func (c *Client) Check(ctx context.Context, model string, sees bool) error {
	r := Request{Model: model}
	if sees {
		return c.requireVision(ctx, r, &usage{})
	}
	_, err := c.show(ctx, r, &usage{})
	return err
}
