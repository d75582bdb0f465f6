/** A key of the message catalogue, with its values. */
export interface Phrase {
  readonly key: string;
  readonly values: Readonly<Record<string, string>>;
}

/** The reader's time zone, language and current time. */
export interface Reader {
  readonly zone: string;
  readonly locale: string;
  readonly now: number;
}

/** A period of time, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const day = 24 * 60 * 60 * 1000;

const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * A cache, because making a format is slow and the same few time zones are used again and again.
 */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "gregory",
      hourCycle: "h23",
      ...{ year: "numeric", month: "numeric", day: "numeric" },
      ...{ hour: "numeric", minute: "numeric", second: "numeric" },
    });
    formats.set(zone, format);
  }
  return format;
}

/** The wall time in a time zone, as the instant at which UTC has that wall time. */
export function wallMillis(zone: string, instant: number): number {
  const read: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instant)) read[type] = Number(value);
  const { year = 0, month = 1, day: date = 1, hour = 0, minute = 0, second = 0 } = read;
  const millis = ((instant % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, date, hour, minute, second) + millis;
}

/** The time zone of this device. */
export function ownZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/**
 * The locale for times: the catalogue's language in the person's region, with the 12- or 24-hour
 * clock of the person's own language.
 */
export function readingLocale(catalogue: string, languages: readonly string[]): string {
  const own = languages.find((language) => language.split("-")[0] === catalogue);
  if (own !== undefined) return own;
  const clock = new Intl.DateTimeFormat(languages[0], { hour: "numeric" }).resolvedOptions();
  return clock.hourCycle === undefined ? catalogue : `${catalogue}-u-hc-${clock.hourCycle}`;
}

/** The day on which something starts, in the reader's time zone. */
export function dayPhrase({ start }: Span, reader: Reader): Phrase {
  const dateOf = (instant: number) => Math.floor(wallMillis(reader.zone, instant) / day);
  const ahead = dateOf(start) - dateOf(reader.now);
  if (ahead === 0) return { key: "when.today", values: {} };
  if (ahead === 1) return { key: "when.tomorrow", values: {} };
  const yearOf = (instant: number) => new Date(dateOf(instant) * day).getUTCFullYear();
  const text = new Intl.DateTimeFormat(reader.locale, {
    timeZone: reader.zone,
    ...{ weekday: "short", day: "numeric", month: "short" },
    ...(yearOf(start) === yearOf(reader.now) ? {} : { year: "numeric" }),
  }).format(start);
  return { key: "when.day", values: { day: text } };
}

export function timeText(instant: number, { zone, locale }: Reader): string {
  return new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: "short" }).format(instant);
}

export function isUnderWay({ start, end }: Span, now: number): boolean {
  return start <= now && now < end;
}
