import { useEffect, useState } from "react";

/**
 * For how long a code must have been on the screen before a person can say that they compared it,
 * in milliseconds. A hand that is about to press needs less to stop, so nobody presses for a code
 * that they have not seen.
 */
export const standTime = 2000;

/** Whether the code that is shown has been the same for a while. */
export function useHasStood(code: string): boolean {
  const [stood, setStood] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setStood(code), standTime);
    return () => clearTimeout(timer);
  }, [code]);
  return stood === code;
}
