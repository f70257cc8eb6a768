// Package layering holds the law of the source tree as data and checks it: who
// may import whom (DESIGN section 3), which names and shapes are not wanted.
// Its test holds the real tree against it.
package layering
