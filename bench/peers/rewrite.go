package main

// Rewriting: our splice against kmsg's decode, set and encode, of the same frames with
// the same result. The caller is main; -only Rewrite selects it.

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kafkawire/kafkawire/bench/inputs"
	"github.com/kafkawire/kafkawire/bench/result"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// rewrites measures.
func (r *runner) rewrites() {
	var work []workload
	for _, w := range inputs.Rewritings() {
		l := result.Line{Work: "Rewrite", Input: fmt.Sprintf("%s, %d bytes", w.Name, len(w.Frame)), Against: "ReadFrom, set, AppendTo", Bar: w.Bar, Aim: w.Aim}
		if w.Copy {
			l.Against = "a plain copy"
		}
		work = append(work, workload{Line: l, pair: rewritePair(&w)})
	}
	r.measure(work)
}

// rewritePair rewrites on both sides into buffers that are large enough.
func rewritePair(w *inputs.Rewriting) pair {
	rewriter, err := rewrite.Compile(w.Edits)
	must(err)
	ctx := rewrite.Context{Key: w.Key, Version: w.Version}
	ours, theirs := make([]byte, 0, 2*len(w.Frame)+1024), make([]byte, 0, 2*len(w.Frame)+1024)
	frame, at, version, response := w.Frame, w.BodyAt, w.Version, w.Response
	p := pair{ours: func() {
		var changed bool
		var err error
		if response {
			ours, changed, err = rewriter.Response(ours[:0], frame, &ctx)
		} else {
			ours, changed, err = rewriter.Request(ours[:0], frame, &ctx)
		}
		if must(err); !changed {
			panic("nothing changed")
		}
	}}
	if w.Copy {
		p.theirs = func() { theirs = append(theirs[:0], frame...) }
		return p
	}
	set := kmsgSet(w)
	p.theirs = func() {
		var k kmsgMessage
		if response {
			k = kmsg.ResponseForKey(int16(w.Key)).(kmsgMessage)
		} else {
			k = kmsg.RequestForKey(int16(w.Key)).(kmsgMessage)
		}
		k.SetVersion(version)
		must(k.ReadFrom(frame[at:]))
		set(k)
		theirs = k.AppendTo(append(theirs[:0], frame[:at]...))
		binary.BigEndian.PutUint32(theirs, uint32(len(theirs)-4))
	}
	p.ours()
	p.theirs()
	if !bytes.Equal(ours, theirs) {
		panic("kafkawire and kmsg rewrite differently: " + w.Name)
	}
	return p
}

// kmsgSet edits a message of kmsg's as the edits of w do.
func kmsgSet(w *inputs.Rewriting) func(kmsgMessage) {
	endpoints, topics, brokers := w.Edits.Endpoints.Response != nil, w.Edits.Topics.Response != nil, w.Edits.Brokers.Response != nil
	return func(k kmsgMessage) {
		switch m := k.(type) {
		case *kmsg.MetadataResponse:
			for i := range m.Brokers {
				b := &m.Brokers[i]
				if endpoints {
					b.Host, b.Port = inputs.NewHost, inputs.NewPort(b.NodeID)
				}
				if brokers {
					b.NodeID += inputs.Shift
				}
			}
			if brokers {
				m.ControllerID += inputs.Shift
			}
			for i := range m.Topics {
				t := &m.Topics[i]
				if topics {
					name := inputs.Prefix + *t.Topic
					t.Topic = &name
				}
				for j := 0; brokers && j < len(t.Partitions); j++ {
					p := &t.Partitions[j]
					p.Leader += inputs.Shift
					shiftAll(p.Replicas)
					shiftAll(p.ISR)
					shiftAll(p.OfflineReplicas)
				}
			}
		case *kmsg.FindCoordinatorRequest:
			for i, key := range m.CoordinatorKeys {
				m.CoordinatorKeys[i] = inputs.Prefix + key
			}
		case *kmsg.FindCoordinatorResponse:
			for i := range m.Coordinators {
				c := &m.Coordinators[i]
				c.Host, c.Port = inputs.NewHost, inputs.NewPort(c.NodeID)
			}
		case *kmsg.DescribeClusterResponse:
			for i := range m.Brokers {
				b := &m.Brokers[i]
				b.Host, b.Port = inputs.NewHost, inputs.NewPort(b.NodeID)
			}
		case *kmsg.HeartbeatRequest:
			m.Group = inputs.Prefix + m.Group
		default:
			panic(fmt.Sprintf("no edits of %T", k))
		}
	}
}

func shiftAll(ids []int32) {
	for i := range ids {
		ids[i] += inputs.Shift
	}
}
