package cli

import "time"

// A provider whose Terraform was killed hears nothing of it: the plugin
// protocol has no word for that, and its server waits for the next call for
// ever (hashicorp/go-plugin, Serve). Calls under way are cancelled with their
// connection, and get the length of a grace to record what they did.
const (
	orphanPoll  = 500 * time.Millisecond
	orphanGrace = 3 * time.Second
)

// endOrphaned calls exit when the parent has changed, which means that the
// process that started this one is dead (getppid(2)), and the grace is over.
func endOrphaned(parent func() int, sleep func(time.Duration), exit func(code int)) {
	for first := parent(); parent() == first; {
		sleep(orphanPoll)
	}
	sleep(orphanGrace)
	exit(1)
}
