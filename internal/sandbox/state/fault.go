package state

import "encoding/json"

// FaultRow is a fault that waits for the calls it is meant for.
type FaultRow struct {
	ID int64
	// Spec is the fault itself; this package does not look into it.
	Spec json.RawMessage
	// Remaining is how many more calls it hits; below 0 means no limit.
	Remaining int
}

func scanFault(row interface{ Scan(...any) error }) (FaultRow, error) {
	var (
		f    FaultRow
		spec string
	)
	err := row.Scan(&f.ID, &spec, &f.Remaining)
	f.Spec = json.RawMessage(spec)
	return f, err
}

// AddFault stores a fault and returns its id.
func (t *Tx) AddFault(spec json.RawMessage, remaining int) (int64, error) {
	result, err := t.tx.ExecContext(t.ctx, "INSERT INTO faults (spec, remaining) VALUES (?, ?)", string(spec), remaining)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// Faults returns the faults that can still hit, oldest first.
func (t *Tx) Faults() ([]FaultRow, error) {
	return query(t, scanFault, "SELECT id, spec, remaining FROM faults ORDER BY id")
}

// SpendFault takes one hit from a fault and forgets it after its last.
func (t *Tx) SpendFault(f FaultRow) error {
	switch {
	case f.Remaining < 0:
		return nil
	case f.Remaining <= 1:
		return t.exec("DELETE FROM faults WHERE id = ?", f.ID)
	default:
		return t.exec("UPDATE faults SET remaining = remaining - 1 WHERE id = ?", f.ID)
	}
}

// ForgetFaults removes all faults.
func (t *Tx) ForgetFaults() error { return t.exec("DELETE FROM faults") }
