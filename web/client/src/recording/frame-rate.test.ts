import { expect, test } from "vitest";
import { FrameRate } from "./frame-rate.js";

function after(taken: readonly boolean[]): number {
  const rate = new FrameRate();
  for (const was of taken) rate.due(was);
  return rate.perSecond;
}

const everyNth = (n: number) => Array.from({ length: 240 }, (_, i) => i % n !== 0);

test("a device that keeps up records 24 pictures a second", () => {
  expect(after([])).toBe(24);
  expect(after(everyNth(10))).toBe(24);
});

test("a device that skips every third picture falls back to 15", () => {
  expect(after(everyNth(3))).toBe(15);
});

test("a short hiccup changes nothing", () => {
  expect(after([...Array<boolean>(20).fill(false), ...everyNth(1000)])).toBe(24);
});
