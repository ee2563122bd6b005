// The proxy and the relay, each as a process of its own.

package main

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec/proxy"
)

// runProxy is the proxy of kafkawire proxy, endpoints edited and versions clamped.
func runProxy(upstream, profile string) error {
	s, err := proxy.NewServer(proxy.ServerOptions{Listen: "127.0.0.1:0", Bootstrap: []string{upstream}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return serve(s.Addr())
}

// runRelay copies.
func runRelay(upstream string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				broker, err := net.Dial("tcp", upstream)
				if err != nil {
					client.Close()
					return
				}
				copyTo := func(dst, src net.Conn) {
					io.Copy(dst, src)
					dst.Close()
					src.Close()
				}
				go copyTo(client, broker)
				copyTo(broker, client)
			}()
		}
	}()
	return serve(l.Addr())
}

// serve says where it is, and answers what its parent asks until that goes.
func serve(at net.Addr) error {
	fmt.Println(at)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if lines.Text() == "collect" {
			debug.FreeOSMemory()
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Println(m.HeapInuse+m.StackInuse, resident())
	}
	return nil
}

// resident is the memory of this process that the system holds, in bytes; 0 where it
// doesn't say.
func resident() (size int64) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		if n, err := fmt.Sscanf(line, "VmRSS: %d kB", &size); n == 1 && err == nil {
			return size << 10
		}
	}
	return 0
}

// child is a process in a role.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	at  string
}

func start(role, upstream, profile string) (*child, error) {
	cmd := exec.Command(os.Args[0], "-role", role, "-upstream", upstream, "-profile", profile)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, in: in, out: bufio.NewScanner(out)}
	c.out.Scan()
	c.at = c.out.Text()
	return c, nil
}

// memory asks for heap and stacks in use, and for what is resident.
func (c *child) memory(how string) (inUse, resident int64) {
	fmt.Fprintln(c.in, how)
	c.out.Scan()
	fmt.Sscan(c.out.Text(), &inUse, &resident)
	return inUse, resident
}

// end stops the process and says what CPU time it used.
func (c *child) end() time.Duration {
	c.in.Close()
	c.cmd.Wait()
	return c.cmd.ProcessState.UserTime() + c.cmd.ProcessState.SystemTime()
}
