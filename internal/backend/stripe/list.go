package stripe

import (
	"context"
	"maps"
	"net/http"
	"net/url"
)

// listObject is the type of a list.
const listObject = "list"

// list is one page.
type list[T any] struct {
	Data    []T  `json:"data"`
	HasMore bool `json:"has_more"`
}

// all reads a list to its last page (docs.stripe.com/api/pagination). Half a
// list is an error, never a short list.
func all[T identified](ctx context.Context, c *client, r request) ([]T, error) {
	r.method, r.object = http.MethodGet, listObject
	params := url.Values{}
	maps.Copy(params, r.params)
	params.Set("limit", "100")
	r.params = params
	var found []T
	for {
		var page list[T]
		if _, err := c.call(ctx, r, &page); err != nil {
			return nil, err
		}
		found = append(found, page.Data...)
		if !page.HasMore {
			return found, nil
		}
		if len(page.Data) == 0 || page.Data[len(page.Data)-1].identity() == params.Get("starting_after") {
			return nil, r.malformed("the list promises more and gives nothing new")
		}
		params.Set("starting_after", page.Data[len(page.Data)-1].identity())
	}
}

// identified is an object with an id.
type identified interface{ identity() string }
