import { useEffect, useState, useSyncExternalStore } from "react";

/** The toolbars are hidden after this long without a pointer, in milliseconds. */
const idleAfter = 4000;

export interface FullScreen {
  readonly isOn: boolean;
  /** In full screen, and without any input for a while. */
  readonly isIdle: boolean;
  /** Null if the browser has no full screen. */
  readonly toggle: (() => void) | null;
}

export function useFullScreen(): FullScreen {
  const isOn = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  const [isIdle, setIdle] = useState(false);

  useEffect(() => {
    if (!isOn) return;
    let timer = setTimeout(() => setIdle(true), idleAfter);
    const wake = () => {
      setIdle(false);
      clearTimeout(timer);
      timer = setTimeout(() => setIdle(true), idleAfter);
    };
    const events = ["pointermove", "pointerdown", "keydown"] as const;
    for (const event of events) window.addEventListener(event, wake);
    return () => {
      clearTimeout(timer);
      setIdle(false);
      for (const event of events) window.removeEventListener(event, wake);
    };
  }, [isOn]);

  const toggle = () => {
    const change = isOn ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    void change.catch(() => {});
  };
  return { isOn, isIdle, toggle: document.fullscreenEnabled ? toggle : null };
}

function subscribe(listener: () => void): () => void {
  document.addEventListener("fullscreenchange", listener);
  return () => document.removeEventListener("fullscreenchange", listener);
}
