package crash_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// httpFront stands before an HTTP server and announces the boundaries of every
// call that changes something.
type httpFront struct {
	conductor *conductor
	target    *url.URL
	// component names a call by its path.
	component func(path string) string
}

// ServeHTTP implements http.Handler.
func (f *httpFront) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r := f.conductor.current.Load()
	body, err := io.ReadAll(request.Body)
	if err != nil || r.isDead() {
		drop()
	}
	if !changes(request) {
		f.answer(w, f.forward(request, body))
		return
	}
	name := f.component(request.URL.Path) + " " + request.Method + " " + pattern(request.URL)
	if !r.pass(name + " · " + beforeSend) {
		drop()
	}
	answer := f.forward(request, body)
	if !r.pass(name + " · " + afterSend) {
		drop()
	}
	f.answer(w, answer)
	_ = http.NewResponseController(w).Flush() // a client that left is not waited for
	r.pass(name + " · " + afterAnswer)
}

// drop cuts the client's connection (net/http.ErrAbortHandler).
func drop() { panic(http.ErrAbortHandler) }

// answer is a whole answer of the server.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// forward sends the call on as it is: the Host it was signed for stays. No
// connection is kept, since the server may have been killed meanwhile.
func (f *httpFront) forward(request *http.Request, body []byte) answer {
	out := request.Clone(context.WithoutCancel(request.Context())) // what was sent arrives, whoever dies
	out.RequestURI, out.URL.Scheme, out.URL.Host = "", f.target.Scheme, f.target.Host
	out.Host, out.Body, out.ContentLength, out.TransferEncoding = request.Host, io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	if len(body) == 0 {
		out.Body = http.NoBody
	}
	response, err := (&http.Transport{DisableKeepAlives: true, DisableCompression: true}).RoundTrip(out)
	if err != nil {
		drop()
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		drop()
	}
	return answer{status: response.StatusCode, header: response.Header, body: content}
}

func (*httpFront) answer(w http.ResponseWriter, a answer) {
	for name, values := range a.header {
		w.Header()[name] = slices.Clone(values)
	}
	w.Header().Del("Connection")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// changes tells whether a call may change something.
func changes(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		return !strings.HasSuffix(r.URL.Path, "/protocol/openid-connect/token")
	}
	return false
}

// ids are the parts of a path that differ from tenant to tenant.
var ids = regexp.MustCompile(`^([0-9a-f]{8}-[0-9a-f-]{27}|(cus|sub|si)_.+|tnt-.+|.+\.example\.org\.?)$`)

// pattern is a path without ids, and the names of its parameters, which are
// what tells S3's calls apart.
func pattern(u *url.URL) string {
	segments := strings.Split(u.Path, "/")
	for i, segment := range segments {
		segments[i] = ids.ReplaceAllString(segment, "*")
	}
	var names []string
	for name := range u.Query() {
		names = append(names, name)
	}
	if len(names) == 0 {
		return strings.Join(segments, "/")
	}
	slices.Sort(names)
	return fmt.Sprintf("%s?%s", strings.Join(segments, "/"), strings.Join(names, "&"))
}
