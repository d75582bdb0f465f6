import { type ElementInfo, type RemoteParticipant, RemoteVideoTrack, Track } from "livekit-client";

/** A picture that can be recorded. */
export interface VideoFeed {
  readonly track: MediaStreamTrack;
  /**
   * Has it sent in at least this size, also while nobody looks at it or at the page, until the
   * returned function is called.
   */
  readonly keep: (width: number, height: number) => () => void;
}

/** What can be recorded of one person. */
export interface MediaFeed {
  readonly camera: VideoFeed | null;
  readonly screen: VideoFeed | null;
  readonly sounds: readonly MediaStreamTrack[];
}

/** A remote person's pictures, and of their sound what is played. */
export function remoteFeed(
  participant: RemoteParticipant,
  isPlayable: boolean,
  played: ReadonlySet<Track>,
): MediaFeed {
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
): VideoFeed | null {
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

/** A picture of one's own is there in any case. */
export function ownFeed(track: MediaStreamTrack | null): VideoFeed | null {
  return track && { track, keep: () => () => {} };
}

/**
 * Somebody who looks at a picture, as the media library sees it. It pauses what no element shows,
 * and all of it while the page is hidden, except for pictures in a window of their own.
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
