// Package rewrite edits frames without decoding and encoding them: it copies the
// spans that stay, splices in the fields that change, and patches the sizes, counts
// and lengths around them. Whatever isn't edited keeps every byte, legal forms that
// no writer uses included: overlong varints, unknown tagged fields, tagged fields in
// any order or at their defaults, bytes behind the last field.
//
//	r, err := rewrite.Compile(rewrite.Edits{
//		Endpoints: rewrite.Endpoints{Response: func(e rewrite.Endpoint) (host []byte, port int32) {
//			return proxyHost, basePort + e.NodeID
//		}},
//		Versions: rewrite.Versions{Clamp: true},
//	})
//	...
//	out, changed, err := r.Request(buf[:0], frame, &ctx)     // ctx is kept until the response is there
//	...
//	out, changed, err = r.Response(buf[:0], frame, &ctx)
//	if !changed { out = frame }
//
// What to visit in a message is compiled from the schemas when a message of that
// version is first seen, and kept by the Rewriter. A frame is then read once, only
// as far as something can be edited; no tree is made and nothing is allocated.
// Touches says of which messages not even that is needed.
//
// # What is edited
//
// Every field that the schemas or this module's notes on them mark as an entity:
// topic names, group ids, transactional ids, producer ids, node ids of brokers and
// controllers, cluster ids; in requests and in responses, in tagged fields, in arrays
// and in structs of any depth. Some hold an entity only if another field says so:
//
//   - FindCoordinator keys, by the key type, which a response doesn't repeat: the
//     Context of its request does. A key of a share coordinator is
//     GROUP:TOPICID:PARTITION; its group is edited, and what isn't of that form stays;
//   - resource names of configs, by the resource type: topics, groups, and node ids as
//     decimal text;
//   - resource names of ACLs, by resource type and pattern type. The name * stands for
//     all and stays. Literal names are edited; for other pattern types see
//     Names.Prefixes;
//   - metadata and assignments of group members (JoinGroup, SyncGroup,
//     DescribeGroups), whose topics are edited if the group's protocol type is
//     "consumer". Older versions of SyncGroup, and of the JoinGroup response, don't
//     say it: see Context.Protocol;
//   - producer ids in the headers of record batches (magic 2).
//
// Addresses are edited in every answer to a client: Metadata, FindCoordinator,
// DescribeCluster, DescribeQuorum, and the tagged node endpoints of Produce, Fetch,
// ShareFetch and ShareAcknowledge; likewise in what controllers answer each other.
// With Endpoints.Request also those in LeaderAndIsr, UpdateMetadata,
// BeginQuorumEpoch, EndQuorumEpoch, BrokerRegistration, ControllerRegistration,
// AddRaftVoter and UpdateRaftVoter requests.
//
// # What is not edited
//
// Addresses that aren't a broker's or controller's: ClientHost of group members, the
// host of ACLs, the UserEndpoint of streams applications, client addresses in quotas
// (entity type "ip") and in Envelope. Config values, such as advertised.listeners or
// controller.quorum.voters in the answers of DescribeConfigs. Topic ids, client ids,
// member and instance ids, metadata of committed offsets, names in error messages.
//
// # What is refused
//
// Where a kind of entity is edited, in either direction, a frame that holds it in a
// form that can't be edited is an error (ErrRefused), since forwarding it could leak
// a name, or mix up ids:
//
//   - patterns over names that aren't null or empty: ConsumerGroupHeartbeatRequest and
//     ConsumerGroupDescribeResponse SubscribedTopicRegex, StreamsGroupHeartbeatRequest
//     SourceTopicRegex (topics); ListTransactionsRequest TransactionalIdPattern
//     (transactional ids);
//   - positions in a list of names, of which an element is to be hidden: SourceTopics
//     and RepartitionSourceTopics of StreamsGroupHeartbeatRequest, which
//     CopartitionGroups point into. Names can be replaced there;
//   - whole messages and logs in bytes: EnvelopeRequest RequestData, EnvelopeResponse
//     ResponseData, FetchSnapshotResponse UnalignedRecords (all kinds). Only
//     controllers serve these;
//   - metadata and assignments of group members while nobody knows the group's
//     protocol type (topics);
//   - in requests, ACL resource names that aren't literal, unless Names.Prefixes is
//     set; in responses they are hidden. Names in ACL filters of resource type ANY;
//   - a name that is to be hidden and isn't in an array, and what an edit function
//     refuses.
//
// API keys and versions that this build doesn't know are refused as well then
// (fastcodec.ErrUnknownAPI, fastcodec.ErrVersion), and unknown keys are left out of
// ApiVersions responses. Where only addresses are edited, they pass.
//
// # What to know when elements are hidden
//
// An element that is hidden in a request is one less to answer: clients that match
// answers by position (CreateAcls, DeleteAcls) would be confused. In a Metadata
// request of version 0 an array that has become empty means all topics; hide in the
// response as well. An array of which all elements are hidden is empty, not null.
package rewrite
