import type { ReconnectPolicy } from "livekit-client";
import type { Clock } from "./clock.js";

/** How long the media library tries by itself before a fresh token is fetched. */
const ownReconnection = 5000;

/**
 * How long each step of connecting may take, after this many failed attempts in a row. In a move
 * the network works, so an attempt that hangs is lost, and the service ends the old connection
 * after 5 seconds. The limit grows to the media library's own one, so that a slow network succeeds
 * too.
 */
export function connectPatience(failed: number, isMoving: boolean): number {
  return Math.min((isMoving ? 5000 : 10_000) + 5000 * failed, 15_000);
}

/** Waits for the promise, until the signal aborts. */
export function untilAborted(doing: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  return Promise.race([doing, aborted]);
}

/** Asks for something with a time limit, because on a dead network an answer never comes. */
export async function inTime<T>(
  clock: Clock,
  patience: number,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const overdue = new AbortController();
  const cancel = clock.after(patience, () => overdue.abort());
  try {
    return await ask(overdue.signal);
  } finally {
    cancel();
  }
}

/** When the media library tries again by itself. */
export function ownRetries({ random }: Pick<Clock, "random">): ReconnectPolicy {
  return {
    nextRetryDelayInMs: ({ elapsedMs, retryCount }) => {
      if (elapsedMs > ownReconnection) return null;
      return retryCount === 0 ? 0 : 300 + 500 * random();
    },
  };
}
