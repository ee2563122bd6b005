// Editor: the Handler that rewrites.

package proxy

import (
	"errors"
	"fmt"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// EditorOptions say what an Editor does. The zero value edits nothing.
type EditorOptions struct {
	// Edits are what is to be changed, and which versions clients may use.
	Edits rewrite.Edits
	// Topics, if not nil, learns the names of topics from Metadata answers, as brokers
	// say them. It belongs to one cluster, and may be shared by several Editors.
	Topics *Topics
	// AllowTopic, if not nil, is asked about the topics that requests name by id, by the
	// names that the brokers have for them; a request with one that it doesn't allow is
	// refused. A name that isn't known is asked for (Metadata, which needs brokers from
	// release 3.1 on); an id that the broker doesn't know either passes. It needs
	// Topics.
	AllowTopic func(name string) bool
	// ClientID is the client id of the Editor's own requests; nil is null.
	ClientID []byte
}

// Editor rewrites requests and answers by package rewrite. It answers ApiVersions
// requests of unknown versions where versions are edited, and refuses what can't be
// edited as it should be: an API that is hidden, and keys and versions that aren't
// known where names or ids are edited. It never changes: any number of Configs and
// sessions may use one.
type Editor struct {
	options  EditorOptions
	rewriter *rewrite.Rewriter
	versions bool // ApiVersions answers are edited
}

// NewEditor makes an Editor. The error is that of rewrite.Compile, or says that
// AllowTopic has no Topics.
func NewEditor(o EditorOptions) (*Editor, error) {
	if o.AllowTopic != nil && o.Topics == nil {
		return nil, errors.New("proxy: AllowTopic without Topics")
	}
	r, err := rewrite.Compile(o.Edits)
	if err != nil {
		return nil, err
	}
	e := &Editor{options: o, rewriter: r}
	_, highest, _ := fastcodec.APIVersions.Versions()
	e.versions, err = r.Touches(fastcodec.APIVersions, highest, true)
	return e, err
}

// Rule is what the edits need to see.
func (e *Editor) Rule(key fastcodec.APIKey, version int16) (r Rule) {
	request, err := e.rewriter.Touches(key, version, false)
	if err != nil || e.versions && tooNew(key, version) {
		return AskHead // to be refused
	}
	response, _ := e.rewriter.Touches(key, version, true) // known as the request is
	if request || e.options.AllowTopic != nil && hasTopicIDs(key, version) {
		r |= WholeRequest
	}
	if response || e.learns(key, version) {
		r |= WholeResponse
	}
	return r
}

// tooNew reports whether a request asks for versions in a way that isn't known.
func tooNew(key fastcodec.APIKey, version int16) bool {
	return key == fastcodec.APIVersions && !key.HasVersion(version)
}

func (e *Editor) learns(key fastcodec.APIKey, version int16) bool {
	return e.options.Topics != nil && key == fastcodec.Metadata && version >= metadataWithIDs && key.HasVersion(version)
}

const (
	metadataWithIDs = 10 // Metadata answers have topic ids
	metadataByIDs   = 12 // and can be asked for by them
)

// Request edits, answers or refuses a request.
func (e *Editor) Request(s *Session, r *Request, dst []byte) ([]byte, Verdict, error) {
	if e.versions && tooNew(r.Key, r.Version) {
		// As a broker would: with the versions that may be asked for.
		lowest, highest, _ := r.Key.Versions()
		return rewrite.AppendVersionReply(dst, r.CorrelationID, lowest, highest), Answer, nil
	}
	if _, err := e.rewriter.Touches(r.Key, r.Version, false); err != nil {
		return dst, Pass, refusal(err)
	}
	if !r.Whole {
		return dst, Whole, nil
	}
	if e.options.AllowTopic != nil && hasTopicIDs(r.Key, r.Version) {
		if hold, err := e.checkTopics(s, r); hold || err != nil {
			return dst, Hold, err
		}
	}
	dst, changed, err := e.rewriter.Request(dst, r.Frame, &r.Context)
	return dst, verdict(changed), policy(err)
}

// Response edits an answer.
func (e *Editor) Response(s *Session, r *Response, dst []byte) ([]byte, Verdict, error) {
	if e.learns(r.Key, r.Version) {
		_, body, err := fastcodec.ParseResponse(r.Payload(), r.Key, r.Version)
		if err == nil {
			err = e.options.Topics.LearnMetadata(body, r.Version)
		}
		if err != nil {
			return dst, Pass, err
		}
	}
	dst, changed, err := e.rewriter.Response(dst, r.Frame, &r.Context)
	return dst, verdict(changed), policy(err)
}

func verdict(changed bool) Verdict {
	if changed {
		return Replace
	}
	return Pass
}

// policy marks the errors that aren't for the policy: those of frames that were read,
// and whose edit isn't possible. Forwarded, they would leak for sure.
func policy(err error) error {
	if err == nil {
		return nil
	}
	for _, never := range []error{rewrite.ErrRefused, rewrite.ErrResult, rewrite.ErrContext, fastcodec.ErrTooLong, fastcodec.ErrUnknownAPI, fastcodec.ErrVersion} {
		if errors.Is(err, never) {
			return refusal(err)
		}
	}
	return err
}

// refusal makes an error one that is never forwarded.
func refusal(err error) error { return fmt.Errorf("%w: %w", ErrRefused, err) }

// editState is what an Editor remembers of a session.
type editState struct {
	asked bool  // about the topics of the request that is held
	err   error // what came of it
	ids   []fastcodec.UUID
}

// checkTopics refuses a request with a topic id that isn't allowed, and holds one with
// an id that isn't known, until the broker has said what it means.
func (e *Editor) checkTopics(s *Session, r *Request) (hold bool, err error) {
	_, body, err := fastcodec.ParseRequest(r.Payload())
	if err != nil {
		return false, err
	}
	ids := s.edit.ids[:0]
	if ids, err = appendTopicIDs(ids, r.Key, r.Version, body); err != nil {
		return false, err
	}
	s.edit.ids = ids
	unknown := ids[:0]
	for _, id := range ids {
		name, known := e.options.Topics.Name(id)
		switch {
		case !known:
			unknown = append(unknown, id)
		case !e.options.AllowTopic(name):
			return false, refusal(fmt.Errorf("topic id %s", id.Base64()))
		}
	}
	asked, err := s.edit.asked, s.edit.err
	s.edit.asked, s.edit.err = false, nil
	switch {
	case len(unknown) == 0:
		return false, nil
	case err != nil:
		return false, refusal(fmt.Errorf("topic id %s: %w", unknown[0].Base64(), err))
	case asked:
		return false, nil // the broker doesn't know it either, and will say so
	}
	return true, e.askTopics(s, unknown)
}

// askTopics asks the broker for the names of topics, and resumes the request that is
// held for it.
func (e *Editor) askTopics(s *Session, ids []fastcodec.UUID) error {
	body := kdata.NewMetadataRequest()
	body.AllowAutoTopicCreation = false
	for _, id := range ids {
		topic := kdata.NewMetadataRequestTopic()
		topic.TopicID, topic.Name = id, nil
		body.Topics = append(body.Topics, topic)
	}
	header := fastcodec.RequestHeaderData{Key: fastcodec.Metadata, Version: metadataByIDs, ClientID: e.options.ClientID}
	return s.Ask(header, &body, func(s *Session, payload []byte, err error) {
		if err == nil {
			var body []byte
			if _, body, err = fastcodec.ParseResponse(payload, fastcodec.Metadata, metadataByIDs); err == nil {
				err = e.options.Topics.LearnMetadata(body, metadataByIDs)
			}
		}
		s.edit.asked, s.edit.err = true, err
		s.Resume()
	})
}
