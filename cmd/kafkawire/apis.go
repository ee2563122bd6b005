// apis: the table of Kafka's APIs.

package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/kafkawire/kafkawire/fastcodec"
)

var apisCommand = command{
	name:  "apis",
	short: "list the APIs, their versions and header versions",
	help: `Lists all APIs that this codec knows. "flexible" is the first version with compact
lengths and tagged fields. The header columns have the versions of the header in
front of a request or response, as HEADER or HEADER@VERSIONS. The latest version is
marked unstable where brokers advertise it only if told to.`,
	define: func(*flag.FlagSet) func(*env, []string) error { return apis },
}

func apis(e *env, args []string) error {
	if len(args) > 0 {
		return errors.New("apis takes no arguments")
	}
	t := newTable("key>", "name", "versions", "flexible", "request header", "response header", "listeners", "latest")
	for key := range fastcodec.APIKeys() {
		lowest, highest, _ := key.Versions()
		flexible := "none"
		if v, ok := key.FlexibleFrom(); ok {
			flexible = fmt.Sprintf("%d+", v)
		}
		latest := ""
		if key.LatestUnstable() {
			latest = "unstable"
		}
		t.add(fmt.Sprint(int16(key)), key.String(), versionRange(lowest, highest), flexible,
			headerVersions(key.RequestHeaderVersion, lowest, highest), headerVersions(key.ResponseHeaderVersion, lowest, highest),
			listeners(key), latest)
	}
	t.write(e.out)
	return nil
}

func versionRange(lowest, highest int16) string {
	if lowest == highest {
		return fmt.Sprint(lowest)
	}
	return fmt.Sprintf("%d-%d", lowest, highest)
}

// headerVersions is "1", or "1@0-8 2@9-13" where the header differs by version.
func headerVersions(of func(int16) (int16, bool), lowest, highest int16) string {
	var parts []string
	for from := lowest; from <= highest; {
		header, _ := of(from)
		to := from
		for to < highest {
			if next, _ := of(to + 1); next != header {
				break
			}
			to++
		}
		if from == lowest && to == highest {
			return fmt.Sprint(header)
		}
		parts = append(parts, fmt.Sprintf("%d@%s", header, versionRange(from, to)))
		from = to + 1
	}
	return strings.Join(parts, " ")
}

func listeners(key fastcodec.APIKey) string {
	var names []string
	for _, l := range []struct {
		on   bool
		name string
	}{{key.OnBroker(), "broker"}, {key.OnController(), "controller"}, {key.OnZkBroker(), "zkBroker"}} {
		if l.on {
			names = append(names, l.name)
		}
	}
	return strings.Join(names, ", ")
}
