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

  useEffect(() => (isOn ? watchIdle(window, setIdle) : undefined), [isOn]);

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

/** Tells when there was no input for a while, and when there is some again, until it is stopped. */
export function watchIdle(
  page: Pick<EventTarget, "addEventListener" | "removeEventListener">,
  tell: (isIdle: boolean) => void,
): () => void {
  const waits = () => setTimeout(() => tell(true), idleAfter);
  let timer = waits();
  const wake = () => {
    tell(false);
    clearTimeout(timer);
    timer = waits();
  };
  const events = ["pointermove", "pointerdown", "keydown"] as const;
  for (const event of events) page.addEventListener(event, wake);
  return () => {
    clearTimeout(timer);
    tell(false);
    for (const event of events) page.removeEventListener(event, wake);
  };
}
