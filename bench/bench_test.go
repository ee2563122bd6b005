// Package bench has the benchmarks: go test -bench . ./bench
//
// What they read is built by package inputs. bench/peers compares with another
// codec, bench/report writes BENCHMARKS.md from such a run.
package bench

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/kafkawire/kafkawire/bench/inputs"
	"github.com/kafkawire/kafkawire/bench/readall"
	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/layout"
)

// sink keeps results alive.
var sink uint64

// stated are the inputs that are built from stated counts.
var stated = []inputs.Frame{inputs.SmallQuorum(), inputs.Quorum3x5x5(), inputs.Metadata10x12(), inputs.Metadata100x10()}

// lengths has 1,024 numbers for each length of a uvarint, and of all lengths mixed.
var lengths = func() (all []numbers) {
	r := rand.New(rand.NewPCG(1, 2))
	mixed := numbers{name: "mixed"}
	for _, n := range []struct {
		name string
		bits int
	}{{"1 byte", 7}, {"2 bytes", 14}, {"3 bytes", 21}, {"5 bytes", 31}} {
		l := numbers{name: n.name}
		for range 1024 {
			v := 1<<(n.bits-1) + r.Uint32N(1<<(n.bits-1)) - 1
			l.values = append(l.values, v)
			if len(mixed.values) < 1024 && r.IntN(4) == 0 {
				mixed.values = append(mixed.values, v)
			}
		}
		all = append(all, l)
	}
	r.Shuffle(len(mixed.values), func(i, j int) { mixed.values[i], mixed.values[j] = mixed.values[j], mixed.values[i] })
	return append(all, mixed)
}()

type numbers struct {
	name   string
	values []uint32
}

// eachLength runs a benchmark over the numbers of each length and their encoding.
func eachLength(b *testing.B, encode func(dst []byte, v uint32) []byte, run func(values []uint32, encoded []byte)) {
	for _, l := range lengths {
		var encoded []byte
		for _, v := range l.values {
			encoded = encode(encoded, v)
		}
		b.Run(l.name, func(b *testing.B) {
			b.SetBytes(int64(len(encoded)))
			b.ReportAllocs()
			for b.Loop() {
				run(l.values, encoded)
			}
		})
	}
}

func BenchmarkUvarintAppend(b *testing.B) {
	var dst []byte
	eachLength(b, fastcodec.AppendUvarint, func(values []uint32, _ []byte) {
		dst = dst[:0]
		for _, v := range values {
			dst = fastcodec.AppendUvarint(dst, v)
		}
	})
}

func BenchmarkUvarintConsume(b *testing.B) {
	eachLength(b, fastcodec.AppendUvarint, func(_ []uint32, encoded []byte) {
		for at := 0; at < len(encoded); {
			v, n := fastcodec.ConsumeUvarint(encoded[at:])
			sink += uint64(v)
			at += n
		}
	})
}

func BenchmarkUvarintSize(b *testing.B) {
	eachLength(b, fastcodec.AppendUvarint, func(values []uint32, _ []byte) {
		for _, v := range values {
			sink += uint64(fastcodec.SizeUvarint(v))
		}
	})
}

func appendLength(dst []byte, v uint32) []byte { return fastcodec.AppendCompactLength(dst, int(v)) }

func BenchmarkCompactLengthAppend(b *testing.B) {
	var dst []byte
	eachLength(b, appendLength, func(values []uint32, _ []byte) {
		dst = dst[:0]
		for _, v := range values {
			dst = fastcodec.AppendCompactLength(dst, int(v))
		}
	})
}

func BenchmarkCompactLengthConsume(b *testing.B) {
	eachLength(b, appendLength, func(_ []uint32, encoded []byte) {
		for at := 0; at < len(encoded); {
			v, n := fastcodec.ConsumeCompactLength(encoded[at:])
			sink += uint64(v)
			at += n
		}
	})
}

// vectors are the random reference vectors, in random order.
func vectors(b *testing.B) []inputs.Frame {
	frames, err := inputs.Vectors("random")
	if err != nil {
		b.Fatal(err)
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(frames), func(i, j int) { frames[i], frames[j] = frames[j], frames[i] })
	return frames
}

