package announce

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// Variable is the environment variable with the URL of the harness.
const Variable = "TENANT_CRASH_CONTROL"

// The two moments of a write.
const (
	Before = "before write"
	After  = "after write"
)

// herald speaks to the harness.
type herald struct{ control string }

// around announces a write before and after it. A write that failed is not
// announced as done.
func (h herald) around(ctx context.Context, write string, do func() error) error {
	if err := h.tell(ctx, write+" · "+Before); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return h.tell(ctx, write+" · "+After)
}

// tell announces a moment and waits until the harness answers; where SIGKILL is
// to come it never does. A Ctrl-C does not end the wait, since it does not end
// the write either.
func (h herald) tell(ctx context.Context, moment string) error {
	request, err := http.NewRequestWithContext(context.WithoutCancel(ctx), http.MethodPost, h.control, strings.NewReader("ledger "+moment))
	if err != nil {
		return fmt.Errorf("announce %s: %w", moment, err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("announce %s: %w", moment, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("announce %s: the harness answered %s", moment, response.Status)
	}
	return nil
}
