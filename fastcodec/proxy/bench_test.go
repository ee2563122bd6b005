// What a Session costs a frame, beyond the copying that others do.

package proxy

import (
	"encoding/binary"
	"testing"

	"github.com/kafkawire/kafkawire/fastcodec"
)

// conversation is n requests of a size, and their answers.
func conversation(n, size int, key fastcodec.APIKey, version int16, rest ...byte) (requests, responses []byte) {
	for i := range n {
		f := request(key, version, int32(i), "console-consumer", rest...)
		f = append(f, make([]byte, max(size-len(f), 0))...)
		binary.BigEndian.PutUint32(f, uint32(len(f)-4))
		requests = append(requests, f...)
		f = response(int32(i), make([]byte, size-8)...)
		responses = append(responses, f...)
	}
	return requests, responses
}

// exchange sends requests and answers through a session.
func exchange(b testing.TB, s *Session, requests, responses []byte) {
	for in := requests; len(in) > 0; {
		step, err := s.FromClient(in)
		if err != nil || step.Taken == 0 && len(step.Send) == 0 {
			b.Fatal(err, step)
		}
		in = in[step.Taken:]
	}
	for in := responses; len(in) > 0; {
		step, err := s.FromBroker(in)
		if err != nil || step.Taken == 0 && len(step.Send) == 0 {
			b.Fatal(err, step)
		}
		in = in[step.Taken:]
	}
}

func BenchmarkSession(b *testing.B) {
	const depth = 100
	for _, c := range []struct {
		name    string
		key     fastcodec.APIKey
		version int16
		rest    []byte
		handler Handler
	}{
		{"Heartbeat", fastcodec.Heartbeat, 4, []byte{0}, nil},
		{"Produce", fastcodec.Produce, 11, []byte{0, 0, 0xff, 0xff}, nil},
		{"unknown key", 10000, 0, nil, nil},
		{"whole response", fastcodec.Heartbeat, 4, []byte{0}, &testHandler{rule: func(fastcodec.APIKey, int16) Rule { return WholeResponse }}},
		{"replaced response", fastcodec.Heartbeat, 4, []byte{0}, &testHandler{
			rule: func(fastcodec.APIKey, int16) Rule { return WholeResponse },
			response: func(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
				return append(dst, r.Frame...), Replace, nil
			}}},
	} {
		requests, responses := conversation(depth, 200, c.key, c.version, c.rest...)
		s := Compile(Options{Handler: c.handler}).NewSession()
		exchange(b, s, requests, responses)
		b.Run(c.name+"/request", func(b *testing.B) {
			b.ReportAllocs()
			defer reportCPU(b)()
			for n := 0; n < b.N; n += depth {
				for in := requests; len(in) > 0; {
					step, _ := s.FromClient(in)
					in = in[step.Taken:]
				}
				s.ring.head = s.ring.tail
			}
		})
		b.Run(c.name+"/answer", func(b *testing.B) {
			b.ReportAllocs()
			defer reportCPU(b)()
			for in := requests; len(in) > 0; {
				step, _ := s.FromClient(in)
				in = in[step.Taken:]
			}
			for n := 0; n < b.N; n += depth {
				s.ring.tail = s.ring.head + depth
				s.ring.head -= 0
				for in := responses; len(in) > 0; {
					step, err := s.FromBroker(in)
					if err != nil {
						b.Fatal(err)
					}
					in = in[step.Taken:]
				}
				s.ring.head -= depth
			}
		})
	}
}

// reportCPU adds the CPU time an operation to what a benchmark reports.
func reportCPU(b *testing.B) func() {
	start := cpuTime()
	return func() { b.ReportMetric(float64(cpuTime()-start)/float64(b.N), "cpu-ns/op") }
}
