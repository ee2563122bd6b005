//go:build !unix

package proxy

import "time"

// cpuTime isn't known here.
func cpuTime() time.Duration { return 0 }
