import { type ElementInfo, type RemoteParticipant, RemoteVideoTrack, Track } from "livekit-client";

/** A picture that can be recorded. */
export interface RecordableVideo {
  readonly track: MediaStreamTrack;
  /**
   * Requests the picture in at least this size, even while it or the page is not visible, until the
   * returned function is called.
   */
  readonly keep: (width: number, height: number) => () => void;
}

/** One person's media for a recording. */
export interface RecordableMedia {
  readonly camera: RecordableVideo | null;
  readonly screen: RecordableVideo | null;
  readonly sounds: readonly MediaStreamTrack[];
}

/** A remote person's pictures, and their sound as far as it is played. */
export function remoteMedia(
  participant: RemoteParticipant,
  isPlayable: boolean,
  played: ReadonlySet<Track>,
): RecordableMedia {
  const picture = (source: Track.Source) =>
    isPlayable ? remoteVideo(participant.getTrackPublication(source)) : null;
  const sounds = [...participant.trackPublications.values()].flatMap(({ track, isMuted }) =>
    track && !isMuted && played.has(track) ? [track.mediaStreamTrack] : [],
  );
  return {
    camera: picture(Track.Source.Camera),
    screen: picture(Track.Source.ScreenShare),
    sounds,
  };
}

function remoteVideo(
  publication: { readonly track?: Track | undefined; readonly isMuted: boolean } | undefined,
): RecordableVideo | null {
  const track = publication?.track;
  if (!(track instanceof RemoteVideoTrack) || publication?.isMuted) return null;
  return {
    track: track.mediaStreamTrack,
    keep: (width, height) => {
      const viewer = new Viewer(width, height);
      track.observeElementInfo(viewer);
      return () => track.stopObservingElementInfo(viewer);
    },
  };
}

/** One's own picture needs no request. */
export function ownVideo(track: MediaStreamTrack | null): RecordableVideo | null {
  return track && { track, keep: () => () => {} };
}

/**
 * Counts as an element that shows a picture. The media library pauses pictures that no element
 * shows, and all pictures while the page is hidden, except those in a window of their own.
 */
class Viewer implements ElementInfo {
  readonly element = this;
  readonly visible = true;
  readonly pictureInPicture = true;
  readonly visibilityChangedAt = undefined;
  readonly #width: number;
  readonly #height: number;

  constructor(width: number, height: number) {
    this.#width = width;
    this.#height = height;
  }

  width(): number {
    return this.#width;
  }

  height(): number {
    return this.#height;
  }

  observe(): void {}

  stopObserving(): void {}
}
