import { expect, test } from "vitest";
import { Pace } from "./pace.js";
import { HandClock } from "./testing/hand-clock.js";

function paced() {
  const clock = new HandClock();
  let looks = 0;
  const pace = new Pace(clock, 50, () => {
    looks += 1;
  });
  return { clock, pace, looks: () => looks };
}

test("runs at once, and once for a burst", async () => {
  const { pace, looks } = paced();
  for (let event = 0; event < 1000; event += 1) pace.happened();
  await Promise.resolve();
  expect(looks()).toBe(1);
});

test("runs every fifty milliseconds while things happen, and after the last of them", async () => {
  const { clock, pace, looks } = paced();
  for (let event = 0; event < 999; event += 1) {
    pace.happened();
    await Promise.resolve();
    clock.pass(1);
  }
  expect(looks()).toBe(20);
  clock.pass(50);
  expect(looks()).toBe(21);
  clock.pass(1000);
  expect(looks()).toBe(21);

  pace.happened();
  await Promise.resolve();
  expect(looks()).toBe(22);
});

test("runs no more once it is closed", async () => {
  const { clock, pace, looks } = paced();
  pace.happened();
  await Promise.resolve();
  pace.happened();
  pace.close();
  clock.pass(1000);
  pace.happened();
  await Promise.resolve();
  expect(looks()).toBe(1);
});
