// The command line tools that come with Kafka.

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// tools runs them.
func (x *interop) tools(t *table, r round) {
	bootstrap := fmt.Sprintf("%s:%d", clientHost, firstPort)
	topic := r.name + "-tools"
	errs, err := os.Create(filepath.Join(x.dir, r.name+"-tools.err"))
	if err != nil {
		t.set("tools", "admin", false, err.Error())
		return
	}
	defer errs.Close()
	box, err := x.startTools(errs)
	if err != nil {
		t.set("tools", "admin", false, err.Error())
		return
	}
	defer box.end()
	// tool runs a class and wants some words in what it prints.
	tool := func(stdin, class string, words []string, args ...string) error {
		out, code, err := box.run(stdin, "org.apache.kafka.tools."+class, args...)
		fmt.Fprintf(errs, "\n%s %v: %d, %v\n%s", class, args, code, err, out)
		if err == nil && code != 0 {
			err = fmt.Errorf("exit code %d", code)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", class, err)
		}
		for _, w := range words {
			if !bytes.Contains(out, []byte(w)) {
				return fmt.Errorf("%s: no %q in its output", class, w)
			}
		}
		return nil
	}
	at := []string{"--bootstrap-server", bootstrap}
	with := func(args ...string) []string { return append(at[:2:2], args...) }
	step := func(scenario string, steps ...func() error) {
		for _, s := range steps {
			if err := s(); err != nil {
				t.set("tools", scenario, false, err.Error())
				return
			}
		}
		t.set("tools", scenario, true, "")
	}
	node := func(n int) string { return fmt.Sprint(r.offset + n) }
	step("admin",
		func() error {
			return tool("", "TopicCommand", nil, with("--create", "--topic", topic, "--partitions", "3", "--replication-factor", "3")...)
		},
		func() error {
			return tool("", "TopicCommand", []string{"Leader: " + node(1), "Leader: " + node(2), "Leader: " + node(3)}, with("--describe", "--topic", topic)...)
		},
		func() error {
			return tool("", "MetadataQuorumCommand", []string{"LeaderId:"}, with("describe", "--status")...)
		},
		func() error { return tool("", "FeatureCommand", []string{"metadata.version"}, with("describe")...) },
		func() error {
			return tool("", "BrokerApiVersionsCommand", []string{clientHost + ":", "id: " + node(2)}, at...)
		},
	)
	const count = 10
	var codecs []func() error
	for _, codec := range []string{"none", "gzip", "snappy", "lz4", "zstd"} {
		var lines strings.Builder
		for i := range count {
			fmt.Fprintf(&lines, "%s value value value value %d\n", codec, i)
		}
		codecs = append(codecs, func() error {
			return tool(lines.String(), "ConsoleProducer", nil, with("--topic", topic, "--compression-codec", codec)...)
		})
	}
	step("compress", codecs...)
	all := fmt.Sprint(count * len(codecs))
	read := func(group, protocol string) func() error {
		return func() error {
			return tool("", "consumer.ConsoleConsumer", []string{"zstd value value value value 9", "Processed a total of " + all + " messages"},
				with("--topic", topic, "--from-beginning", "--max-messages", all, "--timeout-ms", "60000", "--group", group, "--command-property", "group.protocol="+protocol)...)
		}
	}
	step("classic", read(topic+"-classic", "classic"))
	step("consumer", read(topic+"-consumer", "consumer"))
	step("share",
		func() error {
			return tool("", "ConfigCommand", nil, with("--alter", "--entity-type", "groups", "--entity-name", topic+"-share", "--add-config", "share.auto.offset.reset=earliest")...)
		},
		func() error {
			return tool("", "consumer.ConsoleShareConsumer", []string{"Processed a total of " + all + " messages"},
				with("--topic", topic, "--max-messages", all, "--timeout-ms", "60000", "--group", topic+"-share")...)
		})
	step("describe",
		func() error {
			return tool("", "consumer.group.ConsumerGroupCommand", []string{topic + "-classic", topic + "-consumer", clientHost + ":"}, with("--describe", "--all-groups", "--state")...)
		},
		func() error {
			return tool("", "GroupsCommand", []string{topic + "-share"}, with("--list")...)
		})
	step("commit", func() error {
		return tool("", "consumer.group.ConsumerGroupCommand", []string{topic}, with("--group", topic+"-consumer", "--reset-offsets", "--topic", topic, "--to-earliest", "--execute")...)
	})
	step("txn",
		func() error {
			return tool("", "ProducerPerformance", []string{"20 records sent"},
				with("--topic", topic+"-tx", "--num-records", "20", "--record-size", "100", "--throughput", "-1", "--transactional-id", topic+"-id", "--transaction-duration-ms", "100")...)
		},
		func() error {
			return tool("", "consumer.ConsoleConsumer", []string{"Processed a total of 20 messages"},
				with("--topic", topic+"-tx", "--from-beginning", "--max-messages", "20", "--timeout-ms", "60000", "--isolation-level", "read_committed")...)
		},
		func() error {
			return tool("", "TransactionsCommand", []string{topic + "-id"}, with("list")...)
		})
}

// toolbox is the JVM that runs them, java/Tools.java.
type toolbox struct {
	cmd    *exec.Cmd
	cancel func()
	in     io.WriteCloser
	out    *bufio.Reader
}

func (x *interop) startTools(errs io.Writer) (b *toolbox, err error) {
	b = &toolbox{}
	ctx, cancel := context.WithCancel(x.ctx)
	b.cancel = cancel
	b.cmd = java(ctx, x.here, x.classpath, "-Xmx256m", "Tools")
	b.cmd.Stderr = errs
	if b.in, err = b.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	b.out = bufio.NewReader(out)
	return b, b.cmd.Start()
}

// run runs one tool. One that takes two minutes ends the JVM.
func (b *toolbox) run(stdin, class string, args ...string) (out []byte, code int32, err error) {
	late := time.AfterFunc(2*time.Minute, b.cancel)
	defer late.Stop()
	all := append([]string{class, stdin}, args...)
	ask := binary.BigEndian.AppendUint32(nil, uint32(len(all)))
	for _, s := range all {
		ask = append(binary.BigEndian.AppendUint32(ask, uint32(len(s))), s...)
	}
	if _, err := b.in.Write(ask); err != nil {
		return nil, 0, err
	}
	var head struct{ Code, Size int32 }
	if err := binary.Read(b.out, binary.BigEndian, &head); err != nil {
		return nil, 0, err
	}
	out = make([]byte, head.Size)
	_, err = io.ReadFull(b.out, out)
	return out, head.Code, err
}

func (b *toolbox) end() {
	b.in.Close()
	b.cmd.Wait()
	b.cancel()
}
