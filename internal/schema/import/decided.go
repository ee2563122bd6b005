// This file has what people decided: everything that the importer would refuse
// otherwise, and the header versions that Kafka has in code only.
package main

import "github.com/kafkawire/kafkawire/internal/schema"

// rename is a field that has another name in a newer release. path is the new one.
type rename struct {
	message, path, old string
	keepGoName         bool // the Go name stays the oldest: its meaning is the same
}

var decidedRenames = []rename{
	{"TxnOffsetCommitRequest", "GenerationIdOrMemberEpoch", "GenerationId", true},
	{"VoteRequest", "Topics[].Partitions[].ReplicaEpoch", "CandidateEpoch", true},
	{"VoteRequest", "Topics[].Partitions[].ReplicaId", "CandidateId", true},
	{"VoteRequest", "Topics[].Partitions[].ReplicaDirectoryId", "CandidateDirectoryId", true},
	// A new field of another type has the old name now.
	{"StreamsGroupHeartbeatResponse", "AcceptableRecoveryLagLegacy", "AcceptableRecoveryLag", false},
	// The whole API was renamed when it came to mean more than client metrics.
	{"ListConfigResourcesRequest", "", "ListClientMetricsResourcesRequest", false},
	{"ListConfigResourcesResponse", "", "ListClientMetricsResourcesResponse", false},
	{"ListConfigResourcesResponse", "ConfigResources[]", "ClientMetricsResources", false},
	{"ListConfigResourcesResponse", "ConfigResources[].ResourceName", "Name", false},
}

type conflict struct {
	message string
	version int16
}

// decidedConflicts are versions laid out otherwise in an older release, in which
// they were not stable: the newest release's layout is the one.
var decidedConflicts = []conflict{
	{"ReadShareGroupStateSummaryResponse", 0},
}

// ignoredKeywords have no effect on the wire or on names.
var ignoredKeywords = []string{"about", "deprecatedVersions", "zeroCopy"}

// headerExceptions stand in Kafka's generator, not in its schemas.
var headerExceptions = map[string]schema.HeaderRange{
	"ControlledShutdownRequest": {Versions: schema.Versions{Min: 0, Max: 0}, Header: 0},
	// So that a client can read the answer before it knows what the broker speaks.
	"ApiVersionsResponse": {Versions: schema.Versions{Min: 0, Max: schema.Forever}, Header: 0},
}

// entityKinds are Kafka's entity types in the notation's terms.
var entityKinds = map[string]string{
	"topicName": "topic", "groupId": "group", "transactionalId": "transaction",
	"producerId": "producer", "brokerId": "broker",
}
