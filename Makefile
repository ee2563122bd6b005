# Short names for what takes more than one command.

# Real clients through the proxy to a real cluster of three nodes. Needs Java 17, Maven,
# Python 3, Linux. CLIENTS chooses: make interop CLIENTS=tools,java,franz,sarama
CLIENTS ?= tools,java,franz,sarama,python

.PHONY: ci interop
ci:
	.ci/run

interop:
	cd interop && go run . -clients $(CLIENTS)
