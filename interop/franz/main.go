// The franz-go part of the interop run. Arguments: MODE BOOTSTRAP PREFIX CLUSTER OFFSET.
// MODE is "basic", or "stream" until standard input ends. Prints "ok SCENARIO ..." and
// "FAIL SCENARIO ...".
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

var ctx, cancel = context.WithTimeout(context.Background(), 4*time.Minute)

func check(name string, f func() (any, error)) {
	got, err := f()
	if err != nil {
		fmt.Printf("FAIL %s %v\n", name, err)
		os.Exit(1) // what comes next would wait for what isn't there
	}
	fmt.Printf("ok %s %v\n", name, got)
}

func main() {
	defer cancel()
	mode, bootstrap, prefix, cluster := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	offset, _ := strconv.Atoi(os.Args[5])
	base := []kgo.Opt{kgo.SeedBrokers(bootstrap), kgo.ClientID("franz"), kgo.MetadataMinAge(250 * time.Millisecond), kgo.FetchMaxWait(300 * time.Millisecond)}
	topic := prefix + "-franz"
	if mode == "stream" {
		check("stream", func() (any, error) { return stream(base, topic+"-stream") })
		return
	}
	k, err := kgo.NewClient(append(base, kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	if err != nil {
		fmt.Println("FAIL admin", err)
		return
	}
	defer k.Close()
	a := kadm.NewClient(k)
	check("admin", func() (any, error) {
		if _, err := a.CreateTopics(ctx, 3, 3, nil, topic, topic+"-tx"); err != nil {
			return nil, err
		}
		m, err := a.Metadata(ctx)
		if err != nil {
			return nil, err
		}
		for _, b := range m.Brokers {
			if int(b.NodeID) <= offset {
				return nil, fmt.Errorf("broker id %d", b.NodeID)
			}
		}
		if cluster != "" && m.Cluster != cluster {
			return nil, fmt.Errorf("cluster %s", m.Cluster)
		}
		_, err = a.DescribeAllLogDirs(ctx, nil)
		return fmt.Sprint(len(m.Brokers), " brokers of ", m.Cluster), err
	})
	codecs := []struct {
		name string
		c    kgo.CompressionCodec
	}{{"none", kgo.NoCompression()}, {"gzip", kgo.GzipCompression()}, {"snappy", kgo.SnappyCompression()}, {"lz4", kgo.Lz4Compression()}, {"zstd", kgo.ZstdCompression()}}
	check("compress", func() (any, error) {
		for _, c := range codecs {
			p, err := kgo.NewClient(append(base, kgo.ProducerBatchCompression(c.c))...)
			if err != nil {
				return nil, err
			}
			for i := range 20 {
				if err := p.ProduceSync(ctx, &kgo.Record{Topic: topic, Key: fmt.Append(nil, i), Value: fmt.Appendf(nil, "%s value value value value %d", c.name, i)}).FirstErr(); err != nil {
					return nil, fmt.Errorf("%s: %w", c.name, err)
				}
			}
			p.Close()
		}
		return len(codecs) * 20, nil
	})
	check("classic", func() (any, error) { return consume(base, topic, prefix+"-franz-group", len(codecs)*20) })
	check("commit", func() (any, error) {
		o, err := a.FetchOffsets(ctx, prefix+"-franz-group")
		if err != nil {
			return nil, err
		}
		var sum int64
		o.Each(func(r kadm.OffsetResponse) { sum += r.At })
		if sum < int64(len(codecs)*20) {
			return nil, fmt.Errorf("committed %d", sum)
		}
		return sum, nil
	})
	check("describe", func() (any, error) {
		g, err := a.DescribeGroups(ctx, prefix+"-franz-group")
		if err != nil {
			return nil, err
		}
		one := g[prefix+"-franz-group"]
		if int(one.Coordinator.NodeID) <= offset {
			return nil, fmt.Errorf("coordinator %d", one.Coordinator.NodeID)
		}
		return one.State, one.Err
	})
	check("txn", func() (any, error) {
		p, err := kgo.NewClient(append(base, kgo.TransactionalID(prefix+"-franz-tx"))...)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		for _, commit := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit} {
			if err := p.BeginTransaction(); err != nil {
				return nil, err
			}
			if err := p.ProduceSync(ctx, &kgo.Record{Topic: topic + "-tx", Value: fmt.Append(nil, bool(commit))}).FirstErr(); err != nil {
				return nil, err
			}
			if err := p.EndTransaction(ctx, commit); err != nil {
				return nil, err
			}
		}
		c, err := kgo.NewClient(append(base, kgo.ConsumeTopics(topic+"-tx"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
		if err != nil {
			return nil, err
		}
		defer c.Close()
		var got []string
		for len(got) == 0 && ctx.Err() == nil {
			c.PollFetches(ctx).EachRecord(func(r *kgo.Record) { got = append(got, string(r.Value)) })
		}
		if fmt.Sprint(got) != "[true]" {
			return nil, fmt.Errorf("read %v", got)
		}
		return got, nil
	})
}

// consume reads as a member of a group, and commits.
func consume(base []kgo.Opt, topic, group string, want int) (any, error) {
	c, err := kgo.NewClient(append(base, kgo.ConsumeTopics(topic), kgo.ConsumerGroup(group), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit())...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	n := 0
	for n < want {
		f := c.PollFetches(ctx)
		if err := f.Err(); err != nil {
			return nil, fmt.Errorf("%d of %d: %w", n, want, err)
		}
		n += f.NumRecords()
	}
	return n, c.CommitUncommittedOffsets(ctx)
}

// stream produces and consumes until standard input ends, then wants all back.
func stream(base []kgo.Opt, topic string) (any, error) {
	stop := make(chan bool)
	go func() { io.Copy(io.Discard, os.Stdin); close(stop) }()
	p, err := kgo.NewClient(append(base, kgo.AllowAutoTopicCreation())...)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	c, err := kgo.NewClient(append(base, kgo.ConsumeTopics(topic), kgo.ConsumerGroup(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	sent := make(chan int)
	go func() {
		n := 0
		defer func() { sent <- n }()
		for {
			select {
			case <-stop:
				return
			case <-time.After(30 * time.Millisecond):
			}
			if err := p.ProduceSync(ctx, &kgo.Record{Topic: topic, Value: fmt.Append(nil, n)}).FirstErr(); err != nil {
				fmt.Println("FAIL stream", n, err)
				return
			}
			n++
		}
	}()
	got := map[string]bool{}
	total := -1
	for total < 0 || len(got) < total {
		select {
		case total = <-sent:
		default:
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		f := c.PollFetches(short)
		cancel()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("read %d of %d", len(got), total)
		}
		if err := f.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			fmt.Println("note", err)
		}
		f.EachRecord(func(r *kgo.Record) { got[string(r.Value)] = true })
	}
	if total == 0 {
		return nil, errors.New("nothing sent")
	}
	return total, nil
}
