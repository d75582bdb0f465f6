import { expect, test } from "vitest";
import { dayPhrase, isUnderWay, readingLocale } from "./when";

const hour = 60 * 60 * 1000;
const at = (text: string) => {
  const start = Date.parse(text);
  return { start, end: start + hour };
};
const reader = (now: string, zone = "Europe/Berlin", locale = "en-GB") => ({
  zone,
  locale,
  now: Date.parse(now),
});

test.each([
  // 23:30 in Berlin: half an hour later it is tomorrow there, but not in UTC.
  ["2026-11-23T22:45Z", "2026-11-23T22:30Z", "when.today"],
  ["2026-11-23T23:00Z", "2026-11-23T22:30Z", "when.tomorrow"],
  ["2026-11-24T22:59Z", "2026-11-23T22:30Z", "when.tomorrow"],
  ["2026-11-24T23:00Z", "2026-11-23T22:30Z", "when.day"],
  // A meeting that began yesterday shows its date.
  ["2026-11-22T22:50Z", "2026-11-22T23:10Z", "when.day"],
])("what starts at %s, read at %s, is %s", (start, now, key) => {
  expect(dayPhrase(at(start), reader(now)).key).toBe(key);
});

test("a later day has its weekday, and its year if that is another one", () => {
  const now = "2026-12-20T10:00Z";
  const day = (start: string) => dayPhrase(at(start), reader(now)).values["day"];
  expect(day("2026-12-28T10:00Z")).toBe("Mon 28 Dec");
  expect(day("2027-01-04T10:00Z")).toBe("Mon, 4 Jan 2027");
});

test.each([
  [["en-GB", "en"], "en-GB"],
  [["de-DE", "en-US"], "en-US"],
  [["de-DE"], "en-u-hc-h23"],
  [["ko-KR"], "en-u-hc-h12"],
])("a reader of %j sees times as %s", (languages, want) => {
  expect(readingLocale("en", languages)).toBe(want);
});

test("a meeting is under way from its start to before its end", () => {
  const meeting = at("2026-11-23T10:00Z");
  expect(isUnderWay(meeting, meeting.start - 1)).toBe(false);
  expect(isUnderWay(meeting, meeting.start)).toBe(true);
  expect(isUnderWay(meeting, meeting.end - 1)).toBe(true);
  expect(isUnderWay(meeting, meeting.end)).toBe(false);
});
