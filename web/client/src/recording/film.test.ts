import { afterEach, expect, test, vi } from "vitest";
import { Film } from "./film.js";
import { sampleRate } from "./support.js";

/** The times of the sound that was encoded, and what lets the encoder go on. */
const encoder = vi.hoisted(() => ({ times: [] as number[], go: () => {} }));

vi.mock("mediabunny", () => ({
  Output: class {
    addVideoTrack(): void {}
    addAudioTrack(): void {}
  },
  Mp4OutputFormat: class {},
  NullTarget: class {},
  CanvasSource: class {},
  AudioSample: class {
    readonly timestamp: number;
    constructor({ timestamp }: { readonly timestamp: number }) {
      this.timestamp = timestamp;
    }
    close(): void {}
  },
  AudioSampleSource: class {
    add({ timestamp }: { readonly timestamp: number }): Promise<void> {
      encoder.times.push(timestamp);
      return new Promise((resolve) => {
        encoder.go = resolve;
      });
    }
  },
}));

afterEach(() => {
  vi.unstubAllGlobals();
});

test("hours without sound, because the computer slept, take no memory while they wait", async () => {
  let bytes = 0;
  const Real = Float32Array;
  class Counted extends Real {
    constructor(length: number) {
      super(length);
      bytes += this.byteLength;
    }
  }
  vi.stubGlobal("Float32Array", Counted);
  const sink = { fragment: () => {}, write: () => {} };
  const format = { container: "mp4", video: "avc", audio: "aac" } as const;
  const film = new Film({} as OffscreenCanvas, format, sink, () => {});
  film.addSound({ first: 0, left: new Real(480), right: new Real(480) }, 0.1);
  film.keepSound(600);
  expect(bytes).toBeLessThan(10 * sampleRate * Real.BYTES_PER_ELEMENT);
  for (let turns = 0; turns < 1000 && encoder.times.length < 5; turns += 1) {
    encoder.go();
    await Promise.resolve();
  }
  expect(encoder.times.length).toBeGreaterThanOrEqual(5);
  const [before = 0, last = 0] = encoder.times.slice(-2);
  expect(last - before).toBeCloseTo(1);
});
