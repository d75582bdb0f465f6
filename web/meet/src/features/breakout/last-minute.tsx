import { Banner } from "@conclave/ui/banner";
import { clockText } from "@conclave/ui/clock-text";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import "./breakout.css";

/** From this many seconds on, everybody sees the time. */
export const lastMinute = 60;
/** The seconds at which screen readers announce the time left. */
const readOut: readonly number[] = [60, 30, 10];

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
  const isReadOut = isNear && readOut.includes(secondsLeft);
  useEffect(() => {
    if (isReadOut) setSaid(text);
  }, [isReadOut, text]);
  return (
    <>
      {isNear ? <Ticking look={look} text={text} /> : null}
      <p className="visually-hidden" aria-live="polite">
        {isNear ? said : ""}
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
