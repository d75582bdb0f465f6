import { expect, test } from "vitest";
import { clockText } from "./clock-text";

test.each([
  [-0.5, "0:00"],
  [0, "0:00"],
  [0.999, "0:00"],
  [7, "0:07"],
  [59, "0:59"],
  [60, "1:00"],
  [725, "12:05"],
  [754.321, "12:34"],
  [3599, "59:59"],
  [3599.999, "59:59"],
  [3600, "1:00:00"],
  [3723, "1:02:03"],
  [14_400, "4:00:00"],
  [36_000, "10:00:00"],
])("%d seconds are shown as %s", (seconds, text) => {
  expect(clockText(seconds)).toBe(text);
});
