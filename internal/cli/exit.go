package cli

import "fmt"

// ExitError ends the program with a code of its own and without a message:
// what there is to say was printed.
type ExitError struct{ Code int }

// Error implements error.
func (e ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }
