//go:build !linux

package child

// EndSurvivors ends the children of a run that are still there although the
// process that watched them is not. Only Linux says which they are.
func EndSurvivors(string) int { return 0 }
