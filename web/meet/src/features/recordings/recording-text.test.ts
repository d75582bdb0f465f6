import { expect, test } from "vitest";
import { fileName, lengthText, sizeText } from "./recording-text";

test.each([
  [0, "0:00"],
  [499, "0:00"],
  [42_000, "0:42"],
  [725_000, "12:05"],
  [3_600_000, "1:00:00"],
  [36_123_000, "10:02:03"],
])("%d ms is %s", (milliseconds, text) => expect(lengthText(milliseconds)).toBe(text));

test.each([
  [0, "0 byte"],
  [812_345, "812 kB"],
  [1_440_000, "1.4 MB"],
  [52_000_000_000, "52 GB"],
  [7_000_000_000_000, "7,000 GB"],
])("%d bytes is %s", (bytes, text) => expect(sizeText(bytes, "en")).toBe(text));

test.each([
  ["Weekly review", "video/mp4", "Weekly review.mp4"],
  ["Ada / Bea: what's next?", "video/webm", "Ada Bea what's next.webm"],
  ["חדר הישיבות", "video/mp4", "חדר הישיבות.mp4"],
  ["...", "video/mp4", "recording.mp4"],
  ["x".repeat(120), "video/mp4", `${"x".repeat(100)}.mp4`],
])("the file name of %s (%s) is %s", (title, mime_type, name) =>
  expect(fileName({ title, mime_type })).toBe(name),
);
