package stripe

import (
	"slices"

	"github.com/tenantplane/terraform-provider-tenant/internal/sandbox/state"
)

const (
	defaultLimit = 10
	maxLimit     = 100
)

// list is a page of objects.
type list struct {
	Object  string `json:"object"`
	Data    []any  `json:"data"`
	HasMore bool   `json:"has_more"`
	URL     string `json:"url"`
}

// paging are the parameters every list knows.
var paging = []string{"limit", "starting_after", "ending_before"}

// page renders the asked-for part of objects, which come oldest first and are
// shown newest first. show returns nil for what the list leaves out.
func page(op *operation, objects []state.Object, kind string, show func(state.Object) (any, error)) (any, error) {
	limit, f := op.params.integer("limit", defaultLimit, 1)
	if f != nil {
		return nil, f
	}
	if limit > maxLimit {
		return nil, badParam("parameter_invalid_integer", "limit", "This value must be less than or equal to 100.")
	}
	objects = slices.DeleteFunc(objects, func(o state.Object) bool { return o.HiddenAt(op.call.Now) })
	slices.Reverse(objects)
	answer := list{Object: "list", Data: []any{}, URL: op.call.Path}
	if cursor := op.params.text("ending_before"); cursor != "" {
		err := pageBefore(op, &answer, objects, kind, cursor, int(limit), show)
		return answer, err
	}
	start, err := after(op, objects, kind)
	if err != nil {
		return nil, err
	}
	for _, o := range objects[start:] {
		shown, err := show(o)
		if err != nil {
			return nil, err
		}
		if shown == nil {
			continue
		}
		if len(answer.Data) == int(limit) {
			answer.HasMore = true
			break
		}
		answer.Data = append(answer.Data, shown)
	}
	return answer, nil
}

// after returns where a page begins.
func after(op *operation, objects []state.Object, kind string) (int, error) {
	cursor := op.params.text("starting_after")
	if cursor == "" {
		return 0, nil
	}
	o, found, err := op.tx.Get(Name, kind, cursor)
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, noSuch(kind, cursor, "starting_after")
	}
	// The cursor itself may have left the list since, so go by age.
	start := slices.IndexFunc(objects, func(other state.Object) bool { return other.Seq < o.Seq })
	if start < 0 {
		return len(objects), nil
	}
	return start, nil
}

// pageBefore fills the page that ends just before the cursor.
func pageBefore(op *operation, answer *list, objects []state.Object, kind, cursor string, limit int, show func(state.Object) (any, error)) error {
	o, found, err := op.tx.Get(Name, kind, cursor)
	if err != nil {
		return err
	}
	if !found {
		return noSuch(kind, cursor, "ending_before")
	}
	var newer []any
	for _, other := range objects {
		shown, err := show(other)
		if err != nil {
			return err
		}
		if shown != nil && other.Seq > o.Seq {
			newer = append(newer, shown)
		}
	}
	answer.HasMore = len(newer) > limit
	answer.Data = append(answer.Data, newer[max(0, len(newer)-limit):]...)
	return nil
}
