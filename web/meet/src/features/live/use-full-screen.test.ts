import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { watchIdle } from "./use-full-screen";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A page in full screen. */
function fullScreen() {
  const page = new EventTarget();
  const seen = { isIdle: false };
  const leave = watchIdle(page, (isIdle) => {
    seen.isIdle = isIdle;
  });
  return { page, seen, leave };
}

test("the controls hide four seconds after the last input", () => {
  const { page, seen } = fullScreen();
  for (const input of ["pointermove", "pointerdown", "keydown"]) {
    vi.advanceTimersByTime(3900);
    expect(seen.isIdle).toBe(false);
    page.dispatchEvent(new Event(input));
    vi.advanceTimersByTime(3900);
    expect(seen.isIdle, input).toBe(false);
    vi.advanceTimersByTime(200);
    expect(seen.isIdle, input).toBe(true);
    page.dispatchEvent(new Event(input));
    expect(seen.isIdle, input).toBe(false);
  }
});

test("the controls stay once full screen is left, even after they were hidden", () => {
  const { page, seen, leave } = fullScreen();
  vi.advanceTimersByTime(4100);
  expect(seen.isIdle).toBe(true);
  leave();
  expect(seen.isIdle).toBe(false);
  page.dispatchEvent(new Event("pointermove"));
  vi.advanceTimersByTime(60_000);
  expect(seen.isIdle).toBe(false);
});
