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

/** A participant whose negotiations end when the test says so, and what its sender sends. */
function participant() {
  const sends: (string | null)[] = [];
  const sender = {
    replaceTrack: async (track: MediaStreamTrack | null) => void sends.push(track?.id ?? null),
  };
  let negotiated = () => {};
  const fake = Object.assign(new Emitter(), {
    publishTrack: (track: LocalTrack) =>
      new Promise<void>((resolve) => {
        negotiated = resolve;
        sends.push(track.mediaStreamTrack.id);
        fake.emit(ParticipantEvent.LocalSenderCreated, sender, track);
      }),
  });
  const publication = new LocalPublication(fake as unknown as LocalParticipant, {
    source: Track.Source.Microphone,
  });
  return { publication, sends, negotiated: () => negotiated() };
}

test("what is published before it begins is negotiated, and nothing is sent", async () => {
  const { publication, sends, negotiated } = participant();
  const published = publication.want({ on: true, track: microphone("mic") });
  expect(sends).toEqual(["mic", null]);
  negotiated();
  await published;
  expect(sends).toEqual(["mic", null]);
  await publication.begin();
  expect(sends).toEqual(["mic", null, "mic"]);
});

test("what begins before it is negotiated is sent as soon as it is", async () => {
  const { publication, sends, negotiated } = participant();
  void publication.want({ on: true, track: microphone("mic") });
  const begun = publication.begin();
  expect(sends).toEqual(["mic", null]);
  negotiated();
  await begun;
  expect(sends).toEqual(["mic", null, "mic"]);
});

test("what is published after it has begun is sent at once", async () => {
  const { publication, sends } = participant();
  await publication.begin();
  void publication.want({ on: true, track: microphone("mic") });
  expect(sends).toEqual(["mic"]);
});

test("a microphone that is switched off before it begins is muted before it is sent", async () => {
  const { publication, sends, negotiated } = participant();
  const mic = microphone("mic");
  const published = publication.want({ on: true, track: mic });
  void publication.want({ on: false, track: null });
  const begun = publication.begin();
  negotiated();
  await Promise.all([published, begun]);
  expect(sends.at(-1)).toBe("mic");
  expect(mic.enabled).toBe(false);
});
