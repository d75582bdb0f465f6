import { Banner } from "@conclave/ui/banner";
import { clockText } from "@conclave/ui/clock-text";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import "./breakout.css";

/** From this many seconds on, everybody sees the time. */
export const lastMinute = 60;
/** The seconds from which on screen readers announce the time left. */
const readOut: readonly number[] = [lastMinute, 30, 10];

/**
 * Whether the time is announced now. Seconds may be missed: people come in the last minute, news of
 * the end takes a while, and pages that nobody looks at sleep.
 */
export function isReadOut(before: number | null, now: number | null): boolean {
  return now !== null && readOut.some((from) => now <= from && (before === null || before > from));
}

export interface LastMinuteProps {
  readonly secondsLeft: number | null;
  /** `line`: for the header, where banners would cover each other. */
  readonly look: "banner" | "line";
}

/** The time until the breakout rooms close, in the last minute. */
export function LastMinute({ secondsLeft, look }: LastMinuteProps) {
  const { t } = useTranslation();
  const [said, setSaid] = useState("");
  const isNear = secondsLeft !== null && secondsLeft <= lastMinute;
  const text = isNear ? t("breakout.closing", { time: clockText(secondsLeft) }) : "";
  const before = useRef<number | null>(null);
  useEffect(() => {
    if (text === "") setSaid("");
    else if (isReadOut(before.current, secondsLeft)) setSaid(text);
    before.current = secondsLeft;
  }, [secondsLeft, text]);
  return (
    <>
      {isNear ? <Ticking look={look} text={text} /> : null}
      <p className="visually-hidden" aria-live="polite">
        {said}
      </p>
    </>
  );
}

function Ticking({ look, text }: Pick<LastMinuteProps, "look"> & { readonly text: string }) {
  if (look === "line") {
    return (
      <p className="breakout-ticking place-sign-closing" role="status" aria-live="off">
        {text}
      </p>
    );
  }
  return (
    <Banner tone="amber" isSilent>
      <span className="breakout-ticking">{text}</span>
    </Banner>
  );
}
