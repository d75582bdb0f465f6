import { expect, test } from "vitest";
import { elsewherePhrase, repeatPhrases, timesText } from "./when-text";

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

test("times are in the reader's time zone and format", () => {
  const meeting = at("2026-11-23T14:00Z");
  expect(timesText(meeting, reader("2026-11-23T00:00Z"))).toBe("15:00\u00a0– 16:00");
  const american = reader("2026-11-23T00:00Z", "America/New_York", "en-US");
  expect(timesText(meeting, american).replaceAll(/[\u00a0\u202f]/g, " ")).toBe(
    "9:00 AM – 10:00 AM",
  );
});

test("a series says how it repeats, and until when", () => {
  const series = { recurrence: "weekly", recurrence_until: null, timezone: null } as const;
  const monday = at("2026-11-23T10:00Z");
  const who = reader("2026-11-20T10:00Z");
  expect(repeatPhrases({ ...series, recurrence: "none" }, monday, who)).toEqual([]);
  expect(repeatPhrases(series, monday, who)).toEqual([
    { key: "home.every.weekly", values: { weekday: "Monday" } },
  ]);
  const ending = { ...series, recurrence_until: "2027-03-01T22:59:00.000Z" };
  expect(repeatPhrases(ending, monday, who)[1]).toEqual({
    key: "home.until",
    values: { day: "1 Mar 2027" },
  });
});

test("the time in the meeting's own time zone is shown if it differs", () => {
  const meeting = at("2026-11-23T14:00Z");
  const who = reader("2026-11-20T10:00Z");
  const said = (timezone: string | null) => elsewherePhrase({ timezone }, meeting, who);
  expect(said(null)).toBeNull();
  expect(said("Europe/Berlin")).toBeNull();
  expect(said("Europe/Paris")).toBeNull(); // another zone, the same time
  expect(said("America/New_York")).toEqual({
    key: "home.elsewhere",
    values: { time: "09:00", zone: "America/New York" },
  });
});
