// API keys, and what the schemas say of each API: versions, header versions,
// listeners. The table itself is generated (apis_gen.go).

package fastcodec

import (
	"iter"
	"strconv"
)

// APIKey is the key of a Kafka API. Any int16 is one: vendors use keys of their
// own from 10,000 up.
type APIKey int16

// apiInfo is a row of the table.
type apiInfo struct {
	name     string // "" where Kafka has no API with the key
	min, max int16  // of request and response alike
	flexible int16  // the first flexible version, or -1
	flags    apiFlags
}

type apiFlags uint8

const (
	onBroker apiFlags = 1 << iota
	onController
	onZkBroker
	unstable    // the highest version isn't advertised by default
	exceptional // headerExceptions has rows of the key
)

// headerException is a range of message versions that don't have the header
// version of the rule "flexible or not".
type headerException struct {
	key             APIKey
	of              messageKind
	lowest, highest int16
	headerVersion   int16
}

type messageKind uint8

const (
	ofRequest messageKind = iota
	ofResponse
)

// info is the table's row; of an unknown key, an empty one.
func (k APIKey) info() *apiInfo {
	if k >= 0 && int(k) < len(apis) {
		return &apis[k]
	}
	return &noAPI
}

var noAPI = apiInfo{min: 0, max: -1, flexible: -1}

// Known reports whether Kafka has an API with the key.
func (k APIKey) Known() bool { return k.info().name != "" }

// String is the API's name, "DescribeQuorum"; of an unknown key, "APIKey(10000)".
func (k APIKey) String() string {
	if name := k.info().name; name != "" {
		return name
	}
	return "APIKey(" + strconv.Itoa(int(k)) + ")"
}

// Versions is the range of versions that this codec knows, over all releases that
// it was made from; ok is false for an unknown key.
func (k APIKey) Versions() (lowest, highest int16, ok bool) {
	i := k.info()
	return i.min, i.max, i.name != ""
}

// HasVersion reports whether this codec knows the version.
func (k APIKey) HasVersion(version int16) bool {
	i := k.info()
	return i.name != "" && i.min <= version && version <= i.max
}

// FlexibleFrom is the first flexible version; ok is false where there is none.
func (k APIKey) FlexibleFrom() (version int16, ok bool) {
	i := k.info()
	return i.flexible, i.flexible >= 0
}

// LatestUnstable reports whether brokers advertise the highest version only if
// told to ("latestVersionUnstable" of the newest release).
func (k APIKey) LatestUnstable() bool { return k.info().flags&unstable != 0 }

// OnBroker, OnController and OnZkBroker report which listeners serve the API, in
// the newest release that has it.
func (k APIKey) OnBroker() bool     { return k.info().flags&onBroker != 0 }
func (k APIKey) OnController() bool { return k.info().flags&onController != 0 }
func (k APIKey) OnZkBroker() bool   { return k.info().flags&onZkBroker != 0 }

// RequestHeaderVersion is the version of the header in front of a request: 0 or 1
// in non-flexible versions, 2 or 3 in flexible ones. ok is false where it can't be
// known: an unknown key, or a version outside the range; except that ApiVersions
// requests of any higher version have the header of the highest, so that a broker
// can refuse them (KIP-511).
func (k APIKey) RequestHeaderVersion(version int16) (headerVersion int16, ok bool) {
	return k.headerVersion(ofRequest, version)
}

// ResponseHeaderVersion is the version of the header in front of a response: 0 in
// non-flexible versions, 1 in flexible ones; always 0 for ApiVersions, whose
// client can't know the version of the answer (KIP-511). ok is as above.
func (k APIKey) ResponseHeaderVersion(version int16) (headerVersion int16, ok bool) {
	return k.headerVersion(ofResponse, version)
}

func (k APIKey) headerVersion(of messageKind, version int16) (int16, bool) {
	i := k.info()
	if k == APIVersions && version > i.max {
		version = i.max
	}
	if i.name == "" || version < i.min || version > i.max {
		return 0, false
	}
	if i.flags&exceptional != 0 {
		for _, e := range headerExceptions {
			if e.key == k && e.of == of && e.lowest <= version && version <= e.highest {
				return e.headerVersion, true
			}
		}
	}
	var v int16
	if of == ofRequest {
		v = 1
	}
	if uint16(version) >= uint16(i.flexible) { // -1 is above all versions
		v++
	}
	return v, true
}

// APIKeys gives the known keys in ascending order.
func APIKeys() iter.Seq[APIKey] {
	return func(yield func(APIKey) bool) {
		for k := range apis {
			if apis[k].name != "" && !yield(APIKey(k)) {
				return
			}
		}
	}
}

// APIKeyOf is the key of an API's name, as String gives it.
func APIKeyOf(name string) (key APIKey, ok bool) {
	for k := range APIKeys() {
		if apis[k].name == name {
			return k, true
		}
	}
	return -1, false
}

// UnsupportedVersion is the error of a typed parse or append of the key's request
// or response at a version that the table doesn't have: a VersionError, or for an
// unknown key one that wraps ErrUnknownAPI.
func UnsupportedVersion(key APIKey, request bool, version int16) *Error {
	i := key.info()
	if i.name == "" {
		return &Error{Message: key.String(), Version: version, Offset: -1, Err: ErrUnknownAPI}
	}
	if request {
		return VersionError(i.name+"Request", version, i.min, i.max)
	}
	return VersionError(i.name+"Response", version, i.min, i.max)
}
