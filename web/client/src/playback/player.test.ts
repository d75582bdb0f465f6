import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EncryptedFile } from "./encrypted-file.js";
import type { Range } from "./part-times.js";
import { RecordingPlayer } from "./player.js";

type Stretch = readonly [start: number, end: number];

/** A buffer whose parts are JSON: the stretches of time for which they have sound and picture. */
class PlayedBuffer extends EventTarget {
  ranges: Range[] = [];

  get buffered() {
    const { ranges } = this;
    return {
      length: ranges.length,
      start: (i: number) => ranges[i]?.start ?? 0,
      end: (i: number) => ranges[i]?.end ?? 0,
    };
  }

  appendBuffer(bytes: Uint8Array): void {
    const given = JSON.parse(new TextDecoder().decode(bytes)) as Stretch[];
    const all = [...this.ranges, ...given.map(([start, end]) => ({ start, end }))];
    this.ranges = [];
    for (const { start, end } of all.sort((a, b) => a.start - b.start)) {
      const last = this.ranges.at(-1);
      if (last && start <= last.end) {
        this.ranges[this.ranges.length - 1] = { start: last.start, end: Math.max(last.end, end) };
      } else this.ranges.push({ start, end });
    }
    this.#updated();
  }

  remove(from: number, to: number): void {
    this.ranges = this.ranges
      .flatMap(({ start, end }) => [
        { start, end: Math.min(end, from) },
        { start: Math.max(start, to), end },
      ])
      .filter(({ start, end }) => start < end);
    this.#updated();
  }

  abort(): void {}

  #updated(): void {
    queueMicrotask(() => this.dispatchEvent(new Event("updateend")));
  }
}

let buffer = new PlayedBuffer();

class PlayedSource extends EventTarget {
  static isTypeSupported = () => true;
  readyState = "open";
  duration = 0;
  sourceBuffers: PlayedBuffer[] = [];

  constructor() {
    super();
    queueMicrotask(() => this.dispatchEvent(new Event("sourceopen")));
  }

  addSourceBuffer(): PlayedBuffer {
    this.sourceBuffers.push(buffer);
    return buffer;
  }

  endOfStream(): void {
    this.readyState = "ended";
  }
}

class PlayedVideo extends EventTarget {
  currentTime = 0;
  src = "";
  load(): void {}
  removeAttribute(): void {}
}

