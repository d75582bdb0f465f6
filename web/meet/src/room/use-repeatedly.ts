import { useEffect, useEffectEvent } from "react";

/** Does something again and again while the page is seen, and at once when it is seen again. */
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
