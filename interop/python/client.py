"""The kafka-python part of the interop run. Arguments: MODE BOOTSTRAP PREFIX CLUSTER
OFFSET, as for franz-go."""
import sys
import threading
import time

from kafka import KafkaConsumer, KafkaProducer
from kafka.admin import KafkaAdminClient, NewTopic

mode, bootstrap, prefix, cluster, offset = sys.argv[1:6]
offset = int(offset)
topic = prefix + "-python"
group = prefix + "-python-group"


def check(name, f):
    try:
        print("ok", name, f(), flush=True)
    except Exception as e:  # whatever it is, it is the result
        print("FAIL", name, repr(e), flush=True)


def producer(**more):
    return KafkaProducer(bootstrap_servers=bootstrap, acks="all", retries=100, **more)


def consumer(name, **more):
    return KafkaConsumer(bootstrap_servers=bootstrap, group_id=name, auto_offset_reset="earliest",
                         enable_auto_commit=False, fetch_max_wait_ms=300, **more)


def admin():
    a = KafkaAdminClient(bootstrap_servers=bootstrap)
    a.create_topics([NewTopic(topic, 3, 3)])
    d = a.describe_cluster()
    for b in d["brokers"]:
        number = b.get("node_id", b.get("broker_id"))
        assert number > offset and b["host"] == "127.0.0.1", b
    assert len(d["brokers"]) == 3, d
    assert not cluster or d["cluster_id"] == cluster, d
    a.close()
    return "%d brokers of %s" % (len(d["brokers"]), d["cluster_id"])


codecs = [None, "gzip", "snappy", "lz4", "zstd"]
each = 20


def compress():
    for codec in codecs:
        p = producer(compression_type=codec)
        sent = [p.send(topic, key=b"%d" % i, value=b"%s value value value %d" % (str(codec).encode(), i)) for i in range(each)]
        for f in sent:
            f.get(timeout=30)
        p.close()
    return each * len(codecs)


def classic():
    c = consumer(group)
    c.subscribe([topic])
    n, end = 0, time.time() + 60
    while n < each * len(codecs) and time.time() < end:
        n += sum(len(r) for r in c.poll(timeout_ms=500).values())
    assert n == each * len(codecs), n
    c.commit()
    c.close()
    return n


def commit():
    a = KafkaAdminClient(bootstrap_servers=bootstrap)
    offsets = a.list_group_offsets(group) if hasattr(a, "list_group_offsets") else a.list_consumer_group_offsets(group)
    if offsets and not hasattr(next(iter(offsets.values())), "offset"):
        offsets = offsets[group]
    a.close()
    total = sum(o.offset for o in offsets.values())
    assert total == each * len(codecs), offsets
    return total


def describe():
    a = KafkaAdminClient(bootstrap_servers=bootstrap)
    got = a.describe_groups([group]) if hasattr(a, "describe_groups") else a.describe_consumer_groups([group])
    a.close()
    assert len(got) == 1, got
    return "1 group"


def transaction():
    p = producer(transactional_id=prefix + "-python-tx")
    p.init_transactions()
    for end in (p.abort_transaction, p.commit_transaction):
        p.begin_transaction()
        p.send(topic + "-tx", b"%s" % end.__name__.encode()).get(timeout=30)
        end()
    p.close()
    c = consumer(None, isolation_level="read_committed")
    c.subscribe([topic + "-tx"])
    got, end = [], time.time() + 30
    while not got and time.time() < end:
        for records in c.poll(timeout_ms=500).values():
            got += [r.value for r in records]
    c.close()
    assert got == [b"commit_transaction"], got
    return len(got)


def stream():
    name = topic + "-stream"
    a = KafkaAdminClient(bootstrap_servers=bootstrap)
    a.create_topics([NewTopic(name, 3, 3)])
    a.close()
    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
    p, c = producer(), consumer(name)
    c.subscribe([name])
    n, got = 0, set()

    def read(ms):
        for records in c.poll(timeout_ms=ms).values():
            got.update(r.value for r in records)

    while not stop.is_set():
        p.send(name, b"%d" % n).get(timeout=120)
        n += 1
        read(30)
    end = time.time() + 90
    while len(got) < n and time.time() < end:
        read(500)
    p.close()
    c.close()
    assert n and len(got) == n, "read %d of %d" % (len(got), n)
    return n


if mode == "stream":
    check("stream", stream)
else:
    for name, f in (("admin", admin), ("compress", compress), ("classic", classic), ("commit", commit), ("describe", describe), ("txn", transaction)):
        check(name, f)
