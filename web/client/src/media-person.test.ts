import { ConnectionQuality, type RemoteParticipant, Track } from "livekit-client";
import { describe, expect, it } from "vitest";
import { remotePerson, VideoViews } from "./media-person.js";

const { Audio, Video } = Track.Kind;
const { Camera, Microphone, ScreenShare, ScreenShareAudio } = Track.Source;

interface Announced {
  readonly source: Track.Source;
  readonly kind: Track.Kind;
  /** What it is; as announced unless given. */
  readonly arrives?: Track.Kind;
  readonly isMuted?: boolean;
}

const microphone: Announced = { source: Microphone, kind: Audio };
const screen: Announced = { source: ScreenShare, kind: Video };
const screenSound: Announced = { source: ScreenShareAudio, kind: Audio };

/** A person who speaks and publishes these tracks. */
function speaker(...tracks: readonly Announced[]) {
  const publications = tracks.map(({ arrives, isMuted = false, ...announced }) => ({
    ...announced,
    isMuted,
    track: { kind: arrives ?? announced.kind, mediaStreamTrack: { id: announced.source } },
  }));
  const participant = {
    identity: "eve",
    isSpeaking: true,
    connectionQuality: ConnectionQuality.Good,
    trackPublications: new Map(publications.map((publication, at) => [at, publication])),
    getTrackPublication: (source: Track.Source) =>
      publications.find((publication) => publication.source === source),
  } as unknown as RemoteParticipant;
  return remotePerson(participant, new VideoViews(), "encrypted");
}

describe("the microphone of a person", () => {
  it.each([
    ["a microphone", [microphone]],
    ["a second microphone", [{ ...microphone, isMuted: true }, microphone]],
    ["sound that is announced as that of a camera", [{ source: Camera, kind: Audio }]],
    ["sound that is announced as a picture", [{ source: Camera, kind: Video, arrives: Audio }]],
    ["the sound of a screen without a picture", [screenSound]],
    ["the sound of a screen that is paused", [screenSound, { ...screen, isMuted: true }]],
  ])("is on while others hear %s", (_, tracks) => {
    expect(speaker(...tracks)).toMatchObject({ microphone: true, speaking: true });
  });

  it.each([
    ["nothing", []],
    ["a camera", [{ source: Camera, kind: Video }]],
    ["a muted microphone", [{ ...microphone, isMuted: true }]],
    ["the sound of a screen that everybody sees", [screenSound, screen]],
  ])("is off while they publish %s", (_, tracks) => {
    expect(speaker(...tracks)).toMatchObject({ microphone: false, speaking: false });
  });
});
