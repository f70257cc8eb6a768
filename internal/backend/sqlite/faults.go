package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	driver "modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/tenantplane/terraform-provider-tenant/internal/backend"
	"github.com/tenantplane/terraform-provider-tenant/internal/fault"
)

// wrap turns whatever a call ended with into the error the contract asks for.
func (b *Backend) wrap(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlite: %s %s: %w", verb, name, b.fault(err))
}

func (b *Backend) fault(err error) *fault.Fault {
	var known *fault.Fault
	if errors.As(err, &known) {
		return known
	}
	f := &fault.Fault{Kind: fault.Terminal, Code: "sqlite.rejected", Found: err.Error(), Err: err,
		Action: "this is a defect of the provider; please report it with this message"}
	var refused *driver.Error
	switch {
	case errors.As(err, &refused):
		b.read(f, refused.Code()&0xff) // extended codes keep the plain one in the low byte
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		f.Kind, f.Code, f.Action = fault.Retryable, "sqlite.timeout", "end whatever keeps the file or the folder's lock busy"
	case errors.Is(err, fs.ErrPermission):
		f.Code, f.Path, f.BackendWide = "sqlite.permission", b.path, true
		f.Action = "let the user who runs the provider read and write the folder and what is in it"
	}
	return f
}

// read says what a SQLite result code means (sqlite.org/rescode.html).
func (b *Backend) read(f *fault.Fault, code int) {
	switch code {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED, lib.SQLITE_INTERRUPT:
		f.Kind, f.Code, f.Action = fault.Retryable, "sqlite.busy", "end the program that keeps the file busy, or wait"
	case lib.SQLITE_FULL, lib.SQLITE_IOERR, lib.SQLITE_NOMEM:
		f.Kind, f.Code, f.BackendWide, f.Action = fault.Retryable, "sqlite.disk", true, "look at the disk: it is full or failing"
	case lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT:
		f.Code, f.Action = "sqlite.corrupt", "restore the file from a backup; nothing was changed"
	case lib.SQLITE_CANTOPEN, lib.SQLITE_PERM, lib.SQLITE_READONLY, lib.SQLITE_AUTH:
		f.Code, f.Path, f.Action = "sqlite.permission", b.path, "let the user who runs the provider read and write the folder and what is in it"
	}
}

func absent(target backend.Target) *fault.Fault {
	return fault.NewNotFound("sqlite.absent", "there is no file "+target.Name+fileEnd)
}

func conflict(target backend.Target, r record) *fault.Fault {
	found := fmt.Sprintf("the file %s exists and has no marker of ours", r.path)
	if !r.marker.IsZero() {
		found = fmt.Sprintf("the file %s exists and belongs to %s", r.path, r.marker)
	}
	return fault.NewConflict("sqlite.foreign", target.Path, found,
		"move it away if nobody needs it there, or set database.adopt to take it over")
}
