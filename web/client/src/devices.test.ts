import { expect, test } from "vitest";
import { problemOf } from "./devices.js";

test.each([
  ["NotAllowedError", "Permission denied", "blocked"],
  ["NotAllowedError", "Permission denied by user", "blocked"],
  ["NotAllowedError", "Permission denied by system", "blocked_by_system"],
  ["NotFoundError", "Requested device not found", "missing"],
  ["NotReadableError", "Could not start video source", "busy"],
])("%s (%s) is the problem %s", (name, message, problem) => {
  expect(problemOf(new DOMException(message, name))).toBe(problem);
});
