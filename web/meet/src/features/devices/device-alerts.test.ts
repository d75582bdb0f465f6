import { expect, test } from "vitest";
import { sentencesOf } from "./device-alerts";

test("the same problem of both devices is told in one sentence", () => {
  expect(sentencesOf("blocked", "blocked")).toEqual(["devices.problem.both.blocked"]);
});

test("different problems are told one after the other", () => {
  expect(sentencesOf("busy", "missing")).toEqual([
    "devices.problem.camera.busy",
    "devices.problem.microphone.missing",
  ]);
  expect(sentencesOf(null, "failed")).toEqual(["devices.problem.microphone.failed"]);
  expect(sentencesOf(null, null)).toEqual([]);
});
