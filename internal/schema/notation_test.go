// These tests hold the grammar: what is read, what is refused and where the error
// points, and that there is one way to write a model.
package schema

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestVersionsGrammar(t *testing.T) {
	good := map[string]Versions{
		"none": None, "0": {0, 0}, "7": {7, 7}, "3+": {3, Forever}, "0-4": {0, 4}, "32767": {Forever, Forever},
	}
	for text, want := range good {
		if got, err := ParseVersions(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if got := want.String(); got != text && text != "32767" {
			t.Errorf("%v is written %q", want, got)
		}
	}
	for _, text := range []string{"", " 1", "1 ", "+", "-1", "1-", "+1", "1++", "3-1", "1-3+", "32768", "0-32767", "1,2", "0x1", "1_0"} {
		if got, err := ParseVersions(text); err == nil {
			t.Errorf("%q was taken as %v", text, got)
		}
	}
}

func TestVersionsJoin(t *testing.T) {
	for _, c := range []struct {
		a, b, want Versions
		ok         bool
	}{
		{None, Versions{2, 3}, Versions{2, 3}, true},
		{Versions{2, 3}, None, Versions{2, 3}, true},
		{Versions{0, 1}, Versions{2, Forever}, Versions{0, Forever}, true},
		{Versions{4, Forever}, Versions{0, 5}, Versions{0, Forever}, true},
		{Versions{0, 1}, Versions{3, 4}, Versions{0, 4}, false},
	} {
		if got, ok := c.a.Join(c.b); got != c.want || ok != c.ok {
			t.Errorf("%v, %v: %v, %t", c.a, c.b, got, ok)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"TopicId": "TopicID", "GroupIds": "GroupIDs", "ApiKeys": "APIKeys", "AclFilter": "ACLFilter", "HostUuid": "HostUUID",
		"ClientIp": "ClientIP", "TokenTtl": "TokenTTL", "timeoutMs": "TimeoutMs", "isKRaftController": "IsKRaftController",
		"Acls": "ACLs", "Identity": "Identity", "V3AndBelowTransactionalId": "V3AndBelowTransactionalID", "id": "ID",
		"LeaderIdAndEpoch": "LeaderIDAndEpoch", "HTTPApi": "HTTPAPI",
	} {
		if got := GoName(name); got != want {
			t.Errorf("GoName(%s) = %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"TopicId": "topicId", "timeoutMs": "timeoutMs", "ISRs": "iSRs"} {
		if got := JSONName(name); got != want {
			t.Errorf("JSONName(%s) = %s, want %s", name, got, want)
		}
	}
}

func TestStructNames(t *testing.T) {
	a := parse(t, `
api 900 Thing
request 0
response 0
  A  []ThingResponsePart
    X  int8
  B  []ThingItem
    X  int8
  C  []Thingamajig
    X  int8
  D  []Thing
    X  int8
  E  []Part
    X  int8
  F  []OtherId
    X  int8
`)
	var got []string
	for _, s := range a.Messages[1].Structs {
		got = append(got, s.Name+"="+s.GoName)
	}
	want := "ThingResponsePart=ThingResponseThingResponsePart ThingItem=ThingResponseItem " +
		"Thingamajig=ThingResponseThingamajig Thing=ThingResponseThing Part=ThingResponsePart OtherId=ThingResponseOtherID"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}

func parse(t *testing.T, text string) *API {
	t.Helper()
	a, err := ParseAPI("test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// full has every construct of the grammar in its canonical form.
const full = `api 901 Full  broker, zkBroker, unstable

request 0-3, flexible 2+, header 0 for 0, header 3 for 3+
  Name      string? 1+           topic, group 2+ if Mode=1, ignorable, go Label
  Mode      int8 = -1
  Ids       []uuid null 1-2      tag 0 2+
  Owner     int32                broker if request.Mode=7 as decimal, endpoint node, tag 1 2+
  Load      float64 0-1 = 0.5    ignorable
  Big       uint32 = 4000000000
  On        bool = true
  Log       records?             any as embedded log
  Raw       bytes? = null        topic if Kind=consumer as embedded VotersRecord
  Text      string               topic as acl Mode, never compact
  One       Box? = null
    Held    []Item
    Empty   []Hollow
      Late  int16 3+
  Many      []Item 2+

struct Item
  Place  int64  key

response 0-3
  Item     []Item
    Place  []int32  topic as index Names, transaction as pattern, producer as share-key
`

func TestFullGrammarRoundTrip(t *testing.T) {
	a := parse(t, full)
	if got := string(Format(a)); got != full {
		t.Errorf("written again:\n%s", got)
	}
	m := a.Messages[0]
	ids, load := m.Root.Fields[2], m.Root.Fields[4]
	if ids.Nullable != (Versions{1, 2}) || ids.Tagged != (Versions{2, Forever}) || ids.Tag != 0 || !ids.Array || ids.Type != UUID {
		t.Errorf("%+v", ids)
	}
	if load.Tag != -1 || load.Tagged != None || load.Nullable != None || load.Versions != (Versions{0, 1}) || load.Default != "0.5" {
		t.Errorf("%+v", load)
	}
	if got := m.Layout(1, true); got != "{Name:str? Mode:int8 Ids:[]uuid? Owner:int32 Load:float64 Big:uint32 On:bool "+
		"Log:rec? Raw:bytes? Text:str One:{Held:[]{Place:int64} Empty:[]{}}?}" {
		t.Error(got)
	}
	if got := m.Layout(3, false); got != "{cstr? int8 uint32 bool crec? cbytes? str {c[]{int64 <>} c[]{int16 <>} <>}? "+
		"c[]{int64 <>} <0=c[]uuid 1=int32>}" {
		t.Error(got)
	}
	for v, want := range []int16{0, 1, 2, 3} {
		if got := m.HeaderVersion(int16(v)); got != want {
			t.Errorf("v%d has header %d", v, got)
		}
	}
}

func TestNotationErrors(t *testing.T) {
	lines := func(fields ...string) string {
		return "api 1 A  broker\nrequest 0-5, flexible 3+\n  " + strings.Join(fields, "\n  ") + "\nresponse 0-5\n"
	}
	for name, c := range map[string]struct {
		text string
		want string // how the error begins
	}{
		"empty file":           {"", "test:0: want api, header or data, not \"\""},
		"unknown first word":   {"thing 1 A\n", "test:1: want api"},
		"first line indented":  {"  data A 0\n", "test:1: want api"},
		"request alone":        {"request 0\n", "test:1: want api"},
		"no response":          {"api 1 A\nrequest 0\n", "test:2: want the response"},
		"bad key":              {"api x A\n", "test:1: want: api KEY"},
		"unknown listener":     {"api 1 A  router\n", "test:1: unknown listener"},
		"unstable not last":    {"api 1 A  unstable, broker\n", "test:1: unstable comes last"},
		"open versions":        {"data A 0+\n", "test:1: a message's versions are bounded"},
		"no versions":          {"data A\n", "test:1: bad versions"},
		"closed flexible":      {"data A 0-3, flexible 1-3\n", "test:1: flexible reaches"},
		"flexible too high":    {"data A 0-3, flexible 4+\n", "test:1: flexible reaches"},
		"unknown message word": {"data A 0-3, stretchy 1+\n", "test:1: unknown \"stretchy 1+\""},
		"bad header":           {"header A 0-3, header x for 0\n", "test:1: bad header version"},
		"odd indentation":      {"data A 0\n   X  int8\n", "test:2: bad indentation"},
		"tab":                  {"data A 0\n  X\tint8\n", "test:2: bad indentation"},
		"trailing space":       {"data A 0\n  X  int8 \n", "test:2: bad indentation"},
		"too deep":             {"data A 0\n    X  int8\n", "test:2: indented too far"},
		"fields below int8":    {lines("X  int8", "  Y  int8"), "test:4: indented too far"},
		"unexpected line":      {"data A 0\n  X  int8\nmore\n", "test:3: unexpected \"more\""},
		"unknown type":         {lines("X  int9"), "test:3: unknown type \"int9\""},
		"no type":              {lines("X"), "test:3: unknown type \"\""},
		"bad name":             {lines("X-Y  int8"), "test:3: bad field name"},
		"array of arrays":      {lines("X  [][]int8"), "test:3: unknown type"},
		"field twice":          {lines("X  int8", "X  int16"), "test:4: field X twice"},
		"Go name twice":        {lines("Id  int8", "ID  int8"), "test:4: field ID twice"},
		"versions outside":     {lines("X  []S 1-3", "  Y  int8 0-2"), "test:4: versions 0-2 are not within 1-3"},
		"versions past end":    {lines("X  int8 2-5"), "test:3: versions 2-5: the highest"},
		"versions too high":    {lines("X  int8 6+"), "test:3: versions 6+: the highest"},
		"two ways of one":      {lines("X  int8 2-2"), "test:3: bad versions"},
		"null number":          {lines("X  int8?"), "test:3: int8 can't be null"},
		"null everywhere":      {lines("X  string null 0+"), "test:3: null in all versions is written as ?"},
		"null outside":         {lines("X  string 2+ null 1+"), "test:3: versions 1+ are not within 2+"},
		"null without":         {lines("X  string null"), "test:3: bad versions"},
		"zero default":         {lines("X  int8 = 0"), "test:3: bad default \"0\""},
		"hex default":          {lines("X  int8 = 0x7f"), "test:3: bad default"},
		"default too big":      {lines("X  int8 = 128"), "test:3: bad default"},
		"false default":        {lines("X  bool = false"), "test:3: bad default"},
		"default never null":   {lines("X  string = null"), "test:3: bad default"},
		"null default partly":  {lines("X  string null 1+ = null"), "test:3: bad default"},
		"text default":         {lines("X  string = word"), "test:3: bad default"},
		"no default":           {lines("X  int8 ="), "test:3: bad default"},
		"unknown mark":         {lines("X  int8  shiny"), "test:3: unknown mark \"shiny\""},
		"mark twice":           {lines("X  int8  ignorable, ignorable"), "test:3: unknown mark"},
		"entity twice":         {lines("X  string  topic, topic"), "test:3: mark \"topic\" twice"},
		"empty mark":           {lines("X  int8  ignorable, "), "test:3: bad indentation"},
		"marks without space":  {lines("X  int8  ignorable,key"), "test:3: unknown mark"},
		"unknown role":         {lines("X  int8  endpoint door"), "test:3: unknown mark"},
		"unknown form":         {lines("X  int8  broker as text"), "test:3: bad condition"},
		"form without arg":     {lines("X  int16  topic as index"), "test:3: bad condition"},
		"half a condition":     {lines("X  string  topic if Y"), "test:3: bad condition"},
		"entity versions":      {lines("X  string 2+  topic 1+"), "test:3: unknown mark"},
		"entity versions all":  {lines("X  string 2+  topic 2+"), "test:3: unknown mark"},
		"bad tag":              {lines("X  int8 3+  tag x"), "test:3: unknown mark"},
		"tag twice":            {lines("X  int8 3+  tag 0", "Y  int8 3+  tag 0"), "test:4: tag 0 twice"},
		"tag below flexible":   {lines("X  int8  tag 0"), "test:3: a tagged field is flexible"},
		"tag and no flexible":  {"data A 0\n  X  int8  tag 0\n", "test:2: a tagged field is flexible"},
		"tagged records":       {lines("X  records 3+  tag 0"), "test:3: a tagged field is flexible"},
		"key of a message":     {lines("X  int8  key"), "test:3: a key is a field"},
		"never compact number": {lines("X  int8  never compact"), "test:3: unknown mark"},
		"same Go name":         {lines("XId  int8  go XID"), "test:3: unknown mark"},
		"no such struct":       {lines("X  S"), "test:3: no fields below, and no section struct S"},
		"struct twice":         {lines("X  S", "  A  int8", "Y  S", "  A  int8"), "test:6: struct S twice"},
		"inline used again":    {lines("X  S", "  A  int8", "Y  S"), "test:5: no fields below"},
		"lone section":         {"data A 0\n  X  S\nstruct S\n  Y  int8\n", "test:4: struct S: a struct that one field has"},
		"unused section":       {"data A 0\n  X  int8\nstruct S\n  Y  int8\n", "test:4: struct S: a struct that one field has"},
		"section versions":     {"data A 0-1\n  X  S 1+\n  Y  S 1+\nstruct S\n  Z  int8\n", "test:5: struct S is in versions 0+, its fields in 1+"},
		"section with a gap":   {"data A 0-3\n  X  S 0\n  Y  S 3+\nstruct S\n  Z  int8\n", "test:3: struct S has a gap"},
		"bad section":          {"data A 0\n  X  int8\nstruct S 0+ T\n", "test:3: want: struct NAME"},
		"lower case struct":    {"data A 0\n  X  s\n", "test:2: unknown type"},
		"recursion": {"data A 0\n  X  S\n  Y  S\nstruct S\n  Z  T\n  W  T\nstruct T\n  V  S\n",
			"test:8: struct S contains itself"},
	} {
		_, err := ParseAPI("test", []byte(c.text))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
}

func TestConditions(t *testing.T) {
	for text, want := range map[string]Condition{
		"":                       {},
		"if KeyType=0":           {Field: "KeyType", Value: "0"},
		"if request.KeyType=1":   {Field: "KeyType", Value: "1", OfRequest: true},
		"as pattern":             {Form: Pattern},
		"if T=4 as decimal":      {Field: "T", Value: "4", Form: Decimal},
		"if T=2 as acl P":        {Field: "T", Value: "2", Form: ACLName, Arg: "P"},
		"as index Names":         {Form: IndexForm, Arg: "Names"},
		"if K=2 as share-key":    {Field: "K", Value: "2", Form: ShareKey},
		"as embedded batches":    {Form: EmbeddedForm, Arg: "batches"},
		"if P=c as embedded Sub": {Field: "P", Value: "c", Form: EmbeddedForm, Arg: "Sub"},
	} {
		got, err := ParseCondition(text)
		if err != nil || got != want || got.String() != text {
			t.Errorf("%q: %+v, %q, %v", text, got, got.String(), err)
		}
	}
	for _, text := range []string{"if", "if K", "if K=", "if =1", "if request.=1", "as", "as ", "as acl", "as plain", "as pattern x",
		"if K=1 x", "decimal", "if K=1 as", "as index 1", "as decimal if K=1"} {
		if c, err := ParseCondition(text); err == nil {
			t.Errorf("%q was taken as %+v", text, c)
		}
	}
}

func TestEveryFileIsCanonical(t *testing.T) {
	apis, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	entries, _ := files.ReadDir("apis")
	if len(apis) != len(entries) || len(apis) != 95+2+11 {
		t.Errorf("%d APIs in %d files", len(apis), len(entries))
	}
	for i, a := range apis {
		if want := int16(i); i < 95 && a.Key != want || i >= 95 && a.Key != -1 {
			t.Errorf("%s stands at %d", a.Name, i)
		}
		text, err := files.ReadFile("apis/" + a.FileName())
		if err != nil {
			t.Error(err)
			continue
		}
		written := Format(a)
		if string(written) != string(text) {
			t.Errorf("%s is written otherwise:\n%s", a.FileName(), written)
		}
		if again := parse(t, string(written)); !reflect.DeepEqual(again, a) {
			t.Errorf("%s reads otherwise the second time", a.FileName())
		}
	}
}

func TestLookups(t *testing.T) {
	a, err := ByKey(55)
	if err != nil || a.Name != "DescribeQuorum" || a.Messages[0].Kind != Request || a.Messages[1].Kind != Response {
		t.Errorf("%+v, %v", a, err)
	}
	for _, key := range []int16{-1, 95, 999, 32767} {
		if _, err := ByKey(key); err == nil {
			t.Errorf("there is a key %d", key)
		}
	}
	for name := range messages(t) {
		if m, err := ByName(name); err != nil || m.Name != name {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	for _, name := range []string{"", "Fetch", "Request", "Header", "fetchRequest", "ResponseHeaderRequest"} {
		if _, err := ByName(name); err == nil {
			t.Errorf("there is a message %q", name)
		}
	}
}

// FuzzParseAPI: any text is refused or has one canonical form.
func FuzzParseAPI(f *testing.F) {
	f.Add(full)
	entries, _ := files.ReadDir("apis")
	for _, e := range entries {
		text, _ := files.ReadFile("apis/" + e.Name())
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ParseAPI("fuzz", []byte(text))
		if err != nil {
			return
		}
		written := Format(a)
		b, err := ParseAPI("fuzz", written)
		if err != nil || !bytes.Equal(Format(b), written) {
			t.Fatalf("%v\n%s", err, written)
		}
		for _, m := range a.Messages {
			m.Layout(m.Valid.Max, true)
		}
	})
}

func BenchmarkParseFile(b *testing.B) {
	for b.Loop() {
		if _, err := ByKey(89); err != nil {
			b.Fatal(err)
		}
	}
}
