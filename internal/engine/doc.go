// Package engine is the declarative plan engine: from what a spec wants and
// what was seen it computes an ordered list of actions with reasons. It is
// pure: no context, no I/O, no clock; the same input gives the same plan, byte
// for byte. Terraform's plan, the command line and the executor all use it.
//
// What becomes of one wanted object:
//
//	seen                | recorded        | content | action
//	--------------------+-----------------+---------+---------------------------
//	not observable      | any             | –       | fault; what needs it is held
//	absent              | no              | –       | create
//	absent, intent open | no              | –       | create with the same key
//	absent              | yes             | –       | create in the next epoch
//	ours                | no              | any     | adopt
//	ours                | yes             | equal   | –
//	ours                | yes             | differs | update
//	ours, disabled      | any             | any     | update
//	ours                | any             | immutable field differs | fault Terminal
//	no marker           | yes, same id    | equal   | –
//	no marker           | yes, same id    | differs | update
//	no marker           | no              | equal   | adopt, where identical content is
//	                    |                 |         | safe or adopt = "matching"
//	no marker           | intent open     | any     | create with the same key: the backend tells
//	                    |                 |         | its half-made object from a stranger's
//	no marker, foreign  | no              | any     | adopt, where adopt = "overwrite"
//	no marker, foreign  | otherwise       | any     | fault Conflict naming the owner
//
// A suspended tenant's objects that let people or programs in are disabled and
// otherwise left alone; the rest converges as ever.
//
// Finalization runs in stages: access off, stop billing, archive data, remove
// in reverse dependency order, remove the audit record.
package engine
