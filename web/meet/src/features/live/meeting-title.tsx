import { clockText } from "@conclave/ui/clock-text";
import { Tip } from "@conclave/ui/tip";
import { useObservable } from "@conclave/ui/use-observable";
import { useTicking } from "@conclave/ui/use-ticking";
import { readingLocale } from "@conclave/ui/when";
import { Lock } from "lucide-react";
import { type ReactNode, useMemo } from "react";
import { Focusable } from "react-aria-components";
import { useTranslation } from "react-i18next";
import type { LiveMeeting } from "./live-meeting";

export interface MeetingTitleProps {
  readonly meeting: LiveMeeting;
  /** Says how the meeting is encrypted. */
  readonly encryptionSign: ReactNode;
  /** Says that the meeting is recorded, where no banner does. */
  readonly recordingSign: ReactNode;
}

/** The room's name, how it is encrypted, whether it is locked, and how long the meeting runs. */
export function MeetingTitle({ meeting, encryptionSign, recordingSign }: MeetingTitleProps) {
  const { t } = useTranslation();
  const room = useObservable(meeting.room);
  const running = useObservable(meeting.running);
  return (
    <div className="meeting-title">
      <h1 className="meeting-name" dir="auto">
        {room?.name}
      </h1>
      <div className="meeting-facts">
        {encryptionSign}
        {room?.locked ? (
          <Tip text={t("head.locked")}>
            <Focusable>
              <span className="meeting-lock" role="img" aria-label={t("head.locked")}>
                <Lock size={16} aria-hidden="true" />
              </span>
            </Focusable>
          </Tip>
        ) : null}
        {running ? <Timer since={running.started_at} now={meeting.recordings.now} /> : null}
        {recordingSign}
      </div>
    </div>
  );
}

function Timer({ since, now }: { readonly since: string; readonly now: () => number }) {
  const { t, i18n } = useTranslation();
  const time = clockText((useTicking(now) - Date.parse(since)) / 1000);
  // Only once: making a formatter takes longer than everything else that happens each second.
  const began = useMemo(() => {
    const locale = readingLocale(i18n.language, navigator.languages);
    return new Date(since).toLocaleTimeString(locale, { timeStyle: "short" });
  }, [since, i18n.language]);
  return (
    <Tip text={t("head.since", { time: began })}>
      <Focusable>
        <span className="meeting-timer" role="timer" aria-label={t("head.timer", { time })}>
          {time}
        </span>
      </Focusable>
    </Tip>
  );
}
