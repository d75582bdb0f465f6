import type { Meeting } from "@conclave/webhook";
import { weekdayOf, zoneOf } from "./occurrence";
import { instantOf, timestamp, wallTimeOf } from "./zoned-time";

export type Recurrence = Meeting["recurrence"];

export const recurrences = [
  ...(["none", "daily", "weekdays", "weekly", "biweekly", "monthly"] as const),
] as const satisfies readonly Recurrence[];

/** The choice of a room that is created with the meeting. */
export const newRoom = "new";
/** The same, with keys on the devices only. */
export const newStrictRoom = "new-strict";
export const noRoom = "";

/** The contents of the form. */
export interface Draft {
  readonly title: string;
  readonly description: string;
  /** The date of the first occurrence, in the time zone. */
  readonly date: string;
  readonly starts: string;
  readonly ends: string;
  readonly zone: string;
  readonly recurrence: Recurrence;
  /** The last date; empty for a series without an end. */
  readonly until: string;
  /** The id of a room, `newRoom`, `newStrictRoom` or `noRoom`. */
  readonly room: string;
}

/** Whether a choice in the form stands for no room that exists already. */
export function isNoRoomYet(room: string): boolean {
  return room === newRoom || room === newStrictRoom || room === noRoom;
}

/** The form of a new meeting: one hour, from the next full hour on. */
export function emptyDraft(zone: string, now: number): Draft {
  const hour = 60 * 60 * 1000;
  const start = Math.ceil((now + 1) / hour) * hour;
  const { date, time } = wallTimeOf(zone, start);
  const ends = wallTimeOf(zone, start + hour).time;
  const times = { date, starts: time, ends, zone };
  return { title: "", description: "", ...times, recurrence: "none", until: "", room: newRoom };
}

export function draftOf(meeting: Meeting): Draft {
  const zone = zoneOf(meeting);
  const { date, time } = wallTimeOf(zone, Date.parse(meeting.starts_at));
  const until = meeting.recurrence_until;
  return {
    title: meeting.title,
    description: meeting.description ?? "",
    date,
    starts: time,
    ends: wallTimeOf(zone, Date.parse(meeting.ends_at)).time,
    zone,
    recurrence: meeting.recurrence,
    until: until === null ? "" : wallTimeOf(zone, Date.parse(until)).date,
    room: meeting.room_id ?? noRoom,
  };
}

export type DraftField = "title" | "date" | "starts" | "ends" | "until";

/** The problems of a form, by field, as keys of the message catalogue. */
export function problemsOf(draft: Draft): Partial<Record<DraftField, string>> {
  const problems: Partial<Record<DraftField, string>> = {};
  if (draft.title.trim() === "") problems.title = "titleMissing";
  if (!isDate(draft.date)) problems.date = "dateMissing";
  else if (draft.recurrence === "weekdays" && isWeekend(draft.date)) problems.date = "weekend";
  if (!isTime(draft.starts)) problems.starts = "timeMissing";
  if (!isTime(draft.ends)) problems.ends = "timeMissing";
  if (draft.recurrence !== "none" && draft.until !== "") {
    if (!isDate(draft.until)) problems.until = "dateMissing";
    else if (isDate(draft.date) && draft.until < draft.date) problems.until = "untilBefore";
  }
  return problems;
}

const isDate = (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text);
const isTime = (text: string) => /^\d{2}:\d{2}$/.test(text);

function isWeekend(date: string): boolean {
  const weekday = weekdayOf(Math.floor(Date.parse(`${date}T00:00Z`) / (24 * 60 * 60 * 1000)));
  return weekday === 0 || weekday === 6;
}

/** Whether a meeting ends on the next day: its end time is not after its start time. */
export function endsNextDay({ starts, ends }: Pick<Draft, "starts" | "ends">): boolean {
  return isTime(starts) && isTime(ends) && ends <= starts;
}

/** The fields of the API's meeting object that people can set. */
export interface MeetingFields {
  readonly title: string;
  readonly description: string | null;
  readonly starts_at: string;
  readonly ends_at: string;
  readonly recurrence: Recurrence;
  readonly recurrence_until: string | null;
  readonly timezone: string;
  readonly room_id: string | null;
}

/** The request of a form without problems. A new room must exist by then. */
export function fieldsOf(draft: Draft): MeetingFields {
  const { zone } = draft;
  const at = (date: string, time: string) => {
    const instant = instantOf(zone, { date, time });
    if (instant === null) throw new Error(`${date} ${time} is not a time`);
    return timestamp(zone, instant);
  };
  const endDate = endsNextDay(draft) ? dayAfter(draft.date) : draft.date;
  const hasEnd = draft.recurrence !== "none" && draft.until !== "";
  return {
    title: draft.title.trim(),
    description: draft.description.trim() || null,
    starts_at: at(draft.date, draft.starts),
    ends_at: at(endDate, draft.ends),
    recurrence: draft.recurrence,
    // An occurrence that starts on the last day belongs to the series, at any time of day.
    recurrence_until: hasEnd ? at(draft.until, "23:59") : null,
    timezone: zone,
    room_id: draft.room === noRoom ? null : draft.room,
  };
}

function dayAfter(date: string): string {
  const next = new Date(`${date}T00:00Z`);
  next.setUTCDate(next.getUTCDate() + 1);
  return next.toISOString().slice(0, 10);
}

/**
 * The differences between two forms, as the body of a change. Fields that the person did not touch
 * are left out, because the form may not show all of them, such as seconds.
 */
export function changesOf(before: Draft, after: Draft): Partial<MeetingFields> {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  const names = Object.keys(is) as (keyof MeetingFields)[];
  const changed = names.filter((name) => was[name] !== is[name]);
  return Object.fromEntries(changed.map((name) => [name, is[name]])) as Partial<MeetingFields>;
}
