import type { RunningRecording } from "@conclave/client/pre-join";
import { Banner, Dismiss, PassingBanner } from "@conclave/ui/banner";
import { buttonClass } from "@conclave/ui/button";
import { clockText } from "@conclave/ui/clock-text";
import { Named } from "@conclave/ui/named";
import { useObservable } from "@conclave/ui/use-observable";
import { useTicking } from "@conclave/ui/use-ticking";
import { Circle } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { RecorderControl } from "./recorder-control";
import { endProblem, failureProblem, type RecordingFailure } from "./recording-problem";
import "./recording.css";

export interface RecordingBannersProps {
  readonly control: RecorderControl;
  readonly running: RunningRecording | null;
  /** The breakout room that the person is in or on the way to; null: the main room. */
  readonly place: string | null;
  /** The service's clock. */
  readonly now: () => number;
  /** A recording has begun or ended, or runs when the person joins. */
  readonly onChange: () => void;
  /** On a phone a sign in the header says that the meeting is recorded. */
  readonly isNarrow: boolean;
  /** Why a recording could not begin or be stopped. */
  readonly failure: RecordingFailure | null;
  readonly onFailureSeen: () => void;
}

/** The banners about a recording: for everybody, and for the device that makes it. */
export function RecordingBanners(props: RecordingBannersProps) {
  const { control, running, place, now, onChange } = props;
  const { isNarrow, failure, onFailureSeen } = props;
  const { t } = useTranslation();
  const isStarting = useObservable(control.state) === "starting";
  const replaced = useObservable(control.replaced);
  const hasBegun = running?.mine && running.id !== replaced;
  const problem = endProblem(useObservable(control.ended));
  const isKept = useObservable(control.isKept);
  const sending = useObservable(control.sending);
  const isStalled = useObservable(control.isStalled);
  const isSilent = useObservable(control.isSilent);
  return (
    <>
      {running && !isNarrow ? <Running running={running} now={now} /> : null}
      <News running={running} place={place} onChange={onChange} />
      {isStarting && !hasBegun ? <Banner rank="lasting">{t("recording.starting")}</Banner> : null}
      {isSilent ? <Banner rank="lasting">{t("recording.silent")}</Banner> : null}
      {isStalled ? <Banner rank="lasting">{t("recording.stalled")}</Banner> : null}
      {sending > 0 && !isStalled ? <Banner rank="lasting">{t("recording.sending")}</Banner> : null}
      {isKept && running === null && sending === 0 ? (
        <Kept isOfMember={control.isOfMember} onDismiss={() => control.forgetKept()} />
      ) : null}
      {failure ? (
        <PassingBanner dismissLabel={t("banner.dismiss")} onOver={onFailureSeen}>
          {t(failureProblem(failure))}
        </PassingBanner>
      ) : null}
      {problem ? (
        <PassingBanner
          key={problem}
          dismissLabel={t("banner.dismiss")}
          onOver={() => control.forgetEnd()}
        >
          {t(problem)}
        </PassingBanner>
      ) : null}
    </>
  );
}

interface KeptProps {
  readonly isOfMember: boolean;
  readonly onDismiss: () => void;
}

/** Says where the recording is that was stopped. */
function Kept({ isOfMember, onDismiss }: KeptProps) {
  const { t } = useTranslation();
  return (
    <Banner rank="lasting">
      <p className="banner-text">{t(isOfMember ? "recording.kept" : "recording.keptForMembers")}</p>
      {isOfMember ? (
        <a
          className={buttonClass("plain", "medium")}
          href="/recordings"
          target="_blank"
          rel="noopener"
        >
          {t("recording.view")}
        </a>
      ) : null}
      <Dismiss label={t("banner.dismiss")} onPress={onDismiss} />
    </Banner>
  );
}

interface RunningProps {
  readonly running: RunningRecording;
  readonly now: () => number;
}

function Running({ running, now }: RunningProps) {
  const { t } = useTranslation();
  const startedAt = Date.parse(running.started_at);
  const elapsed = clockText((useTicking(now) - startedAt) / 1000);
  return (
    <Banner rank="lasting" isSilent>
      <Circle className="recording-sign" size={12} aria-hidden="true" />
      <span>{t("recording.running")}</span>
      <span className="recording-time">{elapsed}</span>
      {running.away ? (
        <span>
          <Named name={running.by} words={(name) => t("recording.away", { name })} />
        </span>
      ) : null}
    </Banner>
  );
}

/** Says in the header that the meeting is recorded. It is there the whole time, and covers nothing. */
export function RecordingSign({ running, now }: RunningProps) {
  const { t } = useTranslation();
  const startedAt = Date.parse(running.started_at);
  const elapsed = clockText((useTicking(now) - startedAt) / 1000);
  return (
    <span className="recording-short" role="status" aria-live="off">
      <Circle className="recording-sign" size={12} aria-hidden="true" />
      <span aria-hidden="true">{t("recording.short")}</span>
      <span className="visually-hidden">
        {t("recording.running")} {elapsed}
      </span>
    </span>
  );
}

interface NewsProps {
  readonly running: RunningRecording | null;
  readonly place: string | null;
  readonly onChange: () => void;
}

/**
 * Tells screen readers that a recording has begun or ended, or that the room they went to is not
 * recorded, and plays a sound.
 */
function News({ running, place, onChange }: NewsProps) {
  const { t } = useTranslation();
  const [said, say] = useState({ text: "", number: 0 });
  const known = useRef<{ id: string | null; place: string | null }>({ id: null, place: null });
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  const id = running?.id ?? null;
  useEffect(() => {
    const before = known.current;
    if (before.id === id) return;
    known.current = { id, place };
    const ended = before.place === place ? t("recording.hasStopped") : t("recording.notHere");
    const text = id === null ? ended : t("recording.hasStarted");
    // A new element each time, so that the second of two recorded rooms is announced too.
    say(({ number }) => ({ text, number: number + 1 }));
    latest.current();
  }, [id, place, t]);
  return (
    <p className="visually-hidden" aria-live="polite">
      <span key={said.number}>{said.text}</span>
    </p>
  );
}
