import { expect, test } from "vitest";
import { fakeLink } from "./testing/fake-link.js";

test("an interruption that is over is told, and so is a connection that is lost", async () => {
  const { clock, log, enter } = fakeLink();
  const { connection } = await enter();
  const told = () => log.filter((line) => line === "back" || line === "left");
  connection.events.onInterrupted(true);
  expect(told()).toEqual([]);
  connection.events.onInterrupted(false);
  expect(told()).toEqual(["back"]);
  connection.end();
  await clock.started(); // the pause before another attempt
  expect(told()).toEqual(["back", "left"]);
});
