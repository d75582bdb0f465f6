import { type Span, wallMillis } from "@conclave/ui/when";
import type { Meeting } from "@conclave/webhook";
import { instantAt, isKnownZone } from "./zoned-time";

type Timed = Pick<
  Meeting,
  "starts_at" | "ends_at" | "recurrence" | "recurrence_until" | "timezone"
>;

const day = 24 * 60 * 60 * 1000;

/** The time zone in which a meeting repeats; UTC if this browser does not know it. */
export function zoneOf({ timezone }: Pick<Meeting, "timezone">): string {
  return timezone !== null && isKnownZone(timezone) ? timezone : "UTC";
}

/**
 * The occurrence of a meeting that is under way at a given time, or the next one; null when the
 * meeting is over. Occurrences are at the same local time in the meeting's time zone, as on the
 * service (docs/reference/scheduled-meetings.md).
 */
export function nextOccurrence(meeting: Timed, now: number): Span | null {
  const first = Date.parse(meeting.starts_at);
  const length = Date.parse(meeting.ends_at) - first;
  const last = meeting.recurrence_until === null ? null : Date.parse(meeting.recurrence_until);
  if (first + length > now) return { start: first, end: first + length };
  if (meeting.recurrence === "none") return null;

  const zone = zoneOf(meeting);
  const wall = wallMillis(zone, first);
  const firstDate = Math.floor(wall / day);
  const timeOfDay = wall - firstDate * day;
  // Clocks never change by more than a day.
  let date = Math.floor(wallMillis(zone, now - length) / day) - 2;
  for (;;) {
    date = dateFrom(meeting.recurrence, firstDate, Math.max(date, firstDate));
    const start = instantAt(zone, date * day + timeOfDay);
    if (last !== null && start > last) return null;
    if (start + length > now) return { start, end: start + length };
    date += 1;
  }
}

/** The first date of a series on or after a date; dates are days since 1970-01-01. */
function dateFrom(recurrence: Meeting["recurrence"], first: number, from: number): number {
  switch (recurrence) {
    case "weekdays":
      return from + ([1, 0, 0, 0, 0, 0, 2][weekdayOf(from)] ?? 0);
    case "weekly":
      return first + Math.ceil((from - first) / 7) * 7;
    case "biweekly":
      return first + Math.ceil((from - first) / 14) * 14;
    case "monthly":
      return monthlyFrom(first, from);
    default:
      return from;
  }
}

/** Skips months without the day. */
function monthlyFrom(first: number, from: number): number {
  const wanted = new Date(first * day).getUTCDate();
  const start = new Date(from * day);
  for (let months = 0; ; months += 1) {
    const there = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, wanted);
    const date = there / day;
    if (new Date(there).getUTCDate() === wanted && date >= from) return date;
  }
}

/** Sunday is 0; 1970-01-01 was a Thursday. */
export function weekdayOf(date: number): number {
  return (((date + 4) % 7) + 7) % 7;
}
