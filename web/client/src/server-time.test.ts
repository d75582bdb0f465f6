import { expect, test } from "vitest";
import { ServerTime } from "./server-time.js";

const noon = Date.parse("2026-01-01T12:00:00.000Z");
const date = (milliseconds: number) => new Date(noon + milliseconds).toUTCString();

function clockAt(start: number) {
  let now = noon + start;
  const clock = { now: () => now, random: () => 0, after: () => () => {} };
  const set = (milliseconds: number) => {
    now = noon + milliseconds;
  };
  return { time: new ServerTime(clock), set };
}

test("this device's clock is used while the answers do not contradict it", () => {
  const { time, set } = clockAt(0);
  expect(time.now()).toBe(noon);
  set(400);
  time.heard(noon, date(0));
  expect(time.now()).toBe(noon + 400);
  time.heard(noon, null);
  time.heard(noon, "once upon a time");
  expect(time.now()).toBe(noon + 400);
});

test("a clock that is late or early is corrected, and more exactly with more answers", () => {
  const { time, set } = clockAt(0);
  set(100);
  // The service says 12:05:00 and something: it is at least 299.9 s ahead.
  time.heard(noon, date(300_000));
  expect(time.now()).toBe(noon + 300_000);
  set(5200);
  time.heard(noon + 5100, date(305_000 + 999));
  expect(time.now()).toBe(noon + 305_100);

  const early = clockAt(60_000);
  early.time.heard(noon + 60_000, date(0));
  expect(early.time.now()).toBe(noon + 1000);
});

test("when a clock was set meanwhile, only the newest answer counts", () => {
  const { time, set } = clockAt(0);
  time.heard(noon, date(0));
  set(3_600_000);
  time.heard(noon + 3_600_000, date(2000));
  expect(time.now()).toBe(noon + 3000);
});
