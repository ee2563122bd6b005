package records_test

// A real broker takes what the builder makes, and Kafka's console consumer reads it.
//
//	KAFKAWIRE_BROKER=127.0.0.1:9092 \
//	KAFKAWIRE_CONSUMER="kafka-console-consumer.sh" \
//	go test -run Broker ./fastcodec/records
//
// The broker must be a cluster of one node. The consumer is the command with whatever
// must stand in front of its options; without it what the broker stored is fetched
// and compared only here.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/records"
)

// broker is a connection.
type broker struct {
	t      *testing.T
	conn   net.Conn
	frames *fastcodec.Reader
	id     int32
	frame  *fastcodec.Frame
}

func dial(t *testing.T) *broker {
	address := os.Getenv("KAFKAWIRE_BROKER")
	if address == "" {
		t.Skip("needs a Kafka broker: set KAFKAWIRE_BROKER to its host:port, and KAFKAWIRE_CONSUMER to the command of the console consumer")
	}
	conn, err := net.DialTimeout("tcp", address, 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &broker{t: t, conn: conn, frames: fastcodec.NewReader(conn, fastcodec.Limits{})}
}

// call asks and parses the answer, which lives until the next call.
func (b *broker) call(key fastcodec.APIKey, version int16, request fastcodec.Appender, response kview.Message) {
	b.t.Helper()
	b.id++
	frame, err := fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: key, Version: version, CorrelationID: b.id, ClientID: []byte("kafkawire")}, request)
	if err == nil {
		b.conn.SetDeadline(time.Now().Add(time.Minute))
		_, err = b.conn.Write(frame)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if b.frame != nil {
		b.frame.Release()
	}
	if b.frame, err = b.frames.Next(); err != nil {
		b.t.Fatal(err)
	}
	header, body, err := fastcodec.ParseResponse(b.frame.Payload(), key, version)
	if err != nil {
		b.t.Fatal(err)
	}
	if header.CorrelationID() != b.id {
		b.t.Fatalf("answer to %d, want %d", header.CorrelationID(), b.id)
	}
	if err := response.Parse(body, version); err != nil {
		b.t.Fatal(err)
	}
}

