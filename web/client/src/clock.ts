/**
 * The time and random numbers that this library uses. Tests give their own; other callers use
 * browserClock.
 */
export interface Clock {
  readonly now: () => number;
  readonly random: () => number;
  /** Runs the callback once, later; the returned function cancels it. */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

export const browserClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  after: (milliseconds, callback) => {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Waits, or stops waiting at once when the signal aborts. Resolves in both cases. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(milliseconds, done);
    signal.addEventListener("abort", done);
  });
}

/**
 * The longest wait that the service can ask for, in milliseconds. Somebody looks at a page that
 * shows nothing yet, and after two such waits the longest of the service's limits has passed
 * (docs/reference/rate-limits.md).
 */
const longestAsked = 5000;

/**
 * How long to wait before attempt number `attempt` (0 is the first), in milliseconds. Doubles from
 * 250 ms to at most two seconds, so that people are back within seconds after a restart of the
 * service. Up to half of the time is random, so that they do not all come back in the same instant.
 * `retryAfter` is what the service asked for, in seconds: it comes before that time.
 */
export function retryDelay(
  attempt: number,
  random: number,
  retryAfter: number | null = null,
): number {
  const base = Math.min(250 * 2 ** attempt, 2000);
  const asked = Math.min((retryAfter ?? 0) * 1000, longestAsked);
  return asked + Math.round(base * (0.5 + random));
}
