package engine

import (
	"fmt"
	"slices"
)

// needs returns, per object, the objects that must be ready first: the ones it
// names itself and all of the components its component depends on.
func needs(d Desired) map[ObjectID][]ObjectID {
	byComponent := map[string][]ObjectID{}
	known := map[ObjectID]bool{}
	for _, o := range d.Objects {
		byComponent[o.ID.Component] = append(byComponent[o.ID.Component], o.ID)
		known[o.ID] = true
	}
	out := map[ObjectID][]ObjectID{}
	for _, o := range d.Objects {
		var list []ObjectID
		for _, component := range d.DependsOn[o.ID.Component] {
			list = append(list, byComponent[component]...)
		}
		for _, id := range o.Needs {
			if known[id] {
				list = append(list, id)
			}
		}
		out[o.ID] = list
	}
	return out
}

// order returns the objects so that each comes after what it needs and, among
// the free, in the order given: a stable topological sort. It panics on a
// cycle, which Compile has refused.
func order(d Desired) []Object {
	sorted, rest := sortByNeeds(d)
	if len(rest) > 0 {
		panic(fmt.Sprintf("engine: dependency cycle through %s", rest[0].ID))
	}
	return sorted
}

// sortByNeeds returns the sorted objects and those that form or need a cycle.
func sortByNeeds(d Desired) (sorted, rest []Object) {
	required := needs(d)
	done := map[ObjectID]bool{}
	rest = slices.Clone(d.Objects)
	for len(rest) > 0 {
		next := slices.IndexFunc(rest, func(o Object) bool {
			return !slices.ContainsFunc(required[o.ID], func(id ObjectID) bool { return !done[id] })
		})
		if next < 0 {
			return sorted, rest
		}
		done[rest[next].ID] = true
		sorted = append(sorted, rest[next])
		rest = slices.Delete(rest, next, next+1)
	}
	return sorted, nil
}
