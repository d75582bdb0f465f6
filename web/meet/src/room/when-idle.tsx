import { type ReactNode, useEffect, useState } from "react";

/** How long a busy page is waited for, in milliseconds. */
const longest = 300;

interface WhenIdleProps {
  /** Shown until then. */
  readonly before: ReactNode;
  readonly children: ReactNode;
}

/**
 * Draws its content as soon as the page has nothing else to do. Drawing a meeting takes a slow
 * device a fifth of a second, in which it does not connect.
 */
export function WhenIdle({ before, children }: WhenIdleProps) {
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const show = () => setTime(true);
    // Safari does not say when it is idle.
    if (!("requestIdleCallback" in window)) {
      show();
      return;
    }
    const callback = requestIdleCallback(show, { timeout: longest });
    return () => cancelIdleCallback(callback);
  }, []);
  return isTime ? children : before;
}
