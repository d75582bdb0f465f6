import { describe, expect, test } from "vitest";
import { allZones, instantOf, isKnownZone, timestamp, wallTimeOf } from "./zoned-time";

const at = (zone: string, date: string, time: string) => {
  const instant = instantOf(zone, { date, time });
  return instant === null ? null : timestamp(zone, instant);
};

describe("a wall time in a zone", () => {
  test.each([
    ["UTC", "2026-11-23", "10:00", "2026-11-23T10:00:00+00:00"],
    ["Europe/Berlin", "2026-11-23", "10:00", "2026-11-23T10:00:00+01:00"],
    ["Europe/Berlin", "2026-07-23", "10:00", "2026-07-23T10:00:00+02:00"],
    ["Asia/Kathmandu", "2026-11-23", "10:00", "2026-11-23T10:00:00+05:45"],
    ["America/St_Johns", "2026-11-23", "00:30", "2026-11-23T00:30:00-03:30"],
    ["Pacific/Kiritimati", "2026-01-01", "00:00", "2026-01-01T00:00:00+14:00"],
  ])("%s %s %s is %s", (zone, date, time, want) => {
    expect(at(zone, date, time)).toBe(want);
  });

  test.each([
    // The last minute before the clock goes forward, the skipped hour, the first minute after.
    ["Europe/Berlin", "2027-03-28", "01:59", "2027-03-28T01:59:00+01:00"],
    ["Europe/Berlin", "2027-03-28", "02:30", "2027-03-28T03:30:00+02:00"],
    ["Europe/Berlin", "2027-03-28", "03:00", "2027-03-28T03:00:00+02:00"],
    ["America/New_York", "2027-03-14", "02:30", "2027-03-14T03:30:00-04:00"],
    ["Australia/Lord_Howe", "2026-10-04", "02:15", "2026-10-04T02:45:00+11:00"],
    // A whole day that a time zone skipped.
    ["Pacific/Apia", "2011-12-30", "09:00", "2011-12-31T09:00:00+14:00"],
  ])(
    "a time that daylight saving skips in %s on %s at %s is later: %s",
    (zone, date, time, want) => {
      expect(at(zone, date, time)).toBe(want);
    },
  );

  test.each([
    ["Europe/Berlin", "2026-10-25", "01:59", "2026-10-25T01:59:00+02:00"],
    ["Europe/Berlin", "2026-10-25", "02:30", "2026-10-25T02:30:00+02:00"],
    ["Europe/Berlin", "2026-10-25", "03:00", "2026-10-25T03:00:00+01:00"],
    ["America/New_York", "2026-11-01", "01:30", "2026-11-01T01:30:00-04:00"],
  ])("a time that comes twice in %s on %s at %s is the first: %s", (zone, date, time, want) => {
    expect(at(zone, date, time)).toBe(want);
  });

  test("is read back as it was", () => {
    for (const zone of ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"]) {
      for (const date of ["2026-02-28", "2026-10-25", "2027-03-28", "2028-02-29"]) {
        const written = { date, time: "10:05" };
        const instant = instantOf(zone, written) ?? 0;
        expect(wallTimeOf(zone, instant)).toEqual(written);
      }
    }
  });

  test.each([
    ["", "10:00"],
    ["2026-11-23", ""],
    ["2026-13-01", "10:00"],
    ["2026-11-23", "25:00"],
  ])("%j %j is not a time", (date, time) => {
    expect(instantOf("UTC", { date, time })).toBeNull();
  });
});

test("a time zone that the browser does not know is refused", () => {
  expect(isKnownZone("Europe/Berlin")).toBe(true);
  expect(isKnownZone("Europe/Atlantis")).toBe(false);
});

test("every time zone is offered once, with those in use", () => {
  const zones = allZones("Europe/Berlin", "Etc/GMT+5");
  expect(new Set(zones).size).toBe(zones.length);
  expect(zones).toEqual(expect.arrayContaining(["Europe/Berlin", "UTC", "Etc/GMT+5"]));
});
