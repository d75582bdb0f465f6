import { expect, test } from "vitest";
import { nextOccurrence } from "./occurrence";

const meeting = (
  starts_at: string,
  recurrence: "none" | "daily" | "weekdays" | "weekly" | "biweekly" | "monthly",
  timezone: string | null = null,
  recurrence_until: string | null = null,
) => {
  const ends_at = new Date(Date.parse(starts_at) + 60 * 60 * 1000).toISOString();
  return { starts_at, ends_at, recurrence, recurrence_until, timezone };
};

const next = (what: ReturnType<typeof meeting>, now: string) => {
  const found = nextOccurrence(what, Date.parse(now));
  return found === null ? null : new Date(found.start).toISOString().replace(":00.000", "");
};

test.each([
  ["before it", "2026-11-23T09:00Z", "2026-11-23T10:00Z"],
  ["under way", "2026-11-23T10:59:59Z", "2026-11-23T10:00Z"],
  ["over", "2026-11-23T11:00Z", null],
])("a single meeting, %s", (_, now, want) => {
  expect(next(meeting("2026-11-23T10:00:00.000Z", "none"), now)).toBe(want);
});

// 2026-11-23 is a Monday.
test.each([
  ["daily", "2026-11-23T11:00Z", "2026-11-24T10:00Z"],
  ["daily", "2030-02-28T11:00Z", "2030-03-01T10:00Z"],
  ["weekdays", "2026-11-27T10:30Z", "2026-11-27T10:00Z"],
  ["weekdays", "2026-11-27T11:00Z", "2026-11-30T10:00Z"],
  ["weekdays", "2026-11-28T00:00Z", "2026-11-30T10:00Z"],
  ["weekdays", "2026-11-29T23:59Z", "2026-11-30T10:00Z"],
  ["weekly", "2026-11-23T11:00Z", "2026-11-30T10:00Z"],
  ["weekly", "2026-11-30T10:59Z", "2026-11-30T10:00Z"],
  ["biweekly", "2026-11-23T11:00Z", "2026-12-07T10:00Z"],
  ["biweekly", "2026-12-07T11:00Z", "2026-12-21T10:00Z"],
  ["monthly", "2026-11-23T11:00Z", "2026-12-23T10:00Z"],
  ["monthly", "2027-02-01T00:00Z", "2027-02-23T10:00Z"],
] as const)("%s, seen at %s, comes at %s", (recurrence, now, want) => {
  expect(next(meeting("2026-11-23T10:00:00.000Z", recurrence), now)).toBe(want);
});

test("months without the day are skipped", () => {
  const last = meeting("2026-12-31T10:00:00.000Z", "monthly");
  expect(next(last, "2027-02-01T00:00Z")).toBe("2027-03-31T10:00Z");
  const leap = meeting("2026-12-29T10:00:00.000Z", "monthly");
  expect(next(leap, "2027-02-01T00:00Z")).toBe("2027-03-29T10:00Z");
  expect(next(leap, "2028-02-01T00:00Z")).toBe("2028-02-29T10:00Z");
});

test.each([
  // Ten o'clock in Berlin, before and after the change.
  ["Europe/Berlin", "2026-10-19T08:00:00.000Z", "2026-10-24T00:00Z", "2026-10-26T09:00Z"],
  ["Europe/Berlin", "2027-03-22T09:00:00.000Z", "2027-03-26T00:00Z", "2027-03-29T08:00Z"],
  // Half past two does not exist that day, so it is an hour later.
  ["Europe/Berlin", "2027-03-21T01:30:00.000Z", "2027-03-26T00:00Z", "2027-03-28T01:30Z"],
  // Half past two comes twice that day, and the first one counts.
  ["Europe/Berlin", "2026-10-18T00:30:00.000Z", "2026-10-24T00:00Z", "2026-10-25T00:30Z"],
])("a weekly meeting keeps its local time in %s", (zone, first, now, want) => {
  expect(next(meeting(first, "weekly", zone), now)).toBe(want);
});

test("weekdays are in the meeting's time zone", () => {
  // Monday 08:00 in Auckland is Sunday evening in UTC.
  const early = meeting("2026-11-22T19:00:00.000Z", "weekdays", "Pacific/Auckland");
  expect(next(early, "2026-11-26T20:00Z")).toBe("2026-11-29T19:00Z");
});

test("a series ends: an occurrence that starts at its last moment belongs to it", () => {
  const first = "2026-11-23T10:00:00.000Z";
  const now = "2026-11-24T00:00Z";
  const until = (at: string) => next(meeting(first, "weekly", null, at), now);
  expect(until("2026-11-30T10:00:00.000Z")).toBe("2026-11-30T10:00Z");
  expect(until("2026-11-30T09:59:59.999Z")).toBe(null);
});

test("a meeting in an unknown time zone repeats in UTC", () => {
  const lost = meeting("2026-11-23T10:00:00.000Z", "daily", "Europe/Atlantis");
  expect(next(lost, "2027-07-01T11:00Z")).toBe("2027-07-02T10:00Z");
});
