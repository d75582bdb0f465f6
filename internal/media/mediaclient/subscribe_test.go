package mediaclient

import (
	"errors"
	"io"
	"testing"

	"github.com/livekit/server-sdk-go/v2/pkg/samplebuilder"
	pion "github.com/pion/webrtc/v4/pkg/media"
)

// A library that panics over lost packets ends neither the device nor its program.
func TestAFrameThatCannotBeReadIsSurvived(t *testing.T) {
	t.Parallel()
	var none *samplebuilder.SampleBuilder
	for name, c := range map[string]struct {
		read func() (*pion.Sample, error)
		want error
	}{
		"a frame":      {func() (*pion.Sample, error) { return &pion.Sample{}, nil }, nil},
		"the end":      {func() (*pion.Sample, error) { return nil, io.EOF }, io.EOF},
		"lost packets": {func() (*pion.Sample, error) { return none.Pop(), nil }, errLostPlace},
	} {
		sample, err := survive(c.read)
		if !errors.Is(err, c.want) || (sample != nil) != (c.want == nil) {
			t.Errorf("%s: %v, %v; want the error %v", name, sample, err, c.want)
		}
	}
}
