import { expect, test } from "vitest";
import { SoundLine, stretch } from "./sound-line.js";

const rate = 48_000;
const block = 960;

/** How late a block arrives, in seconds, by the time at which it was complete. */
const onTime = (_at: number): number => 0.02;

interface Played {
  readonly line: SoundLine;
  silence: number;
  first: number;
}

/**
 * Plays blocks for a number of seconds. `speed` is the speed of the source's clock relative to real
 * time; `lateness` says how late each block arrives.
 */
function play(
  played: Played,
  from: number,
  seconds: number,
  { speed = 1, lateness = onTime } = {},
): number {
  const blocks = Math.floor((seconds * speed * rate) / block);
  const first = played.first;
  for (let i = 0; i < blocks; i += 1) {
    const at = from + ((i + 1) * block) / (rate * speed);
    played.silence += played.line.take(first + i * block, block, at + lateness(at)).silence;
  }
  played.first += blocks * block;
  return from + (blocks * block) / (rate * speed);
}

const fresh = (): Played => ({ line: new SoundLine(rate), silence: 0, first: 0 });
/** How many milliseconds the end of the written sound is behind real time. */
const behind = ({ line }: Played, now: number) => now * 1000 - (line.written / rate) * 1000;

test("sound that arrives evenly is not changed", () => {
  const played = fresh();
  const now = play(played, 0, 60);
  expect(played.silence).toBe(0);
  // The 20 ms that it took to arrive are less than usual.
  expect(Math.abs(played.line.written - 60 * rate)).toBeLessThanOrEqual(0.035 * rate);
  expect(Math.abs(behind(played, now))).toBeLessThan(50);
});

test("a source that loses time stays in step, as on an overloaded computer", () => {
  const played = fresh();
  let now = play(played, 0, 10);
  const usual = behind(played, now);
  for (let seconds = 0; seconds < 60; seconds += 1) {
    now = play(played, now, 1, { speed: 0.99 });
    expect(Math.abs(behind(played, now) - usual)).toBeLessThan(60);
  }
});

test("sound that begins late gets silence before it", () => {
  const played = fresh();
  const now = play(played, 3, 5);
  expect(played.silence / rate).toBeCloseTo(3, 1);
  expect(Math.abs(behind(played, now))).toBeLessThan(50);
});

test("a clock that runs 300 ppm slow or fast stays in step for two hours", () => {
  for (const speed of [0.9997, 1.0003]) {
    const played = fresh();
    const now = play(played, 0, 7200, { speed });
    expect(played.silence).toBeLessThanOrEqual(block);
    expect(Math.abs(behind(played, now))).toBeLessThan(50);
  }
});

test("blocks that arrive unevenly do not count as drift", () => {
  const played = fresh();
  const lateness = (at: number) => 0.01 + 0.08 * Math.abs(Math.sin(at * 7));
  const now = play(played, 0, 120, { lateness });
  expect(played.silence).toBeLessThanOrEqual(2 * block);
  expect(Math.abs(behind(played, now))).toBeLessThan(50);
});

test("a source that stops is replaced by silence at once, not only when it goes on", () => {
  const played = fresh();
  let now = play(played, 0, 5);
  let silence = 0;
  for (; now < 12; now += 0.05) silence += played.line.stall(now);
  expect(silence / rate).toBeCloseTo(6.7, 0);
  expect(behind(played, now)).toBeLessThan(600);
  // The source's time stood still meanwhile.
  now = play(played, now, 5);
  expect(Math.abs(behind(played, now))).toBeLessThan(50);
});

test("a worker that was busy for a second takes the waiting blocks, and adds no silence", () => {
  const played = fresh();
  let now = play(played, 0, 5);
  now = play(played, now, 1, { lateness: (at) => Math.max(0, 6 - at) });
  expect(played.line.stall(now)).toBe(0);
  now = play(played, now, 30);
  expect(played.silence).toBeLessThanOrEqual(2 * block);
  expect(Math.abs(behind(played, now))).toBeLessThan(50);
});

test("sound that was ahead by 300 ms is in step again after 20 seconds", () => {
  const played = fresh();
  // It was made before the recording began, and arrives all at once.
  let now = play(played, -0.3, 0.3, { lateness: (at) => -at });
  now = play(played, now, 20);
  expect(Math.abs(behind(played, now))).toBeLessThan(50);
});

test("at the end the sound is as long as the pictures, and never cut", () => {
  const played = fresh();
  play(played, 0, 5);
  expect(played.line.finish(5.75)).toBeGreaterThan(0.7 * rate);
  expect(played.line.written).toBe(5.75 * rate);
  expect(played.line.finish(5)).toBe(0);
});

test("stretching keeps both ends, and does not change sound of the right length", () => {
  const samples = Float32Array.from({ length: 100 }, (_, i) => i);
  for (const frames of [99, 101]) {
    const stretched = stretch(samples, frames);
    expect([stretched.length, stretched[0], stretched.at(-1)]).toEqual([frames, 0, 99]);
  }
  expect(stretch(samples, 100)).toBe(samples);
});
