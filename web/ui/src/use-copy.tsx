import { useState } from "react";

/** What became of the last attempt to copy; null a moment after it has worked. */
export type Copied = "copied" | "failed" | null;

/** Copies a text, as far as the browser lets the page: in a frame it may not. */
export function useCopy(text: string): { readonly outcome: Copied; readonly copy: () => void } {
  const [outcome, setOutcome] = useState<Copied>(null);
  const copy = async () => {
    setOutcome(null);
    await navigator.clipboard.writeText(text);
    setOutcome("copied");
    setTimeout(() => setOutcome((now) => (now === "copied" ? null : now)), 3000);
  };
  return { outcome, copy: () => void copy().catch(() => setOutcome("failed")) };
}
