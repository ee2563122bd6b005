# Short names for what takes more than one command.

# What the records builder writes, to a real broker; then real clients through the proxy
# to a real cluster of three nodes. Needs a JDK 17, Maven,
# Python 3, Linux. CLIENTS chooses: make interop CLIENTS=tools,java,franz,sarama
CLIENTS ?= tools,java,franz,sarama,python

.PHONY: ci interop
ci:
	.ci/run

interop:
	cd interop && go run . -clients $(CLIENTS)
