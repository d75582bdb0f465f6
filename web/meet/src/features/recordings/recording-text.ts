import { clockText } from "@conclave/ui/clock-text";
import { dayPhrase, type Phrase, type Reader, timeText } from "@conclave/ui/when";
import type { Recording } from "./recordings-service";

/** A recording's length, as players show it: `0:42`, `12:05`, `1:02:03`. */
export function lengthText(milliseconds: number): string {
  return clockText(Math.round(milliseconds / 1000));
}

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** A file's size: `812 kB`, `1.4 GB`. */
export function sizeText(bytes: number, locale: string): string {
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  const value = bytes / 1000 ** step;
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit: units[step] ?? "byte",
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  }).format(value);
}

/** When a recording began. */
export function beganPhrases(recording: Recording, reader: Reader): readonly [Phrase, string] {
  const start = Date.parse(recording.started_at);
  return [dayPhrase({ start, end: start }, reader), timeText(start, reader)];
}

/** A recording's file name: its title without characters that file systems refuse. */
export function fileName({ title, mime_type }: Pick<Recording, "title" | "mime_type">): string {
  const name = title
    // biome-ignore lint/suspicious/noControlCharactersInRegex: file systems refuse these.
    .replaceAll(/[\u0000-\u001f<>:"/\\|?*]+/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[ .]+|[ .]+$/g, "")
    .slice(0, 100);
  return `${name || "recording"}.${mime_type.startsWith("video/webm") ? "webm" : "mp4"}`;
}