// until asks again while the answer is an error that passes by itself.
func (b *broker) until(what string, ask func() fastcodec.ErrorCode) {
	b.t.Helper()
	var code fastcodec.ErrorCode
	for range 100 {
		if code = ask(); code == fastcodec.CodeNone {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Fatalf("%s: %s", what, code)
}

func (b *broker) createTopic(topic []byte) {
	request := kdata.NewCreateTopicsRequest()
	request.Topics = []kdata.CreateTopicsRequestCreatableTopic{{Name: topic, NumPartitions: 1, ReplicationFactor: 1}}
	var response kview.CreateTopicsResponse
	b.call(fastcodec.CreateTopics, 7, &request, &response)
	if code := response.Topics().At(0).ErrorCode(); code != fastcodec.CodeNone {
		b.t.Fatalf("create topic: %s: %s", code, response.Topics().At(0).ErrorMessage())
	}
}

// produce hands a records field over, and gives the offset that it got.
func (b *broker) produce(topic, transaction, field []byte) (offset int64) {
	b.t.Helper()
	request := kdata.NewProduceRequest()
	request.TransactionalID, request.Acks, request.TimeoutMs = transaction, -1, 10000
	request.TopicData = []kdata.ProduceRequestTopicProduceData{{Name: topic, PartitionData: []kdata.ProduceRequestPartitionProduceData{{Records: field}}}}
	var response kview.ProduceResponse
	b.until("produce", func() fastcodec.ErrorCode {
		b.call(fastcodec.Produce, 9, &request, &response)
		p := response.Responses().At(0).PartitionResponses().At(0)
		offset = p.BaseOffset()
		code := p.ErrorCode()
		if code != fastcodec.CodeUnknownTopicOrPartition && code != fastcodec.CodeNotLeaderOrFollower && code != fastcodec.CodeNone {
			b.t.Fatalf("produce: %s: %s", code, p.ErrorMessage())
		}
		return code
	})
	return offset
}

func (b *broker) initProducer(transaction []byte) (id int64, epoch int16) {
	request := kdata.NewInitProducerIDRequest()
	request.TransactionalID, request.TransactionTimeoutMs = transaction, 60000
	var response kview.InitProducerIDResponse
	b.until("init producer id", func() fastcodec.ErrorCode {
		b.call(fastcodec.InitProducerID, 4, &request, &response)
		return response.ErrorCode()
	})
	return response.ProducerID(), response.ProducerEpoch()
}

func (b *broker) findCoordinator(transaction []byte) {
	request := kdata.NewFindCoordinatorRequest()
	request.Key, request.KeyType = transaction, 1
	var response kview.FindCoordinatorResponse
	b.until("find coordinator", func() fastcodec.ErrorCode {
		b.call(fastcodec.FindCoordinator, 3, &request, &response)
		return response.ErrorCode()
	})
}

func (b *broker) addPartition(transaction []byte, id int64, epoch int16, topic []byte) {
	request := kdata.NewAddPartitionsToTxnRequest()
	request.V3AndBelowTransactionalID, request.V3AndBelowProducerID, request.V3AndBelowProducerEpoch = transaction, id, epoch
	request.V3AndBelowTopics = []kdata.AddPartitionsToTxnRequestTopic{{Name: topic, Partitions: []int32{0}}}
	var response kview.AddPartitionsToTxnResponse
	b.until("add partition", func() fastcodec.ErrorCode {
		b.call(fastcodec.AddPartitionsToTxn, 3, &request, &response)
		return response.ResultsByTopicV3AndBelow().At(0).ResultsByPartition().At(0).PartitionErrorCode()
	})
}

func (b *broker) endTransaction(transaction []byte, id int64, epoch int16, commit bool) {
	request := kdata.NewEndTxnRequest()
	request.TransactionalID, request.ProducerID, request.ProducerEpoch, request.Committed = transaction, id, epoch, commit
	var response kview.EndTxnResponse
	b.until("end transaction", func() fastcodec.ErrorCode {
		b.call(fastcodec.EndTxn, 3, &request, &response)
		return response.ErrorCode()
	})
}

// fetch reads the whole topic, markers included, as batches.
func (b *broker) fetch(topic []byte, end int64) (field []byte) {
	partition := kdata.NewFetchRequestPartition()
	partition.PartitionMaxBytes = 50 << 20
	request := kdata.NewFetchRequest()
	request.MaxWaitMs, request.MinBytes, request.MaxBytes = 1000, 1, 50<<20
	var response kview.FetchResponse
	next := int64(0)
	b.until("fetch", func() fastcodec.ErrorCode {
		partition.FetchOffset = next
		request.Topics = []kdata.FetchRequestTopic{{Topic: topic, Partitions: []kdata.FetchRequestPartition{partition}}}
		b.call(fastcodec.Fetch, 12, &request, &response)
		p := response.Responses().At(0).Partitions().At(0)
		if p.ErrorCode() != fastcodec.CodeNone {
			return p.ErrorCode()
		}
		it := records.Batches(p.Records())
		for it.Next() {
			field = append(field, it.Batch().Bytes()...)
			next = it.NextOffset()
		}
		if it.Err() != nil {
			b.t.Fatal(it.Err())
		}
		if next < end {
			return fastcodec.CodeOffsetNotAvailable // not yet
		}
		return fastcodec.CodeNone
	})
	return field
}

// TestBroker: a broker takes the builder's batches in each codec: plain ones, those of
// an idempotent producer, those of transactions that are committed and aborted. What
// it stored is what was made, and a consumer reads it.
func TestBroker(t *testing.T) {
	b := dial(t)
	topic := fmt.Appendf(nil, "kafkawire-records-%d", time.Now().UnixNano())
	b.createTopic(topic)
	transaction := append([]byte("txn-"), topic...)
	b.findCoordinator(transaction)

	now := time.Now().UnixMilli()
	idempotent := records.NewBatchHeader()
	idempotent.ProducerID, idempotent.ProducerEpoch = b.initProducer(nil)
	idempotent.BaseSequence = 0
	transactional := records.NewBatchHeader()
	transactional.ProducerID, transactional.ProducerEpoch = b.initProducer(transaction)
	transactional.BaseSequence = 0
	transactional.Attributes |= records.TransactionalBit

	var builder records.Builder
	var want []plainRecord // by offset, those of aborted transactions not
	var made [][]byte
	offset := int64(0)
	send := func(kind string, h *records.BatchHeader, codec records.Codec, transaction []byte, seen bool) {
		h.Attributes = h.Attributes.WithCodec(codec)
		builder.Begin(*h)
		const n = 20
		for i := range n {
			r := plainRecord{offset: offset + int64(i), timestamp: now + int64(i), key: fmt.Sprintf("%s %s %d", kind, codec, i), value: strings.Repeat(kind+" ", i)}
			key, value := []byte(r.key), []byte(r.value)
			var headers []records.Header
			switch i % 4 {
			case 1:
				key, r.key = nil, "null"
			case 2:
				value, r.value = nil, "null"
			case 3:
				headers = []records.Header{{Key: []byte("a"), Value: []byte("1")}, {Key: []byte("a"), Value: []byte{}}}
				r.headers = []string{"a=1", "a="}
			}
			builder.Append(r.timestamp, key, value, headers...)
			if seen {
				want = append(want, r)
			}
		}
		batch, err := builder.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if got := b.produce(topic, transaction, batch); got != offset {
			t.Fatalf("%s %s: stored at offset %d, want %d", kind, codec, got, offset)
		}
		// As the broker stores it.
		batch = bytes.Clone(batch)
		must(t, batch).SetBaseOffset(offset)
		must(t, batch).SetLeaderEpoch(0)
		made = append(made, batch)
		builder.Release()
		offset += n
		if h.BaseSequence >= 0 {
			h.BaseSequence = records.AddSequence(h.BaseSequence, n)
		}
	}
	for _, codec := range codecsOf(records.Magic2) {
		plain := records.NewBatchHeader()
		send("plain", &plain, codec, nil, true)
		send("idempotent", &idempotent, codec, nil, true)
		for _, commit := range []bool{true, false} {
			b.addPartition(transaction, transactional.ProducerID, transactional.ProducerEpoch, topic)
			send(map[bool]string{true: "committed", false: "aborted"}[commit], &transactional, codec, transaction, commit)
			b.endTransaction(transaction, transactional.ProducerID, transactional.ProducerEpoch, commit)
			offset++
			b.fetch(topic, offset) // the marker is there
		}
	}

	// What the broker stored.
	var r records.Reader
	var committed, aborted int
	it := records.Batches(b.fetch(topic, offset))
	for it.Next() {
		batch := it.Batch()
		if err := r.Check(batch); err != nil {
			t.Fatal(err)
		}
		if !batch.Control() {
			if len(made) == 0 || !bytes.Equal(batch.Bytes(), made[0]) {
				t.Fatalf("stored %x\nwant %x", batch.Bytes(), made[0])
			}
			made = made[1:]
			continue
		}
		for r.Next() {
			switch _, what, _ := records.ParseControlKey(r.Record().Key()); what {
			case records.Commit:
				committed++
			case records.Abort:
				aborted++
			}
		}
	}
	if len(made) != 0 || committed != 5 || aborted != 5 || it.NextOffset() != offset {
		t.Errorf("%d batches missing, %d transactions committed, %d aborted, next offset %d", len(made), committed, aborted, it.NextOffset())
	}
	t.Run("console consumer", func(t *testing.T) { consume(t, string(topic), want) })
}

// TestBrokerRefuses: the broker refuses what is no batch of a producer, so that the
// above means something.
func TestBrokerRefuses(t *testing.T) {
	b := dial(t)
	topic := fmt.Appendf(nil, "kafkawire-refused-%d", time.Now().UnixNano())
	b.createTopic(topic)
	good := bytes.Clone(build(t, records.NewBatchHeader(), func(b *records.Builder) { b.Append(time.Now().UnixMilli(), nil, []byte("v")) }).Bytes())
	b.produce(topic, nil, good)
	bad := bytes.Clone(good)
	bad[len(bad)-1] ^= 1
	request := kdata.NewProduceRequest()
	request.Acks, request.TimeoutMs = -1, 10000
	request.TopicData = []kdata.ProduceRequestTopicProduceData{{Name: topic, PartitionData: []kdata.ProduceRequestPartitionProduceData{{Records: bad}}}}
	var response kview.ProduceResponse
	b.call(fastcodec.Produce, 9, &request, &response)
	if code := response.Responses().At(0).PartitionResponses().At(0).ErrorCode(); code != fastcodec.CodeCorruptMessage {
		t.Errorf("%s, want %s", code, fastcodec.CodeCorruptMessage)
	}
}

// consume reads a topic with Kafka's console consumer, and compares what it prints.
func consume(t *testing.T, topic string, want []plainRecord) {
	command := strings.Fields(os.Getenv("KAFKAWIRE_CONSUMER"))
	if len(command) == 0 {
		t.Skip("set KAFKAWIRE_CONSUMER to the command of Kafka's console consumer, such as kafka-console-consumer.sh")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	args := append(command[1:],
		"--bootstrap-server", os.Getenv("KAFKAWIRE_BROKER"), "--topic", topic, "--from-beginning",
		"--isolation-level", "read_committed", "--max-messages", fmt.Sprint(len(want)), "--timeout-ms", "60000")
	for _, p := range []string{"print.timestamp", "print.offset", "print.headers", "print.key"} {
		args = append(args, "--formatter-property", p+"=true")
	}
	args = append(args, "--formatter-property", "null.literal=null")
	c := exec.CommandContext(ctx, command[0], args...)
	out, err := c.Output()
	if err != nil {
		var e *exec.ExitError
		if errors.As(err, &e) {
			err = fmt.Errorf("%w: %s", err, e.Stderr)
		}
		t.Fatal(err)
	}
	var lines []string
	for _, r := range want {
		headers := "NO_HEADERS"
		if len(r.headers) > 0 {
			headers = strings.ReplaceAll(strings.Join(r.headers, ","), "=", ":")
		}
		lines = append(lines, fmt.Sprintf("CreateTime:%d\tOffset:%d\t%s\t%s\t%s", r.timestamp, r.offset, headers, r.key, r.value))
	}
	got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if !slices.Equal(got, lines) {
		for i := range lines {
			if i >= len(got) || got[i] != lines[i] {
				t.Fatalf("line %d of %d is\n%q, want\n%q", i+1, len(got), got[min(i, len(got)-1)], lines[i])
			}
		}
		t.Fatalf("%d lines, want %d", len(got), len(lines))
	}
	t.Logf("Kafka's console consumer read %d records", len(got))
}
