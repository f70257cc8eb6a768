// Package backend is the contract between the executor and the external
// systems: observe, ensure, remove, plus optional capabilities. One folder
// below it per system; drivers are registered in an explicit list.
package backend
