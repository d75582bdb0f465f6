import type { Meeting } from "@conclave/webhook";
import { describe, expect, test } from "vitest";
import {
  changesOf,
  type Draft,
  draftOf,
  emptyDraft,
  endsNextDay,
  fieldsOf,
  newRoom,
  noRoom,
  problemsOf,
} from "./meeting-draft";

const draft: Draft = {
  title: "Weekly review",
  description: "",
  ...{ date: "2026-11-23", starts: "10:00", ends: "11:00", zone: "Europe/Berlin" },
  ...{ recurrence: "weekly", until: "", room: noRoom },
};

const meeting: Meeting = {
  object: "meeting",
  id: "0192f3a1-7c3e-7d3a-9a41-3b6f0e5d2c11",
  title: "Weekly review",
  description: "Agenda",
  starts_at: "2026-11-23T09:00:30.000Z",
  ends_at: "2026-11-23T10:00:30.000Z",
  ...{ room_id: "r1", join_url: "https://meet.example.com/abc-defg-hjk" },
  recurrence: "weekly",
  recurrence_until: "2027-03-29T08:00:30.000Z",
  timezone: "Europe/Berlin",
  created_at: "2026-11-20T10:00:00.000Z",
};

test("a new meeting begins with the next full hour, in a room of its own", () => {
  const empty = (now: string) => emptyDraft("Europe/Berlin", Date.parse(now));
  expect(empty("2026-11-23T09:10Z")).toMatchObject({ starts: "11:00", ends: "12:00" });
  expect(empty("2026-11-23T09:00Z")).toMatchObject({ starts: "11:00", room: newRoom });
  // Half past eleven at night: the next full hour is tomorrow's first.
  expect(empty("2026-11-23T22:30Z")).toMatchObject({ date: "2026-11-24", starts: "00:00" });
});

describe("the request of a form", () => {
  test("has the time zone and its offsets", () => {
    expect(fieldsOf(draft)).toEqual({
      title: "Weekly review",
      description: null,
      starts_at: "2026-11-23T10:00:00+01:00",
      ends_at: "2026-11-23T11:00:00+01:00",
      recurrence: "weekly",
      recurrence_until: null,
      timezone: "Europe/Berlin",
      room_id: null,
    });
  });

  test("ends on the next day when the end time is not after the start time", () => {
    const late = { ...draft, starts: "23:00", ends: "00:30" };
    expect(endsNextDay(late)).toBe(true);
    expect(fieldsOf(late).ends_at).toBe("2026-11-24T00:30:00+01:00");
    expect(endsNextDay({ starts: "10:00", ends: "10:00" })).toBe(true);
    expect(endsNextDay({ starts: "10:00", ends: "10:01" })).toBe(false);
    expect(endsNextDay({ starts: "10:00", ends: "" })).toBe(false);
  });

  test("spans a change to daylight saving time", () => {
    const night = { ...draft, date: "2027-03-27", starts: "23:00", ends: "04:00" };
    expect(fieldsOf(night)).toMatchObject({
      starts_at: "2027-03-27T23:00:00+01:00",
      ends_at: "2027-03-28T04:00:00+02:00",
    });
  });

  test("includes the whole last day of a series, and has none without a series", () => {
    const until = { ...draft, until: "2027-03-29" };
    expect(fieldsOf(until).recurrence_until).toBe("2027-03-29T23:59:00+02:00");
    expect(fieldsOf({ ...until, recurrence: "none" }).recurrence_until).toBeNull();
  });
});

describe("a change", () => {
  test("of nothing is empty, even if the form cannot show all of the meeting", () => {
    const before = draftOf(meeting);
    expect(before).toMatchObject({ date: "2026-11-23", starts: "10:00", until: "2027-03-29" });
    expect(changesOf(before, { ...before })).toEqual({});
  });

  test("has only the changed fields", () => {
    const before = draftOf(meeting);
    expect(changesOf(before, { ...before, title: " Review " })).toEqual({ title: "Review" });
    expect(changesOf(before, { ...before, description: "", room: noRoom })).toEqual({
      description: null,
      room_id: null,
    });
    expect(changesOf(before, { ...before, recurrence: "none" })).toEqual({
      recurrence: "none",
      recurrence_until: null,
    });
  });

  test("of the time zone moves the times", () => {
    const before = draftOf({ ...meeting, recurrence_until: null });
    expect(changesOf(before, { ...before, zone: "UTC" })).toEqual({
      starts_at: "2026-11-23T10:00:00+00:00",
      ends_at: "2026-11-23T11:00:00+00:00",
      timezone: "UTC",
    });
  });
});

test.each([
  [{}, {}],
  [{ title: "  " }, { title: "titleMissing" }],
  [{ date: "" }, { date: "dateMissing" }],
  [{ starts: "" }, { starts: "timeMissing" }],
  [{ ends: "" }, { ends: "timeMissing" }],
  [{ until: "2026-11-23" }, {}],
  [{ until: "2026-11-22" }, { until: "untilBefore" }],
  [{ until: "2026-11-22", recurrence: "none" }, {}],
  [{ recurrence: "weekdays", date: "2026-11-27" }, {}],
  [{ recurrence: "weekdays", date: "2026-11-28" }, { date: "weekend" }],
  [{ recurrence: "weekdays", date: "2026-11-29" }, { date: "weekend" }],
  [{ recurrence: "weekdays", date: "2026-11-30" }, {}],
  [{ recurrence: "weekly", date: "2026-11-28" }, {}],
] as const)("a form with %j is wrong in %j", (change, problems) => {
  expect(problemsOf({ ...draft, ...change })).toEqual(problems);
});
