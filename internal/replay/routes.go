package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
	"github.com/evenkeel-go/evenkeel/liveness"
)

// routesMachine plans the routes of each look anew, taking the last plan for installed.
type routesMachine struct {
	config struct {
		Unreachable bool `json:"unreachable"`
	}
	owners map[string]liveness.Owners
}

func newRoutes(h trace.Header) (machine, error) {
	m := &routesMachine{owners: map[string]liveness.Owners{}}
	if h.Config == nil {
		return m, nil
	}
	return m, inField(settings.Unmarshal(h.Config, &m.config), "config")
}

type routesJSON struct {
	Peers []struct {
		ID     string   `json:"id"`
		Live   bool     `json:"live"`
		Metric int      `json:"metric"`
		Routes []string `json:"routes"`
	} `json:"peers"`
}

func (m *routesMachine) observe(id string, raw json.RawMessage, _ time.Time) (decided, error) {
	var in routesJSON
	if err := settings.Unmarshal(raw, &in); err != nil {
		return decided{}, err
	}
	claimants := make([]liveness.Claimant, len(in.Peers))
	for i, p := range in.Peers {
		claimants[i] = liveness.Claimant{ID: p.ID, Live: p.Live, Metric: p.Metric}
		for _, text := range p.Routes {
			prefix, err := netip.ParsePrefix(text)
			if err != nil {
				return decided{}, fmt.Errorf("peers[%d].routes: %q is no prefix", i, text)
			}
			claimants[i].Routes = append(claimants[i].Routes, prefix)
		}
	}
	before := m.owners[id]
	plan, err := liveness.PlanRoutes(claimants, before, before, m.config.Unreachable)
	if err != nil {
		return decided{}, err
	}
	m.owners[id] = plan.Owners
	return decided{line: routesLine(plan), print: true}, nil
}

func (m *routesMachine) check(json.RawMessage) error { return nil }

func (m *routesMachine) record(string, json.RawMessage, time.Time) (decided, error) {
	return decided{}, errors.New("a plan has no outcome, its traces have observe lines alone")
}

func (m *routesMachine) finish(string, bool, time.Time) {}

// routesLine says what a plan changes.
func routesLine(plan liveness.Plan) Line {
	l := Line{Action: ActionNone, Reason: "unchanged", Owners: plan.Owners, Why: "nothing changes"}
	if len(plan.Changes) == 0 {
		return l
	}
	words := make([]string, len(plan.Changes))
	for i, c := range plan.Changes {
		words[i] = c.String()
	}
	l.Action, l.Reason, l.Changes, l.Why = "change", "planned", plan.Changes, strings.Join(words, "; ")
	return l
}
