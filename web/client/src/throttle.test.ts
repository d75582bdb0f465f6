import { expect, test } from "vitest";
import { HandClock } from "./testing/hand-clock.js";
import { Throttle } from "./throttle.js";

function throttled() {
  const clock = new HandClock();
  let runs = 0;
  const throttle = new Throttle(clock, 50, () => {
    runs += 1;
  });
  return { clock, throttle, runs: () => runs };
}

test("runs at once, and once for a burst", async () => {
  const { throttle, runs } = throttled();
  for (let event = 0; event < 1000; event += 1) throttle.trigger();
  await Promise.resolve();
  expect(runs()).toBe(1);
});

test("runs every fifty milliseconds while things happen, and after the last of them", async () => {
  const { clock, throttle, runs } = throttled();
  for (let event = 0; event < 999; event += 1) {
    throttle.trigger();
    await Promise.resolve();
    clock.pass(1);
  }
  expect(runs()).toBe(20);
  clock.pass(50);
  expect(runs()).toBe(21);
  clock.pass(1000);
  expect(runs()).toBe(21);

  throttle.trigger();
  await Promise.resolve();
  expect(runs()).toBe(22);
});

test("does not run after it is closed", async () => {
  const { clock, throttle, runs } = throttled();
  throttle.trigger();
  await Promise.resolve();
  throttle.trigger();
  throttle.close();
  clock.pass(1000);
  throttle.trigger();
  await Promise.resolve();
  expect(runs()).toBe(1);
});
