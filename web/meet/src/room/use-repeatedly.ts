import { useEffect, useEffectEvent } from "react";

/** Repeats something while the page is visible, and at once when the page becomes visible again. */
export function useRepeatedly(act: () => void, every: number): void {
  const actNow = useEffectEvent(act);
  useEffect(() => {
    const actIfSeen = () => {
      if (document.visibilityState === "visible") actNow();
    };
    const timer = setInterval(actIfSeen, every);
    document.addEventListener("visibilitychange", actIfSeen);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", actIfSeen);
    };
  }, [every]);
}
