package server

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/account"
	"svc/server/ask"
	"svc/server/certificate"
	"svc/server/job"
	"svc/server/scan"
)

const (
	// sweepEvery is the interval at which ended leases are looked for.
	sweepEvery = 5 * time.Second
	// mailEvery is the interval between tries of a mail. A new mail is sent at once.
	mailEvery = 5 * time.Second
	// slowEvery is the interval of sweeps that may be minutes late.
	slowEvery = time.Minute
	// preloadEvery is shorter than the time after which Ollama unloads a model.
	preloadEvery = 10 * time.Minute
	// drainTime is the least time that running requests have when the process stops.
	drainTime = 20 * time.Second
	// readTime bounds reading a request, and twinTime its wait for a twin (B4).
	readTime = 60 * time.Second
	twinTime = 30 * time.Second
	// maxHeader bounds the line and the header of a request together, in bytes (A9, B1).
	maxHeader = 20 << 10
	// maxHeaderRead is what net/http reads. Up to there a header over maxHeader gets our
	// answer; beyond it net/http answers in plain text. A path that cannot be decoded, such
	// as /%zz, reaches no handler either.
	maxHeaderRead = 64 << 10
)

// Run opens the appliance, listens and serves until ctx ends; then it drains. It migrates
// the database first. It calls started once, as soon as requests are answered.
func Run(ctx context.Context, config Config, started func(*App) error) (err error) {
	config.Migrate = true
	config.limitMemory()
	on, config, err := listen(config)
	if err != nil {
		return err
	}
	defer on.close()
	app, err := Open(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	if err := app.ensureOperator(ctx); err != nil {
		return err
	}
	return app.serve(ctx, on, started)
}

// ensureOperator makes the first account from the configuration (L2).
func (a *App) ensureOperator(ctx context.Context) error {
	if a.config.OperatorEmail == "" {
		return nil
	}
	return a.Accounts.EnsureOperator(ctx, account.NewAccount{
		Email: a.config.OperatorEmail, Password: a.config.OperatorPassword,
	})
}

// longest returns the longest time that an admitted call may take.
func (a *App) longest() time.Duration {
	longest := drainTime
	if a.VisionModel() != "" {
		longest = max(longest, a.config.Ollama.Timeout+scan.Grace+time.Second)
	}
	if a.AskModel() != "" {
		longest = max(longest, a.config.Ollama.Timeout+ask.ComputeTime+time.Second)
	}
	return longest
}

// loops returns the background work of the appliance.
func (a *App) loops() []job.Loop {
	loops := []job.Loop{
		{Name: "sweep", Every: sweepEvery, Run: a.gate.Sweep},
		{Name: "request log", Every: sweepEvery, Run: a.Requests.CountBlocks},
		{Name: "mail", Every: mailEvery, Wake: a.Mails.Woken(), Run: a.Mails.Deliver},
		{Name: "webhooks", Every: a.config.WebhookSweep, Wake: a.Webhooks.Woken(), Run: a.Webhooks.Deliver},
		{Name: "payments", Every: slowEvery, Run: a.Payments.Sweep},
		{Name: "accounts", Every: slowEvery, Run: a.Accounts.Sweep},
		{Name: "previews", Every: slowEvery, Run: a.Connections.Sweep},
		{Name: "imports", Every: slowEvery, Wake: a.Inventories.Woken(), Run: a.Inventories.Sweep},
		{Name: "alerts", Every: slowEvery, Run: a.Insights.Sweep},
		{Name: "pulses", Every: slowEvery, Run: a.Insights.SweepPulses},
		{Name: "briefs", Every: slowEvery, Run: a.Insights.SweepBriefs},
		{Name: "churn", Every: slowEvery, Run: a.Insights.SweepChurn},
		{Name: "datasets", Every: slowEvery, Run: a.Datasets.Sweep},
		{Name: "memory", Every: slowEvery, Run: giveMemoryBack},
	}
	if a.Certificates != nil {
		loops = append(loops, job.Loop{Name: "certificates", Every: certificate.RetryEvery, Wake: a.Certificates.Woken(), Run: a.Certificates.Renew})
	}
	for name, model := range map[string]string{"vision model": a.VisionModel(), "ask model": a.AskModel()} {
		if model == "" {
			continue
		}
		loops = append(loops, job.Loop{Name: name, Every: preloadEvery, Run: func(ctx context.Context) error {
			return a.outside.models.Preload(ctx, model)
		}})
	}
	return loops
}

func (a *App) serve(ctx context.Context, on listeners, started func(*App) error) error {
	defer a.serveMetrics(on.metrics)() // until all else has ended
	server := a.HTTPServer()
	stopPlain := a.servePlain(on) // before the first certificate is asked for
	defer stopPlain()
	loops := job.Start(a.config.Log, a.jobs, a.loops()...)
	defer loops.Stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(a.secured(on.main)) }()

	a.config.Log.Info("serving", "address", a.config.Addr, "url", a.config.BaseURL, "database", a.config.DB, "messaging", a.outside.carrier.Name())
	if err := started(a); err != nil {
		return errors.Join(err, server.Close())
	}
	select {
	case err := <-failed:
		return err
	case <-a.store.Outdated():
		return errors.Join(db.ErrNewerSchema, server.Close())
	case <-ctx.Done():
	}

	a.config.Log.Info("stopping: running requests are finished first")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), a.longest())
	defer cancel()
	a.connections.drain()
	if err := server.Shutdown(drain); err != nil {
		return errors.Join(fmt.Errorf("requests cut off after %s: %w", a.longest(), err), server.Close())
	}
	return nil
}
