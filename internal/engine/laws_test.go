package engine_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tenantplane/terraform-provider-tenant/internal/engine"
)

func TestTheSameInputGivesTheSamePlanByteForByte(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seen := drawWorld(t)
		for _, plan := range []func() engine.Plan{
			func() engine.Plan { return engine.Converge(d, nil, seen, now) },
			func() engine.Plan { return engine.Finalize(d, seen, now) },
		} {
			first, err := json.Marshal(plan())
			if err != nil {
				t.Fatal(err)
			}
			second, err := json.Marshal(plan())
			if err != nil {
				t.Fatal(err)
			}
			if string(first) != string(second) {
				t.Fatalf("two plans of one world:\n%s\n%s", first, second)
			}
		}
	})
}

func TestAfterAPlanIsCarriedOutThereIsNothingLeftToPlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seen := drawWorld(t)
		first := engine.Converge(d, nil, seen, now)
		for _, a := range first.Actions {
			carryOut(seen, a)
		}
		second := engine.Converge(d, nil, seen, now)
		if len(second.Actions) > 0 {
			t.Fatalf("first %v, then %v", ids(first), ids(second))
		}
		if len(second.Faults) != len(first.Faults) {
			t.Fatalf("faults came or went: %v, %v", first.Faults, second.Faults)
		}
	})
}

func TestAfterFinalizationNothingOfOursIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seen := drawWorld(t)
		for _, a := range engine.Finalize(d, seen, now).Actions {
			carryOut(seen, a)
		}
		if second := engine.Finalize(d, seen, now); len(second.Actions) > 0 {
			t.Fatalf("left: %v", ids(second))
		}
	})
}

func TestActionsComeAfterWhatTheyNeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, seen := drawWorld(t)
		for _, plan := range []engine.Plan{engine.Converge(d, nil, seen, now), engine.Finalize(d, seen, now)} {
			done := map[string]bool{}
			for _, a := range plan.Actions {
				for _, need := range a.Needs {
					if !done[need] {
						t.Fatalf("%s comes before %s in %v", a.ID(), need, ids(plan))
					}
				}
				done[a.ID()] = true
			}
		}
	})
}

// Removal is the exact reverse of creation, with access off and stop billing
// ahead of it, data archived between, and the audit record behind.
func TestFinalizationIsTheReverseOfCreation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, _ := drawWorld(t)
		made := engine.Converge(d, nil, engine.Sightings{}, now)
		plan := engine.Finalize(d, alive(d), now)
		stage := engine.StageForward
		var removed []engine.ObjectID
		for _, a := range plan.Actions {
			if a.Stage < stage {
				t.Fatalf("stage %s after %s in %v", a.Stage, stage, ids(plan))
			}
			stage = a.Stage
			if a.Stage == engine.StageRemove {
				removed = append(removed, a.Object.ID)
			}
		}
		var created []engine.ObjectID
		for _, a := range made.Actions {
			if slices.Contains(removed, a.Object.ID) {
				created = append(created, a.Object.ID)
			}
		}
		slices.Reverse(created)
		if !slices.Equal(created, removed) {
			t.Fatalf("created reversed %v, removed %v", created, removed)
		}
	})
}
