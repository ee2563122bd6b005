package kview_test

// The rows of the list of faults that other codecs had, each with its cases. Where
// a shape occurs in messages, the cases are made from their schemas, for all of
// them; shapes that no message of Kafka's has come from the tests' own schemas.

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// faultRows are the rows that bodies can show. fastcodec has those of frames,
// headers and primitives, and packages records and proxy those named R and S.
var faultRows = []struct {
	row, name string
	check     func(t *testing.T)
}{
	{"L1", "length past the end", pastTheEnd},
	{"L2", "compact length or count of 2^32-2", largestVarint},
	{"L3", "count of 2^27 with nothing behind", hugeCount},
	{"L3", "the frame of the report", hugeCountFrame},
	{"L4", "140,000 elements", manyElements},
	{"L5", "int32 length or count of -1", minusOne},
	{"L6", "lengths and counts below -1", belowMinusOne},
	{"L7", "varint of 6 bytes, fifth byte above 0f", badVarint},
	{"L8", "overlong varint", overlongVarint},
	{"L9", "elements without bytes", elementsWithoutBytes},
	{"L11", "long strings given to the encoder", longStrings},
	{"L12", "bytes above 2^31-1 given to the encoder", hugeFields},
	{"L13", "strings and bytes at the boundaries of varints", boundaryLengths},
	{"L14", "bytes after the last field", trailingBytes},
	{"N0", "null, empty, and overlong forms of both", nullAndEmpty},
	{"N1", "null where the version allows none", nullWhereNoneIsLegal},
	{"N2", "null and empty arrays stay apart", nullAndEmptyApart},
	{"N3", "Metadata v0, no topics", metadataWithoutTopics},
	{"N4", "null and empty records stay apart", recordsNullAndEmpty},
	{"N5", "markers of nullable structs", markers},
	{"N6", "markers of nullable structs in tagged fields", tagMarkers},
	{"N8", "fields that the version lacks", defaults},
	{"N9", "fields that the version lacks, given to the encoder", notInVersion},
	{"T1", "unknown tags in every struct", unknownTags},
	{"T2", "tag count and tag size past the end", tagsPastTheEnd},
	{"T3", "tags out of order", tagsOutOfOrder},
	{"T4", "known tag twice", tagTwice},
	{"T4", "payload and size of a known tag differ", wrongTagSize},
	{"T5", "known tag below its versions", earlyTags},
	{"T6", "known tag at its default", explicitDefaults},
	{"T7", "defaults are left out", defaultsLeftOut},
	{"T8", "unknown tags among known ones", tagsAmongKnown},
	{"T8", "unknown tag with a known number given to the encoder", unknownTagKnown},
	{"T9", "tag size is the plain size", plainTagSize},
	{"T10", "1 MB of two-byte tags", manyTags},
	{"H2", "ApiVersions answered at version 0", apiVersionsAnswers},
	{"H9", "versions outside the range", versionsOutside},
	{"bool", "a bool is true for any byte but 0", anyBool},
	{"string", "a string has at most 32,767 bytes, compact too", longestString},
	{"count", "a count is at most the bytes left", countAboveBytes},
	{"D1", "length, count or tag count of 2^31 and more", above31Bits},
	{"D5", "strings that are not UTF-8", notUTF8},
}

func TestFaults(t *testing.T) {
	for _, f := range faultRows {
		t.Run(f.row+"_"+strings.ReplaceAll(f.name, " ", "_"), f.check)
	}
}

// TestEveryRowHasACase: a row of the list without a case, here or in fastcodec,
// fails. D2, D3 and D4 of the accept rules are T4 and T5, the others stand in
// faultRows under their own names.
func TestEveryRowHasACase(t *testing.T) {
	src, err := os.ReadFile("../faults_test.go")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, m := range regexp.MustCompile(`\n\t\{"([A-Z]+[0-9]+)", "[^"]+", func\(t \*testing\.T\) \{`).FindAllStringSubmatch(string(src), -1) {
		have[m[1]] = true
	}
	if len(have) < 20 {
		t.Fatalf("only %d rows found in fastcodec: has the form of its table changed?", len(have))
	}
	for _, f := range faultRows {
		have[f.row] = true
	}
	for _, row := range slices.Concat(rowsOf("L", 1, 14), rowsOf("N", 0, 9), rowsOf("T", 1, 10), rowsOf("H", 1, 12), []string{"bool", "string", "count", "D1", "D5"}) {
		if !have[row] {
			t.Errorf("row %s has no case", row)
		}
		delete(have, row)
	}
	// S1 is one that fastcodec can show already.
	delete(have, "S1")
	for row := range have {
		t.Errorf("row %s is not in the list", row)
	}
}

func rowsOf(letter string, from, to int) (rows []string) {
	for i := from; i <= to; i++ {
		rows = append(rows, letter+itoa(i))
	}
	return rows
}
