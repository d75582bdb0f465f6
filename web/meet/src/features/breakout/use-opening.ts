import { useEffect, useState } from "react";

/** How long the rooms may take to appear once the service has opened them, in milliseconds. */
const appearWithin = 10_000;

interface Opening {
  /** True until the rooms are there, so that a double click opens them once. */
  readonly isOpening: boolean;
  readonly open: () => Promise<void>;
}

/**
 * Opens breakout rooms. The answer and the event with the rooms, which replace the form, come on
 * two connections. `request` resolves to whether the service has opened them.
 */
export function useOpening(request: () => Promise<boolean>): Opening {
  const [state, setState] = useState<"closed" | "asking" | "open">("closed");
  useEffect(() => {
    if (state !== "open") return undefined;
    const timer = setTimeout(() => setState("closed"), appearWithin);
    return () => clearTimeout(timer);
  }, [state]);
  const open = async () => {
    setState("asking");
    setState((await request()) ? "open" : "closed");
  };
  return { isOpening: state !== "closed", open };
}
