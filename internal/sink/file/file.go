// Package file appends events to a file, a line each, or writes them to
// standard output.
package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
	"github.com/tenantplane/terraform-provider-tenant/internal/sink"
)

// Sink appends to a file.
type Sink struct {
	path string
	mu   sync.Mutex
	open *os.File
}

// New returns a sink that appends to the file at path, which is made (mode
// 0600) if it is missing; "-" is standard output.
func New(path string) *Sink { return &Sink{path: path} }

// Deliver implements sink.Sink. A line is one write, on the disk before it
// counts as delivered.
func (s *Sink) Deliver(ctx context.Context, m sink.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return fault.NewRetryable("events.cancelled", "the delivery was given up", err)
	}
	if err := s.append(append(bytes.TrimSpace(m.Body), '\n')); err != nil {
		return fmt.Errorf("file: append %s: %w", m.ID, fault.NewRetryable("events.file", err.Error(), err))
	}
	return nil
}

func (s *Sink) append(line []byte) error {
	if s.path == "-" {
		_, err := os.Stdout.Write(line)
		return err
	}
	if s.open == nil {
		file, err := os.OpenFile(s.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		s.open = file
	}
	_, err := s.open.Write(line)
	if err == nil {
		err = s.open.Sync()
	}
	if err != nil {
		return errors.Join(err, s.close()) // the next message opens it anew
	}
	return nil
}

func (s *Sink) close() error {
	if s.open == nil {
		return nil
	}
	err := s.open.Close()
	s.open = nil
	return err
}

// Close implements sink.Sink.
func (s *Sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.close()
}
