import { expect, test } from "vitest";
import { CounterWatch } from "./watch-counters.js";

/** Looks at one track's counters several times; returns what was noted, each with its number. */
function noted(type: string, ...looks: readonly Record<string, number>[]): string[] {
  const notes: string[] = [];
  const watch = new CounterWatch((step, about) => notes.push(`${step} ${about}`));
  for (const counters of looks) {
    watch.look(new Map([["V1", { id: "V1", type, kind: "video", ...counters }]]));
  }
  return notes;
}

test("every request for a key frame is noted, and only the first decoded frame", () => {
  const looks = [
    { pliCount: 0, framesDecoded: 0 },
    { pliCount: 1, framesDecoded: 0 },
    { pliCount: 1, framesDecoded: 0 },
    { pliCount: 3, framesDecoded: 2 },
    { pliCount: 3, framesDecoded: 9 },
  ];
  expect(noted("inbound-rtp", ...looks)).toEqual([
    "key frame asked 1",
    "key frame asked 3",
    "decoded 2",
  ]);
});

test("a sender notes the requests that it gets, and nothing about decoding", () => {
  expect(noted("outbound-rtp", { pliCount: 1, framesDecoded: 5 })).toEqual([
    "told to send a key frame 1",
  ]);
});

test("sound is not noted", () => {
  const watch = new CounterWatch(() => expect.unreachable());
  watch.look(new Map([["A1", { id: "A1", type: "inbound-rtp", kind: "audio", nackCount: 3 }]]));
});
