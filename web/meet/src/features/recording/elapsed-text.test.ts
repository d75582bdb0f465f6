import { expect, test } from "vitest";
import { elapsedText } from "./elapsed-text";

test.each([
  [-500, "0:00"],
  [0, "0:00"],
  [999, "0:00"],
  [7_000, "0:07"],
  [754_321, "12:34"],
  [3_599_999, "59:59"],
  [3_723_000, "1:02:03"],
  [36_000_000, "10:00:00"],
])("%i milliseconds read %s", (milliseconds, text) => {
  expect(elapsedText(milliseconds)).toBe(text);
});