beforeEach(() => {
  buffer = new PlayedBuffer();
  vi.stubGlobal("MediaSource", PlayedSource);
  vi.spyOn(URL, "createObjectURL").mockReturnValue("blob:a");
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const everyTen = [0, 10, 20, 30, 40, 50, 60, 70, 80, 90];
const tens = everyTen.map((start): readonly Stretch[] => [[start, start + 10]]);

/** More reads than any of these tests needs. */
const tooMany = 40;

/** Plays a recording of these parts, with the times that its index gives. */
async function playing(parts: readonly (readonly Stretch[])[], starts: readonly number[]) {
  const fetched: number[] = [];
  const held = new Map<number, Promise<void>>();
  const file = {
    mimeType: "video/mp4",
    parts: parts.length,
    duration: 100,
    starts: async () => starts,
    read: async (part: number) => {
      fetched.push(part);
      await held.get(part);
      const bytes = new TextEncoder().encode(JSON.stringify(parts[part]));
      // Stops a player that would go on forever.
      return fetched.length > tooMany ? new Promise(() => {}) : bytes;
    },
  };
  const video = new PlayedVideo();
  const player = new RecordingPlayer(
    video as unknown as HTMLVideoElement,
    file as unknown as EncryptedFile,
  );
  await player.start();
  // Nothing here takes longer than promises do, which are all done before a timer.
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  /** The video is at this time; resolves when the player has done what follows. */
  const at = async (time: number) => {
    video.currentTime = time;
    video.dispatchEvent(new Event("timeupdate"));
    await settled();
  };
  /** Lets a part arrive only when the returned function is called. */
  const hold = (part: number) => {
    let release = () => {};
    const arrives = new Promise<void>((resolve) => {
      release = resolve;
    });
    held.set(part, arrives);
    return async () => {
      release();
      await settled();
    };
  };
  return { player, video, fetched, at, hold };
}

test("a hole in a recording is crossed, and nothing is fetched again and again because of it", async () => {
  const { player, video, fetched, at } = await playing(
    [
      [[0, 10]],
      [
        [10, 12],
        [15, 20],
      ],
      [[20, 30]],
      [[80, 90]],
      [[90, 100]],
    ],
    [0, 10, 20, 80, 90],
  );
  await at(5);
  await at(12);
  expect(video.currentTime).toBe(15);
  await at(29);
  await at(30);
  expect(video.currentTime).toBe(80);
  await at(81);
  expect(buffer.ranges.at(-1)?.end).toBe(100);
  expect(fetched.length).toBeLessThanOrEqual(10);
  expect(player.problem.get()).toBeNull();
  player.close();
});

test("a person who seeks into a hole gets to its end", async () => {
  const { player, video, at } = await playing(
    [
      [[0, 10]],
      [
        [10, 12],
        [20, 30],
      ],
    ],
    [0, 10],
  );
  await at(5);
  await at(14);
  expect(video.currentTime).toBe(20);
  player.close();
});

test("parts that lack what the index promises are each read twice at most", async () => {
  const { player, fetched, at } = await playing(
    [[[0, 10]], [[0, 5]], [[0, 5]], [[0, 5]]],
    [0, 10, 20, 30],
  );
  await at(5);
  await at(6);
  expect(fetched.length).toBeLessThanOrEqual(8);
  player.close();
});

test("what lies between two places that a person looked at is no hole", async () => {
  const { player, video, fetched, at } = await playing(tens, everyTen);
  await at(0);
  await at(85);
  await at(35);
  expect(video.currentTime).toBe(35);
  expect(fetched).toContain(4);
  expect(buffer.ranges.some(({ start, end }) => start <= 35 && end >= 65)).toBe(true);
  player.close();
});

test("a person who goes to the end and back before it is there sees the beginning", async () => {
  const { player, fetched, hold, at } = await playing(tens, everyTen);
  await at(95);
  const second = hold(1);
  await at(0);
  const last = hold(9);
  await at(95);
  await second();
  expect(fetched.at(-1)).toBe(9);
  await at(0);
  await last();
  expect(buffer.ranges).toEqual([{ start: 0, end: 30 }]);
  expect(fetched.length).toBeLessThanOrEqual(10);
  player.close();
});

test("a part that the browser removed is fetched again", async () => {
  const { player, fetched, at } = await playing(tens, everyTen);
  await at(0);
  expect(buffer.ranges).toEqual([{ start: 0, end: 30 }]);
  buffer.remove(20, 30);
  await at(0);
  expect(buffer.ranges).toEqual([{ start: 0, end: 30 }]);
  expect(fetched).toEqual([0, 1, 2, 2]);
  player.close();
});

/** A recording of 100 seconds whose computer slept from 33 to 80: only the sound goes on there. */
const slept: readonly (readonly Stretch[])[] = [
  [[0, 10]],
  [[10, 20]],
  [[20, 30]],
  [[30, 33]],
  [],
  [],
  [],
  [],
  [[80, 90]],
  [[90, 100]],
];

test.each([
  { index: "an index", starts: everyTen },
  { index: "no index", starts: [] },
])("a recording plays on behind parts that have only sound, with $index", async ({ starts }) => {
  const { player, video, fetched, at } = await playing(slept, starts);
  await at(1);
  await at(25);
  await at(33);
  expect(video.currentTime).toBe(80);
  await at(80);
  expect(buffer.ranges.at(-1)?.end).toBe(100);
  expect(fetched.length).toBeLessThanOrEqual(14);
  player.close();
});

test.each([
  { seen: "nothing of it", first: [] },
  { seen: "what comes before", first: [25] },
  { seen: "what comes behind", first: [85] },
  { seen: "both sides of it", first: [85, 25] },
])(
  "a person who saw $seen seeks to where there is only sound, and gets behind it",
  async (before) => {
    const { player, video, at } = await playing(slept, everyTen);
    for (const time of before.first) await at(time);
    await at(55);
    expect(video.currentTime).toBe(80);
    await at(80);
    expect(buffer.ranges.some(({ start, end }) => start === 80 && end === 100)).toBe(true);
    player.close();
  },
);

test("a part whose picture begins late is played from there", async () => {
  const parts = [...slept.slice(0, 7), [[78, 80]] as const, ...slept.slice(8)];
  const { player, video, at } = await playing(parts, everyTen);
  await at(79);
  await at(75);
  expect(video.currentTime).toBe(78);
  player.close();
});

test("a person who saw the end of a hole first crosses it, and misses nothing behind it", async () => {
  const { player, video, at } = await playing(slept, everyTen);
  await at(85);
  await at(25);
  await at(33);
  expect(video.currentTime).toBe(80);
  await at(80);
  expect(buffer.ranges.some(({ start, end }) => start === 80 && end === 100)).toBe(true);
  player.close();
});

test("no more is fetched when nothing follows the sound", async () => {
  const { player, fetched, at } = await playing(slept.slice(0, 8), everyTen.slice(0, 8));
  await at(25);
  await at(30);
  await at(32);
  expect(fetched.length).toBeLessThanOrEqual(10);
  player.close();
});

test("a moment that one part lacks is played once the part before it is there", async () => {
  const parts = tens.with(6, [[60, 70.4]]).with(7, [[70.4, 80]]);
  const { player, video, at } = await playing(parts, everyTen);
  await at(70.2);
  expect(video.currentTime).toBe(70.4);
  await at(62);
  await at(70.25);
  expect(video.currentTime).toBe(70.25);
  player.close();
});

test("the times of the parts are learned across a hole that the person skipped", async () => {
  const { player, video, fetched, at } = await playing(slept, []);
  await at(95);
  buffer.remove(0, 100);
  await at(85);
  expect(video.currentTime).toBe(85);
  expect(fetched.slice(-2)).toEqual([8, 9]);
  player.close();
});

test("a hole is crossed when the browser kept only some of the part behind it", async () => {
  const parts = slept.with(7, [
    [76, 77],
    [78, 80],
  ]);
  const { player, video, at } = await playing(parts, everyTen);
  await at(79);
  buffer.remove(77, 100);
  await at(73);
  expect(video.currentTime).toBe(76);
  player.close();
});
