package engine

import "time"

// InterruptedArchives plans the archives that were begun for objects a spec
// wants again: a deletion was taken back in the middle. They are asked for
// again before anything else, since only the backend can say where the data is,
// and the object's next life must not hide that. now dates what was not dated.
func InterruptedArchives(d Desired, seen Sightings, now time.Time) Plan {
	var plan Plan
	for _, o := range order(d) {
		s := seen[o.ID]
		if s.Fault != nil || s.Present || !s.Record.Archiving {
			continue
		}
		action := newAction(d.Subject, Archive, StageArchive, o, s.Record.aliveEpoch(), s.Record.Attempt, "an earlier archive was interrupted")
		action.RetainUntil = retainUntil(o, now)
		plan.Actions = append(plan.Actions, *action)
	}
	return plan
}

// retainUntil is when the data of an object that is archived now may go.
func retainUntil(o Object, now time.Time) time.Time {
	return now.Add(time.Duration(o.Finalization.RetentionDays) * 24 * time.Hour)
}
