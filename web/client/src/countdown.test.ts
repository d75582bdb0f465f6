import { expect, test } from "vitest";
import { Countdown } from "./countdown.js";
import { HandClock } from "./testing/hand-clock.js";

function setup(ahead = 0) {
  const clock = new HandClock();
  const countdown = new Countdown(clock, () => clock.now() + ahead);
  const seen: (number | null)[] = [];
  countdown.seconds.subscribe(() => seen.push(countdown.seconds.get()));
  return { clock, countdown, seen };
}

const at = (milliseconds: number) => new Date(milliseconds).toISOString();

test("counts down in whole seconds, to zero", () => {
  const { clock, countdown, seen } = setup();
  countdown.until(at(2500));
  clock.pass(499);
  expect(seen).toEqual([3]);
  clock.pass(1);
  expect(seen).toEqual([3, 2]);
  clock.pass(1000);
  clock.pass(999);
  expect(seen).toEqual([3, 2, 1]);
  clock.pass(1);
  clock.pass(60_000);
  expect(seen).toEqual([3, 2, 1, 0]);
});

test("the time to count down to may change or go away", () => {
  const { clock, countdown, seen } = setup();
  countdown.until(at(600_000));
  countdown.until(at(60_000));
  countdown.until(null);
  clock.pass(60_000);
  expect(seen).toEqual([600, 60, null]);
  countdown.until("never");
  expect(countdown.seconds.get()).toBeNull();
});

test("counts by the service's clock", () => {
  const { countdown } = setup(30_000);
  countdown.until(at(60_000));
  expect(countdown.seconds.get()).toBe(30);
});
