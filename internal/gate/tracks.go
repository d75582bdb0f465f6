package gate

import (
	"slices"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// addTrack filters a new track. A negative quality, in any of its lists,
// crashes the media server.
func (q *requests) addTrack(said *livekit.AddTrackRequest) (*livekit.AddTrackRequest, error) {
	if q.tracks++; q.tracks > maxAddTracks {
		return nil, errTooManyTracks
	}
	size := new(trackSize)
	layers, err := size.layers(said.GetLayers())
	if err != nil {
		return nil, err
	}
	codecs, err := size.codecs(said.GetType(), said.GetSimulcastCodecs())
	if err != nil {
		return nil, err
	}
	kept := &livekit.AddTrackRequest{
		Cid: said.GetCid(), Name: said.GetName(), Type: said.GetType(), Width: said.GetWidth(), Height: said.GetHeight(),
		Muted: said.GetMuted(), DisableDtx: said.GetDisableDtx(), //nolint:staticcheck // older clients say it so
		Source: said.GetSource(), Layers: layers, SimulcastCodecs: codecs, Sid: said.GetSid(),
		Stereo:     said.GetStereo(), //nolint:staticcheck // older clients say it so
		DisableRed: said.GetDisableRed(), Encryption: said.GetEncryption(), Stream: said.GetStream(),
		BackupCodecPolicy:     said.GetBackupCodecPolicy(),
		AudioFeatures:         onlyKnown(livekit.AudioTrackFeature_name, said.GetAudioFeatures()),
		PacketTrailerFeatures: onlyKnown(livekit.PacketTrailerFeature_name, said.GetPacketTrailerFeatures()),
	}
	return kept, firstOf(
		short(said.GetCid(), said.GetName(), said.GetSid(), said.GetStream()),
		kindOfTrack(said.GetType(), said.GetSource(), said.GetEncryption(), said.GetBackupCodecPolicy()),
		atMost[uint32](maxSide, said.GetWidth(), said.GetHeight()),
		atMost(maxFeatures, len(said.GetAudioFeatures()), len(said.GetPacketTrailerFeatures())),
	)
}

func kindOfTrack(t livekit.TrackType, s livekit.TrackSource, e livekit.Encryption_Type, b livekit.BackupCodecPolicy) error {
	return firstOf(
		known(livekit.TrackType_name, t), known(livekit.TrackSource_name, s),
		known(livekit.Encryption_Type_name, e), known(livekit.BackupCodecPolicy_name, b),
	)
}

// trackSize counts the parts of one track's description. The media server keeps
// all of them, several times.
type trackSize struct{ parts int }

func (s *trackSize) add(parts int) error {
	if s.parts += parts; s.parts > maxLayers {
		return errTrack
	}
	return nil
}

// layers copies the sizes in which a picture is sent, with the fields that clients
// use, and refuses sizes that no client sends.
func (s *trackSize) layers(said []*livekit.VideoLayer) ([]*livekit.VideoLayer, error) {
	if err := s.add(len(said)); err != nil {
		return nil, err
	}
	var kept []*livekit.VideoLayer
	for _, l := range said {
		if err := firstOf(
			// OFF, which is 3, only comes from the media server.
			atMost(int(livekit.VideoQuality_HIGH), int(l.GetQuality())),
			atMost(maxSpatial, int(l.GetSpatialLayer())),
			atMost[uint32](maxSide, l.GetWidth(), l.GetHeight()),
			atMost[uint32](maxBitrate, l.GetBitrate()),
			atMost(maxRid, len(l.GetRid())),
		); err != nil {
			return nil, err
		}
		kept = append(kept, &livekit.VideoLayer{
			Quality: l.GetQuality(), Width: l.GetWidth(), Height: l.GetHeight(), Bitrate: l.GetBitrate(),
			Ssrc: l.GetSsrc(), SpatialLayer: l.GetSpatialLayer(), Rid: l.GetRid(), RepairSsrc: l.GetRepairSsrc(),
		})
	}
	return kept, nil
}

// codecs filters the codecs in which a track is sent. In place of one that is
// not enabled, the media server takes the first enabled one. The gate does that
// already, in case a media server enables more of them.
func (s *trackSize) codecs(kind livekit.TrackType, said []*livekit.SimulcastCodec) ([]*livekit.SimulcastCodec, error) {
	var kept []*livekit.SimulcastCodec
	for _, c := range said {
		if err := firstOf(s.add(1), short(c.GetCodec(), c.GetCid()), known(livekit.VideoLayer_Mode_name, c.GetVideoLayerMode())); err != nil {
			return nil, err
		}
		layers, err := s.layers(c.GetLayers())
		if err != nil {
			return nil, err
		}
		codec := c.GetCodec()
		if !enabled(codec) {
			codec = instead(kind)
		}
		kept = append(kept, &livekit.SimulcastCodec{Codec: codec, Cid: c.GetCid(), Layers: layers, VideoLayerMode: c.GetVideoLayerMode()})
	}
	return kept, nil
}

// enabled says whether a codec may be named: with its kind, as in video/VP8, or
// without it, or not at all.
func enabled(codec string) bool {
	codec = strings.ToLower(codec)
	if _, name, ok := strings.Cut(codec, "/"); ok {
		codec = name
	}
	return slices.Contains([]string{"", "opus", "red", "vp8", "h264"}, codec)
}

func instead(kind livekit.TrackType) string {
	if kind == livekit.TrackType_VIDEO {
		return "vp8"
	}
	return "opus"
}

// trackInfo filters a track that the media server described to the client and
// the client sends back.
func trackInfo(said *livekit.TrackInfo) (*livekit.TrackInfo, error) {
	size := new(trackSize)
	layers, err := size.layers(said.GetLayers()) //nolint:staticcheck // older servers say it so
	if err != nil {
		return nil, err
	}
	codecs, err := size.codecInfos(said.GetType(), said.GetCodecs())
	if err != nil {
		return nil, err
	}
	kept := &livekit.TrackInfo{
		Sid: said.GetSid(), Type: said.GetType(), Name: said.GetName(), Muted: said.GetMuted(), Width: said.GetWidth(), Height: said.GetHeight(),
		Simulcast: said.GetSimulcast(), DisableDtx: said.GetDisableDtx(), Stereo: said.GetStereo(), Layers: layers, //nolint:staticcheck // older servers say it so
		Source: said.GetSource(), MimeType: said.GetMimeType(), Mid: said.GetMid(), Codecs: codecs, DisableRed: said.GetDisableRed(),
		Encryption: said.GetEncryption(), Stream: said.GetStream(), BackupCodecPolicy: said.GetBackupCodecPolicy(),
		AudioFeatures:         onlyKnown(livekit.AudioTrackFeature_name, said.GetAudioFeatures()),
		PacketTrailerFeatures: onlyKnown(livekit.PacketTrailerFeature_name, said.GetPacketTrailerFeatures()),
	}
	if v := said.GetVersion(); v != nil {
		kept.Version = &livekit.TimedVersion{UnixMicro: v.GetUnixMicro(), Ticks: v.GetTicks()}
	}
	if !enabled(kept.GetMimeType()) {
		kept.MimeType = ""
	}
	return kept, firstOf(
		short(said.GetSid(), said.GetName(), said.GetMid(), said.GetStream()),
		kindOfTrack(said.GetType(), said.GetSource(), said.GetEncryption(), said.GetBackupCodecPolicy()),
		atMost[uint32](maxSide, said.GetWidth(), said.GetHeight()),
		atMost(maxFeatures, len(said.GetAudioFeatures()), len(said.GetPacketTrailerFeatures())),
	)
}

func (s *trackSize) codecInfos(kind livekit.TrackType, said []*livekit.SimulcastCodecInfo) ([]*livekit.SimulcastCodecInfo, error) {
	var kept []*livekit.SimulcastCodecInfo
	for _, c := range said {
		if err := firstOf(
			s.add(1), short(c.GetMimeType(), c.GetMid(), c.GetCid(), c.GetSdpCid()), known(livekit.VideoLayer_Mode_name, c.GetVideoLayerMode()),
		); err != nil {
			return nil, err
		}
		layers, err := s.layers(c.GetLayers())
		if err != nil {
			return nil, err
		}
		codec := c.GetMimeType()
		if !enabled(codec) {
			codec = strings.ToLower(kind.String()) + "/" + instead(kind)
		}
		kept = append(kept, &livekit.SimulcastCodecInfo{
			MimeType: codec, Mid: c.GetMid(), Cid: c.GetCid(), Layers: layers, VideoLayerMode: c.GetVideoLayerMode(), SdpCid: c.GetSdpCid(),
		})
	}
	return kept, nil
}
