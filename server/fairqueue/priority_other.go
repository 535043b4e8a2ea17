//go:build !linux

package fairqueue

// lowerPriority does nothing: only Linux has a priority for each thread.
func lowerPriority() {}
