import {
  ConnectionQuality,
  type Participant,
  type RemoteParticipant,
  type RemoteTrack,
  type RemoteTrackPublication,
  Track,
  type TrackPublication,
} from "livekit-client";
import type { MediaPerson, Protection, Quality, VideoView } from "./roster.js";

/** Keeps one VideoView per track, so that an unchanged picture stays the same object. */
export class VideoViews {
  #views = new WeakMap<Track, VideoView>();

  of(track: Track, paused: boolean): VideoView {
    const kept = this.#views.get(track);
    if (kept && kept.paused === paused) return kept;
    const view: VideoView = {
      id: track.sid ?? track.mediaStreamTrack.id,
      attach:
        kept?.attach ??
        ((element) => {
          track.attach(element);
          return () => {
            track.detach(element);
          };
        }),
      paused,
    };
    this.#views.set(track, view);
    return view;
  }
}

/** What the media server shows of a remote person, without anything unencrypted. */
export function remotePerson(
  participant: RemoteParticipant,
  views: VideoViews,
  protection: Protection,
): MediaPerson {
  const isPlayable = protection === "encrypted";
  const view = (source: Track.Source) =>
    isPlayable ? viewOf(participant.getTrackPublication(source), views) : null;
  const microphone = isHeard(participant);
  return {
    identity: participant.identity,
    microphone,
    camera: view(Track.Source.Camera),
    screen: view(Track.Source.ScreenShare),
    speaking: participant.isSpeaking && microphone,
    quality: qualityOf(participant),
    protection,
  };
}

/**
 * Whether others hear a person, other than by the sound of a screen that they see. A client may
 * announce its tracks as anything, so every other sound counts as a microphone.
 */
function isHeard(participant: RemoteParticipant): boolean {
  const screen = participant.getTrackPublication(Track.Source.ScreenShare);
  const showsScreen = screen !== undefined && !screen.isMuted;
  return [...participant.trackPublications.values()].some((publication) => {
    const isSound = (publication.track ?? publication).kind === Track.Kind.Audio;
    const isOfScreen = showsScreen && publication.source === Track.Source.ScreenShareAudio;
    return isSound && !isOfScreen && !publication.isMuted;
  });
}

function viewOf(publication: TrackPublication | undefined, views: VideoViews): VideoView | null {
  const track = publication?.track;
  if (!publication || track?.kind !== Track.Kind.Video || publication.isMuted) return null;
  const isPaused = (track as RemoteTrack).streamState === Track.StreamState.Paused;
  return views.of(track, isPaused);
}

export function qualityOf(participant: Participant): Quality {
  switch (participant.connectionQuality) {
    case ConnectionQuality.Excellent:
      return "excellent";
    case ConnectionQuality.Good:
      return "good";
    case ConnectionQuality.Poor:
      return "poor";
    case ConnectionQuality.Lost:
      return "lost";
    case ConnectionQuality.Unknown:
      return "unknown";
  }
}

/**
 * Microphone, camera, screen and screen sound, each twice while a new track replaces an old one.
 */
const tracksOfOne = 8;

/**
 * The tracks that a person publishes beyond that. The media server sets no limit, and each track
 * takes a decoder on every device in the meeting.
 */
export function excessOf(
  participant: Pick<RemoteParticipant, "trackPublications">,
): readonly RemoteTrackPublication[] {
  return [...participant.trackPublications.values()].slice(tracksOfOne);
}

/** Whether everything this person publishes is said to be encrypted. */
export function publishesInTheClear(participant: RemoteParticipant): boolean {
  return [...participant.trackPublications.values()].some(
    (publication) => !publication.isEncrypted,
  );
}

/** What came from a person so far. Only the growth of these numbers has a meaning. */
export interface MediaCount {
  /** In bytes, also of what could not be decrypted. */
  readonly received: number;
  /** In video frames and in sound, without the sound that the browser makes up to fill gaps. */
  readonly decoded: number;
}

export async function mediaCount(participant: RemoteParticipant): Promise<MediaCount> {
  let received = 0;
  let decoded = 0;
  for (const publication of participant.trackPublications.values()) {
    const report = await publication.track?.getRTCStatsReport();
    report?.forEach((entry: Record<string, unknown>) => {
      if (entry["type"] !== "inbound-rtp") return;
      received += numberOf(entry["bytesReceived"]);
      if (entry["kind"] === "video") decoded += numberOf(entry["framesDecoded"]);
      if (entry["kind"] === "audio") decoded += realSoundOf(entry);
    });
  }
  return { received, decoded };
}

/** In units of 100 ms, so that the few samples of a transition do not count as sound. */
function realSoundOf(entry: Record<string, unknown>): number {
  const real = numberOf(entry["totalSamplesReceived"]) - numberOf(entry["concealedSamples"]);
  return Math.floor(Math.max(0, real) / 4800);
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}
