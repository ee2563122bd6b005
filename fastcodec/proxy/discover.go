// Discovery: the proxy asks for the brokers itself, so that there are listeners for
// those who come back to one before anybody has asked for Metadata.

package proxy

import (
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/kafkawire/kafkawire/fastcodec"
	"github.com/kafkawire/kafkawire/fastcodec/kdata"
	"github.com/kafkawire/kafkawire/fastcodec/kview"
	"github.com/kafkawire/kafkawire/fastcodec/rewrite"
)

// discoverLimit bounds an answer to the proxy's own questions, in bytes.
const discoverLimit = 16 << 20

// discover asks until it has an answer, or the Server ends.
func (s *Server) discover() {
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := s.askBrokers()
		if err == nil || s.ctx.Err() != nil {
			return
		}
		s.log.Debug("brokers not known yet", "error", err)
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
			return
		}
	}
}

// askBrokers asks for Metadata and opens the listeners for the brokers in it.
func (s *Server) askBrokers() error {
	conn, err := s.dialBootstrap()
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(s.options.DialTimeout))
	r := fastcodec.NewReader(conn, fastcodec.Limits{Frame: discoverLimit})
	version, err := metadataVersion(conn, r)
	if err != nil {
		return err
	}
	question := kdata.NewMetadataRequest()
	question.Topics, question.AllowAutoTopicCreation = []kdata.MetadataRequestTopic{}, true // no topics; versions below 4 can't say false
	var m kview.MetadataResponse
	return askOnce(conn, r, fastcodec.Metadata, version, &question, func(body []byte) error {
		if err := m.Parse(body, version); err != nil {
			return err
		}
		if id := m.ClusterID(); len(id) > 0 {
			s.cluster.learn(id)
		}
		brokers := m.Brokers()
		for i := range brokers.Len() {
			b := brokers.At(i)
			if _, err := s.places.find(rewrite.Endpoint{Key: fastcodec.Metadata, NodeID: b.NodeID(), Host: b.Host(), Port: b.Port()}); err != nil {
				return err
			}
		}
		if brokers.Len() == 0 {
			return errors.New("a cluster without brokers")
		}
		return nil
	})
}

// metadataVersion is the version of Metadata to ask for: the highest that the broker
// and this build know.
func metadataVersion(conn net.Conn, r *fastcodec.Reader) (version int16, err error) {
	question := kdata.NewAPIVersionsRequest()
	var m kview.APIVersionsResponse
	version = -1
	err = askOnce(conn, r, fastcodec.APIVersions, 0, &question, func(body []byte) error {
		if err := m.Parse(body, 0); err != nil {
			return err
		}
		_, highest, _ := fastcodec.Metadata.Versions()
		keys := m.APIKeys()
		for i := range keys.Len() {
			if k := keys.At(i); k.APIKey() == fastcodec.Metadata {
				version = min(highest, k.MaxVersion())
			}
		}
		if version < 1 {
			return fmt.Errorf("ApiVersions: %v, no Metadata that asks for no topics", m.ErrorCode())
		}
		return nil
	})
	return version, err
}

// askOnce sends one request and reads its answer.
func askOnce(conn net.Conn, r *fastcodec.Reader, key fastcodec.APIKey, version int16, body fastcodec.Appender, answer func(body []byte) error) error {
	q, err := fastcodec.AppendRequest(nil, &fastcodec.RequestHeaderData{Key: key, Version: version, CorrelationID: 1, ClientID: []byte("kafkawire")}, body)
	if err != nil {
		return err
	}
	if _, err := conn.Write(q); err != nil {
		return err
	}
	f, err := r.Next()
	if err != nil {
		return err
	}
	defer f.Release()
	_, b, err := fastcodec.ParseResponse(f.Payload(), key, version)
	if err != nil {
		return err
	}
	return answer(b)
}
