// Package backendtest is the conformance suite of the backend contract. Every
// backend runs it against the real system it speaks to:
//
//	func TestConformance(t *testing.T) {
//		backendtest.Run(t, backendtest.Suite{…})
//	}
//
// A fake that exists to inject faults is held to the same suite.
package backendtest
