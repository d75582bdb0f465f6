import { wallMillis } from "@conclave/ui/when";

/** A date and a time of day, without a time zone. */
export interface WallTime {
  /** `2026-11-23` */
  readonly date: string;
  /** `10:00` */
  readonly time: string;
}

const minute = 60_000;
const day = 24 * 60 * minute;

/** Whether this browser knows a time zone. Its list may be older than the service's. */
export function isKnownZone(zone: string): boolean {
  try {
    wallMillis(zone, 0);
    return true;
  } catch {
    return false;
  }
}

function offsetAt(zone: string, instant: number): number {
  return wallMillis(zone, instant) - instant;
}

/**
 * The instant of a wall time in a time zone. A time that daylight saving skips is later by as much
 * as the clock went forward; of a time that comes twice, the first one counts (RFC 5545).
 */
export function instantAt(zone: string, wall: number): number {
  const before = offsetAt(zone, wall - day);
  const after = offsetAt(zone, wall + day);
  // The larger offset gives the earlier moment.
  for (const offset of [Math.max(before, after), Math.min(before, after)]) {
    const instant = wall - offset;
    if (wallMillis(zone, instant) === wall) return instant;
  }
  return wall - before;
}

export function wallTimeOf(zone: string, instant: number): WallTime {
  const text = new Date(wallMillis(zone, instant)).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 16) };
}

/** The instant of a wall time in a form; null if it is not a time. */
export function instantOf(zone: string, { date, time }: WallTime): number | null {
  const wall = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(wall) ? null : instantAt(zone, wall);
}

/** An instant as RFC 3339 with the time zone's offset: `2026-11-23T10:00:00+01:00`. */
export function timestamp(zone: string, instant: number): string {
  const offset = offsetAt(zone, instant) / minute;
  if (!Number.isInteger(offset)) return new Date(instant).toISOString(); // local mean time
  const text = new Date(instant + offset * minute).toISOString().slice(0, 19);
  const size = Math.abs(offset);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${text}${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Every time zone that this browser can name, and those in use. */
export function allZones(...inUse: readonly string[]): readonly string[] {
  return [...new Set([...Intl.supportedValuesOf("timeZone"), "UTC", ...inUse])].sort();
}
