// The sarama part of the interop run. Arguments: MODE BOOTSTRAP PREFIX CLUSTER OFFSET,
// as for franz-go.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/IBM/sarama"
)

var ctx, cancel = context.WithTimeout(context.Background(), 4*time.Minute)

func check(name string, f func() (any, error)) {
	got, err := f()
	if err != nil {
		fmt.Printf("FAIL %s %v\n", name, err)
		return
	}
	fmt.Printf("ok %s %v\n", name, got)
}

func config() *sarama.Config {
	c := sarama.NewConfig()
	c.Version = sarama.MaxVersion
	c.ClientID = "sarama"
	c.Producer.Return.Successes = true
	c.Producer.RequiredAcks = sarama.WaitForAll
	c.Producer.Retry.Max = 100
	c.Producer.Retry.Backoff = 250 * time.Millisecond
	c.Metadata.Retry.Max = 40
	c.Consumer.Offsets.Initial = sarama.OffsetOldest
	c.Consumer.MaxWaitTime = 300 * time.Millisecond
	return c
}

// member counts what it reads.
type member struct {
	mu   sync.Mutex
	got  map[string]bool
	want int
	done func()
}

func (m *member) Setup(sarama.ConsumerGroupSession) error   { return nil }
func (m *member) Cleanup(sarama.ConsumerGroupSession) error { return nil }
func (m *member) ConsumeClaim(s sarama.ConsumerGroupSession, c sarama.ConsumerGroupClaim) error {
	for {
		select {
		case r, ok := <-c.Messages():
			if !ok {
				return nil
			}
			s.MarkMessage(r, "")
			m.mu.Lock()
			m.got[string(r.Value)] = true
			full := m.want > 0 && len(m.got) >= m.want
			m.mu.Unlock()
			if full {
				m.done()
			}
		case <-s.Context().Done():
			return nil
		}
	}
}

// consume reads in a group until the member is done.
func consume(bootstrap, topic, group string, m *member, ctx context.Context) error {
	g, err := sarama.NewConsumerGroup([]string{bootstrap}, group, config())
	if err != nil {
		return err
	}
	defer g.Close()
	for ctx.Err() == nil {
		if err := g.Consume(ctx, []string{topic}, m); err != nil && ctx.Err() == nil {
			fmt.Println("note", err)
			time.Sleep(300 * time.Millisecond)
		}
	}
	return nil
}