// BenchmarkHeader reads the headers of requests of all APIs, whose sizes are the
// bytes: with a loop written for it, with the peek, and as a checked view.
func BenchmarkHeader(b *testing.B) {
	var payloads [][]byte
	size := 0
	for _, f := range vectors(b) {
		if !f.Response && len(f.Payload)-len(f.Body) >= 10 {
			payloads = append(payloads, f.Payload)
			size += len(f.Payload) - len(f.Body)
		}
	}
	run := func(name string, read func(p []byte)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, p := range payloads {
					read(p)
				}
			}
		})
	}
	run("plain loop", func(p []byte) {
		n := int(int16(binary.BigEndian.Uint16(p[8:])))
		var client []byte
		if n >= 0 && n <= len(p)-10 {
			client = p[10 : 10+n]
		}
		sink += uint64(binary.BigEndian.Uint16(p)) + uint64(binary.BigEndian.Uint16(p[2:])) + uint64(binary.BigEndian.Uint32(p[4:])) + uint64(len(client))
	})
	run("peek", func(p []byte) {
		key, version, id, client, _ := fastcodec.PeekRequest(p)
		sink += uint64(key) + uint64(version) + uint64(id) + uint64(len(client))
	})
	run("parse", func(p []byte) {
		h, body, err := fastcodec.ParseRequest(p)
		if err != nil {
			b.Fatal(err)
		}
		sink += uint64(h.Key()) + uint64(h.Version()) + uint64(h.CorrelationID()) + uint64(len(h.ClientID())) + uint64(len(body))
	})
}

// eachFrame runs a benchmark on each stated input and on all vectors, shuffled.
func eachFrame(b *testing.B, run func(f *inputs.Frame)) {
	set := func(name string, frames []inputs.Frame) {
		size := 0
		for _, f := range frames {
			size += len(f.Body)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			pass := func() {
				for i := range frames {
					run(&frames[i])
				}
			}
			pass() // what grows on first use has grown
			for b.Loop() {
				pass()
			}
		})
	}
	for i, f := range stated {
		set(f.Name, stated[i:i+1])
	}
	set("all vectors", vectors(b))
}

func BenchmarkParse(b *testing.B) {
	var views [128][2]kview.Message
	for key := range fastcodec.APIKey(len(views)) {
		if key.Known() {
			views[key] = [2]kview.Message{kview.NewRequest(key), kview.NewResponse(key)}
		}
	}
	eachFrame(b, func(f *inputs.Frame) {
		m := views[f.Key&127][0]
		if f.Response {
			m = views[f.Key&127][1]
		}
		if err := m.Parse(f.Body, f.Version); err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkLayoutCheck(b *testing.B) {
	var ix layout.Index
	eachFrame(b, func(f *inputs.Frame) {
		m, err := layout.For(f.Key, f.Response, f.Version)
		if err == nil {
			err = m.Parse(&ix, f.Body)
		}
		if err != nil {
			b.Fatal(err)
		}
	})
}

// codec has what reads and writes the stated inputs.
type codec struct {
	quorum       kview.DescribeQuorumResponse
	metadata     kview.MetadataResponse
	quorumData   kdata.DescribeQuorumResponse
	metadataData kdata.MetadataResponse
}

func (c *codec) read(f *inputs.Frame) (err error) {
	if f.Key == fastcodec.Metadata {
		if err = c.metadata.Parse(f.Body, f.Version); err == nil {
			sink = readall.Metadata(&c.metadata)
		}
	} else if err = c.quorum.Parse(f.Body, f.Version); err == nil {
		sink = readall.Quorum(&c.quorum)
	}
	return err
}

func (c *codec) copy(f *inputs.Frame) (err error) {
	if f.Key == fastcodec.Metadata {
		if err = c.metadata.Parse(f.Body, f.Version); err == nil {
			c.metadata.CopyTo(&c.metadataData)
		}
	} else if err = c.quorum.Parse(f.Body, f.Version); err == nil {
		c.quorum.CopyTo(&c.quorumData)
	}
	return err
}

func (c *codec) encode(dst []byte, f *inputs.Frame) ([]byte, error) {
	if f.Key == fastcodec.Metadata {
		return c.metadataData.AppendTo(dst, f.Version)
	}
	return c.quorumData.AppendTo(dst, f.Version)
}

// eachStated runs a benchmark on each stated input, once before anything counts.
func eachStated(b *testing.B, run func(c *codec, f *inputs.Frame) error) {
	for i := range stated {
		f, c := &stated[i], new(codec)
		err := c.copy(f)
		if err == nil {
			err = run(c, f)
		}
		if err != nil {
			b.Fatal(err)
		}
		b.Run(f.Name, func(b *testing.B) {
			b.SetBytes(int64(len(f.Body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := run(c, f); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParseRead parses and reads every field.
func BenchmarkParseRead(b *testing.B) {
	eachStated(b, (*codec).read)
}

// BenchmarkCopy parses and copies into a struct.
func BenchmarkCopy(b *testing.B) {
	eachStated(b, (*codec).copy)
}

// BenchmarkEncode writes a struct into a buffer that is large enough.
func BenchmarkEncode(b *testing.B) {
	var dst []byte
	eachStated(b, func(c *codec, f *inputs.Frame) (err error) {
		dst, err = c.encode(dst[:0], f)
		return err
	})
}
