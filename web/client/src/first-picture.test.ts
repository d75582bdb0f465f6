import { type RemoteParticipant, Track } from "livekit-client";
import { expect, test } from "vitest";
import { firstPicture } from "./first-picture.js";
import { HandClock } from "./testing/hand-clock.js";

/** A person with a camera; `track` is the picture as the browser has it. */
function sender(track: { muted: boolean } | null, more = {}): RemoteParticipant {
  const publication = {
    kind: Track.Kind.Video,
    isDesired: true,
    isMuted: false,
    track: track && { mediaStreamTrack: track },
    ...more,
  };
  const trackPublications = new Map([["camera", publication]]);
  return { trackPublications } as unknown as RemoteParticipant;
}

const { signal } = new AbortController();

test("there is no wait when nobody sends a picture", () => {
  const people = [sender(null, { isMuted: true }), sender(null, { kind: Track.Kind.Audio })];
  expect(firstPicture(people, new HandClock(), signal)).toBeNull();
});

test("the wait ends a moment after the first packet", async () => {
  const clock = new HandClock();
  const track = { muted: true };
  const shown = firstPicture([sender(track)], clock, signal);
  await clock.started();
  track.muted = false;
  clock.pass(50);
  await clock.started();
  clock.pass(100);
  await shown;
});

test("the wait ends after 600 ms in any case", async () => {
  const clock = new HandClock();
  let isOver = false;
  const shown = firstPicture([sender(null)], clock, signal)?.then(() => {
    isOver = true;
  });
  await clock.started();
  clock.pass(599);
  await clock.started();
  expect(isOver).toBe(false);
  clock.pass(1);
  await shown;
});