func main() {
	defer cancel()
	mode, bootstrap, prefix, cluster := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	offset, _ := strconv.Atoi(os.Args[5])
	topic, group := prefix+"-sarama", prefix+"-sarama-group"
	if mode == "stream" {
		check("stream", func() (any, error) { return stream(bootstrap, topic+"-stream") })
		return
	}
	a, err := sarama.NewClusterAdmin([]string{bootstrap}, config())
	if err != nil {
		fmt.Println("FAIL admin", err)
		return
	}
	defer a.Close()
	check("admin", func() (any, error) {
		if err := a.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: 3, ReplicationFactor: 3}, false); err != nil {
			return nil, err
		}
		if err := a.CreateTopic(topic+"-tx", &sarama.TopicDetail{NumPartitions: 1, ReplicationFactor: 3}, false); err != nil {
			return nil, err
		}
		brokers, controller, err := a.DescribeCluster()
		if err != nil {
			return nil, err
		}
		for _, b := range brokers {
			if int(b.ID()) <= offset {
				return nil, fmt.Errorf("broker id %d", b.ID())
			}
		}
		if int(controller) <= offset || len(brokers) != 3 {
			return nil, fmt.Errorf("%d brokers, controller %d", len(brokers), controller)
		}
		_ = cluster // sarama doesn't tell
		return len(brokers), nil
	})
	codecs := []sarama.CompressionCodec{sarama.CompressionNone, sarama.CompressionGZIP, sarama.CompressionSnappy, sarama.CompressionLZ4, sarama.CompressionZSTD}
	const each = 20
	check("compress", func() (any, error) {
		for _, codec := range codecs {
			c := config()
			c.Producer.Compression = codec
			p, err := sarama.NewSyncProducer([]string{bootstrap}, c)
			if err != nil {
				return nil, err
			}
			var all []*sarama.ProducerMessage
			for i := range each {
				all = append(all, &sarama.ProducerMessage{Topic: topic, Key: sarama.StringEncoder(fmt.Sprint(i)), Value: sarama.StringEncoder(fmt.Sprintf("%v value value value %d", codec, i))})
			}
			if err := p.SendMessages(all); err != nil {
				return nil, fmt.Errorf("%v: %w", codec, err)
			}
			p.Close()
		}
		return each * len(codecs), nil
	})
	check("classic", func() (any, error) {
		ctx, done := context.WithTimeout(ctx, time.Minute)
		m := &member{got: map[string]bool{}, want: each * len(codecs), done: done}
		err := consume(bootstrap, topic, group, m, ctx)
		if err == nil && len(m.got) < m.want {
			err = fmt.Errorf("read %d of %d", len(m.got), m.want)
		}
		return len(m.got), err
	})
	check("commit", func() (any, error) {
		o, err := a.ListConsumerGroupOffsets(group, map[string][]int32{topic: {0, 1, 2}})
		if err != nil {
			return nil, err
		}
		var sum int64
		for _, p := range o.Blocks[topic] {
			sum += p.Offset
		}
		if sum < each*int64(len(codecs)) {
			return nil, fmt.Errorf("committed %d", sum)
		}
		return sum, nil
	})
	check("describe", func() (any, error) {
		g, err := a.DescribeConsumerGroups([]string{group})
		if err != nil {
			return nil, err
		}
		if g[0].Err != sarama.ErrNoError {
			return nil, g[0].Err
		}
		return g[0].State, nil
	})
	check("txn", func() (any, error) {
		c := config()
		c.Producer.Idempotent, c.Net.MaxOpenRequests = true, 1
		c.Producer.Transaction.ID = prefix + "-sarama-tx"
		p, err := sarama.NewSyncProducer([]string{bootstrap}, c)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		for _, commit := range []bool{false, true} {
			if err := p.BeginTxn(); err != nil {
				return nil, err
			}
			if _, _, err := p.SendMessage(&sarama.ProducerMessage{Topic: topic + "-tx", Value: sarama.StringEncoder(fmt.Sprint(commit))}); err != nil {
				return nil, err
			}
			end := p.AbortTxn
			if commit {
				end = p.CommitTxn
			}
			if err := end(); err != nil {
				return nil, err
			}
		}
		r := config()
		r.Consumer.IsolationLevel = sarama.ReadCommitted
		reader, err := sarama.NewConsumer([]string{bootstrap}, r)
		if err != nil {
			return nil, err
		}
		defer reader.Close()
		part, err := reader.ConsumePartition(topic+"-tx", 0, sarama.OffsetOldest)
		if err != nil {
			return nil, err
		}
		defer part.Close()
		select {
		case m := <-part.Messages():
			if string(m.Value) != "true" {
				return nil, fmt.Errorf("read %s", m.Value)
			}
		case <-time.After(30 * time.Second):
			return nil, errors.New("nothing read")
		}
		return "true", nil
	})
}

// stream produces and consumes until standard input ends, then wants all back.
func stream(bootstrap, topic string) (any, error) {
	stop := make(chan bool)
	go func() { io.Copy(io.Discard, os.Stdin); close(stop) }()
	a, err := sarama.NewClusterAdmin([]string{bootstrap}, config())
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if err := a.CreateTopic(topic, &sarama.TopicDetail{NumPartitions: 3, ReplicationFactor: 3}, false); err != nil {
		return nil, err
	}
	p, err := sarama.NewSyncProducer([]string{bootstrap}, config())
	if err != nil {
		return nil, err
	}
	defer p.Close()
	reading, done := context.WithCancel(ctx)
	defer done()
	m := &member{got: map[string]bool{}, done: done}
	ended := make(chan error, 1)
	go func() { ended <- consume(bootstrap, topic, topic, m, reading) }()
	n := 0
	for stopped := false; !stopped; {
		select {
		case <-stop:
			stopped = true
			continue
		case <-time.After(30 * time.Millisecond):
		}
		if _, _, err := p.SendMessage(&sarama.ProducerMessage{Topic: topic, Value: sarama.StringEncoder(fmt.Sprint(n))}); err != nil {
			return nil, fmt.Errorf("message %d: %w", n, err)
		}
		n++
	}
	m.mu.Lock()
	m.want = n
	full := len(m.got) >= n
	m.mu.Unlock()
	if full {
		done()
	}
	select {
	case err = <-ended:
	case <-time.After(90 * time.Second):
		err = fmt.Errorf("read %d of %d in time", len(m.got), n)
	}
	if err == nil && (n == 0 || len(m.got) < n) {
		err = fmt.Errorf("read %d of %d", len(m.got), n)
	}
	return n, err
}
