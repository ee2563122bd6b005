// The Java part of the interop run. Arguments: MODE BOOTSTRAP PREFIX CLUSTER OFFSET, as
// for franz-go.
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.*;

public class Client {
    static String bootstrap;

    interface Check { Object run() throws Exception; }

    static void check(String name, Check c) {
        try {
            System.out.println("ok " + name + " " + c.run());
        } catch (Throwable e) {
            System.out.println("FAIL " + name + " " + e);
        }
    }

    static Map<String, Object> config(Object... pairs) {
        Map<String, Object> m = new HashMap<>();
        m.put("bootstrap.servers", bootstrap);
        for (int i = 0; i < pairs.length; i += 2) m.put((String) pairs[i], pairs[i + 1]);
        return m;
    }

    static Producer<String, String> producer(Object... pairs) {
        return new KafkaProducer<>(config(pairs), new StringSerializer(), new StringSerializer());
    }

    static Consumer<String, String> consumer(Object... pairs) {
        Map<String, Object> m = config(pairs);
        m.put("auto.offset.reset", "earliest");
        m.put("fetch.max.wait.ms", 300);
        return new KafkaConsumer<>(m, new StringDeserializer(), new StringDeserializer());
    }

    static void want(boolean ok, Object what) {
        if (!ok) throw new IllegalStateException(String.valueOf(what));
    }

    // Reads as a member of a group until it has them all, and commits.
    static Object group(String topic, String group, String protocol, int want) {
        try (Consumer<String, String> c = consumer("group.id", group, "group.protocol", protocol, "enable.auto.commit", false)) {
            c.subscribe(List.of(topic));
            int n = 0;
            for (long end = System.currentTimeMillis() + 60000; n < want && System.currentTimeMillis() < end; ) n += c.poll(Duration.ofMillis(500)).count();
            want(n == want, n + " of " + want);
            c.commitSync();
            return n;
        }
    }

