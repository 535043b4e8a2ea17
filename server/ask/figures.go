package ask

import (
	"context"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/tell"
	"svc/server/schema"
)

// Figures gives other services exact figures of an account's rows, by the plans and the
// computation that answer questions, so that they never differ from an answer.
type Figures struct{ service *Service }

// Figures returns the service's figures.
func (s *Service) Figures() Figures { return Figures{s} }

// Sources returns what the account can be asked about: the dataset in use (H3), then its
// shop's tables that have rows. Sums over a source with Mixed set would mix currencies.
func (f Figures) Sources(ctx context.Context, owner db.Account) ([]schema.Source, error) {
	entry, err := f.service.readers.get(ctx, owner, "", false)
	if err != nil {
		return nil, err
	}
	return entry.sources, nil
}

// Compute runs plans over one state of a source's rows. The error is db.ErrNotFound if an
// import has exchanged the rows of the dataset since Sources.
func (f Figures) Compute(ctx context.Context, owner db.Account, source schema.Source, plans ...plan.Plan) (all []compute.Result, err error) {
	err = f.service.over(ctx, owner, source, func(ctx context.Context, t compute.Table) error {
		for _, p := range plans {
			r, err := compute.Run(ctx, t, source, p)
			if err != nil {
				return err
			}
			all = append(all, r)
		}
		return nil
	})
	return all, err
}

// Sentence words a result; "" if there was no row to compute from.
func (f Figures) Sentence(owner db.Account, r compute.Result) string {
	return tell.Sentence(r, f.service.options(owner, Question{}))
}
