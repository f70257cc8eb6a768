package powerdns

import (
	"errors"
	"io"
	"net/http"
	"strings"
)

// rewritten returns response with its body changed.
func rewritten(response *http.Response, change func(string) string) (*http.Response, error) {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	text := change(string(body))
	response.Body, response.ContentLength = io.NopCloser(strings.NewReader(text)), int64(len(text))
	response.Header.Del("Content-Length")
	return response, nil
}

// atMostWrites breaks the connection of every write after the first ones,
// before it reaches the server.
type atMostWrites struct{ limit, done int }

func (a *atMostWrites) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPatch {
		if a.done >= a.limit {
			return nil, errors.New("connection reset by peer (injected)")
		}
		a.done++
	}
	return http.DefaultTransport.RoundTrip(r)
}

// intruder lets somebody else write right after the backend.
type intruder struct{ strike func() }

func (i *intruder) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if r.Method == http.MethodPatch {
		i.strike()
	}
	return response, err
}
