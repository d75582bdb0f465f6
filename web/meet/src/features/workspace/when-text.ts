import { type Phrase, type Reader, type Span, timeText, wallMillis } from "@conclave/ui/when";
import type { Meeting } from "@conclave/webhook";
import { zoneOf } from "./occurrence";

/** `10:00 – 11:00`. Intl's own range would add the dates if it spans midnight. */
export function timesText({ start, end }: Span, reader: Reader): string {
  return `${timeText(start, reader)}\u00a0– ${timeText(end, reader)}`;
}

type Repeating = Pick<Meeting, "recurrence" | "recurrence_until" | "timezone">;

/** How a meeting repeats; null if it does not. */
export function repeatPhrases(
  meeting: Repeating,
  { start }: Span,
  reader: Reader,
): readonly Phrase[] {
  if (meeting.recurrence === "none") return [];
  const weekday = new Intl.DateTimeFormat(reader.locale, {
    timeZone: reader.zone,
    weekday: "long",
  }).format(start);
  const phrases: Phrase[] = [{ key: `home.every.${meeting.recurrence}`, values: { weekday } }];
  if (meeting.recurrence_until !== null) {
    const text = new Intl.DateTimeFormat(reader.locale, {
      timeZone: zoneOf(meeting),
      dateStyle: "medium",
    }).format(Date.parse(meeting.recurrence_until));
    phrases.push({ key: "home.until", values: { day: text } });
  }
  return phrases;
}

/** The time in the meeting's own time zone, if it differs from the reader's. */
export function elsewherePhrase(
  meeting: Pick<Meeting, "timezone">,
  { start }: Span,
  reader: Reader,
): Phrase | null {
  const zone = zoneOf(meeting);
  if (meeting.timezone === null || wallMillis(zone, start) === wallMillis(reader.zone, start)) {
    return null;
  }
  const time = timeText(start, { ...reader, zone });
  return { key: "home.elsewhere", values: { time, zone: zoneName(zone) } };
}

/** A time zone's name for people. */
export function zoneName(zone: string): string {
  return zone.replaceAll("_", " ");
}
