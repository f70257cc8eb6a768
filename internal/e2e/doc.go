// Package e2e holds the promises that only whole processes can keep: a real
// terraform, the built provider, real servers, and SIGKILL. It has tests only.
package e2e
