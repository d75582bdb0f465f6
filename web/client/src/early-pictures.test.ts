import { beforeEach, expect, it, vi } from "vitest";
import { EarlyPictures } from "./early-pictures.js";
import { HandClock } from "./testing/hand-clock.js";

interface FakeElement {
  srcObject: { readonly tracks: readonly unknown[] } | null;
}

let made: FakeElement[] = [];

beforeEach(() => {
  made = [];
  vi.stubGlobal("document", {
    createElement: () => {
      const element = { srcObject: null, play: async () => {} };
      made.push(element);
      return element;
    },
  });
  vi.stubGlobal(
    "MediaStream",
    class {
      readonly tracks: readonly unknown[];
      constructor(tracks: readonly unknown[]) {
        this.tracks = tracks;
      }
    },
  );
  return () => vi.unstubAllGlobals();
});

function trackOf(kind: "audio" | "video"): MediaStreamTrack {
  return { kind } as MediaStreamTrack;
}

it("gives the element in which a picture plays to the one who asks first", () => {
  const early = new EarlyPictures(new HandClock());
  const track = trackOf("video");
  early.play(track);
  expect(made).toHaveLength(1);
  expect(made[0]?.srcObject?.tracks).toEqual([track]);
  expect(early.take(track)).toBe(made[0]);
  expect(early.take(track)).toBeNull();
});

it("begins anew with a track that the browser uses again", () => {
  const early = new EarlyPictures(new HandClock());
  const track = trackOf("video");
  early.play(track);
  early.play(track);
  expect(made.map(({ srcObject }) => srcObject !== null)).toEqual([false, true]);
  expect(early.take(track)).toBe(made[1]);
  early.play(track);
  early.drop(track);
  expect(early.take(track)).toBeNull();
});

it("plays no more pictures than a page shows", () => {
  const early = new EarlyPictures(new HandClock());
  for (let count = 0; count < 25; count++) early.play(trackOf("video"));
  const oneMore = trackOf("video");
  early.play(oneMore);
  expect(early.take(oneMore)).toBeNull();
  expect(made).toHaveLength(25);
});

it("plays no sound", () => {
  const early = new EarlyPictures(new HandClock());
  const track = trackOf("audio");
  early.play(track);
  expect(early.take(track)).toBeNull();
  expect(made).toHaveLength(0);
});

it("stops what nobody shows within ten seconds, and what is left at the end", () => {
  const clock = new HandClock();
  const early = new EarlyPictures(clock);
  const [taken, unseen, last] = [trackOf("video"), trackOf("video"), trackOf("video")];
  early.play(taken);
  early.play(unseen);
  early.take(taken);
  clock.pass(10_000);
  early.play(last);
  expect(made.map(({ srcObject }) => srcObject !== null)).toEqual([true, false, true]);
  early.close();
  expect(made.map(({ srcObject }) => srcObject !== null)).toEqual([true, false, false]);
});
