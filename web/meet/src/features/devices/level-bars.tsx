import { type LevelMeter, meterOf } from "@conclave/client/pre-join";
import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import "./level-bars.css";

const bars = ["1", "2", "3", "4", "5", "6", "7"] as const;

/** Null where the browser cannot measure. The bars stay empty then. */
function meterOrNull(track: MediaStreamTrack): LevelMeter | null {
  try {
    return meterOf(track);
  } catch {
    return null;
  }
}

/** Shows how loud the microphone is. Drawn without React, since it changes sixty times a second. */
export function LevelBars({ track }: { readonly track: MediaStreamTrack | null }) {
  const { t } = useTranslation();
  const element = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!track) return;
    const meter = meterOrNull(track);
    if (!meter) return;
    let frame = 0;
    const draw = () => {
      const level = meter.read();
      element.current?.style.setProperty("--level", level.toFixed(2));
      element.current?.setAttribute("aria-valuenow", String(Math.round(level * 10) * 10));
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => {
      cancelAnimationFrame(frame);
      meter.stop();
    };
  }, [track]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot be drawn as bars.
    <div
      ref={element}
      className="level-bars"
      role="meter"
      aria-label={t("join.level")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
    >
      {bars.map((bar) => (
        <span key={bar} />
      ))}
    </div>
  );
}
