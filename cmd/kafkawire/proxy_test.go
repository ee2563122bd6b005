package main

import (
	"bytes"
	"io"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec/proxy"
)

// TestProxyFlags: what the flags can't mean is said before anything is opened.
func TestProxyFlags(t *testing.T) {
	both := []string{"-listen", "127.0.0.1:0", "-bootstrap", "127.0.0.1:1"}
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "needs -listen and -bootstrap"},
		{both[:2], "needs -listen and -bootstrap"},
		{append(both, "more"), "no arguments"},
		{append(both, "-on-error", "guess"), `-on-error "guess"`},
		{append(both, "-map", "x=:1"), "want BROKER=ADDR"},
		{append(both, "-map", "1=:1", "-map", "1=:2"), "broker 1 has an address already"},
		{append(both, "-ports", "9-8"), "want LOW-HIGH"},
		{append(both, "-ports", "9"), "want LOW-HIGH"},
		{append(both, "-broker-offset", "-1"), "-broker-offset -1"},
		{append(both, "-log-level", "loud"), `-log-level "loud"`},
		{append(both, "-max-request", "0"), "-max-request 0"},
		{[]string{"-listen", "127.0.0.1:0", "-bootstrap", "nowhere"}, "missing port"},
		{[]string{"-listen", "127.0.0.1:99999", "-bootstrap", "127.0.0.1:1"}, "invalid port"},
	} {
		var out, err bytes.Buffer
		if code := run(append([]string{"proxy"}, test.args...), nil, &out, &err); code != 1 || !strings.Contains(err.String(), test.want) {
			t.Errorf("%v: exit %d, %q", test.args, code, err.String())
		}
	}
	var p proxyFlags
	for _, m := range []string{"1=:19093", "2=127.0.0.1:19094"} {
		if err := p.addMap(m); err != nil {
			t.Error(err)
		}
	}
	if err := p.setPorts("19100-19199"); err != nil || p.Ports != (proxy.PortRange{Low: 19100, High: 19199}) || p.Map[2] != "127.0.0.1:19094" {
		t.Error(err, p)
	}
}

// lockedBuffer is written by several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestProxyStops: at a signal requests under way are answered, at a second one they
// are not.
func TestProxyStops(t *testing.T) {
	for _, patient := range []bool{true, false} {
		upstream, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		const question, answer = "\x00\x00\x00\x0a\x00\x0c\x00\x00\x00\x00\x00\x07\xff\xff", "\x00\x00\x00\x06\x00\x00\x00\x07\x00\x00"
		asked, reply := make(chan bool), make(chan bool)
		go func() {
			for {
				c, err := upstream.Accept()
				if err != nil {
					return
				}
				go func() {
					defer c.Close()
					b := make([]byte, len(question))
					io.ReadFull(c, b)
					if string(b) == question {
						asked <- true
						<-reply
						io.WriteString(c, answer)
					}
					io.Copy(io.Discard, c)
				}()
			}
		}()
		free, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := free.Addr().String()
		free.Close()
		log := &lockedBuffer{}
		stop := make(chan os.Signal, 2)
		done := make(chan error)
		go func() {
			done <- serveProxy(proxy.ServerOptions{Listen: address, Bootstrap: []string{upstream.Addr().String()}, SASL: true, Logger: slog.New(slog.NewTextHandler(log, nil))}, time.Minute, stop)
		}()
		var client net.Conn
		for range 1000 {
			if client, err = net.Dial("tcp", address); err == nil {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(client, question)
		<-asked
		stop <- syscall.SIGTERM
		if !patient {
			stop <- syscall.SIGTERM
			if err := <-done; err != errFailed {
				t.Error(err)
			}
			close(reply)
		} else {
			close(reply)
			b, err := io.ReadAll(client)
			if err != nil || string(b) != answer {
				t.Errorf("%x, %v", b, err)
			}
			client.Close()
			if err := <-done; err != nil || !strings.Contains(log.String(), "msg=stopped") {
				t.Error(err, log)
			}
		}
		client.Close()
		upstream.Close()
	}
}
