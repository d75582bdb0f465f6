import { type LocalParticipant, type LocalTrack, ParticipantEvent, Track } from "livekit-client";
import { expect, test, vi } from "vitest";
import { LocalPublication } from "./local-publication.js";
import { Emitter } from "./testing/emitter.js";

// The media library makes one for each track.
vi.stubGlobal("MediaStream", class {});

/** A track of a microphone, as far as the media library looks at it. */
function microphone(id: string): MediaStreamTrack {
  const settings = { getSettings: () => ({}), getConstraints: () => ({}) };
  const track = Object.assign(new EventTarget(), settings, { id, kind: "audio", enabled: true });
  return track as unknown as MediaStreamTrack;
}

/** How a track looks to those who get it. */
function shown({ id, enabled }: MediaStreamTrack): string {
  return enabled ? id : `${id}, muted`;
}

/** A participant whose negotiations end when the test says so, and what its sender sends. */
function participant() {
  const sends: (string | null)[] = [];
  const sender = {
    replaceTrack: async (track: MediaStreamTrack | null) => void sends.push(track && shown(track)),
  };
  let negotiated = () => {};
  let failed = () => {};
  let published: LocalTrack | null = null;
  let connectAnew = () => {};
  let hasSender = () => {};
  const created = new Promise<void>((resolve) => {
    hasSender = resolve;
  });
  const fake = Object.assign(new Emitter(), {
    publishTrack: async (track: LocalTrack) => {
      await new Promise((resolve) => setTimeout(resolve)); // the library takes some steps
      published = track;
      sends.push(shown(track.mediaStreamTrack));
      connectAnew = () => {
        track.sender = sender as unknown as RTCRtpSender;
        fake.emit(ParticipantEvent.LocalSenderCreated, sender, track);
      };
      connectAnew();
      await new Promise<void>((resolve, reject) => {
        negotiated = resolve;
        failed = () => reject(new Error("refused"));
        hasSender();
      });
    },
  });
  const publication = new LocalPublication(fake as unknown as LocalParticipant, {
    source: Track.Source.Microphone,
  });
  const steps = {
    negotiated: () => negotiated(),
    failed: () => failed(),
    connectAnew: () => connectAnew(),
    mute: async () => void (await published?.mute()),
    isMuted: () => published?.isMuted ?? null,
    isPaused: () => published?.isUpstreamPaused ?? null,
  };
  return { publication, sends, created, ...steps };
}

test("a track that is published before sending begins is negotiated and not sent", async () => {
  const { publication, sends, created, negotiated } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  expect(sends).toEqual(["mic", null]);
  negotiated();
  await published;
  expect(sends).toEqual(["mic", null]);
  await publication.begin();
  expect(sends).toEqual(["mic", null, "mic"]);
});

test("a track is sent once it is negotiated, if sending began before that", async () => {
  const { publication, sends, created, negotiated } = participant();
  void publication.want({ on: true, track: microphone("mic") });
  await created;
  const begun = publication.begin();
  expect(sends).toEqual(["mic", null]);
  negotiated();
  await begun;
  expect(sends).toEqual(["mic", null, "mic"]);
});

test("a track that is published after sending has begun is sent at once", async () => {
  const { publication, sends, created } = participant();
  await publication.begin();
  void publication.want({ on: true, track: microphone("mic") });
  await created;
  expect(sends).toEqual(["mic"]);
});

test("a microphone that is switched off before sending begins is muted when it is sent", async () => {
  const { publication, sends, created, negotiated } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  void publication.want({ on: false, track: null });
  const begun = publication.begin();
  negotiated();
  await Promise.all([published, begun]);
  expect(sends).toEqual(["mic", null, "mic, muted"]);
});

test("a sender that the library makes anew before sending begins is silent too", async () => {
  const { publication, sends, created, negotiated, connectAnew } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  negotiated();
  await published;
  sends.length = 0;
  connectAnew();
  expect(sends).toEqual([null]);
  await publication.begin();
  expect(sends).toEqual([null, "mic"]);
});

test("a track that is held when sending begins is sent once it is released", async () => {
  const { publication, sends, created, negotiated } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  negotiated();
  await published;
  await publication.hold(true);
  sends.length = 0;
  await publication.begin();
  expect(sends).toEqual([]);
  await publication.hold(false);
  expect(sends).toEqual(["mic"]);
});

test("a track that was held and released before sending begins is sent when it begins", async () => {
  const { publication, sends, created, negotiated, isPaused } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  negotiated();
  await published;
  sends.length = 0;
  await publication.hold(true);
  await publication.hold(false);
  expect(sends).toEqual([null]);
  sends.length = 0;
  await publication.begin();
  expect(new Set(sends)).toEqual(new Set(["mic"]));
  expect(isPaused()).toBe(false);
});

test("a track whose negotiation fails is not sent later", async () => {
  const { publication, sends, created, failed } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  const begun = publication.begin();
  failed();
  await expect(published).rejects.toThrow("refused");
  await begun;
  expect(sends).toEqual(["mic", null]);
});

test("a device that replaces an unplugged one is sent, although the library muted the track", async () => {
  const { publication, sends, created, negotiated, mute, isMuted } = participant();
  await publication.begin();
  const published = publication.want({ on: true, track: microphone("mic") });
  await created;
  negotiated();
  await published;
  await mute();
  const next = microphone("next mic");
  await publication.want({ on: true, track: next });
  expect(sends.at(-1)).toContain("next mic");
  expect([isMuted(), next.enabled]).toEqual([false, true]);
});
