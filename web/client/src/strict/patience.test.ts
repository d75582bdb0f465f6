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
