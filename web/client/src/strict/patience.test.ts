import { expect, test } from "vitest";
import { SimClock } from "../testing/sim-clock.js";
import { Patience } from "./patience.js";

test("devices that lost their group together join again over a while", () => {
  const pauseOf = (random: number) => {
    const patience = new Patience(new SimClock(() => random));
    patience.rejoins(20_000);
    return patience.rejoinAt;
  };
  expect([0, 0.25, 0.999].map(pauseOf)).toEqual([0, 5000, 19_980]);
});

test("a device that has to join again and again does so within its turn to make a group", () => {
  const clock = new SimClock(() => 0.999);
  const patience = new Patience(clock);
  const pauses = Array.from({ length: 20 }, () => {
    patience.rejoins();
    const pause = patience.rejoinAt - clock.now();
    clock.step(patience.rejoinAt);
    return pause;
  });
  expect(pauses[1]).toBeGreaterThan(1000);
  expect(Math.max(...pauses)).toBeLessThan(8000);
});
