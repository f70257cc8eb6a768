// Package gate stands in front of every system of the sandbox: it reads the
// request, lets a fault hit it if one waits for it, runs the system's effect in
// one transaction together with its line in the log, and sends the answer.
package gate
