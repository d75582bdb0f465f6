import { expect, test } from "vitest";
import { sentencesOf } from "./device-alerts";

test("one sentence reports a problem that both devices have", () => {
  expect(sentencesOf("blocked", "blocked")).toEqual(["devices.problem.both.blocked"]);
});

test("different problems are reported one after the other", () => {
  expect(sentencesOf("busy", "missing")).toEqual([
    "devices.problem.camera.busy",
    "devices.problem.microphone.missing",
  ]);
  expect(sentencesOf(null, "failed")).toEqual(["devices.problem.microphone.failed"]);
  expect(sentencesOf(null, null)).toEqual([]);
});