    public static void main(String[] a) throws Exception {
        String mode = a[0], prefix = a[2], cluster = a[3];
        int offset = Integer.parseInt(a[4]);
        bootstrap = a[1];
        String topic = prefix + "-java";
        if (mode.equals("stream")) {
            check("stream", () -> stream(topic + "-stream"));
            return;
        }
        String[] codecs = {"none", "gzip", "snappy", "lz4", "zstd"};
        int each = 20, all = codecs.length * each;
        try (Admin admin = Admin.create(config())) {
            check("admin", () -> {
                admin.createTopics(List.of(new NewTopic(topic, 3, (short) 3), new NewTopic(topic + "-tx", 1, (short) 3))).all().get();
                var d = admin.describeCluster();
                for (Node n : d.nodes().get()) want(n.id() > offset && n.host().equals("127.0.0.1"), n);
                want(cluster.isEmpty() || d.clusterId().get().equals(cluster), d.clusterId().get());
                want(d.controller().get().id() > offset, d.controller().get());
                for (var t : admin.describeTopics(List.of(topic)).allTopicNames().get().values())
                    for (var p : t.partitions()) for (Node n : p.replicas()) want(n.id() > offset && n.host().equals("127.0.0.1"), n);
                for (var n : admin.describeMetadataQuorum().quorumInfo().get().nodes().values())
                    for (var e : n.endpoints()) want(e.host().equals("127.0.0.1"), e);
                admin.describeLogDirs(List.of(offset + 1, offset + 2, offset + 3)).allDescriptions().get();
                admin.describeConfigs(List.of(new ConfigResource(ConfigResource.Type.BROKER, String.valueOf(offset + 2)))).all().get();
                return d.nodes().get().size() + " brokers of " + d.clusterId().get();
            });
            check("compress", () -> {
                for (String codec : codecs)
                    try (Producer<String, String> p = producer("compression.type", codec, "linger.ms", 20)) {
                        List<Future<RecordMetadata>> sent = new ArrayList<>();
                        for (int i = 0; i < each; i++) sent.add(p.send(new ProducerRecord<>(topic, "" + i, codec + " value value value value " + i)));
                        for (var f : sent) f.get();
                    }
                return all;
            });
            check("classic", () -> group(topic, prefix + "-java-classic", "classic", all));
            check("consumer", () -> group(topic, prefix + "-java-consumer", "consumer", all));
            check("share", () -> {
                String group = prefix + "-java-share";
                admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group),
                    List.of(new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET)))).all().get();
                try (ShareConsumer<String, String> c = new KafkaShareConsumer<>(config("group.id", group), new StringDeserializer(), new StringDeserializer())) {
                    c.subscribe(List.of(topic));
                    int n = 0;
                    for (long end = System.currentTimeMillis() + 60000; n < all && System.currentTimeMillis() < end; ) {
                        n += c.poll(Duration.ofMillis(500)).count();
                        c.commitSync();
                    }
                    want(n == all, n + " of " + all);
                    return n;
                }
            });
            check("commit", () -> {
                long sum = 0;
                for (String g : List.of("-java-classic", "-java-consumer"))
                    for (var o : admin.listConsumerGroupOffsets(prefix + g).partitionsToOffsetAndMetadata().get().values()) sum += o.offset();
                want(sum == 2L * all, sum);
                return sum;
            });
            check("describe", () -> {
                var g = admin.describeConsumerGroups(List.of(prefix + "-java-classic", prefix + "-java-consumer")).all().get();
                for (var x : g.values()) want(x.coordinator().id() > offset && x.coordinator().host().equals("127.0.0.1"), x.coordinator());
                var s = admin.describeShareGroups(List.of(prefix + "-java-share")).all().get();
                for (var x : s.values()) want(x.coordinator().id() > offset, x.coordinator());
                return g.size() + s.size();
            });
            check("txn", () -> {
                try (Producer<String, String> p = producer("transactional.id", prefix + "-java-tx");
                     Consumer<String, String> c = consumer("isolation.level", "read_committed")) {
                    p.initTransactions();
                    for (boolean commit : new boolean[]{false, true}) {
                        p.beginTransaction();
                        p.send(new ProducerRecord<>(topic + "-tx", "" + commit)).get();
                        if (commit) {
                            p.sendOffsetsToTransaction(Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(1)), new ConsumerGroupMetadata(prefix + "-java-txgroup"));
                            p.commitTransaction();
                        } else p.abortTransaction();
                    }
                    c.assign(List.of(new TopicPartition(topic + "-tx", 0)));
                    List<String> got = new ArrayList<>();
                    for (long end = System.currentTimeMillis() + 30000; got.isEmpty() && System.currentTimeMillis() < end; )
                        for (var r : c.poll(Duration.ofMillis(500))) got.add(r.value());
                    want(got.equals(List.of("true")), got);
                    return got;
                }
            });
        }
    }

    // Produces and consumes until standard input ends, then wants all back.
    static Object stream(String topic) throws Exception {
        CountDownLatch stop = new CountDownLatch(1);
        Thread t = new Thread(() -> {
            try { while (System.in.read() >= 0) { } } catch (Exception e) { }
            stop.countDown();
        });
        t.setDaemon(true);
        t.start();
        try (Admin admin = Admin.create(config())) {
            admin.createTopics(List.of(new NewTopic(topic, 3, (short) 3))).all().get();
        }
        Set<String> got = new HashSet<>();
        int n = 0;
        try (Producer<String, String> p = producer("acks", "all", "delivery.timeout.ms", 120000);
             Consumer<String, String> c = consumer("group.id", topic, "group.protocol", "consumer")) {
            c.subscribe(List.of(topic));
            for (; stop.getCount() > 0; n++) {
                p.send(new ProducerRecord<>(topic, "" + n)).get();
                for (var r : c.poll(Duration.ofMillis(30))) got.add(r.value());
            }
            for (long end = System.currentTimeMillis() + 90000; got.size() < n && System.currentTimeMillis() < end; )
                for (var r : c.poll(Duration.ofMillis(500))) got.add(r.value());
        }
        want(n > 0 && got.size() == n, "read " + got.size() + " of " + n);
        return n;
    }
}
