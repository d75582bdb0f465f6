import type { CalendarFile, LookUp } from "@conclave/client/pre-join";
import { Button } from "@conclave/ui/button";
import { Named } from "@conclave/ui/named";
import {
  dayPhrase,
  isUnderWay,
  ownZone,
  type Phrase,
  type Reader,
  readingLocale,
  timeText,
} from "@conclave/ui/when";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { saveFile } from "./save-file";

export interface NextLineProps {
  readonly next: NonNullable<LookUp["next"]>;
  /** Fetches the meeting as a file; null if that fails. */
  readonly calendarFile: () => Promise<CalendarFile | null>;
}

/** Shows the room's next scheduled meeting, in the visitor's own time zone. */
export function NextLine({ next, calendarFile }: NextLineProps) {
  const { t, i18n } = useTranslation();
  const [now] = useState(() => Date.now());
  const locale = readingLocale(i18n.language, navigator.languages);
  const reader: Reader = { zone: ownZone(), locale, now };
  const span = { start: Date.parse(next.starts_at), end: Date.parse(next.ends_at) };
  const within = ({ key, values }: Phrase) => t(key, { ...values, context: "within" });
  const [isFetching, setFetching] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const add = async () => {
    if (isFetching) return;
    setFetching(true);
    const file = await calendarFile();
    setFetching(false);
    setFailed(file === null);
    if (file) saveFile(file.name, "text/calendar", file.text);
  };
  return (
    <div className="pre-join-next">
      <p className="pre-join-note">
        <Named
          name={next.title}
          words={(title) =>
            isUnderWay(span, now)
              ? t("join.nextNow", { title, time: timeText(span.end, reader) })
              : t("join.next", {
                  title,
                  day: within(dayPhrase(span, reader)),
                  time: timeText(span.start, reader),
                })
          }
        />
      </p>
      <Button look="quiet" onPress={() => void add()}>
        {t("join.addToCalendar")}
      </Button>
      {hasFailed ? <p role="alert">{t("join.calendarFailed")}</p> : null}
    </div>
  );
}
